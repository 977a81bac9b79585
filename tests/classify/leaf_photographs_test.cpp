// The user's own photographs: squeezed ones, duplicates, broken ones, and files whose names are not
// text.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "classify/leaf/equal_photographs.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/report.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/run_command.h"
#include "tests/support/small_files.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLeafPhotographsSeed = 5;
// Drawn pictures are small; none is halved.
const std::string kPreparation = "preparation: {size: 64, area: 500, oversampling: 8}\n";

// For tests that do not depend on features.
const std::string kSmall = kPreparation + R"(
features: {order: 6, channels: [grey, mask]}
pipeline: {scaling: standardise}
classifier: {k: 1}
protocol: {train: 2, test: 1, repeats: 2, leaves: random}
)";

Image<std::uint8_t> leaf(int species, int number) {
  return draw_synthetic_leaf(species, number, kLeafPhotographsSeed);
}

// The photograph without every fourth column: 640 x 480 becomes a square.
Image<std::uint8_t> squeezed(const Image<std::uint8_t>& image) {
  Image<std::uint8_t> square(image.height(), image.height());
  for (int row = 0; row < square.height(); ++row) {
    for (int column = 0; column < square.width(); ++column) {
      square.at(row, column) = image.at(row, column * image.width() / square.width());
    }
  }
  return square;
}

class LeafPhotographsTest : public CommandTest {
 protected:
  LeafPhotographsTest() : CommandTest("leaf") {}

  // Writes the photograph; the file name may contain folders.
  std::string photograph(const std::string& name, const Image<std::uint8_t>& image) const {
    const fs::path file = at(name);
    fs::create_directories(file.parent_path());
    write_grey_bmp(file, image);
    return file.string();
  }
  // Two species of `leaves` leaves in own/a and own/b.
  void write_two_species(int leaves) const {
    for (int i = 0; i < leaves; ++i) {
      photograph("own/a/" + std::to_string(i) + ".bmp", leaf(0, i));
      photograph("own/b/" + std::to_string(i) + ".bmp", leaf(1, i));
    }
  }
  LeafConfig config_of(const std::string& data, const std::string& rest) const {
    return parse_leaf_config("data: {" + data + "}\n" + rest, at("config.yaml"));
  }
};

// mechanics: names are paths relative to the data set's root, so that files of the same name in two
// folders of a class are two leaves, in splits too.
TEST_F(LeafPhotographsTest, FilesOfOneNameAreDifferentLeaves) {
  std::string csv = "path,label\n";
  for (int i = 0; i < 4; ++i) {
    const std::string name = std::to_string(i / 2) + ".bmp";
    const std::string folder = i % 2 == 0 ? "s1/" : "s2/";
    photograph(folder + name, leaf(0, i));
    photograph("b/" + std::to_string(i) + ".bmp", leaf(1, i));
    csv += folder + name + ",a\nb/../b/" + std::to_string(i) + ".bmp,b\n";
  }
  folder_.write("leaves.csv", csv);
  const LeafConfig config = config_of("source: csv, path: leaves.csv", kSmall);
  const LeafEvaluation drawn = evaluate_leaves(config, {{}, at("splits.json")}, LeafRun{});
  EXPECT_EQ(drawn.sample_names[0], "s1/0.bmp");
  EXPECT_EQ(drawn.sample_names[1], "b/0.bmp");
  EXPECT_EQ(drawn.sample_names[2], "s2/0.bmp");
  const LeafEvaluation read = evaluate_leaves(config, {at("splits.json"), {}}, LeafRun{});
  ASSERT_EQ(read.result.predictions.size(), drawn.result.predictions.size());
  for (std::size_t i = 0; i < read.result.predictions.size(); ++i) {
    EXPECT_EQ(read.result.predictions[i].sample, drawn.result.predictions[i].sample);
    EXPECT_EQ(read.result.predictions[i].neighbours, drawn.result.predictions[i].neighbours);
  }
}

