#include "classify/page/page_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "classify/page/html_page.h"
#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

namespace mustache = kainjow::mustache;

// A value, and its dotted key.
struct Member {
  const PageValues* value = nullptr;
  std::string key;
};

Member member_of(const Member& around, std::string_view path) {
  Member place = around;
  while (place.value != nullptr && !path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const PageValues& value = *std::exchange(place.value, nullptr);
    if (value.is_object()) {
      if (const auto at = value.find(name); at != value.end()) place.value = &*at;
    } else if (const auto i = number_in<std::size_t>(name); value.is_array()) {
      if (i && *i < value.size()) place.value = &value[*i];
    }
    place.key += (place.key.empty() ? "" : ".") + name;
  }
  return place;
}

std::string text_of(const PageValues& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : "";
}

std::string times_of(const PageValues& seconds) {
  std::string text;
  for (const auto& [stage, time] : seconds.items()) {
    text += (text.empty() ? "" : ", ") + stage + " " + seconds_text(time.get<double>());
  }
  return text;
}

std::string with_digits(double value, std::string_view format) {
  return fmt::format(fmt::runtime("{:" + std::string(format) + "}"), value);
}

PageValues formatted(const Member& place, std::string_view format) {
  const PageValues& value = *place.value;
  if (format.empty()) return text_of(value);
  if (format == "percent") return percent(value.get<double>());
  if (format.starts_with("percent."))
    return with_digits(100 * value.get<double>(), format.substr(7));
  if (format == "number") return number_text(value.get<double>());
  if (format.starts_with('.')) return with_digits(value.get<double>(), format);
  if (format == "seconds") return seconds_text(value.get<double>());
  if (format == "distance") return html_distance(value.get<double>());
  if (format == "times") return times_of(value);
  if (format == "count") return std::to_string(value.size());
  if (format == "any") return !value.empty();
  if (format == "several") return value.size() > 1;
  if (format == "species") return shown_species(value.get<std::string>());
  if (format == "latin") return is_latin_folder(value.get<std::string>());
  if (format == "figure") {
    return fmt::format("<span data-figure=\"{}\">{}</span>", html_escaped(place.key),
                       value.is_number_float() ? percent(value.get<double>()) : text_of(value));
  }
  throw UsageError(fmt::format("a template has the unknown format '{}'", format));
}

// What the names in a template stand for. Sections are data without content of their own, whose
// places are known here.
class Scope : public mustache::basic_context<std::string> {
 public:
  explicit Scope(std::vector<Member> places) : stack_(std::move(places)) {}

  void push(const mustache::data* data) override {
    const auto at = places_.find(data);
    stack_.push_back(at == places_.end() ? Member() : at->second);
  }
  void pop() override { stack_.pop_back(); }
  const mustache::data* get_partial(const std::string&) const override { return nullptr; }

  const mustache::data* get(const std::string& name) const override {
    const std::size_t bar = name.find('|');
    const Member place = find(name.substr(0, bar));
    if (place.value == nullptr) return nullptr;
    if (bar == std::string::npos) return section(place);
    std::string_view format = std::string_view(name).substr(bar + 1);
    const std::size_t sign = format.find_first_of("<>");
    PageValues value = formatted(place, format.substr(0, sign));
    if (sign != std::string_view::npos) {
      value = padded(value.get<std::string>(), format[sign], format.substr(sign + 1));
    }
    return &(value.is_string() ? made_.emplace_back(value.get<std::string>())
                               : made_.emplace_back(value.get<bool>()));
  }

 private:
  Member find(const std::string& path) const {
    if (path == ".") return stack_.back();
    for (auto place = stack_.rbegin(); place != stack_.rend(); ++place) {
      if (path == "@" && !place->key.empty()) return numbered(*place);
      if (Member found = member_of(*place, path); found.value != nullptr) return found;
    }
    return {};
  }

  // The number at the end of an element's key, from 1.
  Member numbered(const Member& element) const {
    numbers_.emplace_back(std::stoul(element.key.substr(element.key.rfind('.') + 1)) + 1);
    return {&numbers_.back(), element.key};
  }

  const mustache::data* section(const Member& place) const {
    const PageValues& value = *place.value;
    using Type = mustache::data::type;
    if (value.is_array()) {
      const mustache::data& list =
          made_.emplace_back(mustache::list(value.size(), mustache::data(Type::object)));
      for (std::size_t i = 0; i < value.size(); ++i) {
        places_[&list.list_value()[i]] = {&value[i], place.key + "." + std::to_string(i)};
      }
    } else if (value.is_object()) {
      places_[&made_.emplace_back(Type::object)] = place;
    } else if (value == "" || value.is_null() || value.is_boolean()) {
      made_.emplace_back(value == true);
    } else {
      places_[&made_.emplace_back(text_of(value))] = place;
    }
    return &made_.back();
  }

  std::string padded(std::string text, char sign, std::string_view width) const {
    const Member known = find(std::string(width));
    const std::size_t columns =
        known.value != nullptr ? known.value->get<std::size_t>() : std::stoul(std::string(width));
    const std::size_t have = count_characters(text);
    const std::string blanks(columns - std::min(columns, have), ' ');
    return sign == '<' ? text + blanks : blanks + text;
  }

  std::vector<Member> stack_;  // innermost last
  mutable std::deque<mustache::data> made_;
  mutable std::deque<PageValues> numbers_;
  mutable std::unordered_map<const mustache::data*, Member> places_;
};

template <class Escape>
std::string filled(std::string_view markup, std::vector<Member> places, const Escape& escape) {
  if (markup.ends_with('\n')) markup.remove_suffix(1);
  mustache::mustache parsed{std::string(markup)};
  if (!parsed.is_valid()) throw UsageError("not a template: " + parsed.error_message());
  parsed.set_custom_escape(escape);
  Scope names(std::move(places));
  return parsed.render(names);
}

}  // namespace

std::string filled_template(std::string_view markup, const PageValues& values) {
  return filled(markup, {{&values, ""}}, html_escaped);
}

std::string filled_template(std::string_view markup, const PageValues& values,
                            const PageValues& document) {
  return filled(markup, {{&document, ""}, {&values, ""}}, html_escaped);
}

std::string filled_text(std::string_view markup, const PageValues& values,
                        const PageValues& document) {
  return filled(markup, {{&document, ""}, {&values, ""}},
                [](const std::string& text) { return text; });
}

bool is_latin_folder(std::string_view name) {
  const auto is_in = [](char letter, char first, char last) {
    return letter >= first && letter <= last;
  };
  const std::size_t mark = name.find('_');
  if (name.empty() || !is_in(name[0], 'A', 'Z') || mark < 2 || mark + 1 >= name.size())
    return false;
  const auto is_small = [&](char letter) { return is_in(letter, 'a', 'z'); };
  return std::ranges::all_of(name.substr(1, mark - 1), is_small) && is_small(name[mark + 1]);
}

std::string shown_species(const std::string& name) {
  std::string shown = name;
  if (is_latin_folder(name)) std::ranges::replace(shown, '_', ' ');
  return shown;
}

}  // namespace leafglyph
