// Files mapped into memory, and what happens when one of them is cut while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace leafglyph {

/// The bytes of a regular file, mapped for reading: only for what is computed on where it lies.
/// Everything else is read (read_file, CheckedFile), because the system ends a process that touches
/// mapped bytes after the file was cut before them (SIGBUS), unless it called guard_mapped_files():
/// these bytes are 0 then, and check() throws.
class MappedFile {
 public:
  /// Messages about damage end with `remedy`. Throws InputError as open_input, and MachineError
  /// when there is no address space for it.
  MappedFile(std::filesystem::path path, std::string remedy);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

  /// Throws FormatError when the file was cut or written to since it was opened, which says nothing
  /// of a file that was replaced by renaming. To be called after the bytes were used and before
  /// anything is done with the result (checked_use).
  void check() const;

 private:
  struct Stamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // of the last writing
  };

  std::filesystem::path path_;
  std::string remedy_;
  void* start_ = nullptr;
  std::size_t size_ = 0;
  Stamp stamp_;
  struct MappedRegion* region_ = nullptr;  // what the handler knows of it
};

/// Mapped files in which something lies that is used later.
struct MappedFiles {
  std::vector<std::shared_ptr<const MappedFile>> files;
  /// MappedFile::check() of each.
  void check() const {
    for (const auto& file : files) file->check();
  }
};

/// use(), which computes on what lies in `files`. If one of them was cut meanwhile, throws that
/// FormatError instead of what use() returned or threw.
template <class Files, class Use>
std::invoke_result_t<Use> checked_use(const Files& files, Use&& use) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Use>>) {
      use();
      files.check();
    } else {
      std::invoke_result_t<Use> result = use();
      files.check();
      return result;
    }
  } catch (...) {
    files.check();
    throw;
  }
}

/// Lets this process survive that a mapped file is cut: takes SIGBUS, and leaves to the handler
/// before it what does not concern a mapped file. For programs, once, before they map a file; the
/// library never does it by itself, because handlers belong to its host. Throws MachineError when
/// the system refuses.
void guard_mapped_files();
/// Whether that was done. Where it was not, the library maps no file but the lists of an index.
bool mapped_files_are_guarded() noexcept;

}  // namespace leafglyph
