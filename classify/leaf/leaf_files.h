// Pictures of leaves in files: generated leaves, and the stages of a preparation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/files.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// Writes the leaves as PNG files <folder>/<species>/<leaf>.png, as load_class_folders reads them.
/// `progress`, which may be empty, is called with the number of files written; an exception from it
/// stops the writing. Each file is complete or missing. Generated files are marked as such. Throws
/// Error when a file cannot be written, and, before anything is drawn, if the folder contains other
/// files, such as photographs.
void write_synthetic_leaves(const SyntheticSpec& spec, const std::filesystem::path& folder,
                            const std::function<void(std::size_t)>& progress = {});

/// Writes example_photographs() as <folder>/good-<name>.png and bad-<name>.png, and overview.png
/// with a reduced row of the good ones above one of the bad ones. Throws Error when a file cannot
/// be written.
void write_examples(const std::filesystem::path& folder);

/// Writes the stages of one preparation as <folder>/<stem>-<stage>.png; creates the folder with the
/// first stage. Throws Error when a file cannot be written.
class StageFiles : public StageSink {
 public:
  StageFiles(std::filesystem::path folder, std::string stem)
      : folder_(std::move(folder)), stem_(std::move(stem)) {}
  void stage(std::string_view name, const Image<std::uint8_t>& image) override;

 private:
  std::filesystem::path folder_;
  std::string stem_;
  std::optional<FileSeries> files_;
};

/// Distinct names for outputs made from `files`: the file names without extension if these are
/// distinct, otherwise with as many of their folders in front as needed ("oak-0001"). Throws
/// UsageError for two files that differ only in their extension.
std::vector<std::string> distinct_stems(std::span<const std::filesystem::path> files);

}  // namespace leafglyph
