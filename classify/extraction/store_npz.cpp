#include <algorithm>
#include <array>
#include <functional>

#include "classify/extraction/store_files.h"
#include "classify/support/zip_writer.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

/// An uncompressed ZIP archive of arrays of any size.
class Npz {
 public:
  explicit Npz(const PutText& put) : put_(put) {}

  /// Starts the array `name` of values of `value_bytes` each. Data passed to add() follows its
  /// header.
  void begin(const std::string& name, std::string_view type, std::size_t value_bytes,
             std::span<const std::size_t> shape) {
    const std::string header = npy_header(type, shape);
    for (const std::size_t axis : shape) value_bytes *= axis;
    zip_.begin(name + ".npy", header.size() + value_bytes);
    add(header);
  }
  void add(std::string_view bytes) {
    constexpr std::size_t kPart = std::size_t{1}
                                  << 20;  // the archive's copy of a block stays small
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPart))) {
      zip_.add(bytes.substr(0, kPart));
      put_(zip_.take());
    }
  }
  void end() {
    zip_.end();
    put_(zip_.take());
  }

 private:
  const PutText& put_;
  ZipWriter zip_{ZipWriter::Packing::kStored};
};

// NumPy stores strings as UTF-32, padded with 0 to the longest one.
std::u32string text_of(const std::string& bytes) { return decode_utf8(escape_bytes(bytes)); }

void add_texts(Npz& npz, const std::string& name, std::size_t count,
               const std::function<void(const std::function<void(const std::string&)>&)>& each) {
  std::size_t longest = 1;
  each([&](const std::string& bytes) { longest = std::max(longest, text_of(bytes).size()); });
  const std::array<std::size_t, 1> shape = {count};
  npz.begin(name, "<U" + std::to_string(longest), longest * sizeof(char32_t), shape);
  each([&](const std::string& bytes) {
    std::u32string text = text_of(bytes);
    text.resize(longest, U'\0');
    npz.add({reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t)});
  });
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void add_features(Npz& npz, const FeatureStore& store, std::size_t rows) {
  const std::array<std::size_t, 2> shape = {rows, store.header().columns.size()};
  npz.begin("features", "<f4", sizeof(float), shape);
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    throw_if_interrupted();
    npz.add(bytes_of(std::span<const float>(store.read_values(b))));
  }
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
    npz_.begin(name, "<i8", sizeof(std::int64_t),
               std::span<const std::size_t>(shape).first(N == 1 ? 1 : 2));
    each([&](const StoreRow& row) {
      const std::array<std::int64_t, N> values = numbers(row);
      npz_.add(bytes_of(std::span<const std::int64_t>(values)));
    });
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
  write_file_by_parts(file, [&](const PutText& put) {
    Npz npz(put);
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
    npz.end();
  });
  return rows;
}

}  // namespace leafglyph
