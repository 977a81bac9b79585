// The parts of reports: text as HTML, pictures, learning and rejection curves, plots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_evidence.h"
#include "classify/leaf/leaf_study.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/learning_curve.h"
#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/html_report.h"
#include "classify/leaf_report/report.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "classify/page/svg_plot.h"
#include "features/base/errors.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

constexpr const char* kReported = R"(
data: {source: generated, species: 5, leaves: 7, seed: 3}
preparation: {size: 64, area: 500}
features: {order: 4, channels: [grey, mask], measures: true}
pipeline: {values: log-magnitude, scaling: standardise}
classifier: {k: 3}
protocol: {leaves: random, train: 5, test: 2, repeats: 3, seed: 7}
sweep: {orders: [2, 6]}
)";

// mechanics: characters with a meaning in HTML, and bytes that are not UTF-8, are never passed on.
TEST(HtmlText, EscapesWhatHasAMeaning) {
  EXPECT_EQ(html_escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html_escaped("\xE5\xB7\xB1 \xC2\xB1 \xF0\xA0\x80\x80"),
            "\xE5\xB7\xB1 \xC2\xB1 \xF0\xA0\x80\x80");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(html_escaped("\xFFx"), bad + "x");
  EXPECT_EQ(html_escaped("\xC3"), bad);                                // cut off
  EXPECT_EQ(html_escaped("\xC0\xBC"), bad + bad);                      // '<' in an overlong form
  EXPECT_EQ(html_escaped("\xED\xA0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(html_escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // above U+10FFFF
}

// oracle: the test vectors of RFC 4648, section 10.
TEST(HtmlText, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(data_uri("image/png", "\xFF\xFE"), "data:image/png;base64,//4=");
}

// invariant: smaller training sets are subsets of larger ones, the largest is the split itself, and
// the test leaves stay.
TEST(LearningCurve, ThinnedSplitsAreNested) {
  const std::vector<int> labels = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2};
  const std::vector<Split> splits = {{{0, 1, 2, 4, 5, 6, 7, 9, 10}, {3, 8, 11}},
                                     {{1, 2, 3, 5, 6, 7, 8, 10, 11}, {0, 4, 9}}};
  std::vector<Split> smaller = thinned_splits(splits, labels, 1, 5);
  for (const std::size_t leaves : {2, 3, 4}) {
    const std::vector<Split> larger = thinned_splits(splits, labels, leaves, 5);
    for (std::size_t s = 0; s < splits.size(); ++s) {
      EXPECT_EQ(larger[s].test, splits[s].test);
      EXPECT_TRUE(std::includes(larger[s].train.begin(), larger[s].train.end(),
                                smaller[s].train.begin(), smaller[s].train.end()));
      EXPECT_TRUE(std::is_sorted(larger[s].train.begin(), larger[s].train.end()));
      for (const int label : {0, 1, 2}) {
        const auto of_class = [&](const Split& split) {
          return static_cast<std::size_t>(
              std::count_if(split.train.begin(), split.train.end(),
                            [&](std::size_t row) { return labels[row] == label; }));
        };
        EXPECT_EQ(of_class(larger[s]), std::min(leaves, of_class(splits[s])));
      }
    }
    smaller = larger;
  }
  EXPECT_EQ(smaller, splits);  // no class has more than 4
}

// agreement: order sweep and learning curve end at the evaluation's figures.
TEST(LeafStudy, CurvesAgreeWithTheEvaluation) {
  LeafConfig config = parse_leaf_config(kReported, "small");
  config.sweep_orders = {2, config.features.order};
  const LeafStudy study = study_leaves(config, {}, {.curves = true}, {});
  ASSERT_TRUE(study.sweep && study.learning);
  EXPECT_EQ(study.sweep->points.back().top1.mean, study.evaluation.result.top1.mean);
  EXPECT_EQ(study.learning->points.back().leaves, 5U);
  EXPECT_EQ(study.learning->points.back().top1.mean, study.evaluation.result.top1.mean);
  EXPECT_EQ(study.learning->points.back().interval.low, study.evaluation.result.interval.low);
  const LeafEvaluation alone = evaluate_leaves(config, {}, {});
  EXPECT_EQ(alone.result.confusion, study.evaluation.result.confusion);
}

// agreement: the unperturbed line of the perturbation table is the evaluation of its split; every
// picture is counted once, and page and text show the table.
TEST(LeafStudy, PerturbedPicturesAreCounted) {
  LeafConfig config = parse_leaf_config(kReported, "small");
  config.protocol.repeats = 1;
  const LeafStudy study = study_leaves(config, {}, {.perturbed = true}, {});
  ASSERT_TRUE(study.perturbed);
  const EvaluationResult& result = study.evaluation.result;
  const PerturbedScore& none = study.perturbed->leaves.front();
  EXPECT_EQ(none.name, "none");
  EXPECT_EQ(none.pictures, result.predictions.size());
  EXPECT_DOUBLE_EQ(none.share(none.right), result.top1.mean);
  for (const PerturbedScore& score : study.perturbed->leaves) {
    EXPECT_EQ(score.pictures, none.pictures) << score.name;
    EXPECT_LE(score.unknown + score.refused + score.misidentified, score.pictures) << score.name;
  }
  for (const PerturbedScore& score : study.perturbed->leafless) {
    EXPECT_EQ(score.pictures, kLeaflessPictures);
    EXPECT_EQ(score.right, 0U) << score.name;
    EXPECT_EQ(score.unknown + score.refused + score.misidentified, score.pictures) << score.name;
  }
  EXPECT_NE(html_report(std::span(&study, 1)).find("id=\"perturbed\""), std::string::npos);
  const PageValues document = evaluation_document(study);
  EXPECT_NE(text_report(document).find("half shadow"), std::string::npos);
  EXPECT_EQ(document["perturbed"]["leaves"][0]["shares"]["right"].get<double>(),
            none.share(none.right));
  config.protocol.kind = ProtocolKind::kLeaveOneOut;
  EXPECT_THROW(study_leaves(config, {}, {.perturbed = true}, {}), UsageError);
}

// mechanics: leave-one-out has no learning curve, and its page does not mention one.
TEST(LeafStudy, LeaveOneOutHasNoCurves) {
  LeafConfig config = parse_leaf_config(kReported, "small");
  config.protocol.kind = ProtocolKind::kLeaveOneOut;
  const LeafStudy study = study_leaves(config, {}, {.curves = true}, {});
  EXPECT_FALSE(study.learning);
  EXPECT_FALSE(study.sweep);
  const std::string page = html_report(std::span(&study, 1));
  EXPECT_EQ(page.find("id=\"learning\""), std::string::npos);
  EXPECT_EQ(page.find("id=\"order\""), std::string::npos);
  EXPECT_NE(page.find("id=\"rejection\""), std::string::npos);
}

EvaluationResult four_predictions() {
  EvaluationResult result;
  result.class_names = {"a", "b"};
  result.scientific_names = {"", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    TestPrediction prediction;
    prediction.split = i / 2;
    prediction.sample = i == 3 ? 0 : i;
    prediction.ranking = {{i == 1 || i == 3 ? 1 : 0, 1.0, 0.0F, 1}};
    prediction.outlier_score = i == 1 ? 9.0 : static_cast<double>(i);
    result.predictions.push_back(prediction);
  }
  result.splits.resize(2);
  result.classes = {{4, 2, 2}, {0, 0, 2}};
  result.confusion = {2, 2, 0, 0};
  return result;
}

// oracle: by hand: each split has one right prediction, the one with the smallest outlier score.
TEST(RejectionCurve, RefusesTheFarthestFirst) {
  const std::vector<RejectionPoint> curve = rejection_curve(four_predictions());
  ASSERT_EQ(curve.size(), 11U);
  EXPECT_DOUBLE_EQ(curve.front().answered, 0.5);
  EXPECT_EQ(curve.front().correct.mean, 1.0);
  EXPECT_DOUBLE_EQ(curve.back().answered, 1.0);
  EXPECT_EQ(curve.back().correct.mean, 0.5);
}

// oracle: by hand: leaf 0 is right in one split and wrong in the other.
TEST(Mistakes, AreCountedByLeaf) {
  const std::vector<MistakenLeaf> leaves = mistaken_leaves(four_predictions());
  ASSERT_EQ(leaves.size(), 2U);
  EXPECT_EQ(leaves[0].sample, 0U);
  EXPECT_EQ(leaves[0].tests, 2U);
  EXPECT_EQ(leaves[0].mistakes, std::vector<std::size_t>{3});
  EXPECT_EQ(leaves[1].sample, 1U);
  EXPECT_EQ(leaves[1].tests, 1U);
}

// mechanics: every non-empty cell is drawn, with its count in words; a thousand classes give a
// picture, too.
TEST(Confusion, DrawsEveryCell) {
  const std::string svg = confusion_picture(four_predictions());
  EXPECT_NE(svg.find("a identified as b: 2 of 4"), std::string::npos);
  EXPECT_NE(svg.find("a identified as a: 2 of 4"), std::string::npos);
  EXPECT_EQ(svg.find("b identified as"), std::string::npos);
  EvaluationResult many;
  many.class_names.assign(1000, "<a long name of a species> and more");
  many.classes.resize(1000);
  many.confusion.assign(1'000'000, 0);
  many.classes[3].tests = 1;
  many.confusion[3 * 1000 + 4] = 1;
  const std::string large = confusion_picture(many);
  EXPECT_NE(large.find("1 of 1"), std::string::npos);
  EXPECT_EQ(large.find("<a long"), std::string::npos);
}

// mechanics: a plot has the requested size, and no room for a title if it has none.
TEST(SvgPlot, TakesItsSize) {
  Plot plot;
  plot.x_label = "x";
  plot.series = {{"series", {{1, 2, {}, {}}, {2, 3, 2.5, 3.5}}, false}};
  plot.width = 372;
  plot.height = 340;
  const std::string svg = svg_plot(plot);
  EXPECT_NE(svg.find("viewBox=\"0 0 372 340\""), std::string::npos);
  EXPECT_EQ(svg.find("font-weight"), std::string::npos);
  plot.title = "A <title>";
  EXPECT_NE(svg_plot(plot).find("A &lt;title&gt;"), std::string::npos);
}

// The labels of both axes; those of x are centred on their ticks, those of y are to the left of
// them.
std::size_t tick_labels(const std::string& svg) {
  std::size_t count = 0;
  for (const char* anchor :
       {"text-anchor=\"end\" font-size=\"12\"", "text-anchor=\"middle\" font-size=\"12\""}) {
    for (std::size_t at = svg.find(anchor); at != std::string::npos;
         at = svg.find(anchor, at + 1)) {
      ++count;
    }
  }
  return count;
}

Plot plot_of(const std::vector<double>& ys) {
  Plot plot;
  plot.x_label = "x";
  plot.series = {{"series", {}, false}};
  for (const double y : ys) {
    const auto x = static_cast<double>(plot.series[0].points.size());
    plot.series[0].points.push_back({x, y, y, y});
  }
  return plot;
}

// mechanics: whatever the values are, and however little they differ, an axis has a few ticks and
// every number in the plot is finite.
TEST(SvgPlot, AnAxisHasFewTicks) {
  constexpr double kLeastNormal = std::numeric_limits<double>::min();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> all = {
      {100, 100, 100},
      {100},
      {99.99999999999999, 100},
      {std::nextafter(100.0, 0.0), 100, std::nextafter(100.0, 200.0)},
      {1e6, 1e6 + 1e-9},
      {-3, -3 - 1e-15},
      {1.0 / 3, 1.0 / 3},
      {1e300},
      {1e300, std::nextafter(1e300, 0.0)},
      {-1e300, 1e300},
      {1e300, 0},
      {kLeast, 0},
      {kLeast, -kLeast, kLeastNormal},
      {1e-12, 2e-12},
      {0, -0.0},
      {97.5, 98.25, 98.625}};
  for (const std::vector<double>& ys : all) {
    SCOPED_TRACE(::testing::PrintToString(ys));
    Plot plot = plot_of(ys);
    for (int turned = 0; turned < 2; ++turned) {
      const std::string svg = svg_plot(plot);
      EXPECT_GE(tick_labels(svg), 4U);
      EXPECT_LE(tick_labels(svg), 30U);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      for (PlotPoint& point : plot.series[0].points) {
        std::swap(point.x, point.y);
        point.low = point.high = point.y;
      }
    }
  }
}

// mechanics: values that differ only in their last bit are drawn like equal ones.
TEST(SvgPlot, TheLastBitMakesNoDifference) {
  EXPECT_EQ(svg_plot(plot_of({99.99999999999999, 100})), svg_plot(plot_of({100, 100})));
}

// mechanics: values that are not numbers, and values that leave no room for an axis, are refused.
TEST(SvgPlot, RefusesWhatItCannotShow) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1.0001e300, -1e308}) {
    EXPECT_THROW(svg_plot(plot_of({1, bad})), UsageError) << bad;
    Plot across = plot_of({1, 2});
    across.series[0].points[0].x = bad;
    EXPECT_THROW(svg_plot(across), UsageError) << bad;
    Plot bars = plot_of({1, 2});
    bars.series[0].points[0].high = bad;
    EXPECT_THROW(svg_plot(bars), UsageError) << bad;
  }
  EXPECT_THROW(svg_plot(plot_of({})), UsageError);
}

