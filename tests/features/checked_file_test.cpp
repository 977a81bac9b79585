// Files whose blocks are checked where they are read.
#include "features/base/checked_file.h"

#include <gtest/gtest.h>

#include <memory>

#include "features/base/sha256.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

class CheckedFileTest : public ::testing::Test {
 protected:
  CheckedFileTest() : content_(5 * CheckedFile::kBlock / 2, '\0') {
    for (std::size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<char>(i * i / 977);
    }
    const std::string_view all = content_;
    const std::string_view pieces[] = {all.substr(0, 100'000), all.substr(100'000)};
    digests_ = CheckedFile::digests_of(pieces);
    folder_.write("digests", digests_);
  }
  std::shared_ptr<const CheckedFile> opened(const std::string& content) const {
    return std::make_shared<const CheckedFile>(folder_.write("file", content), folder_ / "digests",
                                               sha256(digests_), "make it again");
  }

  TemporaryFolder folder_;
  std::string content_, digests_;
};

// oracle: the list is that of the whole content, whatever its pieces; the bytes are those written,
// also once the file is removed.
TEST_F(CheckedFileTest, ReadsAnyPart) {
  const std::string_view whole[] = {content_}, none[] = {"", ""};
  EXPECT_EQ(CheckedFile::digests_of(whole), digests_);
  EXPECT_EQ(CheckedFile::digests_of(none), "");
  EXPECT_EQ(digests_.substr(0, 65), sha256(content_.substr(0, CheckedFile::kBlock)) + "\n");
  const auto file = opened(content_);
  std::filesystem::remove(file->path());
  EXPECT_EQ(file->bytes(), content_);
  EXPECT_EQ(file->bytes(CheckedFile::kBlock - 3, 7), content_.substr(CheckedFile::kBlock - 3, 7));
  EXPECT_EQ(file->bytes(content_.size(), 0), "");
  EXPECT_THROW(file->bytes(content_.size(), 1), FormatError);
  EXPECT_THROW(file->bytes(1, content_.size()), FormatError);
}

// mechanics: damage is found in its block and nowhere else.
TEST_F(CheckedFileTest, FindsDamageWhereItIsRead) {
  for (const std::size_t at : {std::size_t{0}, CheckedFile::kBlock + 5, content_.size() - 1}) {
    std::string damaged = content_;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto file = opened(damaged);
    for (std::size_t block = 0; block < 3; ++block) {
      const std::size_t first = block * CheckedFile::kBlock;
      if (block == at / CheckedFile::kBlock) {
        EXPECT_THROW(file->bytes(first, 10), FormatError) << at;
      } else {
        EXPECT_EQ(file->bytes(first, 10), content_.substr(first, 10)) << at;
      }
    }
    EXPECT_THROW(file->bytes(), FormatError) << at;
  }
}

// mechanics: a file without its last block, without its last byte, or with another list.
TEST_F(CheckedFileTest, RefusesOtherLengthsAndLists) {
  EXPECT_THROW(opened(content_.substr(0, 2 * CheckedFile::kBlock)), FormatError);
  EXPECT_THROW(opened(""), FormatError);
  EXPECT_THROW(opened(content_.substr(0, content_.size() - 1))->bytes(), FormatError);
  std::string list = digests_;
  list[70] = list[70] == '0' ? '1' : '0';
  folder_.write("digests", list);
  EXPECT_THROW(opened(content_)->bytes(0, 1), FormatError);
}

// oracle: rows of a matrix where they lie; other types and shapes are refused.
TEST_F(CheckedFileTest, ReadsRowsOfAMatrix) {
  std::vector<float> values(300 * 100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto made = [&](std::vector<std::size_t> shape) {
    const std::string bytes = npy_bytes<float>(values, shape);
    const std::string_view pieces[] = {bytes};
    folder_.write("digests", digests_ = CheckedFile::digests_of(pieces));
    return opened(bytes);
  };
  const CheckedRows<float> rows(made({300, 100}));
  EXPECT_EQ(rows.count(), 300U);
  EXPECT_EQ(rows.columns(), 100U);
  const auto some = rows.rows(163, 2);
  EXPECT_EQ(std::vector<float>(some.begin(), some.end()),
            std::vector<float>(values.begin() + 16'300, values.begin() + 16'500));
  EXPECT_THROW(rows.rows(299, 2), FormatError);
  EXPECT_THROW(CheckedRows<Half>(made({300, 100})), FormatError);
  EXPECT_THROW(CheckedRows<float>(made({30'000})), FormatError);
}

}  // namespace
}  // namespace leafglyph
