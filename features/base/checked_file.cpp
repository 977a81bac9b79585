#include "features/base/checked_file.h"

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
      file_(path_),
      digests_(digests),
      digest_of_digests_(std::move(digest_of_digests)),
      remedy_(std::move(remedy)),
      checked_(new std::atomic<bool>[blocks_in(size())]()) {
  if (digests_.bytes().size() != kLine * blocks_in(size())) {
    throw damaged("does not fit its list of checksums");
  }
}

FormatError CheckedFile::damaged(const std::string& what) const {
  return FormatError(path_.string() + ": " + what + "; " + remedy_);
}

void CheckedFile::check(std::size_t block) const {
  if (checked_[block].load(std::memory_order_acquire)) return;
  std::call_once(digests_checked_, [&] {
    if (sha256(digests_.bytes()) == digest_of_digests_) return;
    throw damaged("its list of checksums is damaged or was changed");
  });
  if (sha256(file_.bytes().substr(block * kBlock, kBlock)) !=
      digests_.bytes().substr(kLine * block, kLine - 1)) {
    throw damaged("does not match its checksum; it is damaged or was changed");
  }
  checked_[block].store(true, std::memory_order_release);
}

std::string_view CheckedFile::bytes(std::size_t first, std::size_t count) const {
  if (first > size() || count > size() - first) throw damaged("ends too early");
  if (count == 0) return {};
  const std::size_t begin = first / kBlock, blocks = blocks_in(first + count) - begin;
  // What a single answer reads is checked before a team of threads would have started.
  constexpr std::size_t kAlone = 256;
  if (blocks <= kAlone) {
    for (std::size_t i = 0; i < blocks; ++i) check(begin + i);
  } else {
    parallel_for({blocks, /*at_a_time=*/16}, [&](std::size_t i) { check(begin + i); });
  }
  return file_.bytes().substr(first, count);
}

}  // namespace leafglyph
