// Archives for tests.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::testing {

struct ArchiveMember {
  std::string name;
  std::string bytes;
  unsigned type = AE_IFREG;
  std::string link = {};       ///< where a symbolic link leads
  std::string hard_link = {};  ///< of which member it is another name
};

/// Writes an archive whose name says what it is: .tar, .tar.gz, .tar.zst or .zip.
inline void write_archive(const std::string& file, const std::vector<ArchiveMember>& members) {
  archive* out = archive_write_new();
  if (file.ends_with(".zip")) {
    archive_write_set_format_zip(out);
  } else {
    archive_write_set_format_pax_restricted(out);
  }
  if (file.ends_with(".gz")) archive_write_add_filter_gzip(out);
  if (file.ends_with(".zst")) archive_write_add_filter_zstd(out);
  const auto check = [&](int state) {
    if (state < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(out));
  };
  check(archive_write_open_filename(out, file.c_str()));
  for (const ArchiveMember& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.name.c_str());
    archive_entry_set_filetype(entry, member.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
    if (!member.link.empty()) archive_entry_set_symlink(entry, member.link.c_str());
    if (!member.hard_link.empty()) archive_entry_set_hardlink(entry, member.hard_link.c_str());
    check(archive_write_header(out, entry));
    archive_write_data(out, member.bytes.data(), member.bytes.size());
    archive_entry_free(entry);
  }
  archive_write_free(out);
}

/// The header in a tar of a file that would have that many bytes.
inline std::string tar_header(const std::string& name, std::uint64_t size) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  put(0, name);
  put(100, "0000644");
  for (std::size_t byte = 0; byte < 8; ++byte) {
    header[135 - byte] = static_cast<char>(size >> (8 * byte) & 0xff);
  }
  header[124] = '\x80';  // a binary number
  put(156, "0");
  put(257, std::string_view("ustar\0"
                            "00",
                            8));
  put(148, "        ");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  char octal[8];
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, octal);
  return header;
}

}  // namespace leafglyph::testing
