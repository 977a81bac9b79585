#include "classify/glyph_report/glyph_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "features/base/text.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {
namespace {

struct Cell {
  int width;
  int height;
};

Cell cell_of(DrawingStyle style) {
  return style == DrawingStyle::kBraille ? Cell{2, 4} : Cell{1, 2};
}

// Unicode numbers the dots of a Braille cell by columns, the fourth row last.
constexpr std::array<std::array<unsigned, 2>, 4> kDots = {
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
constexpr char32_t kBlankBraille = 0x2800;
constexpr std::array<char32_t, 4> kHalves = {U' ', U'▀', U'▄', U'█'};  // bit 0 upper, bit 1 lower

}  // namespace

int drawing_width(DrawingStyle style, int size) {
  const int width = cell_of(style).width;
  return (size + width - 1) / width;
}

std::vector<std::string> draw_lines(std::span<const std::uint8_t> ink, int size,
                                    DrawingStyle style) {
  const Cell cell = cell_of(style);
  const auto is_ink = [&](int row, int column) {
    return row < size && column < size && ink[static_cast<std::size_t>(row * size + column)] >= 128;
  };
  std::vector<std::string> lines;
  for (int top = 0; top < size; top += cell.height) {
    std::string line;
    for (int left = 0; left < size; left += cell.width) {
      unsigned bits = 0;
      for (int j = 0; j < cell.height; ++j) {
        for (int i = 0; i < cell.width; ++i) {
          if (!is_ink(top + j, left + i)) continue;
          bits |= style == DrawingStyle::kBraille
                      ? kDots[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]
                      : 1U << j;
        }
      }
      line += encode_utf8(style == DrawingStyle::kBraille ? kBlankBraille + bits : kHalves[bits]);
    }
    lines.push_back(line);
  }
  return lines;
}

namespace {

constexpr int kGlyphSide = 96;  // smallest side of a drawn glyph, in pixels
constexpr int kMargin = 12;
constexpr int kLabel = 22;  // height of the line below a glyph
constexpr int kColumns = 10;
const cv::Scalar kPaper(255, 255, 255);
const cv::Scalar kFrame(30, 120, 190);
const cv::Scalar kText(70, 70, 70);

class Sheet {
 public:
  Sheet(const FontOptions& font, int lines, int columns)
      : font_(font), side_(whole_side(font.pixel_size)) {
    cell_ = cv::Size(side_ + kMargin, side_ + kLabel + kMargin);
    image_ = cv::Mat((cell_.height * lines) + kMargin, cell_.width * (columns + 1) + 2 * kMargin,
                     CV_8UC3, kPaper);
  }

  // Column 0 holds the queries, slightly apart from their look-alikes.
  void add(char32_t character, int line, int column, const std::string& label) {
    const GlyphImages glyph = draw_glyphs(font_, std::u32string_view(&character, 1));
    cv::Mat ink(glyph.size, glyph.size, CV_8UC1, const_cast<std::uint8_t*>(glyph.ink.data()));
    cv::Mat drawn;
    cv::resize(255 - ink, drawn, cv::Size(side_, side_), 0, 0, cv::INTER_NEAREST);
    cv::cvtColor(drawn, drawn, cv::COLOR_GRAY2RGB);
    const cv::Rect place(kMargin + column * cell_.width + (column > 0 ? kMargin : 0),
                         kMargin + line * cell_.height, side_, side_);
    drawn.copyTo(image_(place));
    const int frame = column == 0 ? 2 : 1;
    cv::rectangle(image_, place, column == 0 ? kFrame : cv::Scalar(220, 220, 220), frame);
    cv::putText(image_, label, cv::Point(place.x, place.y + side_ + kLabel - 5),
                cv::FONT_HERSHEY_SIMPLEX, 0.45, kText, 1, cv::LINE_AA);
  }

  std::string png() const { return encode_png(samples_of(image_)); }

 private:
  // A whole multiple of the glyph's pixels keeps them square.
  static int whole_side(int pixels) {
    return std::max(1, (kGlyphSide + pixels - 1) / pixels) * pixels;
  }

  FontOptions font_;
  int side_;
  cv::Size cell_;
  cv::Mat image_;
};

int lines_of(const LookalikeList& list) {
  return std::max(1, (static_cast<int>(list.answers.size()) + kColumns - 1) / kColumns);
}

}  // namespace

std::string lookalike_label(const LookalikeList& list, const Lookalike& answer) {
  return list.published_pairs > 0 ? fmt::format("{:.3f}", answer.distance)
                                  : fmt::format("{:.2f}", answer.score);
}

std::string sheet_png(const std::vector<LookalikeList>& lists, const FontOptions& font) {
  int lines = 0;
  int columns = 0;
  for (const LookalikeList& list : lists) {
    lines += lines_of(list);
    columns = std::max(columns, std::min(kColumns, static_cast<int>(list.answers.size())));
  }
  Sheet sheet(font, lines, columns);
  int line = 0;
  for (const LookalikeList& list : lists) {
    sheet.add(list.query, line, 0, "");
    for (int k = 0; k < static_cast<int>(list.answers.size()); ++k) {
      const Lookalike& answer = list.answers[static_cast<std::size_t>(k)];
      sheet.add(answer.character, line + k / kColumns, 1 + k % kColumns,
                fmt::format("{}  {}", k + 1, lookalike_label(list, answer)));
    }
    line += lines_of(list);
  }
  return sheet.png();
}

}  // namespace leafglyph
