#include "features/record/record.h"

#include <fcntl.h>

#include <cerrno>

#include "features/base/input_file.h"
#include "features/base/partial.h"
#include "features/base/sha256.h"
#include "features/record/sealed_json.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 20;  // at reading a record while others replace it

std::string text_of(const fs::path& path, const std::string& what, const RecordKind& kind) {
  return path.string() + ": " + what + "; " + kind.remedy;
}

void check_kind(const Facts& facts, const fs::path& path, const RecordKind& kind) {
  if (!facts.is_object() || facts.value("format", Facts()) != Facts(kind.format)) {
    throw FormatError(path.string() + ": not a " + kind.what + " of LeafGlyph");
  }
  const Facts& version = facts.at("version");
  if (!version.is_number_integer() || version != Facts(kind.version)) {
    throw FormatError(path.string() + ": a " + kind.what + " of format version " + version.dump() +
                      ", but this LeafGlyph reads version " + std::to_string(kind.version) +
                      ": use the LeafGlyph that wrote it, or " + kind.remedy);
  }
}

constexpr const char* kOwnChecksum = "does not match its own checksum";

// Leaves out what is nested deeper than facts are: copying and writing it would need a stack as
// deep. The rest does not match its checksum.
Facts parsed_facts(const std::string& text, bool allow_exceptions) {
  constexpr int kDeepest = 32;
  const auto is_kept = [](int depth, Facts::parse_event_t, const Facts&) {
    return depth < kDeepest;
  };
  return Facts::parse(text, is_kept, allow_exceptions);
}

// The name of the large file that a list of digests is of; empty for another file.
std::string name_of_large(std::string_view name) {
  return std::string(name.ends_with(kDigests) ? name.substr(0, name.size() - kDigests.size()) : "");
}

FormatError missing(const fs::path& file, const RecordKind& kind) {
  return FormatError(text_of(file, "missing", kind));
}

void keep_checked(Record& record, const std::string& name, std::string bytes,
                  const std::string& digest) {
  check_digest(sha256(bytes), digest, record.folder / name,
               "does not match its checksum in " + std::string(record.kind.facts),
               record.kind.remedy);
  record.bytes += bytes.size();
  record.files[name] = std::move(bytes);
}

// Reads and checks the files that the facts name.
void read_files(Record& record) {
  for (const auto& [name, stated] : record.facts.at("sha256").items()) {
    const fs::path file = record.folder / name;
    if (fs::path(name).filename() != name || !is_regular(file)) throw missing(file, record.kind);
    const auto digest = stated.get<std::string>();
    if (const std::string large = name_of_large(name); !large.empty()) {
      if (!is_regular(record.folder / large)) throw missing(record.folder / large, record.kind);
      const auto opened = std::make_shared<const CheckedFile>(record.folder / large, file, digest,
                                                              record.kind.remedy);
      record.bytes += opened->size() + opened->digests().size();
      record.large[large] = opened;
      continue;
    }
    keep_checked(record, name, read_file(file), digest);
  }
}

Record read_once(const fs::path& folder, const std::string& text, const RecordKind& kind) {
  Record record{kind, folder, {}, {}, {}, text.size()};
  return record.checked(kind.facts, [&] {
    record.facts = sealed_facts(kind, text, folder / kind.facts);
    read_files(record);
    return std::move(record);
  });
}

// A folder can be replaced between finding it and opening a file in it.
std::string read_facts(const fs::path& folder, const RecordKind& kind) {
  const fs::path file = folder / kind.facts;
  for (int attempt = 1;; ++attempt) {
    const bool last = attempt == kAttempts;
    if (is_regular(file)) {
      try {
        return read_text_file(file);
      } catch (const InputError&) {
        if (last) throw;
      }
    } else if (last) {
      throw FormatError(folder.string() + ": not a " + kind.what + ": it has no " + kind.facts);
    }
  }
}

// Returns the size of the file.
std::uint64_t write_large(StagedFolder& folder, const std::string& name, const LargeFile& file) {
  const fs::path path = folder.path(name);
  const Descriptor opened(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!opened.is_open()) fail_with(path, "cannot be written", errno);
  const std::vector<std::string_view> pieces = file.pieces();
  if (!opened.write(pieces)) fail_with(path, "cannot be written", errno);
  std::uint64_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  return size;
}

}  // namespace

Facts sealed_facts(const RecordKind& kind, const std::string& text, const fs::path& file,
                   Seal seal) {
  try {
    Facts facts = parsed_facts(text, /*allow_exceptions=*/true);
    check_kind(facts, file, kind);
    if (seal == Seal::kIfThere && !facts.contains(kSeal)) return facts;
    const int indent = text.find('\n') == text.npos ? -1 : 1;
    check_digest(sealed_text(facts, indent), text, file, kOwnChecksum, kind.remedy);
    return facts;
  } catch (const Facts::exception&) {
    const std::string what = std::string("damaged, or not a ") + kind.what + " of LeafGlyph";
    throw FormatError(text_of(file, what, kind));
  }
}

