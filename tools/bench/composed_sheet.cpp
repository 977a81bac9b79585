#include "tools/bench/composed_sheet.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {
namespace {

constexpr int kWidth = kSheetWidth, kHeight = kSheetHeight;

/// Numbers that every standard library draws alike.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) { return static_cast<int>(uniform(low, high + 1)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  std::uint64_t seed() { return generator_(); }

 private:
  std::mt19937_64 generator_;
};

/// A leaf cut out of its photograph.
struct CutLeaf {
  cv::Mat colour;  // CV_8UC3, red, green, blue
  cv::Mat mask;    // CV_8U, 255 inside
  std::string file = {};
};

cv::Mat colour_of(const Photograph& photograph) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (photograph.has_colour()) {
    return cv::Mat(grey.height(), grey.width(), CV_8UC3,
                   const_cast<std::uint8_t*>(photograph.colour.data()))
        .clone();
  }
  cv::Mat colour;
  cv::cvtColor(view(grey), colour, cv::COLOR_GRAY2RGB);
  return colour;
}

std::optional<CutLeaf> cut_out(const std::string& file) {
  try {
    const Photograph photograph = enlarged(read_photograph(file));
    const LeafRegion region = segment_leaf(photograph, file, finding());
    const cv::Mat inside = view(region.mask) * 255;
    const cv::Rect box = cv::boundingRect(inside);
    CutLeaf leaf{colour_of(photograph)(box).clone(), inside(box).clone(), file};
    // Grey leaves become green, and silhouettes get some texture.
    if (photograph.has_colour()) return leaf;
    cv::Mat noise(leaf.colour.size(), CV_8U);
    cv::RNG random(1);
    random.fill(noise, cv::RNG::NORMAL, 40, 12);
    for (int y = 0; y < noise.rows; ++y) {
      for (int x = 0; x < noise.cols; ++x) {
        auto& p = leaf.colour.at<cv::Vec3b>(y, x);
        const double grey = std::clamp(
            p[0] < 5 || p[0] > 250 ? 1.0 * noise.at<std::uint8_t>(y, x) + 30 : 0.8 * p[0], 20.0,
            150.0);
        p = cv::Vec3b(cv::saturate_cast<std::uint8_t>(0.75 * grey),
                      cv::saturate_cast<std::uint8_t>(grey),
                      cv::saturate_cast<std::uint8_t>(0.5 * grey));
      }
    }
    return leaf;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

cv::Scalar tone(double grey, double red, double blue) { return {grey + red, grey, grey + blue}; }

cv::Point2f middle_of(int width, int height) {
  return {static_cast<float>(width) / 2, static_cast<float>(height) / 2};
}

/// A sheet while it is composed.
class Sheet {
 public:
  Sheet(bool is_test, std::uint64_t seed) : random_(seed), is_test_(is_test) {}

  Random& random() { return random_; }
  const std::vector<Laid>& laid() const { return laid_; }
  ComposedSheet take() { return {std::move(colour_), std::move(laid_), std::move(background_)}; }

  // Half of the sheets have photographed backgrounds, if there are any.
  void draw_background(const std::vector<Backdrop>& backdrops) {
    const int kind = random_.integer(0, backdrops.empty() ? 2 : 5);
    colour_.create(kHeight, kWidth, CV_8UC3);
    if (kind > 2) {
      const auto last = static_cast<int>(backdrops.size()) - 1;
      const Backdrop& chosen = backdrops[static_cast<std::size_t>(random_.integer(0, last))];
      background_ = "photographed " + chosen.kind;
      cv::copyMakeBorder(chosen.patch, colour_, 0, std::max(0, kHeight - chosen.patch.rows), 0,
                         std::max(0, kWidth - chosen.patch.cols), cv::BORDER_REFLECT);
      colour_ = colour_(cv::Rect(0, 0, kWidth, kHeight)).clone();
      return;
    }
    background_ = kind == 0 ? "drawn paper" : kind == 1 ? "drawn cloth" : "drawn wood";
    const double grey = kind == 2 ? random_.uniform(185, 215) : random_.uniform(205, 245);
    colour_.setTo(tone(grey, random_.uniform(0, 8), -random_.uniform(0, kind == 2 ? 35 : 15)));
    grain(kind == 2 ? 4 : 3);
    if (kind == 1) weave();
    if (kind == 2) rings();
    uneven_light();
  }

  // Lays the leaf with its centre near (x, y), turned and scaled to about `size` pixels.
  void lay_leaf(const std::string& set, const CutLeaf& leaf, double x, double y, double size,
                int group) {
    const double scale = size / std::max(leaf.mask.cols, leaf.mask.rows);
    cv::Mat turn = cv::getRotationMatrix2D(middle_of(leaf.mask.cols, leaf.mask.rows),
                                           random_.uniform(0, 360), scale);
    turn.at<double>(0, 2) += x - leaf.mask.cols / 2.0;
    turn.at<double>(1, 2) += y - leaf.mask.rows / 2.0;
    cv::Mat colour, mask, smooth;
    cv::warpAffine(leaf.colour, colour, turn, colour_.size(), cv::INTER_AREA, cv::BORDER_REPLICATE);
    cv::warpAffine(leaf.mask, smooth, turn, colour_.size(), cv::INTER_LINEAR);
    mask = smooth > 127;
    if (cv::countNonZero(mask) == 0) return;
    shadow(mask);
    blend(colour_, colour, smooth);
    bool touches = false;
    for (Laid& other : laid_) {
      if (!other.is_leaf) continue;
      touches = touches || cv::countNonZero(other.mask & mask) > 0;
      other.mask.setTo(0, mask);
    }
    if (group >= 0 && !touches && !laid_.empty() && laid_.back().group == group) {
      group = laid_.back().group = -1;
    }
    const cv::Rect box = cv::boundingRect(mask);
    const bool cut = box.x == 0 || box.y == 0 || box.br().x == kWidth || box.br().y == kHeight;
    laid_.push_back({set, true, mask, group, cut, leaf.file, alone(colour, smooth, box)});
  }

  // What `share` of `colour` looks like on white paper around a box.
  cv::Mat alone(const cv::Mat& colour, const cv::Mat& share, const cv::Rect& box) {
    constexpr int kMargin = 40;
    const cv::Rect around = cv::Rect(box.x - kMargin, box.y - kMargin, box.width + 2 * kMargin,
                                     box.height + 2 * kMargin) &
                            cv::Rect(0, 0, kWidth, kHeight);
    cv::Mat paper(around.size(), CV_8UC3, cv::Scalar(235, 235, 235));
    blend(paper, colour(around), share(around));
    return paper;
  }

  void lay_label(double x, double y);
  void lay_ruler(double x, double y);
  void lay_chart(double x, double y);
  void lay_stem(double x, double y);

 private:
  void grain(double strength) {
    cv::Mat noise(colour_.size(), CV_32FC3);
    cv::RNG random(random_.seed());
    random.fill(noise, cv::RNG::NORMAL, 0, strength);
    cv::GaussianBlur(noise, noise, {0, 0}, 0.7);
    cv::add(colour_, noise, colour_, cv::noArray(), CV_8UC3);
  }
  void weave() {
    const int period = random_.integer(5, 9);
    const double depth = random_.uniform(3, 8);
    each_pixel([&](int x, int y) {
      return depth * (((x / period) + (y / period)) % 2 == 0 ? 1 : -1) *
             (0.6 + 0.4 * ((x + y) % period) / period);
    });
  }
  void rings() {
    const double tilt = random_.uniform(-0.05, 0.05), period = random_.uniform(25, 60);
    const double depth = random_.uniform(4, 10), wave = random_.uniform(200, 500);
    each_pixel([&](int x, int y) {
      const double u = x + tilt * y + 20 * std::sin(y / wave);
      return depth * std::sin(2 * std::numbers::pi * u / period + 2 * std::sin(u / 90)) *
             (0.5 + 0.5 * std::sin(u / 37));
    });
  }
  void uneven_light() {
    const double across = random_.uniform(-0.06, 0.06), down = random_.uniform(-0.06, 0.06);
    cv::Mat light(colour_.size(), CV_32FC3);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const auto factor = static_cast<float>(1 + across * (x - kWidth / 2.0) / kWidth +
                                               down * (y - kHeight / 2.0) / kHeight);
        light.at<cv::Vec3f>(y, x) = {factor, factor, factor};
      }
    }
    cv::multiply(colour_, light, colour_, 1, CV_8UC3);
  }
  template <class Value>
  void each_pixel(const Value& value) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double more = value(x, y);
        auto& p = colour_.at<cv::Vec3b>(y, x);
        for (int c = 0; c < 3; ++c) p[c] = cv::saturate_cast<std::uint8_t>(p[c] + more);
      }
    }
  }
  void shadow(const cv::Mat& mask) {
    cv::Mat soft;
    const cv::Mat move = (cv::Mat_<double>(2, 3) << 1, 0, 4, 0, 1, 5);
    cv::warpAffine(mask, soft, move, mask.size());
    cv::GaussianBlur(soft, soft, {0, 0}, 5);
    const double strength = random_.uniform(0.05, 0.18) / 255;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double kept = 1 - strength * soft.at<std::uint8_t>(y, x);
        colour_.at<cv::Vec3b>(y, x) *= kept;
      }
    }
  }
  void blend(cv::Mat& onto, const cv::Mat& colour, const cv::Mat& share) {
    for (int y = 0; y < onto.rows; ++y) {
      for (int x = 0; x < onto.cols; ++x) {
        const double s = share.at<std::uint8_t>(y, x) / 255.0;
        if (s == 0) continue;
        auto& p = onto.at<cv::Vec3b>(y, x);
        const auto& q = colour.at<cv::Vec3b>(y, x);
        for (int c = 0; c < 3; ++c)
          p[c] = cv::saturate_cast<std::uint8_t>(s * q[c] + (1 - s) * p[c]);
      }
    }
  }
  // Lays a drawn thing: `paint` draws it, upright, into a picture of this size.
  template <class Paint>
  void lay(const std::string& what, double x, double y, int width, int height, const Paint& paint) {
    cv::Mat thing(height, width, CV_8UC3), whole(height, width, CV_8U, cv::Scalar(255));
    paint(thing);
    cv::Mat turn = cv::getRotationMatrix2D(middle_of(width, height), random_.uniform(-8, 8), 1);
    turn.at<double>(0, 2) += x - width / 2.0;
    turn.at<double>(1, 2) += y - height / 2.0;
    cv::Mat colour, share;
    cv::warpAffine(thing, colour, turn, colour_.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    cv::warpAffine(whole, share, turn, colour_.size(), cv::INTER_LINEAR);
    const cv::Mat mask = share > 127;
    shadow(mask);
    blend(colour_, colour, share);
    laid_.push_back({what, false, mask});
  }
  void write_text(cv::Mat& thing, double size, int line) {
    static const std::vector<std::string> kWords = {
        "Herbarium",  "No.",     "leg.",      "det.",         "Acer L.", "Flora of", "1897",
        "alt. 340 m", "Quercus", "in silvis", "Populus alba", "coll.",   "Rosa sp."};
    for (int y = line; y < thing.rows - line / 2; y += line) {
      std::string text;
      for (int w = random_.integer(2, 4); w > 0; --w) {
        text += kWords[static_cast<std::size_t>(random_.integer(0, 12))] + " ";
      }
      cv::putText(thing, text, {line / 2, y}, cv::FONT_HERSHEY_SIMPLEX, size, {30, 30, 40},
                  std::max(1, static_cast<int>(2 * size)), cv::LINE_AA);
    }
  }

  Random random_;
  bool is_test_;
  cv::Mat colour_;
  std::string background_;
  std::vector<Laid> laid_;
};

