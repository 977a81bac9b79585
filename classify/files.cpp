#include "classify/files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "features/errors.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

fs::path beside(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  return normal.parent_path() /
         ("." + normal.filename().string() + ".partial-" + std::to_string(::getpid()));
}

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error) {
  throw Error(path.string() + ": " + what + ": " + std::generic_category().message(error));
}

// A file descriptor whose file is removed again unless keep() was called.
class PartialFile {
 public:
  PartialFile(const fs::path& path, const fs::path& target) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(target, "cannot be written", errno);
  }
  ~PartialFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  bool write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor_) == 0 || errno == EINVAL;  // EINVAL: a file system without fsync
  }
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return ::close(descriptor) == 0;
  }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

}  // namespace

void write_file(const fs::path& path, std::string_view content) {
  std::error_code error;
  // A device such as /dev/stdout has no "beside".
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.flush();
    if (!stream) fail(path, "cannot be written", errno == 0 ? EISDIR : errno);
    return;
  }
  const fs::path partial = beside(path);
  PartialFile file(partial, path);
  if (!file.write(content)) fail(path, "cannot be written", errno);
  if (!file.close()) fail(path, "cannot be written", errno);
  fs::rename(partial, path, error);
  if (error) fail(path, "cannot be put in place", error.value());
  file.keep();
}

StagedFolder::StagedFolder(fs::path target, bool (*is_ours)(const fs::path&))
    : target_(std::move(target)), staged_(beside(target_)) {
  std::error_code error;
  if (fs::exists(target_, error)) {
    if (!fs::is_directory(target_, error)) throw Error(target_.string() + ": is no folder");
    if (!fs::is_empty(target_, error) && !is_ours(target_)) {
      throw Error(target_.string() +
                  ": holds other files, which are not overwritten; name another folder");
    }
  }
  if (const fs::path parent = target_.parent_path(); !parent.empty()) {
    fs::create_directories(parent, error);
    if (error) fail(parent, "cannot be made", error.value());
  }
  fs::remove_all(staged_, error);
  fs::create_directory(staged_, error);
  if (error) fail(target_, "cannot be made", error.value());
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!staged_.empty()) fs::remove_all(staged_, ignored);
}

void StagedFolder::commit() {
  std::error_code error;
  fs::path old;
  if (fs::exists(target_, error)) {
    old = staged_;
    old += "-old";
    fs::rename(target_, old, error);
    if (error) fail(target_, "cannot be replaced", error.value());
  }
  fs::rename(staged_, target_, error);
  if (error) {
    std::error_code ignored;
    if (!old.empty()) fs::rename(old, target_, ignored);
    fail(target_, "cannot be put in place", error.value());
  }
  staged_.clear();
  if (!old.empty()) fs::remove_all(old, error);
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256 is not available in this OpenSSL");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace leafglyph
