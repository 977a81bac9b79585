// Look-alike Chinese characters.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalikes.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

namespace py = pybind11;

// A look-alike as Python sees it. Names are those of the stubs.
struct GlyphMatch {
  std::string character;
  double score = 0.0;
  double distance = 0.0;
};

// An index and the arguments that it was made from, which are what is pickled.
struct GlyphIndex {
  std::optional<std::filesystem::path> config;
  bool cache = true;
  LookalikeIndex index;
};

}  // namespace
template <>
inline constexpr bool kIsBound<GlyphMatch> = true;
template <>
inline constexpr bool kIsBound<GlyphIndex> = true;
namespace {

std::string text_of(char32_t character) {
  PyObject* text = PyUnicode_FromOrdinal(static_cast<int>(character));
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text).cast<std::string>();
}

// Throws UsageError unless there is exactly one character.
char32_t character_from(const std::u32string& text) {
  if (text.size() != 1) {
    throw UsageError(std::to_string(text.size()) + " characters where one is expected");
  }
  return text.front();
}

GlyphIndex make_index(const std::optional<std::filesystem::path>& config, bool cache) {
  const GlyphConfig settings = config ? load_glyph_config(*config) : GlyphConfig{};
  LookalikeOptions options;
  options.selection = settings.lookalike_selection();
  options.profile = settings.lookalikes;
  if (!cache) options.cache_folder.clear();
  // The process that unpickles it may work in another folder. A name is not a file.
  const bool is_file = config && is_there(*config);
  return {is_file ? std::filesystem::absolute(*config) : config, cache,
          without_gil([&] { return LookalikeIndex(options); })};
}

GlyphMatch match_of(const Lookalike& found) {
  return {text_of(found.character), found.score, found.distance};
}

std::vector<GlyphMatch> similar(const GlyphIndex& glyphs, const std::u32string& character,
                                int top) {
  if (top < 1) throw UsageError("top = " + std::to_string(top) + "; ask for 1 character or more");
  const char32_t wanted = character_from(character);
  std::vector<GlyphMatch> matches;
  for (const Lookalike& found :
       without_gil([&] { return glyphs.index.similar(wanted, static_cast<std::size_t>(top)); })) {
    matches.push_back(match_of(found));
  }
  return matches;
}

constexpr const char* kIndexDoc = R"(The hanzi of GB 2312, ready to be searched for look-alikes.

config: a YAML file such as configs/gb2312.yaml, with fonts and settings; None: its defaults.
cache: whether tables are kept between runs, as the command does. Computing them takes seconds.
Raises InputError if a font is missing, UsageError for an unknown key or a value out of range.)";

constexpr const char* kSimilarDoc =
    R"(The characters that look most like the given one, most similar first.

character: one hanzi. top: how many to return. Returns a list of GlyphMatch.
Raises UsageError for a character that is not compared, or if top exceeds the number of others.)";

constexpr const char* kCompareDoc =
    R"(Score and distance of b as a look-alike of a: a GlyphMatch of b.

Raises UsageError for a character that is not compared.)";

constexpr const char* kMatchDoc = R"(A character that looks like another one.

character: a str of one character. score: 0 to 1, 1 most similar. distance: between their moments.)";

}  // namespace

void bind_glyph(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<GlyphMatch>(module, "GlyphMatch", kMatchDoc)
      .def_readonly("character", &GlyphMatch::character)
      .def_readonly("score", &GlyphMatch::score)
      .def_readonly("distance", &GlyphMatch::distance)
      .def(pickled_by(&GlyphMatch::character, &GlyphMatch::score, &GlyphMatch::distance))
      .def("__repr__", [](const GlyphMatch& match) {
        return "<leafglyph.GlyphMatch: " + match.character + ", score " +
               py::str("{:.3f}").format(match.score).cast<std::string>() + ", distance " +
               py::str("{:.4f}").format(match.distance).cast<std::string>() + ">";
      });
  py::class_<GlyphIndex>(module, "GlyphIndex", kIndexDoc)
      .def(py::init(&make_index), "config"_a = py::none(), py::kw_only(), "cache"_a = true)
      .def(py::pickle(
          [](const GlyphIndex& glyphs) { return py::make_tuple(glyphs.config, glyphs.cache); },
          [](const py::tuple& state) {
            return make_index(state[0].cast<std::optional<std::filesystem::path>>(),
                              state[1].cast<bool>());
          }))
      .def("similar", &similar, "character"_a, "top"_a = 10, kSimilarDoc)
      .def(
          "compare",
          [](const GlyphIndex& glyphs, const std::u32string& a, const std::u32string& b) {
            const char32_t first = character_from(a);
            const char32_t second = character_from(b);
            return match_of(without_gil([&] { return glyphs.index.compare(first, second); }));
          },
          "a"_a, "b"_a, kCompareDoc)
      .def_property_readonly(
          "characters", [](const GlyphIndex& glyphs) { return glyphs.index.selected().characters; },
          "A str of the characters that are compared, in the order of their codes.");
}

}  // namespace leafglyph::python
