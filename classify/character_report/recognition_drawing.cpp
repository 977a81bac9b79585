#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "classify/character_report/recognition_report.h"
#include "classify/glyph/glyph_images.h"
#include "datasets/glyph/glyph_source.h"
#include "features/glyph/ink.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {
namespace {

const cv::Scalar kSheetPaper(255, 255, 255), kSheetText(70, 70, 70), kSheetFrame(215, 215, 215);
constexpr int kDrawnPixels = 96;  // of a character before it is scaled to its place

// Red, green, blue; of marks grey.
cv::Scalar colour_of(const CharacterPrediction* prediction) {
  if (prediction == nullptr) return {170, 170, 170};
  switch (*prediction->decision.word()) {
    case Word::kSure:
      return {0, 110, 60};
    case Word::kLikely:
      return {30, 90, 190};
    case Word::kDoubtful:
      return {200, 110, 0};
    case Word::kUnknown:
      break;
  }
  return {200, 30, 40};
}

// Characters of a Hei ti that has 20,000 of them.
class Answers {
 public:
  Answers() : source_(font()) {}

  // Draws a character into a square of the picture, as far as that reaches.
  void draw(cv::Mat& picture, cv::Rect square, char32_t character, const cv::Scalar& colour) {
    if (!source_.draws(character) || square.width < 1) return;
    cv::Mat ink;
    cv::resize(drawn(character), ink, square.size(), 0, 0,
               square.width < kDrawnPixels ? cv::INTER_AREA : cv::INTER_LINEAR);
    const cv::Rect inside = square & cv::Rect(0, 0, picture.cols, picture.rows);
    for (int row = inside.y; row < inside.br().y; ++row) {
      for (int column = inside.x; column < inside.br().x; ++column) {
        const double share = ink.at<std::uint8_t>(row - square.y, column - square.x) / 255.0;
        auto& pixel = picture.at<cv::Vec3b>(row, column);
        for (int k = 0; k < 3; ++k) {
          pixel[k] =
              static_cast<std::uint8_t>(std::lround((1 - share) * pixel[k] + share * colour[k]));
        }
      }
    }
  }

 private:
  static FontOptions font() {
    FontOptions options = default_lookalike_fonts({}).back();
    options.pixel_size = kDrawnPixels;
    return options;
  }
  const cv::Mat& drawn(char32_t character) {
    const auto [place, is_new] = drawings_.try_emplace(character);
    if (is_new) {
      std::vector<std::uint8_t> ink(kDrawnPixels * kDrawnPixels);
      source_.render(character, ink);
      place->second = cv::Mat(kDrawnPixels, kDrawnPixels, CV_8U, ink.data()).clone();
    }
    return place->second;
  }

  GlyphSource source_;
  std::map<char32_t, cv::Mat> drawings_;
};

cv::Mat picture_of(const Photograph& photograph) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (photograph.has_colour()) {
    return cv::Mat(height, width, CV_8UC3, const_cast<std::uint8_t*>(photograph.colour.data()))
        .clone();
  }
  cv::Mat colours;
  cv::cvtColor(cv::Mat(height, width, CV_8U, const_cast<std::uint8_t*>(photograph.grey.data())),
               colours, cv::COLOR_GRAY2RGB);
  return colours;
}

cv::Rect rect_of(const MaskBox& box) { return {box.left, box.top, box.width(), box.height()}; }

// The side of the characters of a line: the median of the longer sides of those that are read.
int side_of(const ReadLine& line) {
  std::vector<int> sides;
  for (const ReadCharacter& character : line.characters) {
    if (character.prediction) {
      sides.push_back(std::max(character.box.width(), character.box.height()));
    }
  }
  if (sides.empty()) return 0;
  std::ranges::nth_element(sides, sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2));
  return sides[sides.size() / 2];
}

// Of a contact sheet, in pixels.
constexpr int kCell = 96, kGap = 12, kCaption = 26, kSheetColumns = 3;
constexpr int kEntryWidth = 4 * (kCell + kGap) + kGap, kEntryHeight = kCell + kCaption + kGap;

// The picture, as large as the cell allows.
void fit(const cv::Mat& picture, cv::Mat sheet, const cv::Rect& cell) {
  const double scale = std::min(static_cast<double>(cell.width) / picture.cols,
                                static_cast<double>(cell.height) / picture.rows);
  const cv::Size size(std::max(1, static_cast<int>(picture.cols * scale)),
                      std::max(1, static_cast<int>(picture.rows * scale)));
  cv::Mat scaled;
  cv::resize(picture, scaled, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_NEAREST);
  scaled.copyTo(sheet({cell.x + (cell.width - size.width) / 2,
                       cell.y + (cell.height - size.height) / 2, size.width, size.height}));
}

