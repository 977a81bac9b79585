#include "gpu/cuda/host_copy.h"

#include <algorithm>
#include <cstring>

namespace leafglyph::gpu {
namespace {

// Small enough to overlap, large enough for the link's full speed.
constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

void parallel_copy(std::byte* target, const std::byte* source, std::size_t bytes) {
  // A piece is shared by a few threads, an array of many pieces piece by piece.
  const std::size_t share = bytes <= kPiece ? kPiece / 8 : kPiece;
  const std::size_t shares = (bytes + share - 1) / share;
#pragma omp parallel for if (shares > 2)
  for (std::size_t i = 0; i < shares; ++i) {
    const std::size_t at = i * share;
    std::memcpy(target + at, source + at, std::min(share, bytes - at));
  }
}

bool is_page_locked(const void* host) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeHost;
}

void StagedCopy::send(const void* source, bool on_host, std::size_t bytes, void* target,
                      const Stream& stream) {
  if (!on_host || is_page_locked(source)) {
    CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream.get()));
    return;
  }
  const auto* from = static_cast<const std::byte*>(source);
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t piece = std::min(kPiece, bytes - at);
    parallel_copy(room_.data() + at, from + at, piece);
    CUDA_CHECK(cudaMemcpyAsync(static_cast<std::byte*>(target) + at, room_.data() + at, piece,
                               cudaMemcpyHostToDevice, stream.get()));
  }
}

void StagedCopy::start_receive(const void* source, std::size_t first, std::size_t last,
                               const Stream& stream) {
  for (std::size_t at = first; at < last; at += kPiece) {
    const Piece piece{at, std::min(at + kPiece, last)};
    CUDA_CHECK(cudaMemcpyAsync(room_.data() + at, static_cast<const std::byte*>(source) + at,
                               piece.last - piece.first, cudaMemcpyDeviceToHost, stream.get()));
    if (pieces_.size() == arrived_.size()) arrived_.emplace_back();
    arrived_[pieces_.size()].record(stream);
    pieces_.push_back(piece);
  }
}

void StagedCopy::finish_receive(void* target) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    arrived_[i].wait();
    parallel_copy(static_cast<std::byte*>(target) + pieces_[i].first,
                  room_.data() + pieces_[i].first, pieces_[i].last - pieces_[i].first);
  }
  pieces_.clear();
}

}  // namespace leafglyph::gpu
