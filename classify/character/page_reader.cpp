#include "classify/character/page_reader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

#include "features/base/text.h"

namespace leafglyph {
namespace {

// Lengths are in units of the height of a line, H.
constexpr double kLongest = 1.3;            // of a character along the line
constexpr double kMark = 0.45;              // what is smaller both ways is a mark
constexpr double kDot = 0.3;                // parts of marks that consist of several
constexpr double kBracket[] = {0.15, 0.4};  // pieces of such lengths may be brackets
constexpr double kThin = 0.2;               // and so is what is longer than a character but as thin
constexpr double kBlank = 1.0;              // gaps that are blanks
constexpr std::size_t kMostPieces = 8;      // of a character
constexpr double kUsualPitch = 1.05;        // of neighbours, before it is measured
constexpr std::size_t kFewestDistances = 4;  // that measure it
constexpr std::size_t kAtOnce = 256;         // pictures that are recognised together

// Costs; a character that is read well costs less than 0.2.
constexpr double kLeastChance = 1e-3;  // of what is taken for impossible
constexpr double kCostOfMark = 0.6, kCostOfBracket = 0.9;
constexpr double kNarrow = 0.6;  // shorter characters are narrow: letters, digits
constexpr double kCostOfNarrow = 1.2, kCostOfLetter = 0.25;
constexpr double kWideSpread = 0.25,
                 kMeasuredSpread = 0.12;     // s, before the pitch is measured and after
constexpr double kTooNear = 6, kTooFar = 1;  // limits of the cost of a distance

struct Candidate {
  std::size_t first = 0, last = 0;  // its pieces
  TextBox box;
  bool mark = false;
  bool letter = false;      // a narrow letter or digit, which has no pitch
  std::size_t picture = 0;  // its number, unless it is a mark
  double cost = 0;
  double middle() const { return (box.along.first + box.along.last) / 2.0; }
};

struct Line {
  const TextLine* text = nullptr;
  std::vector<Candidate> candidates;  // by their first pieces
};

bool is_mark(const TextBox& box, double height) {
  const double length = box.length(), across = box.height();
  return std::max(length, across) < kMark * height ||
         (length > kLongest * height && across < kThin * height);
}

bool perhaps_bracket(const TextBox& box, double height) {
  return box.length() >= kBracket[0] * height && box.length() < kBracket[1] * height;
}

// Two or three dots over each other, such as a colon.
bool is_dots(const TextPiece& piece, double height, const InkParts& ink) {
  return piece.parts.size() <= 3 && std::ranges::all_of(piece.parts, [&](std::size_t i) {
           const MaskBox& box = ink.parts[i].box;
           return std::max(box.width(), box.height()) < kDot * height;
         });
}

Line candidates_of(const TextLine& text, const InkParts& ink, std::size_t& pictures) {
  Line line{&text, {}};
  for (std::size_t first = 0; first < text.pieces.size(); ++first) {
    TextBox box = text.pieces[first].box;
    for (std::size_t last = first; last < std::min(first + kMostPieces, text.pieces.size());
         ++last) {
      box = joined(box, text.pieces[last].box);
      if (last > first && box.length() > kLongest * text.height) break;
      Candidate candidate{first, last, box, is_mark(box, text.height)};
      if (first == last && is_dots(text.pieces[first], text.height, ink)) candidate.mark = true;
      if (candidate.mark) candidate.cost = kCostOfMark;
      if (!candidate.mark) candidate.picture = pictures++;
      line.candidates.push_back(candidate);
      if (first == last && !candidate.mark && perhaps_bracket(box, text.height)) {
        line.candidates.push_back({first, last, box, true});
        line.candidates.back().cost = kCostOfBracket;
      }
    }
  }
  return line;
}

// The ink of some pieces, with the pixels at the edges of strokes that are less than half ink.
Image<float> picture_of(const PageLayout& layout, const TextLine& line,
                        const Candidate& candidate) {
  const int width = layout.page.ink.width(), height = layout.page.ink.height();
  const MaskBox box = mask_box(candidate.box, layout.direction, width);
  const cv::Rect place = cv::Rect(box.left - 1, box.top - 1, box.width() + 2, box.height() + 2) &
                         cv::Rect(0, 0, width, height);
  cv::Mat mine(place.height, place.width, CV_8U, cv::Scalar(0));
  for (std::size_t i = candidate.first; i <= candidate.last; ++i) {
    const TextPiece& piece = line.pieces[i];
    const MaskBox inside = mask_box(piece.box, layout.direction, width);
    for (int row = inside.top; row <= inside.bottom; ++row) {
      for (int column = inside.left; column <= inside.right; ++column) {
        const int label = layout.ink.labels.at(row, column);
        if (label > 0 &&
            std::ranges::binary_search(piece.parts, static_cast<std::size_t>(label - 1))) {
          mine.at<std::uint8_t>(row - place.y, column - place.x) = 1;
        }
      }
    }
  }
  cv::Mat near;
  cv::dilate(mine, near, cv::Mat::ones(3, 3, CV_8U));
  Image<float> picture(place.width, place.height);
  for (int row = 0; row < place.height; ++row) {
    for (int column = 0; column < place.width; ++column) {
      const bool edge = near.at<std::uint8_t>(row, column) != 0 &&
                        layout.ink.labels.at(row + place.y, column + place.x) == 0;
      if (edge || mine.at<std::uint8_t>(row, column) != 0) {
        picture.at(row, column) = layout.page.ink.at(row + place.y, column + place.x);
      }
    }
  }
  return picture;
}

std::vector<CharacterPrediction> recognised(const CharacterRecogniser& recogniser,
                                            const PageLayout& layout,
                                            const std::vector<Line>& lines, std::size_t pictures,
                                            const PageRequest& request) {
  std::vector<std::pair<const Line*, const Candidate*>> of_picture;
  for (const Line& line : lines) {
    for (const Candidate& candidate : line.candidates) {
      if (!candidate.mark) of_picture.emplace_back(&line, &candidate);
    }
  }
  std::vector<CharacterPrediction> predictions;
  for (std::size_t first = 0; first < pictures; first += kAtOnce) {
    const std::size_t some = std::min(kAtOnce, pictures - first);
    std::ranges::move(recogniser.recognise(
                          some,
                          [&](std::size_t i) {
                            const auto& [line, candidate] = of_picture[first + i];
                            return picture_of(layout, *line->text, *candidate);
                          },
                          request.top),
                      std::back_inserter(predictions));
    if (request.advance) request.advance(some, pictures);
  }
  return predictions;
}

void add_cost(Candidate& candidate, const CharacterPrediction& prediction, double height) {
  candidate.cost = -std::log(std::max(1 - prediction.unlike, kLeastChance)) -
                   0.5 * std::log(std::max(prediction.ranking.front().probability, kLeastChance));
  if (candidate.box.length() >= kNarrow * height) return;
  candidate.letter = prediction.ranking.front().character < 0x80;
  candidate.cost += candidate.letter ? kCostOfLetter : kCostOfNarrow;
}

struct Pitch {
  double length = 0, spread = 0;

