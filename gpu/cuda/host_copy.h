// Copies between the memory of the host and of a GPU. For the files of gpu/ alone.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// memcpy by several threads: one copies more slowly than the link to the GPU carries.
void parallel_copy(std::byte* target, const std::byte* source, std::size_t bytes);

bool is_page_locked(const void* host);

/// One array at a time on its way through page-locked memory, piece by piece, so that the host's
/// copy of one piece and the link's of another overlap. Made for the GPU that is current.
class StagedCopy {
 public:
  /// Room for arrays of up to `bytes`.
  explicit StagedCopy(std::size_t bytes) : room_(bytes) {}

  /// Starts the copy to the GPU; `source` may be changed when it returns, unless that is
  /// page-locked or a GPU's itself.
  void send(const void* source, bool on_host, std::size_t bytes, void* target,
            const Stream& stream);
  /// Starts the copy of bytes [first, last) of an array from the GPU, behind what is in the stream.
  /// Parts of an array follow each other.
  void start_receive(const void* source, std::size_t first, std::size_t last, const Stream& stream);
  /// Returns when all that was started stands at `target`.
  void finish_receive(void* target);

 private:
  struct Piece {
    std::size_t first;
    std::size_t last;
  };
  PinnedBuffer<std::byte> room_;
  std::vector<Event> arrived_;  // of each piece that is on its way
  std::vector<Piece> pieces_;
};

}  // namespace leafglyph::gpu
