#include "classify/store/feature_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <system_error>
#include <utility>

#include "classify/support/half_values.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/partial.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRemedy =
    "remove the file and run features extract again, which writes it again";

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw FormatError(file.string() + ": " + what + "; " + kRemedy);
}

std::string rows_file_name(std::size_t b) { return fmt::format("{:08}.csv", b); }
std::string sum_file_name(std::size_t b) { return fmt::format("{:08}.sum", b); }

/// Gets the size of a file; returns false if it does not exist.
bool size_of(const fs::path& file, std::size_t& size) {
  std::error_code error;
  const auto found = fs::file_size(file, error);
  if (error == std::errc::no_such_file_or_directory) return false;
  if (error) throw InputError(file.string() + ": cannot be read: " + error.message());
  size = static_cast<std::size_t>(found);
  return true;
}

std::string values_bytes(const StoreHeader& header, const StoreBlock& block) {
  const std::array<std::size_t, 2> shape = {block.rows.size(), header.columns.size()};
  if (header.values == StoredValues::kFloat32) {
    return npy_bytes(std::span<const float>(block.values), shape);
  }
  std::vector<Half> halves(block.values.size());
  to_half(block.values, halves);
  return npy_bytes(std::span<const Half>(halves), shape);
}

std::string_view type_of(const StoreHeader& header) {
  return header.values == StoredValues::kFloat32 ? "<f4" : "<f2";
}

// The values in a file of a block.
template <class T>
std::span<const T> view_of(std::string_view bytes, std::span<const std::size_t> shape,
                           const fs::path& file) {
  const NpyView<T> view = view_npy<T>(bytes, file);
  if (!std::ranges::equal(view.shape, shape)) {
    refuse(file, "does not have the shape of the store's arrays");
  }
  return view.values;
}

std::vector<float> floats_of(std::string_view bytes, std::span<const std::size_t> shape,
                             const fs::path& file) {
  const std::span<const Half> halves = view_of<Half>(bytes, shape, file);
  std::vector<float> values(halves.size());
  to_float(halves, values);
  return values;
}

// A line in the format of sha256sum.
std::string sum_line(const std::string& digest, const std::string& name) {
  return digest + "  " + name + "\n";
}

// Writes the files of block b but its sums, and returns the lines of these.
std::string write_rows(
    const StoreHeader& header, std::size_t b, const StoreBlock& block,
    const std::function<void(const std::string& name, const std::string& bytes)>& write) {
  std::string sums;
  const auto add = [&](const std::string& name, const std::string& bytes) {
    write(name, bytes);
    sums += sum_line(sha256(bytes), name);
  };
  add(values_file_name(b), values_bytes(header, block));
  add(rows_file_name(b), rows_text(header, block.rows));
  return sums;
}

}  // namespace

std::string beyond_values(const StoreHeader& header, std::span<const float> values) {
  if (header.values == StoredValues::kFloat32) return "";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) > kLargestHalf)) continue;
    return fmt::format("{} is {:.6g}, but float16 ends at {}; use float32",
                       header.columns[i % header.columns.size()], values[i], kLargestHalf);
  }
  return "";
}

std::string values_file_name(std::size_t b) { return fmt::format("{:08}.npy", b); }

