// Copies between the memory of the host and of a GPU. For the files of gpu/ alone.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// memcpy by several threads: one copies more slowly than the link to the GPU carries.
void parallel_copy(std::byte* target, const std::byte* source, std::size_t bytes);

bool is_page_locked(const void* host);

/// Arrays of any length on their way, piece by piece through page-locked memory, so that the
/// host's copy of one piece and the link's of another overlap. Made for the GPU that is current.
class StagedCopy {
 public:
  /// Writes bytes [at, at + bytes) of an array into a page-locked piece.
  using Fill = std::function<void(std::byte* piece, std::size_t at, std::size_t bytes)>;
  /// Reads them from there.
  using Take = std::function<void(const std::byte* piece, std::size_t at, std::size_t bytes)>;

  /// Arrays of up to `bytes` are never waited for half-way, as far as a few MiB of room allow.
  explicit StagedCopy(std::size_t bytes);

  /// Starts the copy to the GPU; `source` may be changed when it returns, unless that is
  /// page-locked or a GPU's itself.
  void send(const void* source, bool on_host, std::size_t bytes, void* target,
            const Stream& stream);
  /// The same of an array that `fill` makes.
  void send(const Fill& fill, std::size_t bytes, void* target, const Stream& stream);
  /// Starts the copy of `bytes` from the GPU, behind what is in the stream; they stand at `target`
  /// when finish_receive() returns.
  void start_receive(const void* source, std::size_t bytes, void* target, const Stream& stream);
  void finish_receive();
  /// Hands an array from the GPU to `take`, piece by piece in order; returns after the last.
  void receive(const void* source, std::size_t bytes, const Take& take, const Stream& stream);
  /// The same to memory of the host.
  void receive(const void* source, std::size_t bytes, void* target, const Stream& stream) {
    start_receive(source, bytes, target, stream);
    finish_receive();
  }

 private:
  // A piece on its way from the GPU.
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
  std::vector<Event> passed_;  // of each piece of the room: its last copy over the link
  std::size_t next_ = 0;
  std::deque<Piece> pieces_;
};

}  // namespace leafglyph::gpu