void caption(cv::Mat& sheet, const cv::Rect& cell, const std::string& text,
             const cv::Scalar& colour) {
  cv::putText(sheet, text, {cell.x, cell.br().y + 18}, cv::FONT_HERSHEY_SIMPLEX, 0.42, colour, 1,
              cv::LINE_AA);
}

cv::Mat frame_picture(const Image<float>& frame) {
  const cv::Mat ink(frame.height(), frame.width(), CV_32F, const_cast<float*>(frame.data()));
  cv::Mat grey, colours;
  ink.convertTo(grey, CV_8U, -255, 255);
  cv::cvtColor(grey, colours, cv::COLOR_GRAY2RGB);
  return colours;
}

}  // namespace

std::string page_png(const Photograph& photograph, const ReadPage& page) {
  const cv::Mat given = picture_of(photograph);
  cv::Mat both(given.rows, 2 * given.cols, CV_8UC3, kSheetPaper);
  given.copyTo(both({0, 0, given.cols, given.rows}));
  cv::Mat boxes = both({0, 0, given.cols, given.rows}),
          answers = both({given.cols, 0, given.cols, given.rows});
  Answers font;
  for (const ReadLine& line : page.lines) {
    const int side = side_of(line);
    for (const ReadCharacter& character : line.characters) {
      const CharacterPrediction* prediction =
          character.prediction ? &*character.prediction : nullptr;
      const cv::Rect box = rect_of(character.box);
      const cv::Scalar colour = colour_of(prediction);
      cv::rectangle(boxes, box, colour, 1);
      cv::rectangle(answers, box, prediction == nullptr ? colour : kSheetFrame, 1);
      if (prediction == nullptr) continue;
      const cv::Point middle(box.x + box.width / 2, box.y + box.height / 2);
      font.draw(answers, {middle.x - side / 2, middle.y - side / 2, side, side},
                answer_of(*prediction), colour);
    }
  }
  return encode_png(samples_of(both));
}

void RecognitionSheet::add(const Photograph& photograph, const CharacterPrediction& prediction) {
  const double scale =
      std::min(1.0, 2.0 * kCell / std::max(photograph.grey.width(), photograph.grey.height()));
  const auto side = [&](int pixels) { return std::max(1, static_cast<int>(pixels * scale)); };
  entries_.push_back(
      {resized(photograph, side(photograph.grey.width()), side(photograph.grey.height())),
       normalised(ink_of(photograph), frame_), prediction});
}

std::string RecognitionSheet::png() const {
  const int count = static_cast<int>(entries_.size()),
            columns = std::clamp(count, 1, kSheetColumns);
  cv::Mat sheet(std::max(1, (count + kSheetColumns - 1) / kSheetColumns) * kEntryHeight + kGap,
                columns * kEntryWidth, CV_8UC3, kSheetPaper);
  Answers font;
  for (int i = 0; i < count; ++i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    const CharacterPrediction& prediction = entry.prediction;
    std::array<cv::Rect, 4> cells;
    for (int k = 0; k < 4; ++k) {
      cells[static_cast<std::size_t>(k)] = {
          i % kSheetColumns * kEntryWidth + kGap + k * (kCell + kGap),
          i / kSheetColumns * kEntryHeight + kGap, kCell, kCell};
      cv::rectangle(sheet, cells[static_cast<std::size_t>(k)], kSheetFrame, 1);
    }
    fit(picture_of(entry.given), sheet, cells[0]);
    fit(frame_picture(entry.frame), sheet, cells[1]);
    caption(sheet, cells[0], std::to_string(i + 1), kSheetText);
    const std::string_view word = name_of(*prediction.decision.word());
    for (std::size_t k = 0; k < std::min<std::size_t>(2, prediction.ranking.size()); ++k) {
      const auto& [character, probability, same] = prediction.ranking[k];
      const cv::Scalar colour = k == 0 ? colour_of(&prediction) : kSheetText;
      font.draw(sheet, cells[2 + k], character, colour);
      caption(
          sheet, cells[2 + k],
          k == 0 ? fmt::format("{} {:.2f}", word, probability) : fmt::format("{:.2f}", probability),
          colour);
    }
  }
  return encode_png(samples_of(sheet));
}

}  // namespace leafglyph