  double cost(const Candidate& a, const Candidate& b) const {
    if (a.mark || b.mark || a.letter || b.letter) return 0;
    const double off = ((b.middle() - a.middle()) / length - 1) / spread;
    return std::min(off * off, off < 0 ? kTooNear : kTooFar);
  }
};

// The candidates of least cost that follow each other from the first piece to the last.
std::vector<const Candidate*> cheapest(const Line& line, const Pitch& pitch) {
  const auto& candidates = line.candidates;
  std::vector<double> cost(candidates.size());
  std::vector<std::size_t> before(candidates.size());
  std::vector<std::vector<std::size_t>> ending(line.text->pieces.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const Candidate& candidate = candidates[c];
    cost[c] = candidate.cost;
    before[c] = c;
    if (candidate.first > 0) {
      double least = std::numeric_limits<double>::infinity();
      for (const std::size_t b : ending[candidate.first - 1]) {
        const double sum = cost[b] + pitch.cost(candidates[b], candidate);
        if (sum < least) std::tie(least, before[c]) = std::pair(sum, b);
      }
      cost[c] += least;
    }
    ending[candidate.last].push_back(c);
  }
  std::vector<const Candidate*> path;
  std::size_t c =
      *std::ranges::min_element(ending.back(), {}, [&](std::size_t k) { return cost[k]; });
  for (;; c = before[c]) {
    path.insert(path.begin(), &candidates[c]);
    if (before[c] == c) return path;
  }
}

// The distances of neighbours that may be a pitch, in heights of the line.
std::vector<double> distances_in(const Line& line, const std::vector<const Candidate*>& path) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double height = line.text->height;
    const auto wide = [&](const Candidate* c) {
      return !c->mark && c->box.length() >= kNarrow * height;
    };
    const double distance = (path[i]->middle() - path[i - 1]->middle()) / height;
    if (wide(path[i]) && wide(path[i - 1]) && distance < 2) distances.push_back(distance);
  }
  return distances;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Where the middle of a box of the straightened page was, with the size of the box.
MaskBox on_page(const TextBox& box, const PageLayout& layout) {
  const MaskBox there = mask_box(box, layout.direction, layout.page.ink.width());
  const auto [x, y] =
      layout.page.before({(there.left + there.right) / 2.0, (there.top + there.bottom) / 2.0});
  const int left = static_cast<int>(std::lround(x - (there.width() - 1) / 2.0)),
            top = static_cast<int>(std::lround(y - (there.height() - 1) / 2.0));
  return {std::clamp(left, 0, layout.page.width - 1), std::clamp(top, 0, layout.page.height - 1),
          std::clamp(left + there.width() - 1, 0, layout.page.width - 1),
          std::clamp(top + there.height() - 1, 0, layout.page.height - 1)};
}

ReadLine line_of(const Line& line, const std::vector<const Candidate*>& path,
                 const PageLayout& layout, const std::vector<CharacterPrediction>& predictions) {
  ReadLine read;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Candidate& candidate = *path[i];
    ReadCharacter& character = read.characters.emplace_back();
    character.box = on_page(candidate.box, layout);
    if (!candidate.mark) character.prediction = predictions[candidate.picture];
    character.after_blank = i > 0 && candidate.box.along.first - path[i - 1]->box.along.last >
                                         kBlank * line.text->height;
    const MaskBox& box = character.box;
    read.box = i == 0 ? box
                      : MaskBox{std::min(read.box.left, box.left), std::min(read.box.top, box.top),
                                std::max(read.box.right, box.right),
                                std::max(read.box.bottom, box.bottom)};
  }
  return read;
}

}  // namespace

