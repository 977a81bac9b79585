#include "gpu/cuda/host_copy.h"

#include <algorithm>
#include <cstring>

#include "features/base/threads.h"

namespace leafglyph::gpu {
namespace {

// Small enough to overlap, large enough for the full speed of the link.
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kMostPieces = 16;

// What one thread copies at a time, in 10 to 25 microseconds.
constexpr std::size_t kShare = std::size_t{1} << 17;
// One thread copies 5 to 10 GB/s: two shares take as long as it takes another thread to wake.
constexpr std::size_t kSharesAlone = 2;

std::size_t pieces_of(std::size_t bytes) { return (bytes + kPiece - 1) / kPiece; }

}  // namespace

void parallel_copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  const std::size_t shares = (bytes + kShare - 1) / kShare;
  parallel_for({.count = shares, .serial = kSharesAlone}, [&](std::size_t i) {
    const std::size_t at = i * kShare;
    std::memcpy(target + at, source + at, std::min(kShare, bytes - at));
  });
}

bool is_page_locked(const void* host) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeHost;
}

StagedCopy::StagedCopy(std::size_t bytes)
    : room_(std::clamp<std::size_t>(pieces_of(bytes), 1, kMostPieces) * kPiece),
      passed_(room_.bytes() / kPiece) {}

std::byte* StagedCopy::room(std::size_t slot) { return room_.data() + slot * kPiece; }

std::size_t StagedCopy::next_slot() {
  const std::size_t slot = next_;
  next_ = (next_ + 1) % passed_.size();
  return slot;
}

void StagedCopy::send(const void* source, bool on_host, std::size_t bytes, void* target,
                      const Stream& stream) {
  if (!on_host || is_page_locked(source)) {
    CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream.get()));
    return;
  }
  const auto* from = static_cast<const std::byte*>(source);
  const auto fill = [from](std::byte* piece, std::size_t at, std::size_t length) {
    parallel_copy(piece, from + at, length);
  };
  send(fill, bytes, target, stream);
}

void StagedCopy::send(const Fill& fill, std::size_t bytes, void* target, const Stream& stream) {
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t length = std::min(kPiece, bytes - at);
    const std::size_t slot = next_slot();
    passed_[slot].wait();
    fill(room(slot), at, length);
    CUDA_CHECK(cudaMemcpyAsync(static_cast<std::byte*>(target) + at, room(slot), length,
                               cudaMemcpyHostToDevice, stream.get()));
    passed_[slot].record(stream);
  }
}

void StagedCopy::start_pieces(const void* source, std::size_t bytes, void* target, const Take& take,
                              const Stream& stream) {
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    if (pieces_.size() == passed_.size()) take_oldest(take);
    const Piece piece{next_slot(), static_cast<std::byte*>(target), at,
                      std::min(kPiece, bytes - at)};
    passed_[piece.slot].hold_back(stream);
    CUDA_CHECK(cudaMemcpyAsync(room(piece.slot), static_cast<const std::byte*>(source) + at,
                               piece.bytes, cudaMemcpyDeviceToHost, stream.get()));
    passed_[piece.slot].record(stream);
    pieces_.push_back(piece);
  }
}

void StagedCopy::take_oldest(const Take& take) {
  const Piece piece = pieces_.front();
  pieces_.pop_front();
  passed_[piece.slot].wait();
  if (take) {
    take(room(piece.slot), piece.at, piece.bytes);
  } else {
    parallel_copy(piece.target + piece.at, room(piece.slot), piece.bytes);
  }
}

void StagedCopy::start_receive(const void* source, std::size_t bytes, void* target,
                               const Stream& stream) {
  start_pieces(source, bytes, target, nullptr, stream);
}

void StagedCopy::finish_receive() {
  while (!pieces_.empty()) take_oldest(nullptr);
}

void StagedCopy::receive(const void* source, std::size_t bytes, const Take& take,
                         const Stream& stream) {
  start_pieces(source, bytes, nullptr, take, stream);
  while (!pieces_.empty()) take_oldest(take);
}

}  // namespace leafglyph::gpu
