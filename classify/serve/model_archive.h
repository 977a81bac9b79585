// A model's folder as a zip archive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "classify/support/zip_writer.h"
#include "features/record/record.h"

namespace leafglyph {

/// Gives the archive piece by piece, so that a model of any size needs no more memory or disk than
/// a piece. The files are those that were open when `model` was read, even if the model is replaced
/// meanwhile.
class ModelArchive {
 public:
  /// `folder`: the name of the folder in the archive.
  ModelArchive(std::string folder, Record model);

  /// The next bytes of the archive; empty at its end. Throws FormatError where a file does not
  /// match its checksums.
  std::string next();

 private:
  struct File {
    std::string name;
    std::string_view bytes;              ///< unless it is a large one
    const CheckedFile* large = nullptr;  ///< checked where it is read
    std::uint64_t size() const { return large != nullptr ? large->size() : bytes.size(); }
  };

  const std::string folder_;
  const Record model_;
  const std::string facts_;
  std::vector<File> files_;
  ZipWriter zip_{ZipWriter::Packing::kStored};  // most of a model cannot be compressed
  std::size_t file_ = 0;                        // the one that is being sent
  std::uint64_t sent_ = 0;                      // bytes of it
  bool begun_ = false, ended_ = false;
};

}  // namespace leafglyph