ReadPage read_page(const CharacterRecogniser& recogniser, const Image<float>& ink,
                   const PageRequest& request) {
  const PageLayout layout = layout_of(ink, request.direction);
  std::vector<Line> lines;
  std::size_t pictures = 0;
  for (const TextLine& text : layout.lines)
    lines.push_back(candidates_of(text, layout.ink, pictures));
  const auto predictions = recognised(recogniser, layout, lines, pictures, request);
  std::vector<std::vector<double>> distances;
  std::vector<double> all;
  for (Line& line : lines) {
    for (Candidate& candidate : line.candidates) {
      if (!candidate.mark) add_cost(candidate, predictions[candidate.picture], line.text->height);
    }
    const Pitch usual{kUsualPitch * line.text->height, kWideSpread};
    distances.push_back(distances_in(line, cheapest(line, usual)));
    all.insert(all.end(), distances.back().begin(), distances.back().end());
  }
  ReadPage page{layout.direction, layout.page.degrees, ink.width(), ink.height(), {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool enough = distances[i].size() >= kFewestDistances;
    const double pitch = enough ? median(distances[i]) : all.empty() ? kUsualPitch : median(all);
    const Pitch measured{pitch * lines[i].text->height, kMeasuredSpread};
    page.lines.push_back(line_of(lines[i], cheapest(lines[i], measured), layout, predictions));
  }
  return page;
}

void remark_lookalikes(ReadPage& page, const KnownLookalikes& lookalikes) {
  std::vector<CharacterPrediction> predictions;
  std::vector<ReadCharacter*> characters;
  for (ReadLine& line : page.lines) {
    for (ReadCharacter& character : line.characters) {
      if (!character.prediction || character.prediction->ranking.size() < 2) continue;
      predictions.push_back(*character.prediction);
      characters.push_back(&character);
    }
  }
  const std::vector<LookalikeRemark> remarks = lookalikes.remarks(predictions);
  for (std::size_t i = 0; i < remarks.size(); ++i) characters[i]->remark = remarks[i];
}

char32_t answer_of(const CharacterPrediction& prediction) {
  return prediction.decision.known() ? prediction.ranking.front().character : U'〓';
}

std::string text_of(const ReadLine& line) {
  std::string text;
  for (const ReadCharacter& character : line.characters) {
    if (character.after_blank) text += " ";
    if (character.prediction) text += encode_utf8(answer_of(*character.prediction));
  }
  return text;
}

std::string text_of(const ReadPage& page) {
  std::string text;
  for (const ReadLine& line : page.lines) text += text_of(line) + "\n";
  return text;
}

}  // namespace leafglyph
