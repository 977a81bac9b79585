// What may wait: pipes that are full, silent or without a reader, and lines without an end.
#include "features/base/waiting.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <sstream>
#include <string>
#include <thread>

#include "features/base/files.h"
#include "features/base/lines.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;
using testing::refuses;

class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    EXPECT_EQ(::mkfifo(fifo().c_str(), 0600), 0);
  }
  ~Waiting() override {
    withdraw_interruption();
    ::close(ends_[0]);
    close_writer();
  }

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::string fifo() const { return (folder_.path() / "fifo").string(); }

  // Expects that `wait` waits until it is interrupted, and throws Interrupted then.
  template <class Wait>
  static void expect_interruptible(const char* name, const Wait& wait) {
    std::future<void> waiting = std::async(std::launch::async, wait);
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout) << name;
    request_interruption();
    EXPECT_THROW(waiting.get(), Interrupted) << name;
    withdraw_interruption();
  }

  TemporaryFolder folder_;

 private:
  std::array<int, 2> ends_{-1, -1};
};

const std::string kMoreThanAPipeHolds(std::size_t{1} << 20, 'x');

// mechanics: waiting for a writer, a reader, and a reader that does not read, ends when the process
// is interrupted.
TEST_F(Waiting, EndsWhenInterrupted) {
  expect_interruptible("a silent pipe", [&] {
    WaitingInput bytes(reader(), "pipe");
    bytes.sgetc();
  });
  expect_interruptible("a full pipe", [&] {
    if (!write_all(writer(), kMoreThanAPipeHolds)) fail_to_write("pipe");
  });
  expect_interruptible("a pipe without a reader", [&] { write_file(fifo(), "text"); });
  expect_interruptible("the same, in parts",
                       [&] { write_file_by_parts(fifo(), [](const PutText&) {}); });
}

// mechanics: a pipe whose reader comes late, and reads slowly, gets every byte once.
TEST_F(Waiting, LateReadersGetEverything) {
  std::future<void> written = std::async(std::launch::async, [&] {
    write_file_by_parts(fifo(), [](const PutText& put) {
      put("first ");
      put(kMoreThanAPipeHolds);
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::FILE* const file = std::fopen(fifo().c_str(), "rb");
  ASSERT_NE(file, nullptr);
  std::string all;
  std::array<char, 1000> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file)) {
    all.append(part.data(), count);
  }
  std::fclose(file);
  written.get();
  EXPECT_EQ(all, "first " + kMoreThanAPipeHolds);
}

// mechanics: a folder is not a file.
TEST_F(Waiting, WhatCannotBeWrittenIsRefused) {
  EXPECT_TRUE(
      refuses([&] { open_to_append(folder_.path()); }, "cannot be written: Is a directory"));
  WaitingInput nothing(/*descriptor=*/-1, "nothing");
  EXPECT_TRUE(refuses<InputError>([&] { nothing.sgetc(); }, "nothing: cannot be read: "));
}

// mechanics: an interrupted stream goes bad without waiting, and at its end still writes what is
// taken at once, each byte once.
TEST_F(Waiting, AnInterruptedStreamWritesWhatIsTaken) {
  std::ostringstream stream;
  {
    const WaitingOutput output(stream, writer());
    stream << "one " << 2;
    EXPECT_TRUE(stream.flush());
    stream << " three";
    request_interruption();
    EXPECT_FALSE(stream.flush());
    stream << " never";
  }
  EXPECT_TRUE(stream.bad());
  withdraw_interruption();
  close_writer();
  WaitingInput bytes(reader(), "pipe");
  std::istream lines(&bytes);
  std::string line;
  EXPECT_TRUE(next_line(lines, line, "pipe"));
  EXPECT_EQ(line, "one 2 three");
}

// mechanics: when interrupted, the last lines are written as far as nobody waits for them.
TEST_F(Waiting, LastLinesAreWrittenIfTheyAreTaken) {
  request_interruption();
  EXPECT_TRUE(takes_a_line(writer()));
  EXPECT_TRUE(write_last(writer(), "interrupted\n"));
  EXPECT_FALSE(write_all(writer(), "more\n"));
  EXPECT_FALSE(write_last(writer(), kMoreThanAPipeHolds));
  EXPECT_FALSE(takes_a_line(writer()));
}

// agreement: lines are those of std::getline, also the last one without an end.
TEST_F(Waiting, LinesAreThoseOfTheStandardLibrary) {
  for (const char* text : {"", "\n", "a", "a\n", "a\n\nb", "\n\n", "a\r\nb\n", "one two\nthree"}) {
    std::istringstream ours(text), theirs(text);
    std::string line, expected;
    while (std::getline(theirs, expected)) {
      ASSERT_TRUE(next_line(ours, line, "text")) << text;
      EXPECT_EQ(line, expected) << text;
    }
    EXPECT_FALSE(next_line(ours, line, "text")) << text;
  }
}

// mechanics: a line of exactly the limit is read, and a longer one is refused with the limit before
// more of it is read.
TEST_F(Waiting, LinesHaveALimit) {
  std::istringstream text("12345\n123456\n7");
  std::string line;
  EXPECT_TRUE(next_line(text, line, "list.txt", 5));
  EXPECT_EQ(line, "12345");
  EXPECT_EQ(refusal<InputError>([&] { next_line(text, line, "list.txt", 5); }),
            "list.txt: has a line of more than 5 bytes, the most that is read of one");
}

}  // namespace
}  // namespace leafglyph
