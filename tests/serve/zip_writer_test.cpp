#include "classify/support/zip_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "classify/serve/zip_archive.h"
#include "features/base/partial.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

class ZipWriterTest : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  // Runs Python with `zip`, the archive of that file, open.
  int python(const std::string& file, const std::string& statements) const {
    folder_.write("test.py", "import zipfile\nzip = zipfile.ZipFile('" + at(file) + "')\n" +
                                 statements + "\n");
    return std::system(("python3 " + at("test.py")).c_str());
  }

  TemporaryFolder folder_;
};

// agreement: what is written is what ZipArchive and Python read, with names in Chinese, stored and
// packed, empty files too.
TEST_F(ZipWriterTest, OthersReadWhatIsWritten) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"m/empty", ""}, {"m/\u53f6.txt", "leaf"}, {"m/long", std::string(1'000'000, 'x')}};
  for (const auto packing : {ZipWriter::Packing::kStored, ZipWriter::Packing::kDeflated}) {
    ZipWriter writer(packing);
    std::string bytes;
    for (const auto& [name, content] : files) {
      writer.begin(name, content.size());
      writer.add(content);
      bytes += writer.take();
    }
    writer.end();
    bytes += writer.take();
    EXPECT_EQ(bytes.size() > 1'000'000, packing == ZipWriter::Packing::kStored);
    ZipArchive read(bytes);
    for (const auto& [name, content] : files) {
      ASSERT_TRUE(read.next());
      EXPECT_EQ(read.name(), name);
      EXPECT_EQ(read.read(), content);
    }
    EXPECT_FALSE(read.next());
    folder_.write("a.zip", bytes);
    EXPECT_EQ(python("a.zip",
                     "assert zip.testzip() is None\n"
                     "assert zip.namelist() == ['m/empty', 'm/\u53f6.txt', 'm/long']\n"
                     "assert zip.read('m/\u53f6.txt') == b'leaf'"),
              0);
  }
}

// oracle: a file of more than 4 GiB has its own size in the directory, and what follows is found.
TEST_F(ZipWriterTest, FilesMayHaveMoreThan4GiB) {
  constexpr std::uint64_t kSize = (std::uint64_t{1} << 32) + 4096;
  const std::string zeros(std::size_t{1} << 24, '\0');
  const Descriptor file(::open(at("a.zip").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
  off_t end = 0;
  const auto put = [&](std::string_view bytes) {  // leaves holes
    if (bytes != std::string_view(zeros).substr(0, bytes.size())) {
      ASSERT_EQ(::pwrite(file.number(), bytes.data(), bytes.size(), end),
                static_cast<ssize_t>(bytes.size()));
    }
    end += static_cast<off_t>(bytes.size());
  };
  ZipWriter writer(ZipWriter::Packing::kStored);
  writer.begin("large", kSize);
  for (std::uint64_t left = kSize; left > 0;) {
    put(writer.take());
    const std::uint64_t count = std::min<std::uint64_t>(left, zeros.size());
    writer.add(std::string_view(zeros).substr(0, count));
    left -= count;
  }
  writer.begin("small", 4);
  writer.add("leaf");
  writer.end();
  put(writer.take());
  EXPECT_EQ(
      python("a.zip", "assert [i.file_size for i in zip.infolist()] == [" + std::to_string(kSize) +
                          ", 4]\n"
                          "assert zip.read('small') == b'leaf'"),
      0);
}

}  // namespace
}  // namespace leafglyph
