#include <minizip/zip.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "classify/extraction/store_files.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

/// An uncompressed ZIP archive of arrays of any size.
class Npz {
 public:
  explicit Npz(const std::filesystem::path& path) : zip_(zipOpen64(path.c_str(), 0)) {
    check(zip_ != nullptr);
  }
  ~Npz() {
    if (zip_ != nullptr) zipClose(zip_, nullptr);
  }
  Npz(const Npz&) = delete;
  Npz& operator=(const Npz&) = delete;

  /// Starts the array `name`. Data passed to add() follows its header.
  void begin(const std::string& name, std::string_view type, std::span<const std::size_t> shape) {
    zip_fileinfo info{};
    info.tmz_date = {0, 0, 0, 1, 0, 1980};  // ZIP's first day: equal stores give equal bytes
    check(zipOpenNewFileInZip64(zip_, (name + ".npy").c_str(), &info, nullptr, 0, nullptr, 0,
                                nullptr, /*method: stored*/ 0, /*level=*/0,
                                /*zip64=*/1) == ZIP_OK);
    add(npy_header(type, shape));
  }
  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto part = static_cast<unsigned>(
          std::min<std::size_t>(bytes.size(), std::numeric_limits<unsigned>::max() / 2));
      check(zipWriteInFileInZip(zip_, bytes.data(), part) == ZIP_OK);
      bytes.remove_prefix(part);
    }
  }
  void end() { check(zipCloseFileInZip(zip_) == ZIP_OK); }
  void close() {
    check(zipClose(zip_, nullptr) == ZIP_OK);
    zip_ = nullptr;
  }

 private:
  static void check(bool good) {
    if (!good) throw Error("a .npz file cannot be written; is the disk full?");
  }

  zipFile zip_;
};

// NumPy stores strings as UTF-32, padded with 0 to the longest one.
std::u32string text_of(const std::string& bytes) { return decode_utf8(escape_bytes(bytes)); }

void add_texts(Npz& npz, const std::string& name, std::size_t count,
               const std::function<void(const std::function<void(const std::string&)>&)>& each) {
  std::size_t longest = 1;
  each([&](const std::string& bytes) { longest = std::max(longest, text_of(bytes).size()); });
  const std::array<std::size_t, 1> shape = {count};
  npz.begin(name, "<U" + std::to_string(longest), shape);
  each([&](const std::string& bytes) {
    std::u32string text = text_of(bytes);
    text.resize(longest, U'\0');
    npz.add({reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t)});
  });
  npz.end();
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void add_features(Npz& npz, const FeatureStore& store, std::size_t rows) {
  const std::array<std::size_t, 2> shape = {rows, store.header().columns.size()};
  npz.begin("features", "<f4", shape);
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    throw_if_interrupted();
    npz.add(bytes_of(std::span<const float>(store.read_values(b))));
  }
  npz.end();
}

/// The rows of a store, read again for each array: only one block is in memory.
class RowArrays {
 public:
  RowArrays(const FeatureStore& store, std::size_t rows, Npz& npz)
      : store_(store), rows_(rows), npz_(npz) {}

  template <class Field>
  void add_texts(const std::string& name, const Field& field) {
    leafglyph::add_texts(npz_, name, rows_, [&](const auto& use) {
      each([&](const StoreRow& row) { use(field(row)); });
    });
  }
  /// `numbers` of each row; an array of one axis if there is one number per row.
  template <std::size_t N, class Field>
  void add_numbers(const std::string& name, const Field& numbers) {
    const std::array<std::size_t, 2> shape = {rows_, N};
    npz_.begin(name, "<i8", std::span<const std::size_t>(shape).first(N == 1 ? 1 : 2));
    each([&](const StoreRow& row) {
      const std::array<std::int64_t, N> values = numbers(row);
      npz_.add(bytes_of(std::span<const std::int64_t>(values)));
    });
    npz_.end();
  }

 private:
  void each(const std::function<void(const StoreRow&)>& use) const {
    for (std::size_t b = 0; b < store_.header().blocks(); ++b) {
      throw_if_interrupted();
      for (const StoreRow& row : store_.read_rows(b)) use(row);
    }
  }

  const FeatureStore& store_;
  std::size_t rows_;
  Npz& npz_;
};

}  // namespace

std::size_t export_npz(const FeatureStore& store, const std::filesystem::path& file) {
  store.check_complete();
  const StoreHeader& header = store.header();
  std::size_t rows = 0;
  for (std::size_t b = 0; b < header.blocks(); ++b) rows += store.rows_in(b);
  write_file_by(file, [&](const std::filesystem::path& path) {
    Npz npz(path);
    add_features(npz, store, rows);
    add_texts(npz, "columns", header.columns.size(), [&](const auto& use) {
      for (const std::string& column : header.columns) use(column);
    });
    RowArrays arrays(store, rows, npz);
    arrays.add_texts("paths", [](const StoreRow& row) { return row.path; });
    arrays.add_texts("labels", [](const StoreRow& row) { return row.label; });
    arrays.add_texts("states", [](const StoreRow& row) { return std::string(name_of(row.state)); });
    const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
    arrays.add_numbers<1>("images",
                          [&](const StoreRow& row) { return std::array{number(row.image)}; });
    arrays.add_numbers<1>("parts",
                          [&](const StoreRow& row) { return std::array{number(row.part)}; });
    arrays.add_numbers<4>("boxes", [&](const StoreRow& row) {
      return std::array{number(row.box.left), number(row.box.top), number(row.box.width),
                        number(row.box.height)};
    });
    arrays.add_numbers<1>("areas",
                          [&](const StoreRow& row) { return std::array{number(row.area)}; });
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      arrays.add_texts("field_" + header.fields[i],
                       [i](const StoreRow& row) { return row.fields[i]; });
    }
    npz.close();
  });
  return rows;
}

}  // namespace leafglyph