// mechanics: a page is complete without pictures if the training leaves are gone; a file that is
// not an image has none.
TEST(Pictures, MissingFilesAreSaid) {
  const TemporaryFolder folder;
  EXPECT_FALSE(file_picture(folder.path() / "none.jpg", 0, 100));
  EXPECT_FALSE(file_picture(folder.write("text.jpg", "no image"), 0, 100));
  EXPECT_FALSE(file_picture(folder.write("empty.jpg", ""), 0, 100));
  const std::string box = html_picture(std::nullopt, "leaf <1>");
  EXPECT_NE(box.find("leaf &lt;1&gt;; its file cannot be read"), std::string::npos);
}

// mechanics: pictures of square files have the shape they had before they were squeezed; others
// keep their own.
TEST(Pictures, HaveTheShapeOfThePhotograph) {
  const LeafConfig config = parse_leaf_config(kReported, "small");
  const LeafDataset dataset = load_dataset(config.data);
  LeafPictures plain(dataset, /*aspect=*/0.5, 100);
  ASSERT_TRUE(plain.of(0));
  EXPECT_EQ(plain.of(0)->width, 100);
  EXPECT_EQ(plain.of(0)->height, 75);  // generated leaves are 640 x 480
  const TemporaryFolder folder;
  const std::filesystem::path square = folder.path() / "square.bmp";
  write_grey_bmp(square, Image<std::uint8_t>(200, 200, 99));
  EXPECT_EQ(file_picture(square, 0.5, 100)->width, 50);
  EXPECT_EQ(file_picture(square, 0.5, 100)->height, 100);
  EXPECT_EQ(file_picture(square, 0, 100)->width, 100);
}

