// What the commands for feature stores share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "classify/classifier/row_projection.h"
#include "classify/store/feature_store.h"

namespace CLI {
class App;
}

namespace leafglyph {

struct CommandLine;

/// Adds the commands that do something with a store to the group `features`.
void add_store_commands(CLI::App& features, CommandLine& line);

using States = std::map<RowState, std::size_t>;  ///< number of rows in each state
std::size_t count_of(const States& states, RowState state);
/// "2 cut, 1 not a leaf, 0 failed": rows that are not simply ok.
std::string states_text(const States& states);

inline constexpr std::size_t kUsualDirections = 64;
/// Options of rows that take fewer bytes.
struct SmallerRows {
  std::string model;
  std::int64_t directions = 0;  ///< 0: kUsualDirections, or all if there are fewer
  std::string values = std::string(name_of(StoredValues::kFloat32));
};
/// Adds --projection, --directions and --values.
void add_smaller_rows(CLI::App& command, SmallerRows& options);
StoredValues values_of(const SmallerRows& options);
/// The projection of rows of such a store; none if it is not asked for. Throws what load_model and
/// projection_for throw.
std::optional<RowProjection> projection_of(const SmallerRows& options, const StoreHeader& header);

}  // namespace leafglyph
