#include "tests/fuzz/scratch.h"

#include <stdlib.h>

#include <iterator>
#include <stdexcept>
#include <vector>

#include "features/base/input_file.h"

namespace leafglyph::fuzz {
namespace fs = std::filesystem;
namespace {

class ScratchFolder {
 public:
  ScratchFolder() {
    const fs::path memory = "/dev/shm";
    std::string name =
        ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "leafglyph-fuzz-XXXXXX")
            .string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Not the project's own writer, which would wait for the disk each time.
void write(const fs::path& file, std::string_view bytes) {
  std::FILE* const handle = std::fopen(file.c_str(), "wb");
  const bool written =
      handle != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), handle) == bytes.size();
  if (handle != nullptr) std::fclose(handle);
  if (!written) throw std::runtime_error(file.string() + " cannot be written");
}

}  // namespace

const fs::path& scratch_folder() {
  static const ScratchFolder kFolder;
  return kFolder.path();
}

fs::path scratch_file(const std::string& name, std::string_view bytes) {
  fs::path file = scratch_folder() / name;
  write(file, bytes);
  return file;
}

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_file(entry.path());
  }
  return files;
}

Files with_fuzzed_file(const Files& files, std::string_view input, std::string* which) {
  Files changed = files;
  if (input.empty()) return changed;
  const std::size_t number = static_cast<unsigned char>(input.front()) % files.size();
  const auto file = std::next(changed.begin(), static_cast<std::ptrdiff_t>(number));
  file->second = input.substr(1);
  if (which != nullptr) *which = file->first;
  return changed;
}

std::vector<std::string> inputs_of(const Files& files) {
  std::vector<std::string> inputs;
  for (const auto& [name, bytes] : files) {
    inputs.push_back(static_cast<char>(inputs.size()) + bytes);
  }
  return inputs;
}

fs::path scratch_files(const std::string& folder, const Files& files) {
  fs::path path = scratch_folder() / folder;
  fs::create_directories(path);
  for (const auto& [name, bytes] : files) write(path / name, bytes);
  return path;
}

}  // namespace leafglyph::fuzz