void Sheet::lay_label(double x, double y) {
  const int width = random_.integer(320, 520), height = random_.integer(180, 300);
  const double grey = is_test_ ? random_.uniform(150, 255) : random_.uniform(170, 255);
  const cv::Scalar paper = tone(grey, is_test_ ? 0 : 6, is_test_ ? -40 : -20);
  const bool framed = random_.chance(0.6);
  lay("label", x, y, width, height, [&](cv::Mat& thing) {
    thing.setTo(paper);
    if (framed) {
      const int gap = is_test_ ? 8 : 2;
      cv::rectangle(thing, {gap, gap, width - 2 * gap, height - 2 * gap}, {20, 40, 30},
                    is_test_ ? 3 : 4);
    }
    write_text(thing, is_test_ ? 0.8 : 0.9, is_test_ ? 38 : 44);
  });
}

void Sheet::lay_ruler(double x, double y) {
  const int width = random_.integer(600, 900), height = random_.integer(50, 90);
  const bool dark = random_.chance(0.5);
  lay("ruler", x, y, width, height, [&](cv::Mat& thing) {
    const cv::Scalar body = dark ? cv::Scalar(60, 60, 70) : cv::Scalar(235, 235, 225);
    const cv::Scalar mark = dark ? cv::Scalar(240, 240, 240) : cv::Scalar(10, 10, 10);
    thing.setTo(is_test_ && !dark ? cv::Scalar(225, 200, 120) : body);
    for (int i = 0, at = 6; at < width; ++i, at += is_test_ ? 9 : 12) {
      const int length = i % 10 == 0 ? height / 2 : i % 5 == 0 ? height / 3 : height / 5;
      cv::line(thing, {at, is_test_ ? 0 : height - 1},
               {at, is_test_ ? length : height - 1 - length}, mark, 2);
    }
    cv::rectangle(thing, {0, 0, width, height}, mark, 3);
  });
}

