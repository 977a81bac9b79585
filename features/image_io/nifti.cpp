#include "features/image_io/nifti.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/memory.h"
#include "features/image_io/stored_number.h"

namespace leafglyph::detail {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b";

// The two forms of the header (nifti1.h and nifti2.h of the standard): where its fields are.
struct HeaderForm {
  std::int32_t size;
  std::string_view magic;
  std::size_t magic_at, type_at, lengths_at, length_bytes, voxel_at, real_bytes, start_at, slope_at,
      unit_at;
};
constexpr HeaderForm kForms[] = {
    {348, std::string_view("n+1\0", 4), 344, 70, 40, 2, 76, 4, 108, 112, 123},
    {540, std::string_view("n+2\0\r\n\032\n", 8), 4, 12, 16, 8, 104, 8, 168, 176, 500},
};

// A kind of number: its code, bytes, and whether it has a sign or a fraction.
struct NumberKind {
  int code;
  std::size_t bytes;
  char kind;  // as in numpy's names: u, i or f
};
constexpr NumberKind kNumbers[] = {{2, 1, 'u'},    {4, 2, 'i'},   {8, 4, 'i'},   {16, 4, 'f'},
                                   {64, 8, 'f'},   {256, 1, 'i'}, {512, 2, 'u'}, {768, 4, 'u'},
                                   {1024, 8, 'i'}, {1280, 8, 'u'}};

// The bytes of a file, or those that gzip has packed into it.
class PackedFile {
 public:
  PackedFile(std::FILE* file, const std::filesystem::path& path) : file_(file), path_(path) {
    char first[2] = {};
    is_packed_ = std::fread(first, 1, 2, file) == 2 && std::string_view(first, 2) == kGzip;
    std::rewind(file);
    if (!is_packed_) return;
    constexpr int kGzipWindow = 15 + 16;
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~PackedFile() {
    if (is_packed_) inflateEnd(&stream_);
  }
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  void read(char* to, std::size_t count) {
    if (!is_packed_) return read_bytes(file_, path_, to, count);
    while (count > 0) {
      if (stream_.avail_in == 0) {
        stream_.next_in = packed_;
        stream_.avail_in = static_cast<uInt>(std::fread(packed_, 1, sizeof packed_, file_));
      }
      const auto piece = static_cast<uInt>(std::min<std::size_t>(count, 1U << 20));
      stream_.next_out = reinterpret_cast<Bytef*>(to);
      stream_.avail_out = piece;
      const bool had_bytes = stream_.avail_in > 0;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t got = piece - stream_.avail_out;
      to += got;
      count -= got;
      if (count > 0 && got == 0 && (!had_bytes || status != Z_OK)) {
        throw FormatError(path_.string() +
                          ": ends early or is damaged; copy it again from its "
                          "source");
      }
    }
  }
  void skip(std::size_t count) {
    std::vector<char> room(std::min<std::size_t>(count, 1U << 16));
    for (; count > 0; count -= std::min(count, room.size())) {
      read(room.data(), std::min(count, room.size()));
    }
  }
  // How many bytes are there at most; gzip packs none better than 1,032 times.
  std::size_t most_left() const { return bytes_left(file_) * (is_packed_ ? 1032 : 1); }

 private:
  std::FILE* file_;
  const std::filesystem::path& path_;
  bool is_packed_ = false;
  z_stream stream_{};
  Bytef packed_[1U << 14];
};

class NiftiReader {
 public:
  NiftiReader(std::FILE* file, const std::filesystem::path& path)
      : file_(file, path), path_(path), header_(kForms[0].size, '\0') {
    const std::size_t most = file_.most_left();
    file_.read(header_.data(), header_.size());
    for (const HeaderForm& form : kForms) {
      for (const bool is_big : {false, true}) {
        if (number_at(header_.data(), 4, 'i', is_big) != form.size) continue;
        form_ = &form;
        is_big_ = is_big;
      }
    }
    if (form_ == nullptr) refuse("has no header of NIfTI");
    header_.resize(static_cast<std::size_t>(form_->size));
    file_.read(header_.data() + kForms[0].size, header_.size() - kForms[0].size);
    if (header_.compare(form_->magic_at, form_->magic.size(), form_->magic) != 0) {
      refuse(
          "has its values in another file (.img) or a damaged header; one with both ends in .nii");
    }
    most_ = most;
  }

