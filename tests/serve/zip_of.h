// Zip archives for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "classify/support/zip_writer.h"

namespace leafglyph::testing {

/// An archive of these names and contents.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files) {
  ZipWriter zip(ZipWriter::Packing::kDeflated);
  for (const auto& [name, bytes] : files) {
    zip.begin(name, bytes.size());
    zip.add(bytes);
  }
  zip.end();
  return zip.take();
}

}  // namespace leafglyph::testing