// mechanics: folders called like a genus and a species are shown as these are written; other names
// stay as they are.
TEST(ShownSpecies, LatinFoldersHaveSpaces) {
  EXPECT_EQ(shown_species("Acer_negundo"), "Acer negundo");
  EXPECT_EQ(shown_species("Ilex_perado_ssp_azorica"), "Ilex perado ssp azorica");
  EXPECT_EQ(shown_species("Hydrangea_sp"), "Hydrangea sp");
  for (const char* name : {"", "_", "A_b", "Acer_", "Acer_Negundo", "acer_negundo", "ACER_negundo",
                           "Acer negundo", "Acer2_x", "oak_1", "\xE6\xA7\xAD_x"}) {
    EXPECT_FALSE(is_latin_folder(name)) << name;
    EXPECT_EQ(shown_species(name), name);
  }
}

// agreement: with a single channel and no measures, that channel's prediction is the model's; a
// leaf without a prediction gets no parts.
TEST(PartAnswers, OfOnePartAreTheModels) {
  LeafConfig config = parse_leaf_config(kReported, "small");
  config.features.measures = false;
  config.features.channels = {Channel::kGrey};
  const LeafModel model = train_leaves(config, {}).model;
  std::vector<ClassifiedLeaf> leaves(3);
  for (const std::size_t i : {0, 2}) {
    const FeatureTable row = select_rows(model.features.table(), std::vector<std::size_t>{i * 9});
    leaves[i].features = row.values;
    leaves[i].prediction = model.classifier.predict(row, 1).front();
  }
  const auto parts = explain(model, PartClassifiers(model), leaves);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(parts[1].empty());
  for (const std::size_t i : {0, 2}) {
    ASSERT_EQ(parts[i].size(), 1U);
    EXPECT_EQ(parts[i][0].part, "grey");
    ASSERT_TRUE(parts[i][0].prediction);
    EXPECT_EQ(parts[i][0].prediction->neighbours, leaves[i].prediction->neighbours);
  }
}

