#include "classify/index/list_file.h"

#include <faiss/invlists/InvertedLists.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>

#include "classify/index/index_state.h"
#include "classify/support/faiss_row.h"
#include "features/base/errors.h"
#include "features/base/partial.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

/// A file whose parts are written in any order. It is not mapped for writing, because a full disk
/// would then raise a signal instead of an error.
class PartsFile {
 public:
  PartsFile(const std::filesystem::path& path, const std::filesystem::path& named)
      : named_(named),
        file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (!file_.is_open()) fail_with(named_, "cannot be written", errno);
  }

  template <class T>
  void write(std::size_t at, std::span<const T> values) const {
    std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_with(named_, "cannot be written", errno);
      at += static_cast<std::size_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void sync() const {
    if (!file_.sync()) fail_with(named_, "cannot be written", errno);
  }

 private:
  std::filesystem::path named_;
  Descriptor file_;
};

/// The lists of a mapped file, for FAISS.
class MappedLists : public faiss::ReadOnlyInvertedLists {
 public:
  MappedLists(std::shared_ptr<const MappedFile> file, std::span<const std::size_t> sizes,
              std::size_t code_size)
      : ReadOnlyInvertedLists(sizes.size(), code_size),
        file_(std::move(file)),
        sizes_(sizes.begin(), sizes.end()) {
    std::size_t start = 0;
    for (const std::size_t size : sizes) {
      starts_.push_back(start);
      start += size * (code_size + sizeof(FaissRow));
    }
  }

  std::size_t list_size(std::size_t list) const override { return sizes_[list]; }
  const std::uint8_t* get_codes(std::size_t list) const override {
    return reinterpret_cast<const std::uint8_t*>(file_->bytes().data()) + starts_[list];
  }
  const FaissRow* get_ids(std::size_t list) const override {
    return reinterpret_cast<const FaissRow*>(get_codes(list) + sizes_[list] * code_size);
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::size_t> sizes_, starts_;
};

// The list of each row, in the order of the stores.
std::vector<std::int32_t> assign_rows(std::span<const FeatureStore> stores,
                                      const ColumnScaling& scaling,
                                      const faiss::IndexIVFFlat& index) {
  std::vector<std::int32_t> list_of;
  for_each_block(stores, [&](IndexRows& block) {
    scaling.apply(block.values);
    std::vector<FaissRow> lists(block.numbers.size());
    index.quantizer->assign(static_cast<FaissRow>(lists.size()), block.values.data(), lists.data());
    for (const FaissRow list : lists) list_of.push_back(static_cast<std::int32_t>(list));
  });
  return list_of;
}

}  // namespace

std::vector<std::size_t> write_lists(std::span<const FeatureStore> stores,
                                     const ColumnScaling& scaling, const faiss::IndexIVFFlat& index,
                                     const std::filesystem::path& path,
                                     const std::filesystem::path& named) {
  const std::vector<std::int32_t> list_of = assign_rows(stores, scaling, index);
  std::vector<std::size_t> sizes(index.nlist);
  for (const std::int32_t list : list_of) ++sizes[static_cast<std::size_t>(list)];
  std::vector<std::size_t> next(index.nlist);  // next row of each list, counted over all lists
  for (std::size_t list = 1; list < sizes.size(); ++list) {
    next[list] = next[list - 1] + sizes[list - 1];
  }
  const std::vector<std::size_t> first = next;
  const std::size_t width = scaling.offset.size();
  const auto rows_at = [&](std::size_t list) {  // where the rows of a list start
    return first[list] * (index.code_size + sizeof(FaissRow));
  };
  const PartsFile file(path, named);
  std::vector<FaissRow> numbers(list_of.size());
  std::size_t at = 0;
  for_each_block(stores, [&](IndexRows& block) {
    scaling.apply(block.values);
    for (std::size_t r = 0; r < block.numbers.size(); ++r, ++at) {
      const auto list = static_cast<std::size_t>(list_of.at(at));
      const std::size_t place = next[list]++;
      numbers.at(place) = block.numbers[r];
      file.write(rows_at(list) + (place - first[list]) * index.code_size,
                 std::span<const float>(block.values).subspan(r * width, width));
    }
  });
  if (at != list_of.size()) throw InputError("the stores were changed while they were read");
  for (std::size_t list = 0; list < sizes.size(); ++list) {
    file.write(rows_at(list) + sizes[list] * index.code_size,
               std::span<const FaissRow>(numbers).subspan(first[list], sizes[list]));
  }
  file.sync();
  return sizes;
}

std::vector<std::size_t> join_lists(std::span<const std::unique_ptr<OpenIndex>> parts,
                                    const std::filesystem::path& path,
                                    const std::filesystem::path& named) {
  const PartsFile file(path, named);
  std::vector<std::size_t> sizes;
  std::size_t at = 0;  // byte of the file
  for (std::size_t list = 0; list < parts.front()->index->nlist; ++list) {
    throw_if_interrupted();
    std::vector<FaissRow> numbers;
    std::size_t first = 0;  // block of all stores
    for (const auto& part : parts) {
      part->check_list(list);
      const faiss::InvertedLists& lists = *part->index->invlists;
      const std::size_t rows = lists.list_size(list), bytes = rows * part->index->code_size;
      checked_use(*part->lists_file, [&] {
        file.write(at, std::span<const std::uint8_t>(lists.get_codes(list), bytes));
        for (std::size_t i = 0; i < rows; ++i) {
          numbers.push_back(lists.get_ids(list)[i] + row_number(first, 0));
        }
      });
      at += bytes;
      for (const FeatureStore& store : part->stores) first += store.header().blocks();
    }
    file.write(at, std::span<const FaissRow>(numbers));
    at += numbers.size() * sizeof(FaissRow);
    sizes.push_back(numbers.size());
  }
  file.sync();
  return sizes;
}

std::shared_ptr<const MappedFile> map_lists(const std::filesystem::path& file,
                                            std::span<const std::size_t> sizes,
                                            faiss::IndexIVFFlat& index) {
  auto mapped = std::make_shared<const MappedFile>(file, "build the index again");
  const std::size_t entry = index.code_size + sizeof(FaissRow), bytes = mapped->bytes().size();
  std::size_t rows = 0;
  for (const std::size_t size : sizes) {
    if (size > bytes / entry - rows) return nullptr;
    rows += size;
  }
  if (bytes != entry * rows) return nullptr;
  index.ntotal = static_cast<FaissRow>(rows);
  index.replace_invlists(new MappedLists(mapped, sizes, index.code_size), /*own=*/true);  // NOLINT
  return mapped;
}

std::string digest_of_list(const faiss::IndexIVFFlat& index, std::size_t list) {
  const std::size_t entry = index.code_size + sizeof(FaissRow);
  const auto* rows = reinterpret_cast<const char*>(index.invlists->get_codes(list));
  return sha256_of_blocks({rows, index.invlists->list_size(list) * entry});
}

}  // namespace leafglyph
