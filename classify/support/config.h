// YAML configuration, read strictly: every key must be known, of its type and in its range.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"

namespace leafglyph {

/// One mapping of a YAML file. Read every key that you know, then call finish(), also on each
/// child. A key that was not read is an error, and so are a key that a mapping has twice, at any
/// depth, and a second document. Every error is a UsageError that names file, line and key, except
/// that a file that cannot be read is an InputError. Aliases may stand for values, not for keys; a
/// merge key ('<<') counts as unknown.
///
/// The key `base` at the top level names another file, either relative to this one or found by
/// find_configuration. Its keys apply where this file has none, mapping by mapping; values and
/// lists are replaced as a whole.
///
/// Settings such as "features.order=20" take precedence over all files; the value is YAML. Relative
/// paths in them start at the current folder. Throws UsageError for a text that is not a setting,
/// and for two settings of which one sets the same key as the other or a part of it.
class Config {
 public:
  static Config load(const std::filesystem::path& path,
                     const std::vector<std::string>& settings = {});
  /// `name` stands for the file in messages and is where `base` is resolved from.
  static Config parse(std::string_view text, std::string_view name,
                      const std::vector<std::string>& settings = {});

  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  bool has(std::string_view key) const;
  /// Whether `by` is set in a layer above that of `key`: in the settings, or in a file that has the
  /// file of `key` as a base.
  bool is_overruled(std::string_view key, std::string_view by) const;

  /// The value of `key`, or `fallback` if the key is missing.
  std::string text(std::string_view key, std::string_view fallback);
  int integer(std::string_view key, int fallback, int lowest, int highest);
  double number(std::string_view key, double fallback, double lowest, double highest);
  bool flag(std::string_view key, bool fallback);
  /// The value of an enumeration, by its name in kNamesOf.
  template <class Enum>
  Enum choice(std::string_view key, Enum fallback) {
    const auto names = kNamesOf<Enum>.names();
    return from_name<Enum>(choice(key, name_of(fallback), {names.begin(), names.end()}));
  }
  /// One of `choices`.
  std::string choice(std::string_view key, std::string_view fallback,
                     const std::vector<std::string>& choices);
  std::vector<std::string> texts(std::string_view key, const std::vector<std::string>& fallback);
  std::vector<int> integers(std::string_view key, const std::vector<int>& fallback, int lowest,
                            int highest);
  std::vector<double> numbers(std::string_view key, const std::vector<double>& fallback,
                              double lowest, double highest);
  /// A list of lists of texts; empty if the key is missing.
  std::vector<std::vector<std::string>> text_lists(std::string_view key);
  /// The value of `key`; throws when it is missing.
  std::string required_text(std::string_view key);

  /// The mapping under `key`; empty if the key is missing.
  Config child(std::string_view key);
  /// The mappings of the sequence under `key`; none if the key is missing.
  std::vector<Config> children(std::string_view key);

  /// Throws UsageError for the first key that was not read.
  void finish() const;

  /// Every key with its effective value, as YAML without `base`.
  std::string yaml() const;

  /// A UsageError that points at `key`: "FILE:LINE: KEY: what".
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

  /// Folder of the file that contains `key`, for relative paths in a config; the folder of this
  /// file if the key is missing.
  std::filesystem::path folder(std::string_view key) const;

 private:
  struct State;
  explicit Config(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

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