// oracle: templates filled by hand: text is escaped, HTML is not; lists and missing values.
TEST(PageTemplate, PutsValuesIntoTheirPlaces) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(filled_template("<p>{{a}} {{{b}}} {{c}}</p>\n",
                            {{"a", "\xE5\xB7\xB1 <'&\">"}, {"b", "<b>1</b>"}, {"c", "\xFFx"}}),
            "<p>\xE5\xB7\xB1 &lt;&#39;&amp;&quot;&gt; <b>1</b> " + bad + "x</p>");
  const char* list =
      "{{#of}}{{n}}:{{all}}{{#last}}!{{/last}}{{^last}},{{/last}}{{/of}}{{^of}}-{{/of}}";
  EXPECT_EQ(
      filled_template(
          list, {{"all", 2}, {"of", {{{"n", 1}, {"last", false}}, {{"n", 2}, {"last", true}}}}}),
      "1:2,2:2!");
  EXPECT_EQ(filled_template(list, {{"of", PageValues::array()}}), "-");
  EXPECT_EQ(filled_template(list, {{"of", nullptr}}), "-");
  EXPECT_EQ(filled_template("{{#of}}{{.}};{{/of}}", {{"of", {"a", "<"}}}), "a;&lt;;");
  EXPECT_EQ(filled_template("{{value}}", {{"value", "{{other}}"}, {"other", 1}}), "{{other}}");
  EXPECT_THROW(filled_template("{{#open}}", {{"open", true}}), UsageError);
}

