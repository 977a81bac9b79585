#include "features/record/checked_file.h"

#include <algorithm>
#include <numeric>

#include "features/base/sha256.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kLine = 65;  // 64 hexadecimal digits and the end of the line

std::size_t blocks_in(std::size_t bytes) {
  return (bytes + CheckedFile::kBlock - 1) / CheckedFile::kBlock;
}

}  // namespace

std::string CheckedFile::digests_of(std::span<const std::string_view> pieces) {
  const std::size_t size =
      std::transform_reduce(pieces.begin(), pieces.end(), std::size_t{0}, std::plus<>(),
                            [](std::string_view piece) { return piece.size(); });
  std::string digests(kLine * blocks_in(size), '\n');
  parallel_for({blocks_in(size), /*at_a_time=*/16}, [&](std::size_t block) {
    std::size_t skipped = block * kBlock, left = std::min(kBlock, size - skipped);
    Sha256 sum;
    for (const std::string_view piece : pieces) {
      const std::string_view part = piece.substr(std::min(skipped, piece.size()), left);
      skipped -= std::min(skipped, piece.size());
      left -= part.size();
      sum.add(part);
    }
    sum.digest().copy(&digests[kLine * block], kLine - 1);
  });
  return digests;
}

CheckedFile::CheckedFile(std::filesystem::path file, const std::filesystem::path& digests,
                         std::string digest_of_digests, std::string remedy)
    : path_(std::move(file)),
      file_(open_input(path_)),
      stamp_(stamp_of(file_.get())),
      size_(stamp_.size),
      digest_of_digests_(std::move(digest_of_digests)),
      remedy_(std::move(remedy)),
      checked_(new std::atomic<bool>[blocks_in(size_)]()) {
  const FileHandle list = open_input(digests);
  const bool fits = bytes_left(list.get()) == kLine * blocks_in(size_);
  if (fits) digests_.resize(kLine * blocks_in(size_));
  if (!fits || !read_piece(list.get(), 0, digests_)) {
    throw damaged("does not fit its list of checksums");
  }
}

FormatError CheckedFile::damaged(const std::string& what) const {
  return FormatError(path_.string() + ": " + what + "; " + remedy_);
}

void CheckedFile::check_range(std::size_t first, std::size_t count) const {
  if (first > size_ || count > size_ - first) throw damaged("ends too early");
}

void CheckedFile::read_bytes_at(std::size_t first, std::span<char> to) const {
  if (!read_piece(file_.get(), first, to)) throw damaged("was cut short, or cannot be read");
}

bool CheckedFile::is_as_opened() const {
  const FileStamp now = stamp_of(file_.get());
  return now.size == stamp_.size && now.modified == stamp_.modified;
}

std::size_t CheckedFile::length_of(std::size_t block) const {
  return std::min(kBlock, size_ - block * kBlock);
}

// Reads a whole block and compares it with its checksum.
void CheckedFile::read_checked(std::size_t block, std::span<char> to) const {
  std::call_once(digests_checked_, [&] {
    check_digest(sha256(digests_), digest_of_digests_, path_,
                 "its list of checksums does not match its own", remedy_);
  });
  read_bytes_at(block * kBlock, to);
  const std::string_view expected = std::string_view(digests_).substr(kLine * block, kLine - 1);
  check_digest(sha256({to.data(), to.size()}), expected, path_, "does not match its checksum",
               remedy_);
  checked_[block].store(true, std::memory_order_release);
}

std::shared_ptr<const CheckedFile::Block> CheckedFile::last_block() const {
  const std::lock_guard lock(last_mutex_);
  return last_;
}

// A part of one block. A block that was checked before is as it was then if nobody has written to
// the file, which its stamp shows after the reading.
void CheckedFile::read_in_block(std::size_t first, std::span<char> to) const {
  const std::size_t number = first / kBlock, start = first - number * kBlock;
  if (checked_[number].load(std::memory_order_acquire)) {
    if (const auto last = last_block(); last && last->number == number) {
      last->bytes.copy(to.data(), to.size(), start);
    } else {
      read_bytes_at(first, to);
    }
    if (is_as_opened()) return;
  }
  if (to.size() == length_of(number)) return read_checked(number, to);
  auto block = std::make_shared<Block>(Block{number, std::string(length_of(number), '\0')});
  read_checked(number, block->bytes);
  block->bytes.copy(to.data(), to.size(), start);
  const std::lock_guard lock(last_mutex_);
  last_ = std::move(block);
}

void CheckedFile::read(std::size_t first, std::span<char> to) const {
  check_range(first, to.size());
  if (to.empty()) return;
  const std::size_t begin = first / kBlock, blocks = blocks_in(first + to.size()) - begin;
  const auto read_block = [&](std::size_t i) {
    const std::size_t from = std::max(first, (begin + i) * kBlock);
    const std::size_t end = std::min(first + to.size(), (begin + i + 1) * kBlock);
    read_in_block(from, to.subspan(from - first, end - from));
  };
  // What a single answer reads is checked before a team of threads would have started.
  constexpr std::size_t kAlone = 256;
  if (blocks <= kAlone) {
    for (std::size_t i = 0; i < blocks; ++i) read_block(i);
  } else {
    parallel_for({blocks, /*at_a_time=*/16}, read_block);
  }
}

std::string CheckedFile::read(std::size_t first, std::size_t count) const {
  check_range(first, count);
  std::string bytes(count, '\0');
  read(first, bytes);
  return bytes;
}

}  // namespace leafglyph
