#include "classify/serve/model_archive.h"

#include <algorithm>
#include <utility>

namespace leafglyph {
namespace {

constexpr std::uint64_t kPieceBytes = 4 * CheckedFile::kBlock;

}  // namespace

ModelArchive::ModelArchive(std::string folder, Record model)
    : folder_(std::move(folder)), model_(std::move(model)), facts_(facts_text(model_)) {
  files_.push_back({model_.kind.facts, facts_});
  for (const auto& [name, bytes] : model_.files) files_.push_back({name, bytes});
  for (const auto& [name, file] : model_.large) {
    files_.push_back({name, {}, file.get()});
    files_.push_back({name + std::string(kDigests), file->digests()});
  }
}

std::string ModelArchive::next() {
  if (ended_) return "";
  if (file_ == files_.size()) {
    ended_ = true;
    zip_.end();
    return zip_.take();
  }
  const File& file = files_[file_];
  if (!begun_) zip_.begin(folder_ + "/" + file.name, file.size());
  begun_ = true;
  const std::uint64_t count = std::min(kPieceBytes, file.size() - sent_);
  if (count > 0) {
    zip_.add(file.large != nullptr ? file.large->read(sent_, count)
                                   : std::string(file.bytes.substr(sent_, count)));
  }
  sent_ += count;
  if (sent_ == file.size()) {
    ++file_;
    sent_ = 0;
    begun_ = false;
  }
  return zip_.take();
}

}  // namespace leafglyph
