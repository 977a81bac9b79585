// Only regular files of a size that fits are read; everything else is refused immediately.
#include "features/base/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "classify/evaluation/protocol.h"
#include "classify/support/config.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/memory.h"
#include "features/base/npy.h"
#include "features/image_io/decode_image.h"
#include "features/moments/moment_file.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

namespace fs = std::filesystem;

struct Reader {
  const char* what;
  std::function<void(const fs::path&)> read;
};

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"a file", [](const fs::path& path) { read_file(path); }},
      {"a text", [](const fs::path& path) { read_text_file(path); }},
      {"a configuration", [](const fs::path& path) { Config::load(path); }},
      {"an array", [](const fs::path& path) { read_npy<double>(path); }},
      {"an image", [](const fs::path& path) { decode_image(path); }},
      {"a CSV file of leaves", [](const fs::path& path) { load_csv(path); }},
      {"splits", [](const fs::path& path) { load_splits(path, {}); }},
  };
  return all;
}

// mechanics: nothing waits for a pipe's writer or reads a device endlessly. A reader that waits
// makes this test run into its time limit.
TEST(InputFile, PipesDevicesAndSocketsAreRefused) {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const fs::path socket_path = folder.path() / "socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(socket_path.string().size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, socket_path.c_str());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const Reader& reader : readers()) {
    for (const fs::path& path : {pipe, socket_path, fs::path("/dev/zero")}) {
      const std::string message = refusal<InputError>([&] { reader.read(path); });
      EXPECT_NE(message.find(path.string()), std::string::npos) << reader.what << ": " << message;
      EXPECT_NE(message.find("not a regular file"), std::string::npos)
          << reader.what << ": " << message;
    }
  }
  ::close(socket);
  const fs::path moments = folder.path() / "moments.npy";
  ASSERT_EQ(::mkfifo(moments.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((moments.string() + ".txt").c_str(), 0600), 0);
  EXPECT_NE(refusal<InputError>([&] { read_moment_file(moments); }).find("not a regular file"),
            std::string::npos);
}

// mechanics: an input that cannot be opened is named, with the system's reason.
TEST(InputFile, MissingFilesFoldersAndLoopsOfLinksAreNamed) {
  const TemporaryFolder folder;
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink("loop", loop);
  for (const Reader& reader : readers()) {
    for (const fs::path& path : {loop, folder.path(), folder.path() / "none"}) {
      const std::string message = refusal<InputError>([&] { reader.read(path); });
      EXPECT_NE(message.find(path.string()), std::string::npos) << reader.what << ": " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

// mechanics: a name that the system would truncate is refused, and shown.
TEST(InputFile, NamesEndWhereTheyEnd) {
  const TemporaryFolder folder;
  const std::string file = folder.write("there", "text");
  EXPECT_EQ(refusal<InputError>([&] { read_file(file + '\0' + "and more"); }),
            file + "\\x00and more: a file name cannot contain a zero byte");
}

// mechanics: a file whose bytes cannot be read is named, with the system's reason: the first page
// of a process's memory is never mapped.
TEST(InputFile, ReadingErrorsAreNamed) {
  const fs::path memory = "/proc/self/mem";
  if (!fs::exists(memory)) GTEST_SKIP() << "no /proc here";
  for (const std::string& message : {refusal<InputError>([&] { read_file(memory); }),
                                     refusal<InputError>([&] { decode_image(memory); })}) {
    EXPECT_NE(message.find("/proc/self/mem: cannot be read"), std::string::npos) << message;
    EXPECT_NE(message.find("Input/output error"), std::string::npos) << message;
  }
}

// mechanics: texts have a size limit, which the message states; sparse files cost nothing to
// create.
TEST(InputFile, LargeTextsAreRefused) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("large.yaml", "");
  fs::resize_file(file, kMaxTextBytes + 1);
  for (const std::string& message : {refusal<InputError>([&] { read_text_file(file); }),
                                     refusal<InputError>([&] { load_csv(file); }),
                                     refusal<InputError>([&] { load_splits(file, {}); })}) {
    EXPECT_NE(message.find(file.string()), std::string::npos) << message;
    EXPECT_NE(message.find("64 MiB"), std::string::npos) << message;
  }
  fs::resize_file(file, kMaxTextBytes);
  EXPECT_EQ(read_text_file(file).size(), kMaxTextBytes);
  fs::resize_file(file, kMaxConfigBytes + 1);
  EXPECT_EQ(refusal<InputError>([&] { Config::load(file); }),
            file.string() + ": is larger than 1 MiB, the most that is read of a text");
}

// mechanics: a file larger than the memory is refused before anything is allocated for it.
TEST(InputFile, FilesBeyondTheMemoryAreRefused) {
  const std::size_t free = available_memory_bytes();
  if (free > (std::size_t{1} << 42)) GTEST_SKIP() << "the free memory is not known here";
  const TemporaryFolder folder;
  const fs::path file = folder.write("vast.bin", "");
  std::error_code error;
  fs::resize_file(file, std::size_t{1} << 43, error);
  if (error) GTEST_SKIP() << "the file system keeps no sparse file of 8 TiB";
  const std::string message = refusal<InputError>([&] { read_file(file); });
  EXPECT_NE(message.find("8192.0 GiB of memory"), std::string::npos) << message;
}

// oracle: content with zeros, of no, one and many blocks, is unchanged; /proc states no length.
TEST(InputFile, ContentIsWhole) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536 * 3 + 7}}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7 % 251);
    EXPECT_EQ(read_file(folder.write("content", content)), content);
  }
  if (fs::exists("/proc/self/cmdline")) {
    EXPECT_FALSE(read_file("/proc/self/cmdline").empty());
  }
}

}  // namespace
}  // namespace leafglyph
