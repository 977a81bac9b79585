// What a configuration may not have though YAML allows or overlooks it. Part of config.cpp.
#pragma once

#include <yaml-cpp/eventhandler.h>

#include <set>
#include <string>
#include <vector>

namespace leafglyph {

/// "FILE:LINE"; the file alone where it is not a file, as that of settings, or has no line there.
std::string place_in(const std::string& file, const YAML::Mark& mark);

/// What the layer of settings is called, which has no lines.
inline constexpr const char* kSettings = "--set";

/// Follows a text before anything of it is kept. Throws UsageError that names file and line for a
/// key that a mapping has twice, at any depth, a key that is an alias, a second document, and more
/// levels or aliases than a configuration may have (limits.h).
class ConfigEvents : public YAML::EventHandler {
 public:
  explicit ConfigEvents(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { levels_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { levels_.pop_back(); }

 private:
  /// A sequence or mapping that the text is in.
  struct Level {
    bool is_mapping = false;
    bool at_key = true;               ///< whether a key comes next
    std::string key = {};             ///< the last one
    std::set<std::string> keys = {};  ///< all so far
  };

  bool takes_key() const;
  void take_key(const YAML::Mark& mark, const std::string& key);
  /// After a key or a value comes the other. A key that is a list or a mapping is not a key that
  /// anybody asks for.
  void pass();
  void enter(const YAML::Mark& mark, bool is_mapping);
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const;

  const std::string& file_;
  std::vector<Level> levels_;
  int documents_ = 0;
  int aliases_ = 0;
};

}  // namespace leafglyph
