// Results on disk: sealed facts, and named arrays and texts, each with digests, in a folder that is
// written whole or not at all. What a folder holds is opened at once and checked where it is read.
//
// The file of the facts is JSON with its own SHA-256 (sealed_json.h). Beside the facts it has
// "format", "version", and in "sha256" the digest of every other file; of a large one, that of the
// list of its blocks' digests, a file of its name and kDigests (CheckedFile).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/record/checked_file.h"
#include "features/record/record_kind.h"

namespace leafglyph {

/// The facts of a record that is read, in the order of the file.
using Facts = nlohmann::ordered_json;

/// Whether facts need their own digest.
enum class Seal {
  kNeeded,
  kIfThere,  ///< a user may have written the file
};
/// The facts in the text of a file. Throws FormatError when they are none of the kind, of another
/// version, or damaged.
Facts sealed_facts(const RecordKind& kind, const std::string& text,
                   const std::filesystem::path& file, Seal seal = Seal::kNeeded);

/// Contents of files, by name.
using RecordFiles = std::map<std::string, std::string>;

/// A file that grows with the leaves or characters, as it is written: its head, and what follows,
/// piece by piece, where that lies. It is a CheckedFile when it is read.
struct LargeFile {
  std::string head;
  std::vector<std::string_view> rest;

  /// The head and the rest.
  std::vector<std::string_view> pieces() const;
};
using LargeFiles = std::map<std::string, LargeFile>;
inline constexpr std::string_view kDigests = ".sha256";

/// What a record has beside its facts.
struct RecordParts {
  RecordFiles files;
  LargeFiles large;
};

/// The file of the facts of a record that has these small files and lists of digests.
template <class Json>
std::string record_facts(const RecordKind& kind, Json facts, const RecordFiles& files);

/// Writes a record into a folder, without StagedFolder::commit(), and returns its bytes. Throws
/// Error when a file cannot be written.
template <class Json>
std::uint64_t write_record(StagedFolder& folder, const RecordKind& kind, Json facts,
                           RecordParts parts);

/// A record on disk. Small files have been read and checked, large ones are checked where they are
/// read.
struct Record {
  RecordKind kind;
  std::filesystem::path folder;
  Facts facts;
  RecordFiles files;
  std::map<std::string, std::shared_ptr<const CheckedFile>> large;
  std::uint64_t bytes = 0;  ///< of the folder

  /// Throw FormatError, naming the file, when the record does not have it.
  const std::string& file(const std::string& name) const;
  std::shared_ptr<const CheckedFile> large_file(const std::string& name) const;
  /// A FormatError about the folder, or a file in it, that ends with the remedy.
  FormatError damaged(const std::string& what) const;
  FormatError damaged(const std::string& file, const std::string& what) const;
  /// Runs `read` and turns wrong types, missing keys and UsageErrors into FormatErrors about a
  /// file.
  template <class Function>
  auto checked(const std::string& name, const Function& read) const {
    try {
      return read();
    } catch (const nlohmann::json::exception&) {
      throw damaged(name, "damaged, or of another format");
    } catch (const UsageError& error) {
      throw damaged(name, error.what());
    }
  }
};

/// The text of the file of the facts.
std::string facts_text(const Record& record);

/// Reads a record. If it is replaced meanwhile, it is read again from the start. Throws InputError
/// when the folder does not exist or a file cannot be read; FormatError when it is none of the kind
/// or of another version, or when a file is missing or has changed.
Record read_record(const std::filesystem::path& folder, const RecordKind& kind);

/// A small record whose bytes are in memory, such as one in the program itself: its facts and its
/// small files, which messages call `source`. Throws FormatError as read_record.
Record record_in_memory(const RecordKind& kind, const std::string& source, const std::string& facts,
                        RecordFiles files);

/// A record in one file: the facts in a line, with "sha256" of what follows and their own digest,
/// and then an array or text.
template <class Json>
std::string record_file(const RecordKind& kind, Json facts, std::string_view content);
struct RecordFile {
  RecordKind kind;
  std::filesystem::path path;
  Facts facts;
  std::string content;

  FormatError damaged(const std::string& what) const;
};
/// Throws InputError when the file cannot be read, FormatError when it is none of the kind, of
/// another version or damaged.
RecordFile read_record_file(const std::filesystem::path& path, const RecordKind& kind);

/// The names of the facts and the other files, for any version whose own digest is valid: the files
/// of a record that may be replaced (NamesOf). Empty for any other folder.
std::vector<std::string> names_in_record(const std::filesystem::path& folder,
                                         const RecordKind& kind);

}  // namespace leafglyph