void Sheet::lay_chart(double x, double y) {
  const int across = is_test_ ? 6 : 4, down = is_test_ ? 2 : 6, side = random_.integer(40, 65);
  lay("chart", x, y, across * side, down * side, [&](cv::Mat& thing) {
    thing.setTo(cv::Scalar(25, 25, 25));
    for (int i = 0; i < across * down; ++i) {
      const int gap = is_test_ ? 4 : 0;
      cv::rectangle(
          thing, {i % across * side + gap, i / across * side + gap, side - 2 * gap, side - 2 * gap},
          {random_.uniform(20, 235), random_.uniform(20, 235), random_.uniform(20, 235)},
          cv::FILLED);
    }
  });
}

void Sheet::lay_stem(double x, double y) {
  const double angle = random_.uniform(0, std::numbers::pi), bend = random_.uniform(-0.25, 0.25);
  const int length = random_.integer(350, 700), width = random_.integer(8, is_test_ ? 22 : 18);
  std::vector<cv::Point> points;
  for (int i = 0; i <= 40; ++i) {
    const double t = i / 40.0 - 0.5,
                 off = is_test_ ? bend * length * std::sin(3 * t) : bend * length * 4 * t * t;
    points.emplace_back(static_cast<int>(x + length * t * std::cos(angle) - off * std::sin(angle)),
                        static_cast<int>(y + length * t * std::sin(angle) + off * std::cos(angle)));
  }
  cv::Mat mask(colour_.size(), CV_8U, cv::Scalar(0)), colour = colour_.clone();
  cv::polylines(mask, points, false, {255}, width, cv::LINE_AA);
  cv::polylines(colour, points, false, tone(random_.uniform(60, 110), 15, -20), width, cv::LINE_AA);
  shadow(mask > 127);
  blend(colour_, colour, mask);
  laid_.push_back({"stem", false, mask > 127});
}

}  // namespace

