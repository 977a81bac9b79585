#include "features/image_io/mrc.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/memory.h"
#include "features/image_io/stored_number.h"

namespace leafglyph::detail {
namespace {

// Where fields of the header are, in bytes.
constexpr std::size_t kHeader = 1024, kLengths = 0, kMode = 12, kSamples = 28, kCell = 40,
                      kAxes = 64, kMoreHeader = 92, kMap = 208, kByteOrder = 212;

struct Mode {
  int number;
  std::size_t bytes;
  char kind;
};
constexpr Mode kModes[] = {{0, 1, 'i'}, {1, 2, 'i'}, {2, 4, 'f'}, {6, 2, 'u'}, {12, 2, 'f'}};

class MrcReader {
 public:
  MrcReader(std::FILE* file, const std::filesystem::path& path)
      : file_(file), path_(path), header_(kHeader, '\0') {
    read_bytes(file_, path_, header_.data(), header_.size());
    is_big_ = header_[kByteOrder] == '\x11';
  }

  MeasuredVolume read() {
    MeasuredVolume volume;
    volume.unit = " A";
    std::vector<std::size_t>& shape = volume.array.shape;
    double count = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
      const int length = whole(kLengths + 4 * axis);
      if (length < 1) refuse("has a damaged header: its axes");
      count *= length;
      if (length != 1 || axis < 2) shape.push_back(static_cast<std::size_t>(length));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) volume.voxel[axis] = voxel(axis);
    read_values(count, volume.array);
    return volume;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(path_.string() + ": is an MRC file that " + what);
  }
  int whole(std::size_t at) const {
    return static_cast<int>(number_at(header_.data() + at, 4, 'i', is_big_));
  }

  // The length of a voxel along columns, rows or sections; 0 if the file does not say.
  double voxel(std::size_t axis) const {
    const int of_cell = whole(kAxes + 4 * axis);
    const std::size_t at = 4 * static_cast<std::size_t>(std::clamp(of_cell, 1, 3) - 1);
    const double cell = number_at(header_.data() + kCell + at, 4, 'f', is_big_);
    const int samples = whole(kSamples + at);
    return samples > 0 && cell > 0 && std::isfinite(cell) ? cell / samples : 0.0;
  }

  void read_values(double count, NpyArray<double>& array) {
    const int number = whole(kMode);
    const auto* const mode = std::find_if(std::begin(kModes), std::end(kModes),
                                          [=](const Mode& m) { return m.number == number; });
    if (mode == std::end(kModes)) {
      refuse("has complex numbers or others that are not read (mode " + std::to_string(number) +
             ")");
    }
    const int more = whole(kMoreHeader);
    const std::size_t left = bytes_left(file_);
    if (more < 0 || static_cast<std::size_t>(more) > left) refuse("has a damaged header: NSYMBT");
    const auto bytes = static_cast<double>(mode->bytes);
    if (count * bytes > static_cast<double>(left - static_cast<std::size_t>(more))) {
      refuse("ends early; copy it again from its source");
    }
    check_memory(count * sizeof(double), path_.string(), "use a smaller one");
    std::fseek(file_, more, SEEK_CUR);
    array.type = mode->kind == 'u' ? "<u2" : "<f8";
    array.values.resize(static_cast<std::size_t>(count));
    constexpr std::size_t kStep = std::size_t{1} << 13;
    std::vector<char> step(kStep * mode->bytes);
    for (std::size_t first = 0; first < array.values.size(); first += kStep) {
      const std::size_t values = std::min(kStep, array.values.size() - first);
      read_bytes(file_, path_, step.data(), values * mode->bytes);
      for (std::size_t i = 0; i < values; ++i) {
        array.values[first + i] =
            number_at(step.data() + i * mode->bytes, mode->bytes, mode->kind, is_big_);
      }
    }
  }

  std::FILE* file_;
  const std::filesystem::path& path_;
  std::string header_;
  bool is_big_ = false;
};

}  // namespace

bool is_mrc(std::string_view head) {
  return head.size() > kByteOrder && head.substr(kMap, 4) == "MAP " &&
         (head[kByteOrder] == '\x44' || head[kByteOrder] == '\x11');
}

MeasuredVolume read_mrc(std::FILE* file, const std::filesystem::path& path) {
  return MrcReader(file, path).read();
}

}  // namespace leafglyph::detail
