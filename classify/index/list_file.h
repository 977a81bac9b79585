// lists.bin of an index: for each list its rows, then their numbers. Part of the index.
#pragma once

#include <faiss/IndexIVFFlat.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/index/index_rows.h"
#include "features/base/mapped_file.h"

namespace leafglyph {

struct OpenIndex;

/// Sorts the scaled rows of the stores into the lists of `index` by its quantizer, and writes them
/// to `file`, with fsync. Messages call the file `named`. Needs 12 bytes of memory per row. Returns
/// the number of rows in each list. Throws Error when the file cannot be written, and Interrupted.
std::vector<std::size_t> write_lists(std::span<const FeatureStore> stores,
                                     const ColumnScaling& scaling, const faiss::IndexIVFFlat& index,
                                     const std::filesystem::path& file,
                                     const std::filesystem::path& named);

/// Joins the lists of parts that fit together (check_fit), those of the first part first, after
/// checking them; otherwise as write_lists. Throws what OpenIndex::check_list throws, too.
std::vector<std::size_t> join_lists(std::span<const std::unique_ptr<OpenIndex>> parts,
                                    const std::filesystem::path& file,
                                    const std::filesystem::path& named);

/// Gives `index` the lists of `file`, mapped for reading, and returns the file, whose check() says
/// whether what was computed on the lists counts; null when the size of the file does not match
/// lists of these sizes.
std::shared_ptr<const MappedFile> map_lists(const std::filesystem::path& file,
                                            std::span<const std::size_t> sizes,
                                            faiss::IndexIVFFlat& index);

/// The digest of the bytes of a mapped list: sha256_of_blocks.
std::string digest_of_list(const faiss::IndexIVFFlat& index, std::size_t list);

}  // namespace leafglyph
