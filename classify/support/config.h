// YAML configuration, read strictly: every key must be known, of its type and in its range.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/keys.h"

namespace leafglyph {

/// Visits keys and sets the members of those that the configuration has. declare() the keys of a
/// spec, then call finish(). A key that no one visited is an error, and so are a key that a mapping
/// has twice, at any depth, and a second document. Every error is a UsageError that names file,
/// line and key, except that a file that cannot be read is an InputError. Aliases may stand for
/// values, not for keys; a merge key ('<<') counts as unknown.
///
/// The key `base` at the top level names another file, either relative to this one or found by
/// find_configuration. Its keys apply where this file has none, mapping by mapping; values and
/// lists are replaced as a whole.
///
/// Settings such as "features.order=20" take precedence over all files; the value is YAML. Relative
/// paths in them start at the current folder. Throws UsageError for a text that is not a setting,
/// and for two settings of which one sets the same key as the other or a part of it.
class Config final : public Keys {
 public:
  static Config load(const std::filesystem::path& path,
                     const std::vector<std::string>& settings = {});
  /// `name` stands for the file in messages and is where `base` is resolved from.
  static Config parse(std::string_view text, std::string_view name,
                      const std::vector<std::string>& settings = {});

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config() override;

  void key(const Key& key) override;
  void group(std::string_view name, const std::function<void()>& keys,
             bool is_written = true) override;
  void where(bool applies, std::string_view needs, const std::function<void()>& keys) override;
  void entries(std::string_view name, std::size_t count,
               const std::function<void(std::size_t)>& resize,
               const std::function<void(std::size_t)>& entry) override;
  void check(std::string_view name, const std::function<void()>& check) override;
  bool is_reading() const override { return true; }
  bool has(std::string_view name) const override;
  bool is_overruled(std::string_view name, std::string_view by) const override;
  std::filesystem::path folder(std::string_view name) const override;

  /// Throws UsageError for the first key of the mapping that was not visited.
  void finish() const;

  /// Every key with its effective value, as YAML without `base`.
  std::string yaml() const;

  /// A UsageError that points at `key`: "FILE:LINE: KEY: what".
  [[noreturn]] void fail(std::string_view name, const std::string& what) const;

 private:
  struct State;
  explicit Config(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Sets the members of a spec to what a configuration says. Throws as Config does.
template <class Spec>
void read_keys(Config config, Spec& spec) {
  declare(config, spec);
  config.finish();
}

/// The key that names the file a configuration is based on.
inline constexpr const char* kBaseKey = "base";

/// The part of a mapping from one file, or from the settings.
struct Layer {
  std::string file;
  YAML::Node node;  ///< a mapping

  /// "FILE:LINE", or only the file if there are no lines.
  std::string place(const YAML::Mark& mark) const;
};

/// The layers, of which the first value of each key counts: the settings, if there are any, then
/// `text`, whose file is `name`, then its bases. Throws what Config::parse throws.
std::vector<Layer> read_layers(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings);

}  // namespace leafglyph
