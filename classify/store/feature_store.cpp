#include "classify/store/feature_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "classify/support/sealed_json.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/npy.h"
#include "features/base/partial.h"
#include "features/base/text.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRowsHead = "row,path,label,state,bytes,sha256,warnings";
constexpr std::size_t kRowsFields = 7;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw FormatError(file.string() + ": " + what +
                    "; remove the file and run features extract again, which writes it again");
}

std::string rows_file_name(std::size_t b) { return fmt::format("{:08}.csv", b); }
std::string sum_file_name(std::size_t b) { return fmt::format("{:08}.sum", b); }

std::array<std::size_t, 2> shape_of(const StoreHeader& header, std::size_t b) {
  return {header.rows_of(b), header.columns.size()};
}

std::size_t values_file_size(const StoreHeader& header, std::size_t b) {
  const auto shape = shape_of(header, b);
  return npy_header("<f4", shape).size() + shape[0] * shape[1] * sizeof(float);
}

/// Gets the size of a file; returns false if it does not exist.
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

std::string values_bytes(const StoreHeader& header, const StoreBlock& block) {
  const std::array<std::size_t, 2> shape = {block.rows.size(), header.columns.size()};
  return npy_bytes(std::span<const float>(block.values), shape);
}

std::string rows_text(const StoreHeader& header, std::size_t b, std::span<const StoreRow> rows) {
  std::string text = kRowsHead + std::string("\n");
  std::size_t number = b * header.block;
  for (const StoreRow& row : rows) {
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", number++, csv_field(row.path), csv_field(row.label),
                    name_of(row.state), row.file.bytes, row.file.sha256, csv_field(row.warnings));
  }
  return text;
}

// A line in the format of sha256sum.
std::string sum_line(const std::string& digest, const std::string& name) {
  return digest + "  " + name + "\n";
}

std::uint64_t bytes_in(const std::string& field) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), bytes);
  if (error != std::errc() || end != field.data() + field.size()) {
    throw UsageError("'" + field + "' is not a number of bytes");
  }
  return bytes;
}

}  // namespace

std::string values_file_name(std::size_t b) { return fmt::format("{:08}.npy", b); }

std::size_t StoreHeader::rows_of(std::size_t b) const {
  return std::min(block, inputs - std::min(inputs, b * block));
}

StoreHeader StoreHeader::without_inputs() const {
  StoreHeader header = *this;
  header.block = header.inputs = 0;
  header.list_sha256.clear();
  header.classes.clear();
  header.scientific_names.clear();
  header.chinese_names.clear();
  return header;
}

std::vector<StoreFile> block_files(const StoreHeader& header, const std::string& header_digest,
                                   std::size_t b, const StoreBlock& block) {
  std::vector<StoreFile> files = {{values_file_name(b), values_bytes(header, block)},
                                  {rows_file_name(b), rows_text(header, b, block.rows)}};
  std::string sums = sum_line(header_digest, kStoreFile);
  for (const StoreFile& file : files) sums += sum_line(sha256(file.bytes), file.name);
  files.push_back({sum_file_name(b), std::move(sums)});
  return files;
}

std::vector<std::string> store_files(const fs::path& folder) {
  const fs::path file = folder / kStoreFile;
  if (!is_regular(file)) return {};
  StoreHeader header;
  try {
    header = parse_header(read_text_file(file), file);
  } catch (const Error&) {
    return {};
  }
  std::vector<std::string> names = {kStoreFile};
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
  const fs::path file = folder / kStoreFile;
  // If several programs start a store at the same time, one writes the header and the others read
  // it.
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) opened.lock();
  std::error_code error;
  if (is_there(file)) {
    FeatureStore store = open(folder);
    const std::string differs = difference(store.header_, header);
    if (!differs.empty()) {
      throw UsageError(folder.string() + ": was started with other features, which differ in " +
                       differs + "; name another folder, or remove this one");
    }
    store.lock_ = std::move(lock);
    return store;
  }
  clear_all_leftovers(folder);
  if (!fs::is_empty(folder, error)) {
    throw Error(folder.string() + ": is neither empty nor a feature store; name another folder");
  }
  const std::string text = header_text(header);
  write_file(file, text);
  FeatureStore store(folder, header, sha256(text));
  store.lock_ = std::move(lock);
  return store;
}

FeatureStore FeatureStore::open(const fs::path& folder) {
  if (!is_folder(folder)) {
    throw InputError(folder.string() + ": there is no such folder");
  }
  const fs::path file = folder / kStoreFile;
  if (!is_there(file)) {
    throw FormatError(folder.string() + ": is not a feature store: it has no " + kStoreFile);
  }
  const std::string text = read_text_file(file);
  return {folder, parse_header(text, file), sha256(text)};
}

