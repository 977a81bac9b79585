#include "classify/support/written_keys.h"

#include <yaml-cpp/yaml.h>

#include <variant>
#include <vector>

#include "features/base/text.h"

namespace leafglyph {
namespace {

template <class T>
void put(YAML::Emitter& yaml, const T& value) {
  yaml << value;
}
void put(YAML::Emitter& yaml, double value) { yaml << number_text(value); }
void put(YAML::Emitter& yaml, const std::filesystem::path& path) {
  yaml << std::filesystem::absolute(path).string();
}
template <class T>
void put(YAML::Emitter& yaml, const std::vector<T>& values) {
  yaml << YAML::Flow << YAML::BeginSeq;
  for (const T& value : values) put(yaml, value);
  yaml << YAML::EndSeq;
}

void put_value(YAML::Emitter& yaml, const Key& key) {
  std::visit([&](const auto* value) { put(yaml, *value); }, key.value);
}

bool is_empty_path(const Key& key) {
  const auto* path = std::get_if<std::filesystem::path*>(&key.value);
  return path != nullptr && (*path)->empty();
}

std::string what_it_takes(const Key& key) {
  if (!key.choices.empty()) return list_of(key.choices);
  std::string takes(kind_of(key));
  takes.resize(std::min(takes.find(','), takes.size()));
  const bool is_any = std::isinf(key.range.lowest) && std::isinf(key.range.highest);
  return is_any ? takes : takes + " " + range_text(key.range);
}

std::string value_of(const Key& key) {
  if (is_empty_path(key)) return "";
  YAML::Emitter yaml;
  put_value(yaml, key);
  return yaml.c_str();
}

}  // namespace

struct WrittenKeys::Text {
  YAML::Emitter yaml;
};

WrittenKeys::WrittenKeys() : text_(std::make_unique<Text>()) { text_->yaml << YAML::BeginMap; }
WrittenKeys::~WrittenKeys() = default;

void WrittenKeys::key(const Key& key) {
  if (is_empty_path(key)) return;
  text_->yaml << std::string(key.name);
  put_value(text_->yaml, key);
}

void WrittenKeys::group(std::string_view name, const std::function<void()>& keys, bool is_written) {
  if (!is_written) return;
  text_->yaml << std::string(name) << YAML::BeginMap;
  keys();
  text_->yaml << YAML::EndMap;
}

void WrittenKeys::entries(std::string_view name, std::size_t count,
                          const std::function<void(std::size_t)>& /*resize*/,
                          const std::function<void(std::size_t)>& entry) {
  text_->yaml << std::string(name) << YAML::BeginSeq;
  for (std::size_t i = 0; i < count; ++i) {
    text_->yaml << YAML::BeginMap;
    entry(i);
    text_->yaml << YAML::EndMap;
  }
  text_->yaml << YAML::EndSeq;
}

std::string WrittenKeys::yaml() {
  text_->yaml << YAML::EndMap;
  return text_->yaml.c_str() + std::string("\n");
}

void ListedKeys::key(const Key& key) {
  table_.add(prefix_ + std::string(key.name), what_it_takes(key), value_of(key), needs_,
             key.sentence);
}

void ListedKeys::group(std::string_view name, const std::function<void()>& keys,
                       bool /*is_written*/) {
  const std::size_t length = prefix_.size();
  prefix_ += std::string(name) + ".";
  keys();
  prefix_.resize(length);
}

void ListedKeys::where(bool /*applies*/, std::string_view needs,
                       const std::function<void()>& keys) {
  needs_ = needs;
  keys();
  needs_.clear();
}

void ListedKeys::entries(std::string_view name, std::size_t /*count*/,
                         const std::function<void(std::size_t)>& resize,
                         const std::function<void(std::size_t)>& entry) {
  resize(1);
  group(
      std::string(name) + "[]", [&] { entry(0); }, /*is_written=*/true);
}

}  // namespace leafglyph
