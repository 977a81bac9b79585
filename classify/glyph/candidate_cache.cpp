#include "classify/glyph/candidate_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "features/base/errors.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestSize = 64;
constexpr std::size_t kMostFiles = 8;

fs::path path_in(const fs::path& folder, const std::string& identity) {
  return folder / (std::string(CandidateCache::kPrefix) + identity.substr(0, 16));
}

// Removes all but the most recently written files.
void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const std::string& name : candidate_files(folder)) {
    const auto time = fs::last_write_time(folder / name, error);
    if (!error) files.emplace_back(time, folder / name);
  }
  std::sort(files.begin(), files.end(), std::greater{});
  for (std::size_t k = kMostFiles; k < files.size(); ++k) fs::remove(files[k].second, error);
}

}  // namespace

std::vector<std::string> candidate_files(const fs::path& folder) {
  try {
    std::vector<std::string> names = names_in_folder(folder);
    std::erase_if(
        names, [](const std::string& name) { return !name.starts_with(CandidateCache::kPrefix); });
    return names;
  } catch (const Error&) {
    return {};
  }
}

CandidateCache::CandidateCache(const fs::path& folder, std::string identity, std::size_t queries,
                               std::size_t most)
    : folder_(folder), identity_(std::move(identity)), queries_(queries), most_(most) {
  const fs::path path = path_in(folder_, identity_);
  if (folder_.empty() || !is_regular(path)) return;
  try {
    file_ = open_input(path);
    if (bytes_left(file_.get()) != file_size() || content(0, header().size()) != header()) {
      file_.reset();
    }
  } catch (const Error&) {
    return;  // unreadable: the candidates are searched for again
  }
}

std::string CandidateCache::header() const { return identity_ + "\n"; }

// Digest, number of candidates, their characters, their distances.
std::size_t CandidateCache::record_size() const {
  return kDigestSize + sizeof(std::uint32_t) + most_ * (sizeof(char32_t) + sizeof(double));
}

std::size_t CandidateCache::file_size() const { return header().size() + queries_ * record_size(); }

std::string CandidateCache::digest(std::size_t query, std::string_view values) const {
  Sha256 sha;
  sha.add(fmt::format("{}\n{}\n", identity_, query));
  sha.add(values);
  return sha.digest();
}

std::string CandidateCache::record(std::size_t query, const Candidates& candidates) const {
  std::string values(record_size() - kDigestSize, '\0');
  const std::size_t count = std::min(most_, candidates.characters.size());
  const auto number = static_cast<std::uint32_t>(count);
  char* at = values.data();
  std::memcpy(at, &number, sizeof(number));
  at += sizeof(number);
  std::memcpy(at, candidates.characters.data(), count * sizeof(char32_t));
  at += most_ * sizeof(char32_t);
  std::memcpy(at, candidates.distances.data(), count * sizeof(double));
  return digest(query, values) + values;
}

// Part of the file; empty if that was cut or cannot be read.
std::string CandidateCache::content(std::size_t first, std::size_t count) const {
  std::string bytes(count, '\0');
  if (!file_ || !read_piece(file_.get(), first, bytes)) bytes.clear();
  return bytes;
}

std::optional<Candidates> CandidateCache::read(std::size_t query) const {
  const std::string record = content(header().size() + query * record_size(), record_size());
  if (record.empty() || record.front() == '\0') return std::nullopt;
  const std::string_view values = std::string_view(record).substr(kDigestSize);
  if (std::string_view(record).substr(0, kDigestSize) != digest(query, values)) {
    return std::nullopt;
  }
  std::uint32_t count = 0;
  const char* at = values.data();
  std::memcpy(&count, at, sizeof(count));
  at += sizeof(count);
  Candidates candidates{std::u32string(count, U'\0'), std::vector<double>(count)};
  std::memcpy(candidates.characters.data(), at, count * sizeof(char32_t));
  at += most_ * sizeof(char32_t);
  std::memcpy(candidates.distances.data(), at, count * sizeof(double));
  return candidates;
}

std::string CandidateCache::store(std::span<const std::size_t> queries,
                                  std::span<const Candidates> candidates) const {
  if (folder_.empty()) return "the tables are not stored";
  std::string records = content(0, file_size());
  if (records.empty()) records = header();
  records.resize(file_size());
  for (std::size_t k = 0; k < queries.size(); ++k) {
    records.replace(header().size() + queries[k] * record_size(), record_size(),
                    record(queries[k], candidates[k]));
  }
  try {
    write_file(path_in(folder_, identity_), records);
  } catch (const Error& failure) {
    return failure.what();
  }
  remove_oldest(folder_);
  return "";
}

}  // namespace leafglyph