std::vector<std::string_view> LargeFile::pieces() const {
  std::vector<std::string_view> all = {head};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

template <class AnyJson>
std::string record_facts(const RecordKind& kind, AnyJson facts, const RecordFiles& files) {
  AnyJson checksums = AnyJson::object();
  for (const auto& [name, bytes] : files) {
    if (!files.contains(name + std::string(kDigests))) checksums[name] = sha256(bytes);
  }
  facts["format"] = kind.format;
  facts["version"] = kind.version;
  facts["sha256"] = std::move(checksums);
  return sealed_text(std::move(facts));
}

template <class AnyJson>
std::uint64_t write_record(StagedFolder& folder, const RecordKind& kind, AnyJson facts,
                           RecordParts parts) {
  for (const auto& [name, file] : parts.large) {
    parts.files[name + std::string(kDigests)] = CheckedFile::digests_of(file.pieces());
  }
  parts.files[kind.facts] = record_facts(kind, std::move(facts), parts.files);
  std::uint64_t written = 0;
  for (const auto& [name, bytes] : parts.files) {
    folder.write(name, bytes);
    written += bytes.size();
  }
  for (const auto& [name, file] : parts.large) written += write_large(folder, name, file);
  return written;
}

template std::string record_facts(const RecordKind&, nlohmann::json, const RecordFiles&);
template std::string record_facts(const RecordKind&, Facts, const RecordFiles&);
template std::uint64_t write_record(StagedFolder&, const RecordKind&, nlohmann::json, RecordParts);
template std::uint64_t write_record(StagedFolder&, const RecordKind&, Facts, RecordParts);

const std::string& Record::file(const std::string& name) const {
  const auto found = files.find(name);
  if (found == files.end()) throw missing(folder / name, kind);
  return found->second;
}

std::shared_ptr<const CheckedFile> Record::large_file(const std::string& name) const {
  const auto found = large.find(name);
  if (found == large.end()) throw missing(folder / name, kind);
  return found->second;
}

FormatError Record::damaged(const std::string& what) const {
  return FormatError(text_of(folder, what, kind));
}

FormatError Record::damaged(const std::string& file, const std::string& what) const {
  return FormatError(text_of(folder / file, what, kind));
}

// Sealed facts are written in one way alone.
std::string facts_text(const Record& record) { return record.facts.dump(1); }

// If the record is replaced, `folder` names another folder. The first one is kept open, so that the
// new one cannot get the same inode number.
Record read_record(const fs::path& folder, const RecordKind& kind) {
  std::error_code unreadable;
  const auto status = fs::status(folder, unreadable);
  if (status.type() == fs::file_type::not_found) {
    throw InputError(folder.string() + ": there is no such folder; " + kind.make);
  }
  if (!fs::status_known(status)) {
    throw InputError(folder.string() + ": cannot be read: " + unreadable.message());
  }
  for (int attempt = 1;; ++attempt) {
    const Descriptor named(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string text = read_facts(folder, kind);
    try {
      return read_once(folder, text, kind);
    } catch (const Error&) {
      if ((named.is_open() && named.is_at(folder)) || attempt == kAttempts) throw;
    }
  }
}

Record record_in_memory(const RecordKind& kind, const std::string& source, const std::string& facts,
                        RecordFiles files) {
  Record record{kind, source, {}, {}, {}, facts.size()};
  return record.checked(kind.facts, [&] {
    record.facts = sealed_facts(kind, facts, record.folder / kind.facts);
    for (const auto& [name, digest] : record.facts.at("sha256").items()) {
      keep_checked(record, name, std::move(files[name]), digest.get<std::string>());
    }
    return std::move(record);
  });
}

template <class AnyJson>
std::string record_file(const RecordKind& kind, AnyJson facts, std::string_view content) {
  facts["format"] = kind.format;
  facts["version"] = kind.version;
  facts["sha256"] = sha256(content);
  return sealed_text(std::move(facts), /*indent=*/-1) + "\n" + std::string(content);
}
template std::string record_file(const RecordKind&, nlohmann::json, std::string_view);
template std::string record_file(const RecordKind&, Facts, std::string_view);

FormatError RecordFile::damaged(const std::string& what) const {
  return FormatError(text_of(path, what, kind));
}

RecordFile read_record_file(const fs::path& path, const RecordKind& kind) {
  std::string bytes = read_file(path);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  RecordFile file{kind, path, sealed_facts(kind, bytes.substr(0, end), path), {}};
  file.content = bytes.erase(0, std::min(end + 1, bytes.size()));
  const Facts stated = file.facts.value("sha256", Facts());
  check_digest(Facts(sha256(file.content)).dump(), stated.dump(), path, kOwnChecksum, kind.remedy);
  return file;
}

std::vector<std::string> names_in_record(const fs::path& folder, const RecordKind& kind) {
  if (!is_regular(folder / kind.facts)) return {};
  const std::string text = read_text_file(folder / kind.facts);
  const Facts facts = parsed_facts(text, /*allow_exceptions=*/false);
  if (!is_sealed(facts, text) || facts.value("format", Facts()) != Facts(kind.format) ||
      !facts.contains("sha256")) {
    return {};
  }
  std::vector<std::string> names = {kind.facts};
  for (const auto& item : facts["sha256"].items()) {
    names.push_back(item.key());
    if (std::string large = name_of_large(item.key()); !large.empty()) {
      names.push_back(std::move(large));
    }
  }
  return names;
}

}  // namespace leafglyph