PrepareSpec finding() {
  PrepareSpec spec;
  spec.finder = Finder::kBest;
  spec.background = Background::kAuto;
  spec.parts = LeafParts::kLeaf;  // thin stalks break on a sheet
  return spec;
}

Photograph enlarged(const Photograph& photograph) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (width == 256 && height == 256) return resized(photograph, 768, 576);
  return resized(photograph, 2 * width, 2 * height);
}

std::vector<Backdrop> backdrops_of(const std::vector<LeafSet>& sets, const std::string& folder,
                                   bool is_test) {
  constexpr int kPatch = 140;
  std::vector<Backdrop> backdrops;
  const auto add = [&](const std::string& kind, const cv::Mat& patch) {
    backdrops.push_back({kind, {}});
    cv::resize(patch, backdrops.back().patch, {}, 3, 3, cv::INTER_CUBIC);
  };
  for (const LeafSet& set : sets) {
    for (std::size_t i = is_test ? 1 : 0; i < set.files.size() && backdrops.size() < 40; i += 8) {
      const Photograph photograph = read_photograph(set.files[i]);
      if (!photograph.has_colour()) break;
      try {
        const cv::Rect corner(0, 0, kPatch, kPatch);
        const std::vector<LeafRegion> found = segment_leaves(photograph, set.files[i], finding());
        const bool is_plain = std::ranges::none_of(found, [&](const LeafRegion& region) {
          return cv::countNonZero(view(region.mask)(corner)) > 0;
        });
        if (is_plain) add("card", colour_of(photograph)(corner));
      } catch (const InputError&) {
        continue;
      }
    }
  }
  if (folder.empty()) return backdrops;
  const std::vector<std::string> files = images_in(folder);
  for (std::size_t i = is_test ? 1 : 0; i < files.size(); i += 2) {
    const std::string name = std::filesystem::path(files[i]).stem().string();
    add(name.substr(0, name.find('-')), colour_of(read_photograph(files[i])));
  }
  return backdrops;
}

