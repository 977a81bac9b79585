#include "classify/character/style_maker.h"

#include <algorithm>
#include <random>
#include <utility>

#include "datasets/glyph/damage.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Pictures that are in memory at once in their own size.
constexpr std::size_t kReadAtOnce = 256;

void append(std::vector<float>& rows, const std::vector<float>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

void append(std::vector<int>& labels, const std::vector<int>& more) {
  labels.insert(labels.end(), more.begin(), more.end());
}

}  // namespace

StyleMaker::StyleMaker(const CharacterSpec& spec, std::size_t unlike, MakeRows rows,
                       const std::function<void(std::size_t)>& advance)
    : spec_(spec),
      unlike_(unlike),
      rows_(std::move(rows)),
      advance_(advance),
      views_(views_of(spec.features)) {}

void StyleMaker::add_font(const std::string& name, const FontDrawings& drawn) {
  const auto& [drawings, labels] = drawn;
  StyleRows& style = style_of(name);
  const Ink ink = [&](std::size_t i) { return as_seen(ink_in(drawn.drawings[i])); };
  add(style.clean, drawings.size(), ink);
  judge(style.judged_clean, style.labels.size(), drawings.size(), drawings.size(), ink);
  append(style.labels, labels);
  add_copies(style, drawings, labels);
}

void StyleMaker::add_pictures(const std::string& name, std::span<const CharacterPicture> pictures,
                              std::span<const int> labels) {
  std::vector<Drawing> drawings;
  std::vector<int> read_labels;
  StyleRows& style = style_of(name);
  const std::size_t before = style.labels.size();
  for (std::size_t first = 0; first < pictures.size(); first += kReadAtOnce) {
    const std::size_t some = std::min(kReadAtOnce, pictures.size() - first);
    const ReadInks read = read_inks(pictures.subspan(first, some));
    const Ink ink = [&](std::size_t i) { return read.inks[i]; };
    add(style.clean, read.inks.size(), ink);
    judge(style.judged_clean, before + drawings.size(), read.inks.size(), pictures.size(), ink);
    for (const Image<float>& one : read.inks) drawings.push_back(as_drawing(one));
    for (const std::size_t file : read.files) read_labels.push_back(labels[first + file]);
    errors_.insert(errors_.end(), read.errors.begin(), read.errors.end());
  }
  if (drawings.empty()) throw InputError(errors_.back() + "; no picture of its style is usable");
  append(style.labels, read_labels);
  add_copies(style, drawings, read_labels);
}

StyleRows& StyleMaker::style_of(const std::string& name) {
  const auto at = std::ranges::find(styles_, name, &StyleRows::name);
  if (at != styles_.end()) return *at;
  styles_.emplace_back().name = name;
  return styles_.back();
}

void StyleMaker::add(std::vector<float>& rows, std::size_t count, const Ink& ink,
                     const FramesOf& frames) {
  append(rows, rows_(count, ink, frames));
  if (advance_) advance_(count);
}

void StyleMaker::add_views(std::vector<float>& rows, std::size_t count, const Ink& ink) {
  append(rows, rows_(count, ink, [&](std::size_t) { return views_; }));
  if (advance_) advance_(count * views_.size());
}

// Some of `count` pictures whose rows are at `before`; there are `all` in the source.
void StyleMaker::judge(StyleRows::Pictures& judged, std::size_t before, std::size_t count,
                       std::size_t all, const Ink& ink) {
  const std::size_t step = judged_step(all);
  for (std::size_t i = 0; i < count; i += step) judged.places.push_back(before + i);
  add_views(judged.rows, (count + step - 1) / step, [&](std::size_t k) { return ink(k * step); });
}

void StyleMaker::add_copies(StyleRows& style, const std::vector<Drawing>& drawings,
                            const std::vector<int>& labels) {
  ++sources_;
  // The same damage for a character in every source would look like a part of it.
  const auto draw_of = [&](std::size_t number) {
    return std::mt19937_64(spec_.seed + 0x9E3779B97F4A7C15ULL * (sources_ + number));
  };
  const std::size_t copies = static_cast<std::size_t>(spec_.copies) * drawings.size();
  const Ink ink = [&](std::size_t number) {
    return as_seen(damaged(ink_in(drawings[number % drawings.size()]), draw_of(number)()));
  };
  judge(style.judged_damaged, style.damaged_labels.size(), copies, copies, ink);
  add(style.damaged, copies, ink, [&](std::size_t number) {
    std::mt19937_64 draw = draw_of(number);
    draw();  // what drew the damage
    return std::vector{drawn_frame(spec_.features, draw())};
  });
  for (int copy = 0; copy < spec_.copies; ++copy) append(style.damaged_labels, labels);
  add_views(style.unlike, unlike_,
            [&](std::size_t i) { return as_seen(unlike_picture(drawings, i)); });
}

}  // namespace leafglyph