// mechanics: a file listed twice in a CSV is reported, and its splits, which could not distinguish
// its two rows, are neither written nor read.
TEST_F(LeafPhotographsTest, AFileListedTwiceIsSaid) {
  std::string csv = "path,label\nown/a/0.bmp,b\n";
  write_two_species(4);
  for (int i = 0; i < 4; ++i) {
    csv += "own/a/" + std::to_string(i) + ".bmp,a\nown/b/" + std::to_string(i) + ".bmp,b\n";
  }
  folder_.write("leaves.csv", csv);
  const std::string config =
      folder_.write("c.yaml", "data: {source: csv, path: leaves.csv}\n" + kSmall);
  const Outcome trained = run("train --config " + config + " --model " + at("m"));
  EXPECT_EQ(trained.code, 0) << trained.error;
  EXPECT_NE(trained.error.find("1 file is listed more than once, 1 of them in different classes"),
            std::string::npos)
      << trained.error;
  EXPECT_NE(trained.error.find("1 photograph appears in two classes"), std::string::npos)
      << trained.error;
  expect_refused(run("evaluate --quiet --config " + config + " --save-splits " + at("s.json")), 3,
                 "own/a/0.bmp");
  folder_.write("s.json", "{}");
  expect_refused(run("evaluate --quiet --config " + config + " --splits " + at("s.json")), 3,
                 "own/a/0.bmp");
}

// mechanics: a class without a leaf ends the job and keeps the old model; a class that loses only
// some leaves does not.
TEST_F(LeafPhotographsTest, AClassWithoutALeafIsRefused) {
  write_two_species(4);
  const std::string config = folder_.write("c.yaml", kSmall);
  const std::string train =
      "train --quiet --config " + config + " --data " + at("own") + " --model " + at("m");
  ASSERT_EQ(run(train).code, 0);
  const std::string before = read_file(at("m/manifest.json"));
  for (int i = 0; i < 4; ++i) {
    folder_.write("own/b/" + std::to_string(i) + ".bmp", "no image");
    const Outcome outcome = run(train);
    EXPECT_EQ(outcome.code, i < 3 ? 5 : 3) << outcome.error;
    if (i == 2) folder_.write("before", read_file(at("m/manifest.json")));
  }
  EXPECT_NE(read_file(at("before")), before);
  const Outcome refused = run(train);
  expect_refused(refused, 3, "no leaf of b ");
  EXPECT_NE(refused.error.find("0.bmp"), std::string::npos) << refused.error;
  EXPECT_EQ(read_file(at("m/manifest.json")), read_file(at("before")));
  expect_refused(run("evaluate --quiet --config " + config + " --data " + at("own")), 3, "b");
}

// mechanics: the same photograph under two names is found in two classes and in both parts of a
// split; different photographs are not, whatever their features.
TEST_F(LeafPhotographsTest, TheSamePhotographTwiceIsSaid) {
  write_two_species(4);
  const LeafConfig config = config_of("source: folders, path: own", kSmall);
  const ProtocolSpec one_out = parse_leaf_config("protocol: {kind: leave-one-out}", "p").protocol;
  LeafData data = load_leaf_data(config, one_out, 6, LeafRun{});
  EXPECT_TRUE(data.warnings.empty());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(data.photographs[i], i);
  const std::vector<LeafMeasures> equal_measures(8);
  EXPECT_EQ(first_photographs(equal_measures, data.dataset), data.photographs);

  photograph("own/b/copy.bmp", leaf(0, 2));
  data = load_leaf_data(config, one_out, 6, LeafRun{});
  EXPECT_EQ(data.photographs.back(), 2U);
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_EQ(data.warnings[0], "1 photograph appears in two classes; first: a/2.bmp is b/copy.bmp");
  photograph("own/a/copy.bmp", leaf(0, 2));
  fs::remove(at("own/b/copy.bmp"));
  LeafConfig whole = config;
  whole.protocol = one_out;
  const LeafEvaluation evaluation = evaluate_leaves(whole, {}, LeafRun{});
  ASSERT_EQ(evaluation.warnings.size(), 1U);
  EXPECT_EQ(
      evaluation.warnings[0],
      "1 photograph appears in both the training and the test part of a split; first: a/2.bmp is "
      "a/copy.bmp");
}

