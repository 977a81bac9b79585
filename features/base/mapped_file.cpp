#include "features/base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "features/base/errors.h"
#include "features/base/input_file.h"

namespace leafglyph {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileHandle file = open_input(path);
  size_ = bytes_left(file.get());
  if (size_ == 0) return;  // no mapping is empty
  start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, ::fileno(file.get()), /*offset=*/0);
  if (start_ == MAP_FAILED) {
    throw MachineError(path.string() +
                       ": cannot be mapped: " + std::generic_category().message(errno));
  }
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

}  // namespace leafglyph