bool FeatureStore::has_block(std::size_t b) const {
  const fs::path values = folder_ / values_file_name(b);
  std::size_t size = 0, other = 0;
  if (!size_of(values, size) || !size_of(folder_ / rows_file_name(b), other) ||
      !size_of(folder_ / sum_file_name(b), other)) {
    return false;
  }
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

// The bytes of a file of block b, checked against the checksums of the block.
std::string FeatureStore::checked(std::size_t b, const std::string& name) const {
  const fs::path sums = folder_ / sum_file_name(b);
  std::string bytes = read_file(folder_ / name);  // as long as the values or names of a block are
  const std::string text = read_text_file(sums);
  if (!text.starts_with(sum_line(header_digest_, kStoreFile))) {
    refuse(sums, "is damaged, or belongs to another " + std::string(kStoreFile));
  }
  if (text.find("\n" + sum_line(sha256(bytes), name)) == text.npos) {
    refuse(folder_ / name, "does not match its checksum in " + sum_file_name(b) +
                               "; it or that file is damaged or was changed");
  }
  return bytes;
}

std::string FeatureStore::block_digest(std::size_t b) const {
  return sha256(read_text_file(folder_ / sum_file_name(b)));
}

std::vector<StoreRow> FeatureStore::read_rows(std::size_t b) const {
  const fs::path file = folder_ / rows_file_name(b);
  std::istringstream stream(checked(b, rows_file_name(b)));
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
      rows.push_back({unescape_bytes(fields[1]),
                      unescape_bytes(fields[2]),
                      from_name<RowState>(fields[3]),
                      {bytes_in(fields[4]), fields[5]},
                      unescape_bytes(fields[6])});
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
  NpyArray<float> array = parse_npy<float>(checked(b, values_file_name(b)), file);
  if (!std::ranges::equal(array.shape, shape_of(header_, b)) || array.type != "<f4") {
    refuse(file, "does not have the shape or type of the store's arrays");
  }
  return std::move(array.values);
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
}

StoreHeader joined_header(std::span<const FeatureStore> stores) {
  check_alike(stores);
  StoreHeader joined = stores.front().header();
  if (stores.size() == 1) return joined;
  joined.inputs = 0;
  std::string lists;
  std::set<fs::path> folders;
  for (const FeatureStore& store : stores) {
    std::error_code ignored;
    if (!folders.insert(fs::weakly_canonical(store.folder(), ignored)).second) {
      throw UsageError(store.folder().string() + ": is named twice; name each store once");
    }
    const StoreHeader& own = store.header();
    joined.inputs += own.inputs;
    lists += own.list_sha256;
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

void FeatureStore::clear_when_complete() const {
  if (missing_blocks().empty()) clear_all_leftovers(folder_);
}

void FeatureStore::write_block(std::size_t b, const StoreBlock& block) const {
  for (const StoreFile& file : block_files(header_, header_digest_, b, block)) {
    write_file(folder_ / file.name, file.bytes);
  }
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "leafglyph feature store";
constexpr int kVersion = 2;

}  // namespace

void validate(const StoreHeader& header) {
  if (header.block == 0 || header.block > kMaxBlockInputs) {
    throw UsageError(fmt::format("{} inputs a block; use 1 to {}", header.block, kMaxBlockInputs));
  }
  // blocks() itself would overflow.
  if (header.inputs > 0 && (header.inputs - 1) / header.block >= kMaxStoreBlocks) {
    throw UsageError(
        fmt::format("{} inputs in blocks of {} make more than {} blocks; use larger blocks",
                    header.inputs, header.block, kMaxStoreBlocks));
  }
  if (header.columns.empty()) throw UsageError("a feature store without columns");
  if (header.scientific_names.size() != header.classes.size() ||
      header.chinese_names.size() != header.classes.size()) {
    throw UsageError("not as many scientific and Chinese names as classes");
  }
}

std::string header_text(const StoreHeader& header) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"kind", header.kind},
               {"settings", header.settings},
               {"convention", header.convention},
               {"device", header.device},
               {"block", header.block},
               {"inputs", header.inputs},
               {"list_sha256", header.list_sha256},
               {"columns", header.columns},
               {"classes", header.classes},
               {"scientific_names", header.scientific_names},
               {"chinese_names", header.chinese_names}};
  escape_strings(json);
  return sealed_text(std::move(json));
}

StoreHeader parse_header(const std::string& text, const std::filesystem::path& file) {
  StoreHeader header;
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<std::string>() != kFormat) {
      throw FormatError(file.string() + ": not the header of a feature store");
    }
    if (const int version = integer_at<int>(json, "version"); version != kVersion) {
      throw FormatError(fmt::format(
          "{}: a feature store of format version {}, but this LeafGlyph reads version {}, whose "
          "files have checksums: extract the features again, into another folder",
          file.string(), version, kVersion));
    }
    if (!is_sealed(json, text)) {
      throw FormatError(file.string() +
                        ": does not match its own checksum; it is damaged or was "
                        "changed: extract the features again, into another folder");
    }
    header.kind = string_of(json.at("kind"));
    header.settings = string_of(json.at("settings"));
    header.convention = string_of(json.at("convention"));
    header.device = string_of(json.at("device"));
    header.block = integer_at<std::size_t>(json, "block");
    header.inputs = integer_at<std::size_t>(json, "inputs");
    header.list_sha256 = string_of(json.at("list_sha256"));
    header.columns = strings_of(json.at("columns"));
    header.classes = strings_of(json.at("classes"));
    header.scientific_names = strings_of(json.at("scientific_names"));
    header.chinese_names.resize(header.classes.size());  // older stores have none
    if (json.contains("chinese_names")) {
      header.chinese_names = strings_of(json.at("chinese_names"));
    }
    validate(header);
  } catch (const Json::exception&) {
    throw FormatError(file.string() + ": damaged, or not the header of a feature store");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what() + "; extract the features again");
  }
  return header;
}

std::string difference(const StoreHeader& a, const StoreHeader& b) {
  if (a.kind != b.kind) return "the kind of features";
  if (a.columns != b.columns) return "the columns";
  if (a.settings != b.settings) return "the settings";
  if (a.convention != b.convention) return "the convention of the moments";
  if (a.device != b.device) return fmt::format("the device, {} and {}", a.device, b.device);
  if (a.block != b.block) return fmt::format("the inputs per block, {} and {}", a.block, b.block);
  if (a.inputs != b.inputs) {
    return fmt::format("the number of inputs, {} and {}", a.inputs, b.inputs);
  }
  return a == b ? "" : "the list of inputs and labels";
}

}  // namespace leafglyph