// mechanics: names that are not UTF-8 survive in a model, in splits and in both reports.
TEST_F(LeafPhotographsTest, NamesMayHoldAnyBytes) {
  const std::string odd = "\xff\\x41\n\xc3\xa9.bmp";
  write_two_species(4);
  fs::rename(at("own/a/0.bmp"), at("own/a/" + odd));
  fs::rename(at("own/b"), at("own/b\xfe"));
  const std::string config = folder_.write("c.yaml", kSmall);
  const std::string data = " --quiet --config " + config + " --data " + at("own");
  const Outcome trained = run("train" + data + " --model " + at("m"));
  ASSERT_EQ(trained.code, 0) << trained.error;
  const LeafModel model = load_model(at("m"));
  EXPECT_EQ(model.sample_names[3], "a/" + odd);  // in byte order it is the last of its class
  EXPECT_EQ(model.class_names, (std::vector<std::string>{"a", "b\xfe"}));
  const Outcome saved =
      run("evaluate" + data + " --save-splits " + at("s.json") + " --json " + at("r.json"));
  ASSERT_EQ(saved.code, 0) << saved.error;
  const Outcome read = run("evaluate" + data + " --splits " + at("s.json"));
  EXPECT_EQ(read.code, 0) << read.error;
  const auto report = nlohmann::json::parse(read_file(at("r.json")));
  EXPECT_EQ(report.at("classes")[1].at("name"), "b\\xfe");
  const fs::path query = at("own/a/" + odd);
  const std::vector<ClassifiedLeaf> predictions =
      classify_leaves(model, std::vector<fs::path>{query}, 1, LeafRun{});
  const auto json = nlohmann::json::parse(json_text(classification_document(model, predictions)));
  EXPECT_EQ(unescape_bytes(json[0].at("image").get<std::string>()), query.string());
  EXPECT_NE(classification_table(model, predictions, 1).csv().find("\\xff\\x5cx41\n\xc3\xa9.bmp"),
            std::string::npos);
}

// invariant: every text is restored, and UTF-8 without a backslash is unchanged.
TEST(ByteEscapesTest, ComeBack) {
  std::mt19937 generator(7);
  constexpr std::array<const char*, 8> kParts = {"\\",   "x",        "4",    "f",
                                                 "\xff", "\xc3\xa9", "\xc3", "a"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t part = generator() % 9; part > 0; --part) {
      text += kParts[generator() % kParts.size()];
    }
    const std::string escaped = escape_bytes(text);
    EXPECT_EQ(unescape_bytes(escaped), text);
    EXPECT_NO_THROW(nlohmann::json(escaped).dump());
  }
  EXPECT_EQ(escape_bytes("a/\xe9t\xc3\xa9 \\ 100%.jpg"), "a/\\xe9t\xc3\xa9 \\ 100%.jpg");
}

