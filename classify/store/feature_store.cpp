#include "classify/store/feature_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <system_error>
#include <utility>

#include "classify/store/store_header.h"
#include "features/base/byte_escapes.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/names.h"
#include "features/base/npy.h"
#include "features/base/partial.h"
#include "features/base/paths.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr Names<RowState, 2> kStates = {"state",
                                        {{{RowState::kOk, "ok"}, {RowState::kFailed, "failed"}}}};
constexpr const char* kRowsHead = "row,path,label,state,warnings";
constexpr std::size_t kRowsFields = 5;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw FormatError(file.string() + ": " + what +
                    "; remove the file and run features extract again, which makes it anew");
}

std::array<std::size_t, 2> shape_of(const StoreHeader& header, std::size_t b) {
  return {header.rows_of(b), header.columns.size()};
}

std::size_t values_file_size(const StoreHeader& header, std::size_t b) {
  const auto shape = shape_of(header, b);
  return npy_header("<f4", shape).size() + shape[0] * shape[1] * sizeof(float);
}

/// Size of a file; nothing when there is none.
bool size_of(const fs::path& file, std::size_t& size) {
  std::error_code error;
  const auto found = fs::file_size(file, error);
  if (error == std::errc::no_such_file_or_directory) return false;
  if (error) throw InputError(file.string() + ": cannot be read: " + error.message());
  size = static_cast<std::size_t>(found);
  return true;
}

void check_values_size(const StoreHeader& header, std::size_t b, const fs::path& file,
                       std::size_t size) {
  const std::size_t expected = values_file_size(header, b);
  if (size == expected) return;
  refuse(file, fmt::format("has {} bytes where {} rows of {} columns take {}", size,
                           header.rows_of(b), header.columns.size(), expected));
}

bool is_block_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot != std::string::npos && dot >= 8 && name.find_first_not_of("0123456789") == dot &&
         (name.ends_with(".npy") || name.ends_with(".csv"));
}

}  // namespace

std::string_view state_name(RowState state) { return name_of(kStates, state); }

std::size_t StoreHeader::rows_of(std::size_t b) const {
  return std::min(block, inputs - std::min(inputs, b * block));
}

StoreHeader StoreHeader::without_inputs() const {
  StoreHeader header = *this;
  header.block = header.inputs = 0;
  header.list_sha256.clear();
  header.classes.clear();
  header.scientific_names.clear();
  return header;
}

std::string values_file_name(std::size_t b) { return fmt::format("{:08}.npy", b); }
std::string rows_file_name(std::size_t b) { return fmt::format("{:08}.csv", b); }

std::string values_bytes(const StoreHeader& header, const StoreBlock& block) {
  const std::array<std::size_t, 2> shape = {block.rows.size(), header.columns.size()};
  return npy_bytes(std::span<const float>(block.values), shape);
}

std::string rows_text(const StoreHeader& header, std::size_t b, std::span<const StoreRow> rows) {
  std::string text = kRowsHead + std::string("\n");
  std::size_t number = b * header.block;
  for (const StoreRow& row : rows) {
    text += fmt::format("{},{},{},{},{}\n", number++, csv_field(row.path), csv_field(row.label),
                        state_name(row.state), csv_field(row.warnings));
  }
  return text;
}

std::vector<std::string> store_files(const fs::path& folder) {
  if (!is_regular(folder / kStoreFile)) return {};
  std::vector<std::string> names = {kStoreFile};
  for (std::string& name : names_in_folder(folder)) {
    if (is_block_name(name)) names.push_back(std::move(name));
  }
  return names;
}

FeatureStore FeatureStore::begin(const fs::path& folder, const StoreHeader& header) {
  validate(header);
  make_folder(folder);
  const fs::path file = folder / kStoreFile;
  // Of programs that begin a store at once, one writes the header and the others read it.
  const Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.is_open()) lock.lock();
  std::error_code error;
  if (is_there(file)) {
    FeatureStore store = open(folder);
    const std::string differs = difference(store.header_, header);
    if (!differs.empty()) {
      throw UsageError(folder.string() + ": was begun with other features; what differs: " +
                       differs + "; name another folder, or remove this one");
    }
    return store;
  }
  clear_all_leftovers(folder);
  if (!fs::is_empty(folder, error)) {
    throw Error(folder.string() + ": holds something, and no feature store; name another folder");
  }
  write_file(file, header_text(header));
  return FeatureStore(folder, header);
}

FeatureStore FeatureStore::open(const fs::path& folder) {
  if (!is_folder(folder)) {
    throw InputError(folder.string() + ": there is no such folder");
  }
  const fs::path file = folder / kStoreFile;
  if (!is_there(file)) {
    throw FormatError(folder.string() + ": is no feature store, it has no " + kStoreFile);
  }
  return FeatureStore(folder, parse_header(read_text_file(file), file));
}

bool FeatureStore::has_block(std::size_t b) const {
  const fs::path values = folder_ / values_file_name(b);
  std::size_t size = 0, rows_size = 0;
  if (!size_of(values, size) || !size_of(folder_ / rows_file_name(b), rows_size)) return false;
  check_values_size(header_, b, values, size);
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

std::vector<StoreRow> FeatureStore::read_rows(std::size_t b) const {
  const fs::path file = folder_ / rows_file_name(b);
  std::istringstream stream(read_file(file));  // as long as the names of a block are
  CsvReader reader(stream, file);
  std::vector<std::string> fields;
  std::vector<StoreRow> rows;
  const std::size_t count = header_.rows_of(b);
  try {
    if (!reader.next(fields)) refuse(file, "is empty");
    while (reader.next(fields)) {
      if (fields.size() != kRowsFields || rows.size() == count ||
          fields[0] != std::to_string(b * header_.block + rows.size())) {
        refuse(file, fmt::format("line {} is not row {} of the store", reader.line(),
                                 b * header_.block + rows.size()));
      }
      rows.push_back({unescape_bytes(fields[1]), unescape_bytes(fields[2]),
                      from_name(kStates, fields[3]), unescape_bytes(fields[4])});
    }
  } catch (const UsageError& error) {
    refuse(file, error.what());
  }
  if (rows.size() != count) refuse(file, fmt::format("has {} rows of {}", rows.size(), count));
  return rows;
}

std::vector<float> FeatureStore::read_values(std::size_t b) const {
  const fs::path file = folder_ / values_file_name(b);
  std::size_t size = 0;
  if (!size_of(file, size)) throw InputError(file.string() + ": there is no such file");
  check_values_size(header_, b, file, size);
  NpyArray<float> array = read_npy<float>(file);
  if (!std::ranges::equal(array.shape, shape_of(header_, b)) || array.type != "<f4") {
    refuse(file, "is an array of another shape or type than the store's");
  }
  return std::move(array.values);
}

void check_alike(std::span<const FeatureStore> stores) {
  const FeatureStore& first = stores.front();
  for (const FeatureStore& store : stores) {
    const std::string differs =
        difference(first.header().without_inputs(), store.header().without_inputs());
    if (!differs.empty()) {
      throw UsageError(fmt::format("{} and {} do not fit together; what differs: {}",
                                   first.folder().string(), store.folder().string(), differs));
    }
    store.check_complete();
  }
}

void FeatureStore::write_block(std::size_t b, const StoreBlock& block) const {
  write_file(folder_ / values_file_name(b), values_bytes(header_, block));
  write_file(folder_ / rows_file_name(b), rows_text(header_, b, block.rows));
}

}  // namespace leafglyph
