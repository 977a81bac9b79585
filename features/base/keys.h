// What a configuration can say. A spec declares its keys once, in a function declare(Keys&, Spec&):
// name, member, range and a sentence for each. Everything that reads, writes, checks or describes
// configurations visits them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features/base/names.h"

namespace leafglyph {

/// The numbers that a key takes.
struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();

  bool holds(double number) const { return number >= lowest && number <= highest; }
};

/// "from 1 to 64".
std::string range_text(const Range& range);
/// "a, b or c".
std::string list_of(std::span<const std::string_view> names);

struct Key {
  using Value = std::variant<bool*, std::int64_t*, double*, std::string*, std::filesystem::path*,
                             std::vector<int>*, std::vector<double>*, std::vector<std::string>*,
                             std::vector<std::vector<std::string>>*>;

  std::string_view name;
  Value value;
  std::string_view sentence;                       ///< what it sets
  Range range = {};                                ///< of a number, or of those in a list
  std::span<const std::string_view> choices = {};  ///< of a text, or of those in a list; none: any
};

/// What is wrong with its value: "2 is out of range; use from 0.1 to 1"; empty if nothing is.
std::string fault_of(const Key& key);
/// What a key takes, "a list of whole numbers, such as [1, 2]".
std::string_view kind_of(const Key& key);

/// A visitor of keys. Those of a mapping are visited in the order in which they are written.
class Keys {
 public:
  virtual ~Keys() = default;

  virtual void key(const Key& key) = 0;
  /// The keys of a mapping under `name`, written only if `is_written`.
  virtual void group(std::string_view name, const std::function<void()>& keys,
                     bool is_written = true) = 0;
  /// Keys that count only if `applies`; `needs` is what else they need, in messages: "kind:
  /// splits".
  virtual void where(bool applies, std::string_view /*needs*/, const std::function<void()>& keys) {
    if (applies) keys();
  }
  /// A list of `count` mappings: `resize` gives it another length, `entry` visits the keys of one.
  virtual void entries(std::string_view, std::size_t /*count*/,
                       const std::function<void(std::size_t)>& /*resize*/,
                       const std::function<void(std::size_t)>& /*entry*/) {}

  /// Runs what turns values into others or checks them, if keys are read or checked; a UsageError
  /// then points to the key.
  virtual void check(std::string_view, const std::function<void()>&) {}

  // What only those that read a configuration know.

  virtual bool is_reading() const { return false; }
  /// Whether the configuration has the key.
  virtual bool has(std::string_view) const { return false; }
  /// Whether `by` is set in a layer above that of `key`: in the settings, or in a file that has the
  /// file of `key` as a base.
  virtual bool is_overruled(std::string_view, std::string_view) const { return false; }
  /// The folder that relative paths in the value of a key start at.
  virtual std::filesystem::path folder(std::string_view) const { return {}; }

  // Keys by type.

  void flag(std::string_view name, bool& value, std::string_view sentence) {
    key({name, &value, sentence});
  }
  void number(std::string_view name, double& value, Range range, std::string_view sentence) {
    key({name, &value, sentence, range});
  }
  template <std::integral Number>
  void number(std::string_view name, Number& value, Range range, std::string_view sentence) {
    auto number = static_cast<std::int64_t>(value);
    key({name, &number, sentence, range});
    value = static_cast<Number>(number);
  }
  /// `seed` draws the same on every machine.
  void seed(std::uint64_t& value, std::string_view sentence) {
    number("seed", value, {0, std::numeric_limits<int>::max()}, sentence);
  }
  template <class Enum, std::size_t N>
  void choice(std::string_view name, Enum& value, const Names<Enum, N>& names,
              std::string_view sentence) {
    const auto choices = names.names();
    std::string text(name_of(names, value));
    key({name, &text, sentence, {}, choices});
    value = from_name(names, text);
  }
  template <class Enum>
  void choice(std::string_view name, Enum& value, std::string_view sentence) {
    choice(name, value, kNamesOf<Enum>, sentence);
  }
  /// A value as text, which `from` reads; it throws UsageError for other text.
  template <class T, class From>
  void text(std::string_view name, T& value, std::string text, const From& from,
            std::string_view sentence) {
    key({name, &text, sentence});
    check(name, [&] { value = from(text); });
  }
  /// A value that a missing key has for one reason or another.
  template <class T>
  void unless_set(T& value, const T& other) {
    if (is_reading()) value = other;
  }
  /// A list of mappings that declare() declares.
  template <class T>
  void each(std::string_view name, std::vector<T>& list) {
    entries(
        name, list.size(), [&](std::size_t count) { list.assign(count, T{}); },
        [&](std::size_t i) { declare(*this, list[i]); });
  }
};

/// Throws UsageError with the key if a value is out of the range or not among the choices of its
/// key, or one of the checks fails. `prefix` is of the mapping that the spec declares: "pipeline.".
class CheckedKeys : public Keys {
 public:
  explicit CheckedKeys(std::string_view prefix) : prefix_(prefix) {}
  void key(const Key& key) override;
  void group(std::string_view name, const std::function<void()>& keys, bool is_written) override;
  void check(std::string_view name, const std::function<void()>& check) override;

 private:
  std::string prefix_;
};

template <class Spec>
void check_keys(const Spec& spec, std::string_view prefix) {
  CheckedKeys keys(prefix);
  Spec visited = spec;
  declare(keys, visited);
}

}  // namespace leafglyph
