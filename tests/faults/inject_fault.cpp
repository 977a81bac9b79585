// A library to preload that makes one call of the C library fail after main has started.
//
// LEAFGLYPH_FAULT=CALL:NUMBER[:BYTES]  the NUMBER-th call of CALL fails, counted over all threads
//   malloc (only of BYTES or more), mmap, pthread_create: no memory, or no room for it
//   open, read, write (also pwrite), fsync, rename, close: ENOSPC (read: EIO), regular files only
//   short-write: only the first half is written
//   cut: the file that is mapped is emptied after that
//   kill-write, kill-rename: the process is killed there, with half of the data written
// LEAFGLYPH_FAULT_COUNT=FILE           the number of counted calls is written there at the end
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Fault {
  char call[32] = "";
  long number = 0;
  unsigned long bytes = 0;
};

Fault fault;
const char* count_file = nullptr;
std::atomic<bool> armed{false};
std::atomic<long> calls{0};

bool is_named(const char* call) { return std::strcmp(fault.call, call) == 0; }

// Whether this call is the one to fail.
bool strikes(const char* call) {
  return armed.load(std::memory_order_relaxed) && is_named(call) &&
         calls.fetch_add(1) + 1 == fault.number;
}

bool fails(const char* call, int error) {
  if (!strikes(call)) return false;
  errno = error;
  return true;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

void write_count() {
  if (!armed.exchange(false) || count_file == nullptr) return;
  const int file = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0644));
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  ::syscall(SYS_write, file, text, length);
  ::syscall(SYS_close, file);
}

int (*main_of_program)(int, char**, char**) = nullptr;

int armed_main(int argc, char** argv, char** environment) {
  if (const char* const text = std::getenv("LEAFGLYPH_FAULT")) {
    std::sscanf(text, "%31[^:]:%ld:%lu", fault.call, &fault.number, &fault.bytes);
    count_file = std::getenv("LEAFGLYPH_FAULT_COUNT");
    std::atexit(write_count);
    armed = true;
  }
  return main_of_program(argc, argv, environment);
}

mode_t mode_of(int flags, std::va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (fails("open", ENOSPC)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode));
}

// Handles a write of `count` bytes; call(bytes) writes the first `bytes` of them.
template <class Call>
ssize_t write_by(int file, std::size_t count, const Call& call) {
  if (is_regular(file)) {
    if (fails("write", ENOSPC)) return -1;
    if (count > 1 && strikes("short-write")) count /= 2;
    if (strikes("kill-write")) {
      call(count / 2);
      die();
    }
  }
  return call(count);
}

bool memory_fails(std::size_t bytes) { return bytes >= fault.bytes && fails("malloc", ENOMEM); }

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): names of the C library's own
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

using Main = int(int, char**, char**);
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  main_of_program = main;
  return real<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>(
      "__libc_start_main")(armed_main, argc, argv, init, fini, loader_fini, stack_end);
}
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t bytes) { return memory_fails(bytes) ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return memory_fails(count * bytes) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  return memory_fails(bytes) ? nullptr : __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memory_fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  *block = memory_fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) {
  if (fails("mmap", ENOMEM)) return MAP_FAILED;
  auto* const mapped = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, address, length, protection, flags, file, offset));
  if (file >= 0 && is_regular(file) && strikes("cut")) {
    char name[64];
    std::snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (::truncate(name, 0) != 0) std::perror("cut");
  }
  return mapped;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  if (strikes("pthread_create")) return EAGAIN;
  return real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(
      thread, attributes, run, argument);
}

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

int mkostemp(char* pattern, int flags) {
  if (fails("open", ENOSPC)) return -1;
  return real<int(char*, int)>("mkostemp")(pattern, flags);
}

std::FILE* fopen(const char* path, const char* mode) {
  if (fails("open", ENOSPC)) return nullptr;
  return real<std::FILE*(const char*, const char*)>("fopen")(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

ssize_t read(int file, void* bytes, std::size_t count) {
  if (is_regular(file) && fails("read", EIO)) return -1;
  return ::syscall(SYS_read, file, bytes, count);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  return write_by(file, count,
                  [&](std::size_t part) { return ::syscall(SYS_write, file, bytes, part); });
}

ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t at) {
  return write_by(file, count,
                  [&](std::size_t part) { return ::syscall(SYS_pwrite64, file, bytes, part, at); });
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off_t at)
    __attribute__((alias("pwrite")));

int fsync(int file) {
  if (fails("fsync", EIO)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int close(int file) {
  const bool failed = is_regular(file) && fails("close", EIO);
  const auto result = static_cast<int>(::syscall(SYS_close, file));
  if (!failed) return result;
  errno = EIO;
  return -1;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (strikes("kill-rename")) die();
  if (fails("rename", EIO)) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int rename(const char* from, const char* to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

}  // extern "C"