// mechanics: the aspect of squeezed photographs belongs to their data set.
TEST_F(LeafPhotographsTest, TheShapeIsTheDataSetsOwn) {
  folder_.write("base.yaml", "data: {source: flavia, source_aspect: 4:3}\n");
  const auto aspect = [&](const std::string& text) {
    return load_leaf_config(folder_.write("c.yaml", text)).data.source_aspect;
  };
  EXPECT_EQ(aspect("base: base.yaml"), 4.0 / 3.0);
  EXPECT_EQ(aspect("base: base.yaml\ndata: {path: elsewhere}"), 4.0 / 3.0);
  EXPECT_EQ(aspect("base: base.yaml\ndata: {source: folders, path: own}"), 0.0);
  EXPECT_EQ(aspect("base: base.yaml\ndata: {source: folders, path: own, source_aspect: 1.5}"), 1.5);
  EXPECT_EQ(aspect("base: base.yaml\ndata: {source: generated}"), 0.0);
  EXPECT_EQ(aspect("base: base.yaml\ndata: {source_aspect: 0}"), 0.0);
  EXPECT_EQ(aspect("preparation: {geometry: published}\ndata: {source_aspect: 4:3}"), 4.0 / 3.0);
  EXPECT_EQ(parse_leaf_config(to_yaml(load_leaf_config(at("c.yaml"))), "again").data.source_aspect,
            4.0 / 3.0);
  const std::string old = folder_.write("old.yaml", "preparation: {source_aspect: 1.3333}");
  expect_refused(run("train --config " + old + " --model " + at("m")), 2, "data.source_aspect");
  const std::string wrong = "train --config " + at("c.yaml") + " --model " + at("m");
  for (const char* text : {"4:0", "4:", "x", "-1", "1000"}) {
    expect_refused(run(wrong + " --source-aspect=" + text), 2, text);
  }
}

// invariant: 12 bits in 16 are the photograph of 8 bits, with a warning unless --bits states them;
// as those of 16 bits they are too dark. FILE#N names a page.
TEST_F(LeafPhotographsTest, DeepPhotographsAndPagesAreRead) {
  write_two_species(3);
  ASSERT_EQ(run("train --quiet --config " + folder_.write("c.yaml", kSmall) + " --model " +
                at("m") + " --data " + at("own"))
                .code,
            0);
  const Image<std::uint8_t> image = leaf(0, 0);
  testing::TiffPage page{image.width(), image.height(), {testing::SampleStore::kUnsigned, 16}, {}};
  for (const std::uint8_t grey : image.pixels())
    page.values.push_back(std::round(grey * 4095 / 255.0));
  testing::TiffPage thumbnail{4, 4, {}, std::vector<double>(16)};
  thumbnail.tags[254] = 1;
  const std::string deep = folder_.write("deep.tif", testing::tiff_bytes({thumbnail, page}));
  const auto classify = [&](const std::string& more) {
    return run("classify --model " + at("m") + " --json - " + more);
  };
  const auto answer = [](const Outcome& outcome) {
    auto leaf = nlohmann::json::parse(outcome.out).at(0);
    for (const char* own : {"image", "warnings"}) leaf.erase(own);
    return leaf;
  };
  const Outcome plain = classify(at("own/a/0.bmp")), found = classify(deep),
                stated = classify(deep + "#2 --bits 12");
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(answer(found), answer(plain));
  EXPECT_NE(found.error.find("12 bits, 0 to 4095"), std::string::npos) << found.error;
  EXPECT_NE(found.error.find("page 2 of 2 was read"), std::string::npos) << found.error;
  EXPECT_EQ(answer(stated), answer(plain));
  EXPECT_EQ(stated.error, "");
  const Outcome dark = classify(deep + " --bits 16");
  EXPECT_EQ(dark.code, 3);
  EXPECT_NE(dark.error.find("grey values (page 2 of 2 was read"), std::string::npos) << dark.error;
}

