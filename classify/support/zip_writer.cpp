#include "classify/support/zip_writer.h"

#include <archive.h>
#include <archive_entry.h>

#include <new>
#include <utility>

#include "classify/support/utf8_names.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// No exception may pass through libarchive.
la_ssize_t append_to(archive*, void* bytes, const void* part, std::size_t size) {
  try {
    static_cast<std::string*>(bytes)->append(static_cast<const char*>(part), size);
  } catch (const std::bad_alloc&) {
    return ARCHIVE_FATAL;
  }
  return static_cast<la_ssize_t>(size);
}

}  // namespace

ZipWriter::ZipWriter(Packing packing) : archive_(archive_write_new(), archive_write_free) {
  if (!archive_) throw std::bad_alloc();
  archive* const out = archive_.get();
  check(archive_write_set_format_zip(out) == ARCHIVE_OK);
  check((packing == Packing::kStored
             ? archive_write_zip_set_compression_store(out)
             : archive_write_zip_set_compression_deflate(out)) == ARCHIVE_OK);
  // Otherwise the archive would be filled up to whole blocks, as on a tape.
  archive_write_set_bytes_per_block(out, 0);
  archive_write_set_bytes_in_last_block(out, 1);
  check(archive_write_open(out, &bytes_, nullptr, append_to, nullptr) == ARCHIVE_OK);
}

ZipWriter::~ZipWriter() = default;

void ZipWriter::check(bool done) const {
  if (done) return;
  const char* reason = archive_error_string(archive_.get());
  throw Error(std::string("an archive cannot be written: ") +
              (reason == nullptr ? "out of memory" : reason));
}

void ZipWriter::begin(const std::string& name, std::uint64_t size) {
  const Utf8Names utf8;
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                       archive_entry_free);
  if (!entry) throw std::bad_alloc();
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  check(archive_write_header(archive_.get(), entry.get()) == ARCHIVE_OK);
}

void ZipWriter::add(std::string_view bytes) {
  check(archive_write_data(archive_.get(), bytes.data(), bytes.size()) ==
        static_cast<la_ssize_t>(bytes.size()));
}

void ZipWriter::end() { check(archive_write_close(archive_.get()) == ARCHIVE_OK); }

std::string ZipWriter::take() { return std::exchange(bytes_, {}); }

}  // namespace leafglyph
