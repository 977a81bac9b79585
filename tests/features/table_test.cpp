#include "features/base/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace leafglyph {
namespace {

// oracle: lines written out by hand, one column per way to print a number.
TEST(Table, PrintsNumbersInTheFormatOfTheirColumn) {
  Table table("name:text count share:.4f size:.6g shortest");
  table.add("a", 12, 0.5, 1234567.0, 0.1);
  table.add(std::string("b"), std::size_t{7}, 2.0 / 3.0, 0.25, 100.0);
  EXPECT_EQ(table.csv(),
            "name,count,share,size,shortest\n"
            "a,12,0.5000,1.23457e+06,0.1\n"
            "b,7,0.6667,0.25,100\n");
}

// oracle: empty cells and numbers that are not finite, by hand.
TEST(Table, KeepsCellsWithoutAFiniteNumber) {
  Table table("a:.6g b:.2f c");
  table.add(std::optional<double>(), std::numeric_limits<double>::infinity(), std::optional(3));
  EXPECT_EQ(table.csv_rows(), ",inf,3\n");
}

// oracle: RFC 4180's quotes and a spreadsheet's formulas, by hand. Text from outside alone gets an
// apostrophe, names of columns among it, and numbers none.
TEST(Table, QuotesTextAndDefusesFormulas) {
  std::vector<TableColumn> columns = table_columns("text:text label:name");
  columns.push_back({"=1+2", ColumnType::kNumber, {}, {}, /*is_named_from_outside=*/true});
  Table table(columns);
  table.add("a,\"b\"", "=HYPERLINK(1)", 1);
  table.add("-1", "-1", -1);
  EXPECT_EQ(table.csv_names(), "text,label,'=1+2\n");
  EXPECT_EQ(table.cell(1, 1), "-1");
  EXPECT_EQ(table.csv_rows(),
            "\"a,\"\"b\"\"\",'=HYPERLINK(1),1\n"
            "-1,'-1,-1\n");
}

// oracle: tables for people, by hand; a hanzi counts as one character, not as its bytes.
TEST(Table, AlignsTextLeftAndNumbersRight) {
  Table table("name:text n PSNR/dB:.2f");
  table.add("己", 1000, 12.345);
  table.add("zernike", 2, 7.0);
  EXPECT_EQ(table.aligned(),
            "name        n  PSNR/dB\n"
            "己        1000    12.35\n"
            "zernike     2     7.00\n");
  EXPECT_EQ(Table("order k").aligned(7, 3), "  order    k\n");
}

// oracle: the parts of a declaration, by hand. mechanics: a mistake in one is found.
TEST(Table, ColumnsAreDeclaredInALine) {
  const auto columns = table_columns("a:name b/ms:.3f");
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].type, ColumnType::kName);
  EXPECT_EQ(columns[1].name, "b");
  EXPECT_EQ(columns[1].unit, "ms");
  EXPECT_EQ(columns[1].format.print(0.5), "0.500");
  for (const char* wrong : {"a:words", "a:.3x", "a:3f", "a:.f", "a:f"}) {
    EXPECT_THROW(table_columns(wrong), std::logic_error) << wrong;
  }
}

// mechanics: a row may be filled in parts; one that is not full is a mistake of the program.
TEST(Table, CountsFullRowsAlone) {
  Table table("a b");
  EXPECT_EQ(table.rows(), 0U);
  table.add(1);
  EXPECT_THROW(table.rows(), std::logic_error);
  EXPECT_THROW(table.csv(), std::logic_error);
  table.add(2);
  EXPECT_EQ(table.rows(), 1U);
}

}  // namespace
}  // namespace leafglyph