  MeasuredVolume read() {
    MeasuredVolume volume;
    volume.array.shape = shape();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double length = real(form_->voxel_at, axis + 1);
      if (std::isfinite(length)) volume.voxel[axis] = std::abs(length);
    }
    // The low bits of a number of either byte order; the higher ones are the unit of time.
    constexpr std::string_view kUnits[] = {"", " m", " mm", " um"};
    const auto units = static_cast<unsigned>(at(form_->unit_at, form_->size == 348 ? 1 : 4)) & 7U;
    volume.unit = kUnits[units < std::size(kUnits) ? units : 0];
    const double start = form_->real_bytes == 4 ? real(form_->start_at, 0) : at(form_->start_at, 8);
    if (!(start >= static_cast<double>(header_.size())) || start > static_cast<double>(most_)) {
      refuse("has a damaged header: where its values begin");
    }
    file_.skip(static_cast<std::size_t>(start) - header_.size());
    most_ -= static_cast<std::size_t>(start);
    read_values(volume.array);
    return volume;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(path_.string() + ": is a NIfTI file that " + what);
  }
  double at(std::size_t offset, std::size_t bytes) const {
    return number_at(header_.data() + offset, bytes, 'i', is_big_);
  }
  double real(std::size_t offset, std::size_t index) const {
    return number_at(header_.data() + offset + index * form_->real_bytes, form_->real_bytes, 'f',
                     is_big_);
  }

  std::vector<std::size_t> shape() const {
    constexpr double kMost = std::size_t{1} << 40;
    const auto length = [&](std::size_t axis) {
      return at(form_->lengths_at + axis * form_->length_bytes, form_->length_bytes);
    };
    const double axes = length(0);
    if (!(axes >= 1) || axes > 7) refuse("has a damaged header: its axes");
    std::vector<std::size_t> shape;
    double count = 1;
    for (auto axis = static_cast<std::size_t>(axes); axis > 0; --axis) {
      const double of_axis = length(axis);
      count *= of_axis;
      if (!(of_axis >= 1) || count > kMost) refuse("has a damaged header: its axes");
      if (of_axis != 1 || !shape.empty() || axis <= 2) {
        shape.push_back(static_cast<std::size_t>(of_axis));
      }
    }
    return shape;
  }

  void read_values(NpyArray<double>& array) {
    const auto code = static_cast<int>(at(form_->type_at, 2));
    const auto* const kind =
        std::find_if(std::begin(kNumbers), std::end(kNumbers),
                     [code](const NumberKind& known) { return known.code == code; });
    if (kind == std::end(kNumbers)) {
      refuse("has colours, complex numbers or others that are not read (type " +
             std::to_string(code) + ")");
    }
    const double slope = real(form_->slope_at, 0), intercept = real(form_->slope_at, 1);
    const bool is_scaled = slope != 0 && std::isfinite(slope) && std::isfinite(intercept) &&
                           (slope != 1 || intercept != 0);
    array.type = is_scaled || kind->kind != 'u' || kind->bytes > 2 ? "<f8"
                 : kind->bytes == 1                                ? "|u1"
                                                                   : "<u2";
    std::size_t count = 1;
    for (const std::size_t length : array.shape) count *= length;
    if (count > most_ / kind->bytes) refuse("ends early; copy it again from its source");
    check_memory(static_cast<double>(count) * sizeof(double), path_.string(), "use a smaller one");
    array.values.resize(count);
    constexpr std::size_t kStep = std::size_t{1} << 13;
    std::vector<char> step(kStep * kind->bytes);
    for (std::size_t first = 0; first < count; first += kStep) {
      const std::size_t values = std::min(kStep, count - first);
      file_.read(step.data(), values * kind->bytes);
      for (std::size_t i = 0; i < values; ++i) {
        const double value =
            number_at(step.data() + i * kind->bytes, kind->bytes, kind->kind, is_big_);
        array.values[first + i] = is_scaled ? slope * value + intercept : value;
      }
    }
  }

  PackedFile file_;
  const std::filesystem::path& path_;
  std::string header_;
  std::size_t most_ = 0;  // bytes of the file that are left, unpacked
  const HeaderForm* form_ = nullptr;
  bool is_big_ = false;
};

}  // namespace

bool is_nifti(std::string_view head, const std::filesystem::path& path) {
  if (head.starts_with(kGzip)) return path.string().ends_with(".nii.gz");
  return std::ranges::any_of(kForms, [head](const HeaderForm& form) {
    return head.size() >= form.magic_at + form.magic.size() &&
           head.substr(form.magic_at, form.magic.size()) == form.magic;
  });
}

MeasuredVolume read_nifti(std::FILE* file, const std::filesystem::path& path) {
  return NiftiReader(file, path).read();
}

}  // namespace leafglyph::detail
