#include "classify/serve/waiting_list.h"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/partial.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kHead =
    R"({"format":"leafglyph photographs waiting for a training","version":1})"
    "\n";

// The whole lines of a list; none if it is not one.
std::optional<std::string> whole_lines(const fs::path& file) {
  if (is_link(file) || !is_regular(file)) return std::nullopt;
  try {
    std::string text = read_file(file);
    text.resize(text.rfind('\n') + 1);  // 0 if there is no line
    if (text.starts_with(kHead)) return text;
  } catch (const InputError&) {  // as good as none
  }
  return std::nullopt;
}

}  // namespace

WaitingList::WaitingList(fs::path folder) : file_(std::move(folder) / kName) {
  const std::optional<std::string> lines = whole_lines(file_);
  if (!lines) throw Error(file_.string() + ": is not a list of waiting photographs");
  size_ = lines->size();
}

std::string WaitingList::empty_list() { return std::string(kHead); }

std::optional<std::vector<std::string>> WaitingList::photographs_in(const fs::path& folder) {
  const std::optional<std::string> lines = whole_lines(folder / kName);
  if (!lines) return std::nullopt;
  std::vector<std::string> photographs;
  for (std::size_t at = kHead.size(); at < lines->size();) {
    const std::size_t end = lines->find('\n', at);
    const auto line = nlohmann::json::parse(lines->substr(at, end - at), nullptr,
                                            /*allow_exceptions=*/false);
    if (!line.is_string()) return std::nullopt;
    photographs.push_back(line.get<std::string>());
    at = end + 1;
  }
  return photographs;
}

std::vector<std::string> WaitingList::names_in(const fs::path& folder) {
  const std::optional<std::vector<std::string>> photographs = photographs_in(folder);
  if (!photographs) return {};
  std::set<std::string> names(photographs->begin(), photographs->end());
  for (const std::string& photograph : *photographs) {
    names.insert((fs::path(photograph).parent_path() / kUnfinished).string());
  }
  names.insert({kSentNames, kNames, kUnfinished});
  std::vector<std::string> all(names.begin(), names.end());
  all.emplace_back(kName);
  return all;
}

void WaitingList::add(const std::string& photograph) {
  const std::string line = nlohmann::json(photograph).dump() + "\n";
  std::error_code error;
  if (fs::file_size(file_, error) != size_ && !error) fs::resize_file(file_, size_, error);
  errno = error.value();
  std::ofstream stream;
  if (!error) stream.open(file_, std::ios::binary | std::ios::app);
  stream.write(line.data(), static_cast<std::streamsize>(line.size()));
  stream.close();
  if (error || !stream) fail_with(file_, "cannot be written", errno == 0 ? EIO : errno);
  size_ += line.size();
}

}  // namespace leafglyph