// invariant: a squeezed photograph that is declared as such gives the original photograph;
// otherwise it is used as it is, with a warning if the model's own were squeezed.
TEST_F(LeafPhotographsTest, OnlyNamedPhotographsAreStretched) {
  for (int i = 0; i < 4; ++i) {
    photograph("own/a/" + std::to_string(i) + ".bmp", squeezed(leaf(0, i)));
    photograph("own/b/" + std::to_string(i) + ".bmp", squeezed(leaf(1, i)));
  }
  const std::string config =
      folder_.write("c.yaml", "data: {source: folders, path: own, source_aspect: 4:3}\n" + kSmall);
  ASSERT_EQ(run("train --quiet --config " + config + " --model " + at("m")).code, 0);
  ASSERT_EQ(
      run("train --quiet --config " + config + " --model " + at("plain") + " --data " + at("own"))
          .code,
      0);
  ASSERT_EQ(run("train --quiet --config " + config + " --model " + at("named") + " --data " +
                at("own") + " --source-aspect 4:3")
                .code,
            0);
  const LeafModel model = load_model(at("m"));
  EXPECT_EQ(load_model(at("named")).features.table().values, model.features.table().values);
  EXPECT_NE(load_model(at("plain")).features.table().values, model.features.table().values);
  EXPECT_EQ(load_model(at("plain")).config.data.source_aspect, 0.0);
  const std::string query = " " + at("own/a/0.bmp") + " --json -";
  const auto distance = [](const Outcome& outcome) {
    return nlohmann::json::parse(outcome.out)[0].at("outlier_score").get<double>();
  };
  const Outcome named = run("classify --model " + at("m") + query + " --source-aspect 4:3");
  EXPECT_EQ(named.error, "");
  const Outcome plain = run("classify --model " + at("m") + query);
  EXPECT_NE(plain.error.find("1 image is square"), std::string::npos) << plain.error;
  EXPECT_NE(plain.error.find("--source-aspect 4:3"), std::string::npos) << plain.error;
  // A photograph of the training set has no distance except for the rounding of float products in
  // batches of another size: a thousandth of the effect of the stretch is far above that.
  const double same = 1e-3 * distance(plain);
  EXPECT_GT(same, 0.0);
  EXPECT_LT(distance(named), same);
  const std::string wide = photograph("wide.bmp", leaf(0, 0));
  EXPECT_EQ(run("classify --model " + at("m") + " " + wide).error, "");
  const Outcome own = run("classify --model " + at("plain") + query);
  EXPECT_EQ(own.error, "");
  EXPECT_LT(distance(own), same);
}

// invariant: a row is the same in any batch, to 2e-6 of float products on each side.
TEST(LeafBatchTest, DoesNotChangeARow) {
  LeafConfig config =
      parse_leaf_config("features: {order: 4, channels: [grey, mask, gradient]}", "batch.yaml");
  config.preparation.size = 64;
  config.preparation.area = 500;
  MakerPool<float> makers(leaf_rows(config, 4), {});
  const Source source =
      leaf_source({5, [](std::size_t) { return std::string("leaf"); },
                   [](std::size_t i, MemoryReservation&, FileDigest&, StageLoad&) {
                     const int place = static_cast<int>(i);
                     return Photograph{leaf(place, place)};
                   }},
                  config.preparation);
  std::vector<float> alone, together;
  for (std::size_t i = 0; i < source.count; ++i) {
    const std::vector<float> row = rows_of(source, i, makers).values;
    alone.insert(alone.end(), row.begin(), row.end());
  }
  run_row_pipeline<float>(source, makers, {}, [&](const MadeRows<float>& made) {
    together.insert(together.end(), made.values.begin(), made.values.end());
  });
  ASSERT_EQ(alone.size(), together.size());
  const float largest = *std::max_element(together.begin(), together.end());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_NEAR(alone[i], together[i], 4e-6F * largest) << i;
  }
}

// mechanics: a page with too many images is refused before the first one is read.
TEST_F(LeafPhotographsTest, APageOfTooManyImagesIsRefused) {
  const std::string config = folder_.write(
      "c.yaml", "data: {source: generated, species: 2, leaves: 3, seed: 1}\n" + kSmall);
  ASSERT_EQ(run("train --quiet --config " + config + " --model " + at("m")).code, 0);
  fs::create_directory(at("many"));
  for (std::size_t i = 0; i <= kMaxExplainedImages; ++i) {
    folder_.write("many/" + std::to_string(i) + ".png", "");
  }
  const std::string explain = "classify --model " + at("m") + " --explain " + at("e.html") + " ";
  expect_refused(run(explain + at("many")), 2, "1001");
}

}  // namespace
}  // namespace leafglyph
