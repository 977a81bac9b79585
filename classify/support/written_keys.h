// Keys as they are written in a configuration, and as they are described.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "features/base/keys.h"
#include "features/base/table.h"

namespace leafglyph {

/// Writes keys and their values as YAML, which Config reads back.
class WrittenKeys final : public Keys {
 public:
  WrittenKeys();
  ~WrittenKeys() override;
  WrittenKeys(const WrittenKeys&) = delete;
  WrittenKeys& operator=(const WrittenKeys&) = delete;

  void key(const Key& key) override;
  void group(std::string_view name, const std::function<void()>& keys, bool is_written) override;
  void entries(std::string_view name, std::size_t count,
               const std::function<void(std::size_t)>& resize,
               const std::function<void(std::size_t)>& entry) override;

  std::string yaml();

 private:
  struct Text;
  std::unique_ptr<Text> text_;
};

/// Lists keys: name, what it takes, its value, what else it needs, and what it sets.
class ListedKeys final : public Keys {
 public:
  void key(const Key& key) override;
  void group(std::string_view name, const std::function<void()>& keys, bool is_written) override;
  void where(bool applies, std::string_view needs, const std::function<void()>& keys) override;
  void entries(std::string_view name, std::size_t count,
               const std::function<void(std::size_t)>& resize,
               const std::function<void(std::size_t)>& entry) override;

  const Table& table() const { return table_; }

 private:
  Table table_{"key:text takes:text default:text needs:text description:text"};
  std::string prefix_;
  std::string needs_;
};

/// A spec as YAML, with every key.
template <class Spec>
std::string yaml_of(Spec spec) {
  WrittenKeys keys;
  declare(keys, spec);
  return keys.yaml();
}

}  // namespace leafglyph
