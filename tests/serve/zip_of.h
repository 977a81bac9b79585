// Zip archives for tests.
#pragma once

#include <minizip/zip.h>

#include <string>
#include <utility>
#include <vector>

#include "features/base/input_file.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph::testing {

/// An archive of these names and contents.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "made.zip").string();
  const zipFile zip = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [name, bytes] : files) {
    zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6);
    zipWriteInFileInZip(zip, bytes.data(), static_cast<unsigned>(bytes.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  return read_file(file);
}

}  // namespace leafglyph::testing
