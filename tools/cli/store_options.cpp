#include "tools/cli/store_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "classify/extraction/recipe.h"
#include "classify/leaf/model_folder.h"
#include "features/base/limits.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {

std::size_t count_of(const States& states, RowState state) {
  const auto at = states.find(state);
  return at == states.end() ? 0 : at->second;
}

std::string states_text(const States& states) {
  std::string text;
  for (const auto& [state, count] : states) {
    if (state == RowState::kOk || state == RowState::kFailed) continue;
    text += fmt::format("{} {}, ", count, name_of(state));
  }
  return text + fmt::format("{} failed", count_of(states, RowState::kFailed));
}

void add_smaller_rows(CLI::App& command, SmallerRows& options) {
  CLI::Option* projection = command.add_option(
      "--projection", options.model,
      "Folder of a model of leaf train: store, instead of the columns, the directions along which "
      "its species differ most");
  command
      .add_option("--directions", options.directions,
                  fmt::format("With --projection: their number; default: {}, or all of the model "
                              "if it has fewer",
                              kUsualDirections))
      ->needs(projection)
      ->check(whole_number(1, kMaxCount));
  command.add_option("--values", options.values, "Numbers of the store: float32 or float16")
      ->capture_default_str();
}

StoredValues values_of(const SmallerRows& options) {
  return from_name<StoredValues>(options.values);
}

std::optional<RowProjection> projection_of(const SmallerRows& options, const StoreHeader& header) {
  if (options.model.empty()) return std::nullopt;
  const LeafModel model = load_model(options.model);
  const std::size_t usual = std::min(kUsualDirections, model.classifier.pipeline().dimension());
  return projection_for(
      header, model, options.directions > 0 ? static_cast<std::size_t>(options.directions) : usual);
}

}  // namespace leafglyph
