// Copies between host and GPU memory. Only for the files of gpu/.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// memcpy, by several threads from 256 KiB on: a single thread copies more slowly than the link to
/// the GPU transfers.
void parallel_copy(std::byte* target, const std::byte* source, std::size_t bytes);

bool is_page_locked(const void* host);

/// Copies arrays of any length, piece by piece, through page-locked memory. The host's copy of one
/// piece overlaps with the transfer of another. An object belongs to the GPU that is current at its
/// construction.
class StagedCopy {
 public:
  /// Writes bytes [at, at + bytes) of an array into a page-locked piece.
  using Fill = std::function<void(std::byte* piece, std::size_t at, std::size_t bytes)>;
  /// Reads bytes [at, at + bytes) of an array from a page-locked piece.
  using Take = std::function<void(const std::byte* piece, std::size_t at, std::size_t bytes)>;

  /// Starting a copy of up to `bytes` does not block, as far as a few MiB of room allow.
  explicit StagedCopy(std::size_t bytes);

  /// Starts the copy to the GPU. `source` may be changed after the return, unless it is page-locked
  /// or GPU memory.
  void send(const void* source, bool on_host, std::size_t bytes, void* target,
            const Stream& stream);
  /// The same for an array that `fill` produces.
  void send(const Fill& fill, std::size_t bytes, void* target, const Stream& stream);
  /// Starts the copy of `bytes` from the GPU, after the work already in the CUDA stream. They are
  /// in `target` when finish_receive() returns.
  void start_receive(const void* source, std::size_t bytes, void* target, const Stream& stream);
  void finish_receive();
  /// Passes an array from the GPU to `take`, piece by piece in order. Returns after the last piece.
  void receive(const void* source, std::size_t bytes, const Take& take, const Stream& stream);
  /// The same to host memory.
  void receive(const void* source, std::size_t bytes, void* target, const Stream& stream) {
    start_receive(source, bytes, target, stream);
    finish_receive();
  }

 private:
  // A piece that is being copied from the GPU.
  struct Piece {
    std::size_t slot;
    std::byte* target;
    std::size_t at;
    std::size_t bytes;
  };

  std::byte* room(std::size_t slot);
  std::size_t next_slot();
  void start_pieces(const void* source, std::size_t bytes, void* target, const Take& take,
                    const Stream& stream);
  void take_oldest(const Take& take);

  PinnedBuffer<std::byte> room_;
  std::vector<Event> passed_;  // last transfer of each piece of the room
  std::size_t next_ = 0;
  std::deque<Piece> pieces_;
};

}  // namespace leafglyph::gpu