ComposedSheet compose_sheet(bool is_test, std::uint64_t seed, const std::vector<LeafSet>& sets,
                            const std::vector<Backdrop>& backdrops) {
  Sheet sheet(is_test, seed);
  Random& random = sheet.random();
  sheet.draw_background(backdrops);
  // A grid of 3 x 4 cells; things and leaves take one each.
  std::vector<int> cells(12);
  std::iota(cells.begin(), cells.end(), 0);
  for (int i = 11; i > 0; --i) {
    std::swap(cells[static_cast<std::size_t>(i)],
              cells[static_cast<std::size_t>(random.integer(0, i))]);
  }
  constexpr double kCellWidth = kWidth / 3.0, kCellHeight = kHeight / 4.0;
  const auto centre = [&](int cell) {
    const int column = cell % 3, row = cell / 3;
    return cv::Point2d((column + 0.5) * kCellWidth, (row + 0.5) * kCellHeight);
  };
  const auto leaf_of = [&](const LeafSet& set) {
    std::optional<CutLeaf> leaf;
    while (!leaf) {
      const int half = static_cast<int>(set.files.size()) / 2 - 1;
      const int file = 2 * random.integer(0, half) + (is_test ? 1 : 0);
      leaf = cut_out(set.files[static_cast<std::size_t>(file)]);
    }
    return *leaf;
  };
  std::size_t next = 0;
  const auto cell = [&] { return centre(cells[next++]); };
  // The ruler is longer than a cell: it lies along the lower edge, in the free part of two cells.
  const cv::Point2d label = cell(), chart = cell();
  sheet.lay_label(label.x, label.y);
  if (random.chance(0.7)) sheet.lay_chart(chart.x, chart.y);
  const cv::Point2d stem = cell();
  if (random.chance(0.5)) sheet.lay_stem(stem.x, stem.y);
  if (random.chance(0.7)) {
    std::erase_if(cells, [&](int c) { return c == 9 || c == 10; });
    next = std::min(next, cells.size());
    if (std::ranges::none_of(sheet.laid(), [](const Laid& laid) {
          return cv::countNonZero(laid.mask.rowRange(3 * kHeight / 4, kHeight)) > 0;
        })) {
      sheet.lay_ruler(kCellWidth, 3.5 * kCellHeight);
    }
  }
  const bool overlaps = random.chance(0.3), cuts = random.chance(0.3);
  if (overlaps && next < cells.size()) {
    const cv::Point2d at = cell();
    for (const double side : {-1.0, 1.0}) {
      const LeafSet& set =
          sets[static_cast<std::size_t>(random.integer(0, 4) % static_cast<int>(sets.size()))];
      sheet.lay_leaf(set.name, leaf_of(set), at.x + side * random.uniform(50, 80),
                     at.y + side * random.uniform(20, 50), random.uniform(280, 340), 0);
    }
  }
  bool is_first = true;
  for (std::size_t i = 0; next < cells.size() && i < sets.size() + 1; ++i) {
    const LeafSet& set = sets[(i + static_cast<std::size_t>(seed)) % sets.size()];
    const int number = cells[next];
    cv::Point2d at = cell();
    const double size = random.uniform(260, 460);
    if (cuts && is_first && number % 3 == 0) at.x = random.uniform(-0.1, 0.15) * size;
    is_first = false;
    sheet.lay_leaf(set.name, leaf_of(set), at.x, at.y, size, -1);
  }
  return sheet.take();
}

}  // namespace leafglyph
