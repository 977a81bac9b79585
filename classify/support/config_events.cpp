#include "classify/support/config_events.h"

#include <yaml-cpp/mark.h>

#include <fmt/format.h>

#include "features/base/errors.h"
#include "features/base/limits.h"

namespace leafglyph {

std::string place_in(const std::string& file, const YAML::Mark& mark) {
  if (file.starts_with(kSettings) || mark.line < 0) return file;
  return fmt::format("{}:{}", file, mark.line + 1);
}

void ConfigEvents::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ > 1) {
    refuse(mark, "a second document begins ('---'); a configuration has only one");
  }
}

void ConfigEvents::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
  if (takes_key()) take_key(mark, "");
  pass();
}

void ConfigEvents::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  if (++aliases_ > kMaxConfigAliases) {
    refuse(mark,
           fmt::format("has more than {} aliases; a configuration needs fewer", kMaxConfigAliases));
  }
  if (takes_key()) refuse(mark, "a key is an alias ('*'); write it out");
  pass();
}

void ConfigEvents::OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                            const std::string& value) {
  if (takes_key()) take_key(mark, value);
  pass();
}

void ConfigEvents::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                                   YAML::EmitterStyle::value) {
  enter(mark, /*is_mapping=*/false);
}

void ConfigEvents::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                              YAML::EmitterStyle::value) {
  enter(mark, /*is_mapping=*/true);
}

bool ConfigEvents::takes_key() const {
  return !levels_.empty() && levels_.back().is_mapping && levels_.back().at_key;
}

void ConfigEvents::take_key(const YAML::Mark& mark, const std::string& key) {
  Level& level = levels_.back();
  level.key = key;
  if (level.keys.insert(key).second) return;
  std::string path;
  for (const Level& outer : levels_) {
    if (outer.is_mapping) path += (path.empty() ? "" : ".") + outer.key;
  }
  refuse(mark, path + ": appears twice here; keep one");
}

void ConfigEvents::pass() {
  if (!levels_.empty()) levels_.back().at_key = !levels_.back().at_key;
}

void ConfigEvents::enter(const YAML::Mark& mark, bool is_mapping) {
  pass();
  if (levels_.size() == static_cast<std::size_t>(kMaxConfigDepth)) {
    refuse(mark,
           fmt::format("has more than {} levels; a configuration needs fewer", kMaxConfigDepth));
  }
  levels_.push_back({.is_mapping = is_mapping});
}

void ConfigEvents::refuse(const YAML::Mark& mark, const std::string& what) const {
  throw UsageError(place_in(file_, mark) + ": " + what);
}

}  // namespace leafglyph
