// What a configuration must not contain although YAML allows it or ignores it. Part of config.cpp.
#pragma once

#include <yaml-cpp/eventhandler.h>

#include <set>
#include <string>
#include <vector>

namespace leafglyph {

/// "FILE:LINE"; only FILE if it is not a file, as for settings, or there is no line.
std::string place_in(const std::string& file, const YAML::Mark& mark);

/// The name of the layer of settings, which has no line numbers.
inline constexpr const char* kSettings = "--set";

/// Scans a text before any of it is stored. Throws UsageError with file and line for a key that a
/// mapping has twice, at any depth, a key that is an alias, a second document, and more levels or
/// aliases than allowed (limits.h).
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
  /// An open sequence or mapping of the text.
  struct Level {
    bool is_mapping = false;
    bool at_key = true;               ///< whether a key comes next
    std::string key = {};             ///< the last key read
    std::set<std::string> keys = {};  ///< all keys read so far
  };

  bool takes_key() const;
  void take_key(const YAML::Mark& mark, const std::string& key);
  /// Keys and values alternate. A key that is a list or a mapping is never read.
  void pass();
  void enter(const YAML::Mark& mark, bool is_mapping);
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& what) const;

  const std::string& file_;
  std::vector<Level> levels_;
  int documents_ = 0;
  int aliases_ = 0;
};

}  // namespace leafglyph
