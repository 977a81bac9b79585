// Measures descriptions of characters in the recogniser's classifier, on styles of type that it has
// not learnt. Prints JSON: for each description, each font of each style that is left out, clean
// and damaged, how many of its characters are named, how many are
// among five, and the words.
//
// Usage: bench_character_peers STYLE=FONT.ttf... [--test STYLE=FONT.ttf]... [--characters SET]
//                              [--only DESCRIPTION]
//   Fonts are learnt, style by style without the one that is tested; those of --test only tested,
//   by all other styles. Default of SET: gb2312. Faces in collections: FONT.ttc#2.
#include <algorithm>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "classify/character/character_drawing.h"
#include "classify/character/character_fit.h"
#include "classify/character/character_model.h"
#include "classify/character/character_recogniser.h"
#include "classify/character/style_maker.h"
#include "classify/glyph/glyph_config.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/damage.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "tools/literature/characters/character_peers.h"

namespace leafglyph {
namespace {

constexpr int kCopies = 2;
constexpr std::size_t kDamagedTests = 800;  // characters of each font, drawn at random
constexpr std::size_t kUnlike = 400;        // pictures of no character, of each font
constexpr std::size_t kAtOnce = 512;
constexpr std::ptrdiff_t kBest = 5;
constexpr Damage kDamages[] = {Damage::kSmall, Damage::kThin, Damage::kWarp};

struct Font {
  std::string style, file;
  bool learnt = true;
  FontDrawings drawn;
};

struct Command {
  std::vector<Font> fonts;
  std::string characters = "gb2312", only;
};

Command read_command(int count, char** words) {
  Command command;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--characters" && i + 1 < count) {
      command.characters = words[++i];
      continue;
    }
    if (word == "--only" && i + 1 < count) {
      command.only = words[++i];
      continue;
    }
    const bool learnt = word != "--test";
    const std::string given = learnt ? word : i + 1 < count ? words[++i] : "";
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) throw UsageError("'" + given + "' is not STYLE=FONT");
    command.fonts.push_back({given.substr(0, equals), given.substr(equals + 1), learnt, {}});
  }
  if (command.fonts.empty()) throw UsageError("give fonts as STYLE=FONT");
  return command;
}

FontOptions options_of(const std::string& file) {
  FontOptions options;
  const std::size_t face = file.find('#');
  options.file = file.substr(0, face);
  if (face != std::string::npos) options.face_index = std::stoi(file.substr(face + 1));
  options.pixel_size = kDrawnSide;
  return options;
}

Image<float> clean(const Drawing& drawing) { return as_seen(ink_in(drawing)); }

std::vector<StyleRows> learnt_rows(const CharacterPeer& peer, const std::vector<Font>& fonts,
                                   const std::string& without) {
  CharacterSpec spec;
  spec.copies = kCopies;
  spec.features = peer.features;
  const std::function<void(std::size_t)> silent;
  StyleMaker maker(spec, kUnlike, peer.rows, silent);
  for (const Font& font : fonts) {
    if (font.learnt && font.style != without) maker.add_font(font.style, font.drawn);
  }
  return std::move(maker.styles());
}

struct Share {
  std::size_t tested = 0, first = 0, among = 0, sure = 0, sure_and_wrong = 0, unknown = 0;
};

void count(const CharacterClassifier& classifier, const FoundCharacters& found, std::size_t truth,
           Share& share) {
  const auto end = found.best.begin() + std::min<std::ptrdiff_t>(kBest, std::ssize(found.best));
  const auto at = std::find_if(found.best.begin(), end, [&](const CharacterCandidate& candidate) {
    return classifier.shape_of(candidate.character) == classifier.shape_of(truth);
  });
  const Word word = *judgement_of(classifier, found).decision.word();
  ++share.tested;
  share.first += at == found.best.begin() ? 1 : 0;
  share.among += at != end ? 1 : 0;
  share.unknown += word == Word::kUnknown ? 1 : 0;
  if (word != Word::kSure) return;
  ++share.sure;
  share.sure_and_wrong += at == found.best.begin() ? 0 : 1;
}

