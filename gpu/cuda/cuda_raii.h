// Owners of CUDA resources, and the check of every CUDA call. Only for the files of gpu/: no other
// header exposes CUDA types.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph::gpu {

/// Throws Error for a failed call. `what` is the call; the message says what the user can do.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* what);

inline void cuda_check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw_cuda_error(status, what);
}

#define CUDA_CHECK(call) ::leafglyph::gpu::cuda_check((call), #call)
/// For use after every kernel launch; `name` is the name of the kernel.
#define CUDA_CHECK_LAUNCH(name) ::leafglyph::gpu::cuda_check(cudaGetLastError(), name)

/// Throws Error, stating how many bytes were requested on the current GPU and how many are free.
[[noreturn]] void throw_gpu_memory_error(std::size_t bytes);

/// Bytes of shared memory that a block on the current GPU may request.
int largest_shared_memory();

/// Lets blocks of a kernel request as much of it, on the current GPU, and loads the kernel. The
/// limit belongs to the kernel, not to a plan: a plan must never set it to what it needs itself,
/// because others may need more. Safe from many threads.
void allow_shared_memory(const void* kernel);
template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...)) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
}

/// Makes a GPU current until the end of the scope. Afterwards the one before is current again,
/// unless this process has no context there: cudaSetDevice would make one, which takes tenths of a
/// second and GPU memory.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
  bool is_other_ = false;
};

/// To be called before something is given back: on a thread on which no GPU was made current, CUDA
/// would make a context on GPU 0 for that, even if another one is used.
void make_no_context() noexcept;

/// Memory of the GPU that is current at the allocation.
struct DeviceMemory {
  static void* take(std::size_t bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, bytes);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw_gpu_memory_error(bytes);
    }
    cuda_check(status, "cudaMalloc");
    return data;
  }
  static void give_back(void* data) noexcept { static_cast<void>(cudaFree(data)); }
};

/// Page-locked host memory. Copies to and from it overlap with computation.
struct PinnedMemory {
  static void* take(std::size_t bytes) {
    void* data = nullptr;
    CUDA_CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
    return data;
  }
  static void give_back(void* data) noexcept { static_cast<void>(cudaFreeHost(data)); }
};

/// Owns `count` uninitialised elements of T in such memory.
template <class T, class Memory>
class CudaBuffer {
 public:
  CudaBuffer() = default;
  explicit CudaBuffer(std::size_t count) : count_(count) {
    if (count > 0) data_ = static_cast<T*>(Memory::take(count * sizeof(T)));
  }
  ~CudaBuffer() {
    if (data_ == nullptr) return;
    make_no_context();
    Memory::give_back(data_);
  }
  CudaBuffer(CudaBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  CudaBuffer& operator=(CudaBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::span<T> span() requires std::is_same_v<Memory, PinnedMemory> { return {data_, count_}; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

template <class T>
using DeviceBuffer = CudaBuffer<T, DeviceMemory>;
template <class T>
using PinnedBuffer = CudaBuffer<T, PinnedMemory>;

/// Ensures room for at least `count` elements. A buffer that is too small is freed first, and its
/// content is lost.
template <class T, class Memory>
void grow(CudaBuffer<T, Memory>& buffer, std::size_t count) {
  if (buffer.size() >= count) return;
  buffer = CudaBuffer<T, Memory>();
  buffer = CudaBuffer<T, Memory>(count);
}

/// Copies host memory to the GPU for kernels in any CUDA stream. cudaMemcpy alone returns once
/// pageable memory is staged, so that a non-blocking stream could start before the copy is
/// complete.
template <class T>
void copy_to_device(std::span<const T> values, T* device) {
  CUDA_CHECK(cudaMemcpy(device, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

/// A DeviceBuffer with a copy of `values`, for kernels in any CUDA stream.
template <class T>
DeviceBuffer<T> copy_to_device(std::span<const T> values) {
  DeviceBuffer<T> buffer(values.size());
  copy_to_device(values, buffer.data());
  return buffer;
}

/// A CUDA stream on the GPU that is current at its construction.
class Stream {
 public:
  Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() {
    if (stream_ == nullptr) return;
    make_no_context();
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  cudaStream_t get() const { return stream_; }
  void wait() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a CUDA stream, for waiting or, with another event, for timing the work between them.
class Event {
 public:
  Event() { CUDA_CHECK(cudaEventCreate(&event_)); }
  ~Event() {
    if (event_ == nullptr) return;
    make_no_context();
    static_cast<void>(cudaEventDestroy(event_));
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) { CUDA_CHECK(cudaEventRecord(event_, stream.get())); }
  void wait() const { CUDA_CHECK(cudaEventSynchronize(event_)); }
  /// Work added to `stream` from now on starts after this point.
  void hold_back(const Stream& stream) const {
    CUDA_CHECK(cudaStreamWaitEvent(stream.get(), event_, 0));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Milliseconds of GPU time from `start` to `end`; both must have been reached.
inline float milliseconds_between(const Event& start, const Event& end) {
  float milliseconds = 0.0F;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
  return milliseconds;
}

}  // namespace leafglyph::gpu