std::vector<std::string> store_files(const fs::path& folder) {
  const fs::path file = folder / kStore.facts;
  if (!is_regular(file)) return {};
  StoreHeader header;
  try {
    header = parse_header(read_text_file(file), file);
  } catch (const Error&) {
    return {};
  }
  std::vector<std::string> names = {kStore.facts};
  if (!header.projection.empty()) names.emplace_back(kProjectionFile);
  for (std::size_t b = 0; b < header.blocks(); ++b) {
    for (std::string name : {values_file_name(b), rows_file_name(b), sum_file_name(b)}) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

FeatureStore FeatureStore::begin(const fs::path& folder, const StoreHeader& header) {
  validate(header);
  auto lock = std::make_shared<const WriteLock>(folder, WriteLock::Kind::kTogether);
  make_folder(folder);
  const fs::path file = folder / kStore.facts;
  // If several programs start a store at the same time, one writes the header and the others read
  // it.
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) opened.lock();
  std::error_code error;
  if (is_there(file)) {
    FeatureStore store = open(folder);
    if (const std::string differs = difference(store.header_, header); !differs.empty()) {
      throw UsageError(folder.string() + ": was started with other features, which differ in " +
                       differs + "; name another folder, or remove this one");
    }
    store.lock_ = std::move(lock);
    return store;
  }
  clear_all_leftovers(folder);
  const fs::path projection = folder / kProjectionFile;
  if (!header.projection.empty() && is_regular(projection) &&
      read_file(projection) == header.projection) {
    fs::remove(projection, error);  // of a killed run
  }
  if (!fs::is_empty(folder, error)) {
    throw Error(folder.string() + ": is neither empty nor a feature store; name another folder");
  }
  const std::string text = header_text(header);
  if (!header.projection.empty()) write_file(projection, header.projection);
  write_file(file, text);
  FeatureStore store(folder, header, sha256(text));
  store.lock_ = std::move(lock);
  return store;
}

FeatureStore FeatureStore::open(const fs::path& folder) {
  if (!is_folder(folder)) {
    throw InputError(folder.string() + ": there is no such folder; " + kStore.make);
  }
  const fs::path file = folder / kStore.facts;
  if (!is_there(file)) {
    throw FormatError(folder.string() + ": is not a feature store: it has no " + kStore.facts);
  }
  const std::string text = read_text_file(file);
  return {folder, parse_header(text, file), sha256(text)};
}

bool FeatureStore::is_at(const fs::path& folder) const {
  std::error_code ignored;
  return fs::weakly_canonical(folder_, ignored) == fs::weakly_canonical(folder, ignored);
}

bool FeatureStore::has_block(std::size_t b) const {
  const fs::path values = folder_ / values_file_name(b);
  std::size_t size = 0, other = 0;
  if (!size_of(values, size) || !size_of(folder_ / rows_file_name(b), other) ||
      !size_of(folder_ / sum_file_name(b), other)) {
    return false;
  }
  rows_of_size(b, size);
  return true;
}

std::vector<std::size_t> FeatureStore::missing_blocks() const {
  std::vector<std::size_t> missing;
  for (std::size_t b = 0; b < header_.blocks(); ++b) {
    if (!has_block(b)) missing.push_back(b);
  }
  return missing;
}

void FeatureStore::check_complete() const {
  const std::vector<std::size_t> missing = missing_blocks();
  if (missing.empty()) return;
  throw InputError(fmt::format(
      "{}: {} of {} blocks are missing, the first {}; run features extract again to finish it",
      folder_.string(), missing.size(), header_.blocks(), missing.front()));
}

// Checks the bytes of a file of block b against the checksums of the block.
void FeatureStore::check(std::size_t b, const std::string& name, std::string_view bytes) const {
  const fs::path sums = folder_ / sum_file_name(b);
  const std::string text = read_text_file(sums);
  const std::string own = sum_line(header_digest_, kStore.facts);
  check_digest(text.substr(0, own.size()), own, sums, "belongs to another store.json", kRemedy);
  const std::string stated = text.substr(0, text.find("  " + name + "\n"));
  const std::string digest = sha256(bytes);
  check_digest(digest, stated.substr(stated.size() - std::min(stated.size(), digest.size())),
               folder_ / name, "does not match its checksum in " + sum_file_name(b), kRemedy);
}

std::string FeatureStore::checked(std::size_t b, const std::string& name) const {
  std::string bytes = read_file(folder_ / name);  // as long as the values or names of a block are
  check(b, name, bytes);
  return bytes;
}

std::string FeatureStore::block_digest(std::size_t b) const {
  return sha256(read_text_file(folder_ / sum_file_name(b)));
}

std::string FeatureStore::digest() const {
  std::string parts = header_digest_;
  for (std::size_t b = 0; b < header_.blocks(); ++b) parts += block_digest(b);
  return sha256(parts);
}

std::vector<StoreRow> FeatureStore::read_rows(std::size_t b) const {
  const fs::path file = folder_ / rows_file_name(b);
  std::vector<StoreRow> rows;
  try {
    rows = parse_rows(header_, b, checked(b, rows_file_name(b)), file);
  } catch (const UsageError& error) {
    refuse(file, error.what());
  }
  if (const std::size_t values = rows_in(b); values != rows.size()) {
    refuse(file,
           fmt::format("has {} rows, but {} has {}", rows.size(), values_file_name(b), values));
  }
  return rows;
}

// How many rows a file of values of this size holds.
std::size_t FeatureStore::rows_of_size(std::size_t b, std::size_t size) const {
  const fs::path file = folder_ / values_file_name(b);
  const std::array<std::size_t, 2> none = {0, header_.columns.size()};
  const std::size_t head = npy_header(type_of(header_), none).size();  // the same for any rows
  const std::size_t number =
      header_.values == StoredValues::kFloat32 ? sizeof(float) : sizeof(Half);
  const std::size_t row = header_.columns.size() * number, inputs = header_.inputs_of(b);
  const std::size_t rows = size < head ? 0 : (size - head) / row;
  if (rows < inputs || size != head + rows * row) {
    refuse(file, fmt::format("has {} bytes, which are not the rows of {} inputs with {} columns",
                             size, inputs, header_.columns.size()));
  }
  return rows;
}

std::size_t FeatureStore::rows_in(std::size_t b) const {
  const fs::path file = folder_ / values_file_name(b);
  std::size_t size = 0;
  if (!size_of(file, size)) throw InputError(file.string() + ": there is no such file");
  return rows_of_size(b, size);
}

std::vector<float> FeatureStore::read_values(std::size_t b) const {
  const fs::path file = folder_ / values_file_name(b);
  const std::array<std::size_t, 2> shape = {rows_in(b), header_.columns.size()};
  const std::string bytes = checked(b, values_file_name(b));
  if (header_.values == StoredValues::kFloat16) return floats_of(bytes, shape, file);
  const std::span<const float> values = view_of<float>(bytes, shape, file);
  return {values.begin(), values.end()};
}

FeatureStore::MappedValues FeatureStore::map_values(std::size_t b) const {
  if (header_.values == StoredValues::kFloat16 || !mapped_files_are_guarded()) {
    auto memory = std::make_shared<const std::vector<float>>(read_values(b));
    const std::span<const float> values = *memory;
    return {nullptr, std::move(memory), values};
  }
  const fs::path file = folder_ / values_file_name(b);
  const std::array<std::size_t, 2> shape = {rows_in(b), header_.columns.size()};
  auto mapped = std::make_shared<const MappedFile>(file, kRemedy);
  check(b, values_file_name(b), mapped->bytes());
  const std::span<const float> values = view_of<float>(mapped->bytes(), shape, file);
  return {std::move(mapped), nullptr, values};
}

void check_alike(std::span<const FeatureStore> stores) {
  const FeatureStore& first = stores.front();
  for (const FeatureStore& store : stores) {
    const std::string differs =
        difference(first.header().without_inputs(), store.header().without_inputs());
    if (!differs.empty()) {
      throw UsageError(fmt::format("{} and {} cannot be merged: they differ in {}",
                                   first.folder().string(), store.folder().string(), differs));
    }
    store.check_complete();
  }
  if (stores.size() == 1) return;
  std::map<std::string, fs::path> folders;  // by the rows
  for (const FeatureStore& store : stores) {
    const auto [other, is_new] = folders.emplace(store.digest(), store.folder());
    if (is_new) continue;
    throw UsageError(store.is_at(other->second)
                         ? store.folder().string() + ": is named twice; name each store once"
                         : fmt::format("{} and {} have the same rows; name one of them",
                                       other->second.string(), store.folder().string()));
  }
}

StoreHeader joined_header(std::span<const FeatureStore> stores) {
  check_alike(stores);
  StoreHeader joined = stores.front().header();
  if (stores.size() == 1) return joined;
  joined.inputs = 0;
  std::string lists;
  for (const FeatureStore& store : stores) {
    const StoreHeader& own = store.header();
    joined.inputs += own.inputs;
    lists += own.list_sha256;
    join_fields(joined, own);
    for (std::size_t c = 0; c < own.classes.size(); ++c) {
      if (std::ranges::find(joined.classes, own.classes[c]) == joined.classes.end()) {
        joined.classes.push_back(own.classes[c]);
        joined.scientific_names.push_back(own.scientific_names[c]);
        joined.chinese_names.push_back(own.chinese_names[c]);
      }
    }
  }
  joined.list_sha256 = sha256(lists);
  validate(joined);
  return joined;
}

void join_fields(StoreHeader& to, const StoreHeader& from) {
  for (const std::string& name : from.fields) {
    if (std::ranges::find(to.fields, name) == to.fields.end()) to.fields.push_back(name);
  }
}

std::vector<std::string> fields_for(const StoreHeader& to, const StoreHeader& from,
                                    const StoreRow& row) {
  std::vector<std::string> fields(to.fields.size());
  for (std::size_t i = 0; i < from.fields.size(); ++i) {
    const auto at = std::ranges::find(to.fields, from.fields[i]) - to.fields.begin();
    fields[static_cast<std::size_t>(at)] = row.fields[i];
  }
  return fields;
}

void FeatureStore::clear_when_complete() const {
  if (missing_blocks().empty()) clear_all_leftovers(folder_);
}

void FeatureStore::write_block(std::size_t b, const StoreBlock& block) const {
  const auto write = [&](const std::string& name, const std::string& bytes) {
    write_file(folder_ / name, bytes);
  };
  const std::string sums = write_rows(header_, b, block, write);
  write(sum_file_name(b), sum_line(header_digest_, kStore.facts) + sums);
}

NewStore::NewStore(const fs::path& folder, const StoreHeader& header)
    : lock_(folder), staged_(folder, store_files), header_(header) {}

void NewStore::add(const StoreBlock& block) {
  sums_.push_back(
      write_rows(header_, sums_.size(), block,
                 [&](const auto& name, const auto& bytes) { staged_.write(name, bytes); }));
}

void NewStore::finish(const StoreHeader& header) {
  validate(header);
  const std::string text = header_text(header);
  const std::string line = sum_line(sha256(text), kStore.facts);
  for (std::size_t b = 0; b < sums_.size(); ++b) staged_.write(sum_file_name(b), line + sums_[b]);
  if (!header.projection.empty()) staged_.write(kProjectionFile, header.projection);
  staged_.write(kStore.facts, text);
  staged_.commit();
}

}  // namespace leafglyph