Share share_of(const CharacterPeer& peer, const CharacterClassifier& classifier,
               const std::vector<int>& labels,
               const std::function<Image<float>(std::size_t)>& ink) {
  Share share;
  const std::vector<CharacterFrame> views = views_of(peer.features);
  for (std::size_t first = 0; first < labels.size(); first += kAtOnce) {
    const std::size_t some = std::min(kAtOnce, labels.size() - first);
    const std::vector<float> rows = peer.rows(
        some, [&](std::size_t i) { return ink(first + i); }, [&](std::size_t) { return views; });
    const auto found = classifier.find(rows, {kSharedCharacters, views.size(), {}});
    for (std::size_t i = 0; i < some; ++i) {
      count(classifier, found[i], static_cast<std::size_t>(labels[first + i]), share);
    }
  }
  return share;
}

nlohmann::ordered_json json_of(const Share& share) {
  return {{"tested", share.tested},
          {"right", share.first},
          {"among_five", share.among},
          {"sure", share.sure},
          {"sure_and_wrong", share.sure_and_wrong},
          {"unknown", share.unknown}};
}

// The font clean, all its characters; and damaged, some of them.
nlohmann::ordered_json tested(const CharacterPeer& peer, const CharacterClassifier& classifier,
                              const Font& font) {
  const auto& [drawings, labels] = font.drawn;
  nlohmann::ordered_json json = {
      {"clean", json_of(share_of(peer, classifier, labels,
                                 [&](std::size_t i) { return clean(drawings[i]); }))}};
  std::vector<std::size_t> places(labels.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::shuffle(places.begin(), places.end(), std::mt19937_64(7));
  places.resize(std::min(places.size(), kDamagedTests));
  std::vector<int> some;
  for (const std::size_t place : places) some.push_back(labels[place]);
  for (const Damage damage : kDamages) {
    const Share share = share_of(peer, classifier, some, [&](std::size_t i) {
      return as_seen(damaged(ink_in(drawings[places[i]]), damage, i));
    });
    json[std::string(name_of(damage))] = json_of(share);
  }
  return json;
}

void run(Command command) {
  const std::u32string characters =
      character_sets(character_set_names(command.characters), U"").characters;
  std::set<std::string> learnt;
  for (Font& font : command.fonts) {
    font.drawn = drawings_of(options_of(font.file), characters);
    if (font.learnt) learnt.insert(font.style);
  }
  // Styles that are only tested share a fit to all others.
  const auto left_out = [&](const Font& font) {
    return learnt.contains(font.style) ? font.style : "";
  };
  std::set<std::string> without;
  for (const Font& font : command.fonts) without.insert(left_out(font));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CharacterPeer& peer : character_peers()) {
    if (!command.only.empty() && peer.name != command.only) continue;
    nlohmann::ordered_json fonts = nlohmann::ordered_json::array();
    for (const std::string& style : without) {
      const std::vector<StyleRows> rows = learnt_rows(peer, command.fonts, style);
      CharacterFitSpec spec;
      spec.directions = peer.directions;
      const CharacterFit fit =
          fit_characters(rows, {characters.size(), peer.columns, views_of(peer.features).size()},
                         spec, shapes_of(characters));
      for (const Font& font : command.fonts) {
        if (left_out(font) != style) continue;
        std::cerr << peer.name << ", " << last_name(font.file) << "\n";
        fonts.push_back({{"style", font.style},
                         {"font", last_name(font.file)},
                         {"tests", tested(peer, fit.classifier, font)}});
      }
    }
    all.push_back({{"peer", peer.name}, {"columns", peer.columns}, {"fonts", std::move(fonts)}});
  }
  std::cout << nlohmann::ordered_json{{"characters", characters.size()}, {"peers", all}}.dump(1)
            << "\n";
}

}  // namespace
}  // namespace leafglyph

int main(int count, char** words) {
  try {
    leafglyph::run(leafglyph::read_command(count, words));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
