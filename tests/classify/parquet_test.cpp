// Tables in Parquet files, and stores exported to them.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "classify/extraction/store_files.h"
#include "classify/support/parquet_writer.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/support/parquet_file.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::ParquetFile;
using testing::refuses;
using OptionalTexts = std::vector<std::optional<std::string_view>>;

template <class T>
std::optional<T> value(const ParquetFile::Column& column, std::size_t row) {
  if (!column[row]) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>) {
    return *column[row];
  } else {
    return ParquetFile::number<T>(*column[row]);
  }
}

// oracle: a reader that was written from the specification finds a table of random values and
// nulls, in a group of several pages, one of a single row and one of a few.
TEST(Parquet, HasWhatWasWritten) {
  std::string bytes;
  ParquetWriter writer([&](std::string_view part) { bytes += part; },
                       {{"number"},
                        {"count", ParquetType::kInteger},
                        {"few", ParquetType::kText},
                        {"many", ParquetType::kText},
                        {"none", ParquetType::kText}});
  std::mt19937 lot(7);  // NOLINT(cert-msc51-cpp): the same table in every run
  std::vector<std::optional<float>> numbers;
  std::vector<std::optional<std::int64_t>> counts;
  std::vector<std::optional<std::string>> few, many;
  const std::vector<std::size_t> groups = {300'000, 1, 300};
  for (const std::size_t rows : groups) {
    const std::size_t first = numbers.size();
    for (std::size_t r = 0; r < rows; ++r) {
      const bool is_null = lot() % 5 == 0;
      numbers.push_back(is_null ? std::nullopt
                                : std::optional(std::bit_cast<float>(
                                      static_cast<std::uint32_t>(lot()) & 0xbfffffffU)));
      counts.push_back(lot() % 3 == 0
                           ? std::nullopt
                           : std::optional(static_cast<std::int64_t>(lot()) - 2'000'000'000));
      few.push_back(lot() % 7 == 0 ? std::nullopt
                                   : std::optional("label " + std::to_string(lot() % 280)));
      many.emplace_back(std::string(lot() % 9, 'x') + std::to_string(r));
    }
    const auto views = [&](const std::vector<std::optional<std::string>>& texts) {
      return OptionalTexts(texts.begin() + static_cast<std::ptrdiff_t>(first), texts.end());
    };
    writer.begin_rows(rows);
    writer.add(std::span<const std::optional<float>>(numbers).subspan(first));
    writer.add(std::span<const std::optional<std::int64_t>>(counts).subspan(first));
    writer.add(views(few));
    writer.add(views(many));
    writer.add(OptionalTexts(rows));
  }
  writer.finish({{"key", "value"}});

  const ParquetFile file(bytes);
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"key", "value"}}));
  EXPECT_EQ(file.group_rows, (std::vector<std::int64_t>{300'000, 1, 300}));
  EXPECT_EQ(file.dictionaries, 1) << "only few labels in many rows are worth one";
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    ASSERT_EQ(value<float>(file.columns.at("number"), r), numbers[r]) << r;
    ASSERT_EQ(value<std::int64_t>(file.columns.at("count"), r), counts[r]) << r;
    ASSERT_EQ(value<std::string>(file.columns.at("few"), r), few[r]) << r;
    ASSERT_EQ(value<std::string>(file.columns.at("many"), r), many[r]) << r;
    ASSERT_EQ(file.columns.at("none")[r], std::nullopt) << r;
  }
}

class ParquetStore : public ::testing::Test {
 protected:
  // Two rows of 2 inputs, in blocks of 1; the second failed.
  FeatureStore store(const std::vector<std::string>& fields) const {
    StoreHeader header;
    header.kind = "moments";
    header.settings = "settings";
    header.convention = "textbook";
    header.device = "cpu";
    header.block = 1;
    header.inputs = 2;
    header.fields = fields;
    header.columns = {"Z_0_0", "Z_1_1"};
    const FeatureStore store = FeatureStore::begin(folder_ / "s.store", header);
    StoreRow row;
    row.path = "oak/1.png";
    row.label = "oak";
    row.box = {1, 2, 3, 4};
    row.area = 11;
    row.file = {5, std::string(64, 'a')};
    row.fields.assign(fields.size(), "K 17");
    store.write_block(0, {{1.5F, -2.25F}, {row}});
    StoreRow failed;
    failed.image = 1;
    failed.path = "caf\xe9.png";
    failed.state = RowState::kFailed;
    failed.warnings = "not an image";
    failed.fields.assign(fields.size(), "");
    const float none = std::numeric_limits<float>::quiet_NaN();
    store.write_block(1, {{none, none}, {failed}});
    return store;
  }

  TemporaryFolder folder_;
};

// oracle: every value of the store is in the table; what is unknown is null.
TEST_F(ParquetStore, IsTheTable) {
  const FeatureStore made = store({"catalogNumber"});
  EXPECT_EQ(export_parquet(made, folder_ / "s.parquet"), 2U);
  const ParquetFile file(read_file(folder_ / "s.parquet"));
  const auto text = [&](const char* name, std::size_t row) {
    return value<std::string>(file.columns.at(name), row);
  };
  const auto number = [&](const char* name, std::size_t row) {
    return value<std::int64_t>(file.columns.at(name), row);
  };
  EXPECT_EQ(file.columns.size(), 16U);
  EXPECT_EQ(text("path", 0), "oak/1.png");
  EXPECT_EQ(text("path", 1), "caf\\xe9.png") << "a name that is not UTF-8";
  EXPECT_EQ(text("label", 0), "oak");
  EXPECT_EQ(text("label", 1), std::nullopt);
  EXPECT_EQ(text("state", 1), "failed");
  EXPECT_EQ(text("warnings", 1), "not an image");
  EXPECT_EQ(text("warnings", 0), std::nullopt);
  EXPECT_EQ(text("sha256", 0), std::string(64, 'a'));
  EXPECT_EQ(text("catalogNumber", 0), "K 17");
  EXPECT_EQ(number("image", 1), 1);
  EXPECT_EQ(number("left", 0), 1);
  EXPECT_EQ(number("height", 0), 4);
  EXPECT_EQ(number("area", 0), 11);
  EXPECT_EQ(number("area", 1), std::nullopt);
  EXPECT_EQ(number("bytes", 0), 5);
  EXPECT_EQ(number("bytes", 1), std::nullopt);
  EXPECT_EQ(value<float>(file.columns.at("Z_0_0"), 0), 1.5F);
  EXPECT_EQ(value<float>(file.columns.at("Z_1_1"), 0), -2.25F);
  EXPECT_EQ(value<float>(file.columns.at("Z_1_1"), 1), std::nullopt);
  EXPECT_EQ(file.metadata.at("leafglyph.convention"), "textbook");
  EXPECT_EQ(file.metadata.at("leafglyph.store"), header_text(made.header()));
}

// mechanics: a field with the name of a column; nothing is written.
TEST_F(ParquetStore, OfTwoColumnsOfOneNameIsRefused) {
  const FeatureStore made = store({"Z_1_1"});
  EXPECT_TRUE(refuses<UsageError>([&] { export_parquet(made, folder_ / "s.parquet"); },
                                  "two columns have the name 'Z_1_1'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.parquet"));
}

}  // namespace
}  // namespace leafglyph
