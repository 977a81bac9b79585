#include "features/base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/input_file.h"

namespace leafglyph {

/// A mapped file as a signal handler may look at it. Regions are used again but never freed, so
/// that a handler can walk the list while others change it.
struct MappedRegion {
  std::atomic<std::uintptr_t> start{0};  // 0: unused
  std::atomic<std::size_t> size{0};
  std::atomic<bool> is_cut{false};
  MappedRegion* next = nullptr;
};

namespace {

std::atomic<MappedRegion*> regions{nullptr};
std::atomic<bool> is_guarded{false};
struct sigaction action_before {};  // written before the handler is there
std::uintptr_t page_size = 0;       // likewise

/// Regions that no file uses; not for the handler.
struct UnusedRegions {
  std::mutex mutex;
  std::vector<MappedRegion*> regions;
};
UnusedRegions& unused_regions() {
  static auto* const unused = new UnusedRegions;  // NOLINT: files may be closed at exit
  return *unused;
}

MappedRegion* region_of(const void* start, std::size_t size) {
  MappedRegion* region = nullptr;
  {
    UnusedRegions& unused = unused_regions();
    const std::lock_guard lock(unused.mutex);
    if (!unused.regions.empty()) {
      region = unused.regions.back();
      unused.regions.pop_back();
    }
  }
  const bool is_new = region == nullptr;
  if (is_new) region = new MappedRegion;  // NOLINT: see MappedRegion
  region->is_cut = false;
  region->size = size;
  region->start = reinterpret_cast<std::uintptr_t>(start);
  if (is_new) {
    region->next = regions.load();
    while (!regions.compare_exchange_weak(region->next, region)) {
    }
  }
  return region;
}

void give_back(MappedRegion* region) {
  region->start = 0;
  UnusedRegions& unused = unused_regions();
  const std::lock_guard lock(unused.mutex);
  unused.regions.push_back(region);
}

// Puts zeros in the place of the rest of a mapped file from that address on: where one page is
// gone, so are the next ones. mmap is a plain call of the system, so that a handler may use it.
bool put_zeros(std::uintptr_t address) {
  for (MappedRegion* region = regions; region != nullptr; region = region->next) {
    const std::uintptr_t start = region->start, end = start + region->size;
    if (start == 0 || address < start || address >= end) continue;
    const std::uintptr_t page = address - address % page_size;
    if (::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      return false;
    }
    region->is_cut = true;
    return true;
  }
  return false;
}

void handle_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool from_memory = info->si_code > 0;  // and not sent by a process
  const bool handled = from_memory && put_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = error;
  if (handled) return;
  if ((action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(signal, info, context);
  } else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN) {
    action_before.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the process ends when this handler returns
    if (!from_memory) ::raise(signal);
  }
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, std::string remedy)
    : path_(std::move(path)), remedy_(std::move(remedy)) {
  const FileHandle file = open_input(path_);
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) != 0) {
    throw InputError(path_.string() +
                     ": cannot be read: " + std::generic_category().message(errno));
  }
  stamp_ = {status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // an empty mapping is not possible
  start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, ::fileno(file.get()), /*offset=*/0);
  if (start_ == MAP_FAILED) {
    throw MachineError(path_.string() +
                       ": cannot be mapped: " + std::generic_category().message(errno));
  }
  region_ = region_of(start_, size_);
}

MappedFile::~MappedFile() {
  if (start_ == nullptr) return;
  give_back(region_);
  ::munmap(start_, size_);
}

// Where a file ends within a page, the rest of that page is 0, without a signal. Only its size
// shows it.
void MappedFile::check() const {
  bool is_same = region_ == nullptr || !region_->is_cut;
  struct stat now {};
  if (is_same && ::stat(path_.c_str(), &now) == 0 && now.st_dev == stamp_.device &&
      now.st_ino == stamp_.inode) {
    is_same = static_cast<std::size_t>(now.st_size) == size_ &&
              now.st_mtim.tv_sec == stamp_.seconds && now.st_mtim.tv_nsec == stamp_.nanoseconds;
  }
  if (is_same) return;
  throw FormatError(path_.string() + ": was cut or changed while it was read; " + remedy_);
}

void guard_mapped_files() {
  if (is_guarded) return;
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = handle_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, nullptr, &action_before) != 0 ||
      ::sigaction(SIGBUS, &action, nullptr) != 0) {
    throw MachineError("SIGBUS cannot be handled: " + std::generic_category().message(errno));
  }
  is_guarded = true;
}

bool mapped_files_are_guarded() noexcept { return is_guarded; }

}  // namespace leafglyph