// oracle: figures written by hand in each format, with dotted keys, numbers of elements and widths;
// the dotted key of a figure is that in the document.
TEST(PageTemplate, WritesFigures) {
  const PageValues document = {
      {"top1", {{"mean", 0.12345}, {"tests", 8}}},
      {"seconds", {{"read", 1.5}, {"train", 0.25}}},
      {"rows", {{{"name", "Acer_x"}, {"right", 1.0}}, {{"name", "007"}, {"right", 0.5}}}},
      {"none", PageValues::array()},
      {"empty", ""},
      {"size", 100000.0}};
  const auto filled = [&](std::string_view markup) {
    return filled_template(markup, {{"width", 9}}, document);
  };
  EXPECT_EQ(filled("{{top1.mean|percent}} {{top1.mean|number}} {{size|.6g}} {{top1.tests}}"),
            "12.35 0.12345 100000 8");
  EXPECT_EQ(filled("{{top1.mean|percent.1f}} {{top1.mean|.2f}} {{top1.mean|distance}}"),
            "12.3 0.12 0.123");
  EXPECT_EQ(
      filled("{{{top1.mean|figure}}}{{#top1}}{{{tests|figure}}}{{/top1}}"),
      "<span data-figure=\"top1.mean\">12.35</span><span data-figure=\"top1.tests\">8</span>");
  EXPECT_EQ(filled("{{#rows}}{{@}}:{{{right|figure}}};{{/rows}}"),
            "1:<span data-figure=\"rows.0.right\">100.00</span>;"
            "2:<span data-figure=\"rows.1.right\">50.00</span>;");
  EXPECT_EQ(filled("{{rows.1.name}}|{{rows.0.name|species}}|{{rows.2.name}}"), "007|Acer x|");
  EXPECT_EQ(filled("{{#rows.0.name|latin}}L{{/rows.0.name|latin}}{{^rows.1.name|latin}}-"
                   "{{/rows.1.name|latin}}"),
            "L-");
  EXPECT_EQ(filled("{{rows|count}}{{#rows|several}}s{{/rows|several}}{{^none|any}}!{{/none|any}}"
                   "{{^empty}}?{{/empty}}"),
            "2s!?");
  EXPECT_EQ(filled("[{{top1.tests|>4}}][{{rows.1.name|<width}}][{{top1.mean|percent>7}}]"),
            "[   8][007      ][  12.35]");
  EXPECT_EQ(filled("{{seconds|times}}; {{seconds.read|seconds}}"),
            "read 1.500, train 0.250; 1.500");
  EXPECT_EQ(filled_text("{{a}}", {{"a", "<&\xFF"}}, {}), "<&\xFF");
  EXPECT_THROW(filled("{{top1.mean|permille}}"), UsageError);
}

// mechanics: species names with HTML characters, in other scripts or in none, appear on the pages
// unchanged, and never as markup.
TEST(HtmlReport, EscapesNames) {
  LeafStudy study{evaluate_leaves(parse_leaf_config(kReported, "a <b> & c"), {}, {})};
  EvaluationResult& result = study.evaluation.result;
  result.class_names[0] = "<i>\"Acer\" & 'co'</i>";
  result.class_names[1] = "\xE9\x93\xB6\xE6\x9D\x8F";
  result.class_names[2] = "\xFF";
  result.scientific_names[0] = "<u>";
  study.evaluation.warnings = {"<s>"};
  study.evaluation.errors = {"<script>"};
  const std::string page = html_report(std::span(&study, 1));
  for (const char* markup : {"<i>\"", "<u>", "<s>", "\xFF", "<script>alert", "a <b>"}) {
    EXPECT_EQ(page.find(markup), std::string::npos) << markup;
  }
  for (const char* text :
       {"&lt;i&gt;&quot;Acer&quot; &amp; &#39;co&#39;&lt;/i&gt;", "\xE9\x93\xB6\xE6\x9D\x8F",
        "\xEF\xBF\xBD", "<em>&lt;u&gt;</em>", "<li>&lt;s&gt;</li>", "<li>&lt;script&gt;</li>",
        "a &lt;b&gt; &amp; c", "<title>How well "}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

// mechanics: an empty report is refused.
TEST(HtmlReport, NeedsAnEvaluation) { EXPECT_THROW(html_report({}), UsageError); }

}  // namespace
}  // namespace leafglyph
