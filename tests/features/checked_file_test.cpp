// Files whose blocks are checked where they are read.
#include "features/record/checked_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
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
  EXPECT_EQ(file->read(0, file->size()), content_);
  EXPECT_EQ(file->read(CheckedFile::kBlock - 3, 7), content_.substr(CheckedFile::kBlock - 3, 7));
  EXPECT_EQ(file->read(content_.size(), 0), "");
  EXPECT_THROW(file->read(content_.size(), 1), FormatError);
  EXPECT_THROW(file->read(1, content_.size()), FormatError);
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
        EXPECT_THROW(file->read(first, 10), FormatError) << at;
      } else {
        EXPECT_EQ(file->read(first, 10), content_.substr(first, 10)) << at;
      }
    }
    EXPECT_THROW(file->read(0, file->size()), FormatError) << at;
  }
}

// mechanics: a file that is cut or overwritten in place after it was opened, and whether or not
// that place was read before, is damaged there; one that was only touched is not.
TEST_F(CheckedFileTest, FindsDamageThatComesLater) {
  const std::size_t last = content_.size() - 10;
  for (const std::size_t left :
       {std::size_t{0}, std::size_t{7}, CheckedFile::kBlock, content_.size() - 1}) {
    for (const bool read_before : {false, true}) {
      const auto file = opened(content_);
      if (read_before) {
        EXPECT_EQ(file->read(0, file->size()), content_);
      }
      std::filesystem::resize_file(file->path(), left);
      EXPECT_THROW(file->read(last, 10), FormatError) << left;
      if (left >= CheckedFile::kBlock) {
        EXPECT_EQ(file->read(0, 7), content_.substr(0, 7));
      }
    }
  }
  const auto file = opened(content_);
  EXPECT_EQ(file->read(0, file->size()), content_);
  const auto later = std::filesystem::last_write_time(file->path()) + std::chrono::hours(1);
  std::filesystem::last_write_time(file->path(), later);
  EXPECT_EQ(file->read(last, 10), content_.substr(last));
  std::fstream stream(file->path());
  stream.seekp(static_cast<std::streamoff>(last)) << "overwritten";
  stream.close();
  EXPECT_THROW(file->read(last, 10), FormatError);
  EXPECT_EQ(file->read(0, 10), content_.substr(0, 10));
}

// mechanics: a file without its last block, without its last byte, or with another list.
TEST_F(CheckedFileTest, RefusesOtherLengthsAndLists) {
  EXPECT_THROW(opened(content_.substr(0, 2 * CheckedFile::kBlock)), FormatError);
  EXPECT_THROW(opened(""), FormatError);
  EXPECT_THROW(opened(content_.substr(0, content_.size() - 1))->read(0, content_.size() - 1),
               FormatError);
  std::string list = digests_;
  list[70] = list[70] == '0' ? '1' : '0';
  folder_.write("digests", list);
  EXPECT_THROW(opened(content_)->read(0, 1), FormatError);
}

// oracle: rows of a matrix; other types and shapes are refused.
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
  EXPECT_EQ(rows.rows(163, 2),
            std::vector<float>(values.begin() + 16'300, values.begin() + 16'500));
  EXPECT_THROW(rows.rows(299, 2), FormatError);
  EXPECT_THROW(CheckedRows<Half>(made({300, 100})), FormatError);
  EXPECT_THROW(CheckedRows<float>(made({30'000})), FormatError);
}

}  // namespace
}  // namespace leafglyph
