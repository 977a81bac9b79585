#include "classify/serve/zip_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "features/base/errors.h"
#include "tests/serve/zip_of.h"

namespace leafglyph {
namespace {

using testing::zip_of;

// All contents of an archive.
std::string contents_of(std::string_view zip) {
  std::string contents;
  for (ZipArchive archive(zip); archive.next();) contents += archive.name() + archive.read();
  return contents;
}

::testing::AssertionResult is_refused(std::string_view zip) {
  try {
    return ::testing::AssertionFailure() << "read: " << contents_of(zip);
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    if (message == "the archive is damaged, encrypted or not a zip archive") {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << message;
  }
}

// Where the record of file `number` is in the directory of an archive.
std::size_t record_of(std::string_view zip, std::size_t number) {
  std::size_t at = zip.find("PK\x01\x02");
  for (; number > 0; --number) at = zip.find("PK\x01\x02", at + 1);
  return at;
}

// mechanics: what stands before and after an archive, as in one that unpacks itself, is passed
// over; an archive without files is refused, as is anything else.
TEST(ZipArchiveTest, StandsAnywhere) {
  const std::string zip = zip_of({{"oak/1.png", "one"}, {"elm/2.png", ""}, {"elm/", ""}});
  EXPECT_EQ(contents_of(zip), "oak/1.pngoneelm/2.pngelm/");
  EXPECT_EQ(contents_of("a program" + zip), "oak/1.pngoneelm/2.pngelm/");
  EXPECT_EQ(contents_of(zip + " and a remark"), "oak/1.pngoneelm/2.pngelm/");
  EXPECT_TRUE(is_refused(""));
  EXPECT_TRUE(is_refused(std::string(100, 'x')));
  EXPECT_TRUE(is_refused(zip_of({})));
}

// mechanics: older programs of Windows wrote backslashes between folders
TEST(ZipArchiveTest, BackslashesDivideFolders) {
  EXPECT_EQ(contents_of(zip_of({{"leaves\\oak\\1.png", "one"}})), "leaves/oak/1.pngone");
}

// mechanics: records of zip64 before the end, which some programs write for small archives, too,
// are passed over.
TEST(ZipArchiveTest, RecordsOfZip64MayBeThere) {
  std::string zip = zip_of({{"oak/1.png", "one"}});
  const std::size_t directory = record_of(zip, 0), end = zip.find("PK\x05\x06");
  std::string records(76, '\0');
  const auto put = [&](std::size_t at, std::size_t value) {
    records[at] = static_cast<char>(value);
    records[at + 1] = static_cast<char>(value >> 8);
  };
  records.replace(0, 4, "PK\x06\x06");
  put(4, 44);  // bytes of the record after this
  put(24, 1);  // files, here and in all
  put(32, 1);
  put(40, end - directory);
  put(48, directory);
  records.replace(56, 4, "PK\x06\x07");
  put(64, end);
  put(72, 1);  // disks
  zip.insert(end, records);
  EXPECT_EQ(contents_of(zip), "oak/1.pngone");
}

// mechanics: a file has the same name in the directory and before its bytes.
TEST(ZipArchiveTest, NamesAreThoseOfTheDirectory) {
  std::string zip = zip_of({{"oak/1.png", "one"}, {"elm/2.png", "two"}});
  zip[zip.find("oak")] = 'b';
  EXPECT_TRUE(is_refused(zip));
  zip[zip.rfind("oak")] = 'b';
  EXPECT_EQ(contents_of(zip), "bak/1.pngoneelm/2.pngtwo");
}

// mechanics: files that share bytes are refused: one that is listed twice, and one that begins
// within another.
TEST(ZipArchiveTest, NoFilesShareBytes) {
  constexpr std::size_t kOffset = 42;  // of a record; 4 bytes
  std::string twice = zip_of({{"a.png", "one"}, {"a.png", "one"}});
  twice.replace(record_of(twice, 1) + kOffset, 4, 4, '\0');
  EXPECT_TRUE(is_refused(twice));
  ZipWriter outer(ZipWriter::Packing::kStored);
  const std::string inner = zip_of({{"b.png", "two"}});
  outer.begin("a.zip", inner.size());
  outer.add(inner);
  outer.begin("b.png", 3);
  outer.add("two");
  outer.end();
  std::string within = outer.take();
  EXPECT_EQ(contents_of(within), "a.zip" + inner + "b.pngtwo");
  const std::size_t begin = within.find("PK\x03\x04", 1);
  ASSERT_LT(begin, 256U);
  // The records of the outer archive follow that of the inner one.
  within.replace(record_of(within, 2) + kOffset, 4, std::string{static_cast<char>(begin), 0, 0, 0});
  EXPECT_TRUE(is_refused(within));
}

// mechanics: a file cannot claim more than deflate packs into its bytes.
TEST(ZipArchiveTest, ClaimsAreLimited) {
  constexpr std::size_t kSize = 24;  // of a record; 4 bytes
  std::string zip = zip_of({{"a.png", "one"}});
  zip[record_of(zip, 0) + kSize + 1] = '\x20';
  EXPECT_TRUE(is_refused(zip));
}

// mechanics: a file that needs a password is refused.
TEST(ZipArchiveTest, EncryptedFilesAreRefused) {
  std::array<char, 1000> bytes{};
  std::size_t size = 0;
  archive* const out = archive_write_new();
  archive_write_set_format_zip(out);
  ASSERT_EQ(archive_write_set_options(out, "zip:encryption=zipcrypt"), ARCHIVE_OK);
  archive_write_set_passphrase(out, "leaf");
  archive_write_open_memory(out, bytes.data(), bytes.size(), &size);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_pathname(entry, "oak/1.png");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_size(entry, 3);
  EXPECT_EQ(archive_write_header(out, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(out, "one", 3), 3);
  archive_entry_free(entry);
  archive_write_free(out);
  EXPECT_TRUE(is_refused({bytes.data(), size}));
}

}  // namespace
}  // namespace leafglyph
