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

/// One mapping of a YAML file. Read every key that you know, then call finish() (on each child
/// too): a key that nobody asked for is an error, as is one that a mapping has twice, at any depth,
/// and a second document. Every error is a UsageError that names file, line and key, except that a
/// file which cannot be read is an InputError. Aliases stand for values, not for keys; a merge key
/// ('<<') is an unknown key.
///
/// The key `base` at the top names another file, relative to this one or as find_configuration
/// finds it, whose keys hold where this file is silent, mapping by mapping: a value or a list is
/// replaced as a whole.
///
/// Settings "features.order=20" hold before any file; the value is YAML. Relative paths among them
/// start at the current folder. Throws UsageError for one that is not such a text, and for two that
/// set the same key or one a part of what the other sets.
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
  /// Whether `by` stands in a nearer file than `key`: in one of which that of `key` is a base.
  bool is_overruled(std::string_view key, std::string_view by) const;

  /// The value of `key`, or `fallback` if the key is missing.
  std::string text(std::string_view key, std::string_view fallback);
  int integer(std::string_view key, int fallback, int lowest, int highest);
  double number(std::string_view key, double fallback, double lowest, double highest);
  bool flag(std::string_view key, bool fallback);
  /// The value of an enumeration by its name in kNamesOf.
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

  /// Throws UsageError for the first key that nothing has read.
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

/// The layers of the settings, if there are any, of `text`, whose file is `name`, and of its bases:
/// the first value of each key counts. Throws what Config::parse throws.
std::vector<Layer> read_layers(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings);

}  // namespace leafglyph
