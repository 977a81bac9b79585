// The leaf pipeline on a few generated leaves: configuration, sweep, reports.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/report.h"
#include "classify/page/svg_plot.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

namespace fs = std::filesystem;

// mechanics: a written configuration reads back as the same.
TEST(LeafConfigTest, SurvivesWriting) {
  const LeafConfig config = small_config();
  const std::string yaml = to_yaml(config);
  const LeafConfig again = parse_leaf_config(yaml, "again.yaml");
  EXPECT_EQ(to_yaml(again), yaml);
  EXPECT_EQ(again.classifier, config.classifier);
  EXPECT_EQ(again.protocol, config.protocol);
  EXPECT_EQ(again.preparation, config.preparation);
  EXPECT_EQ(again.features.channels, config.features.channels);
  const LeafConfig weighted =
      parse_leaf_config("features: {family: 'gegenbauer:1', order: 4}", "weighted.yaml");
  const LeafConfig weighted_again = parse_leaf_config(to_yaml(weighted), "again.yaml");
  EXPECT_EQ(weighted_again.features.family, Family::kJacobi);
  EXPECT_EQ(weighted_again.features.weight, (JacobiWeight{0.5, 0.5}));
}

// mechanics: the treatment of stalks is written into the configuration, and so into models; older
// configurations keep them. An invalid word, and parts that have no blade, are refused with the
// key.
TEST(LeafConfigTest, SaysWhatBecomesOfStalks) {
  EXPECT_EQ(parse_leaf_config("preparation: {size: 64, area: 500}", "c").preparation.petiole,
            Petiole::kKeep);
  const LeafConfig cut = parse_leaf_config("preparation: {petiole: cut}", "c");
  EXPECT_EQ(cut.preparation.petiole, Petiole::kCut);
  EXPECT_EQ(parse_leaf_config(to_yaml(cut), "again").preparation, cut.preparation);
  EXPECT_THROW(parse_leaf_config("preparation: {petiole: off}", "c"), UsageError);
  EXPECT_THROW(parse_leaf_config("preparation: {petiole: cut, parts: all}", "c"), UsageError);
}

// mechanics: the same for every configuration that comes with the program.
TEST(LeafConfigTest, EveryConfigSurvivesWriting) {
  int configs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LEAFGLYPH_CONFIGS)) {
    if (!entry.path().filename().string().starts_with("leaf")) continue;
    SCOPED_TRACE(entry.path());
    ++configs;
    const LeafConfig config = load_leaf_config(entry.path());
    const std::string yaml = to_yaml(config);
    const LeafConfig again = parse_leaf_config(yaml, "again.yaml");
    EXPECT_EQ(to_yaml(again), yaml);
    EXPECT_EQ(again.data.source, config.data.source);
    EXPECT_EQ(again.data.path, config.data.path);
    EXPECT_EQ(again.data.generated.species, config.data.generated.species);
    EXPECT_EQ(again.data.generated.leaves_per_species, config.data.generated.leaves_per_species);
    EXPECT_EQ(again.data.generated.seed, config.data.generated.seed);
    EXPECT_EQ(again.data.source_aspect, config.data.source_aspect);
    EXPECT_EQ(again.preparation, config.preparation);
    EXPECT_EQ(again.features.family, config.features.family);
    EXPECT_EQ(again.features.weight, config.features.weight);
    EXPECT_EQ(again.features.order, config.features.order);
    EXPECT_EQ(again.features.channels, config.features.channels);
    EXPECT_EQ(again.features.measures, config.features.measures);
    EXPECT_EQ(again.features.precision, config.features.precision);
    EXPECT_EQ(again.classifier, config.classifier);
    EXPECT_EQ(again.tuning, config.tuning);
    EXPECT_EQ(again.protocol, config.protocol);
    EXPECT_EQ(again.sweep_orders, config.sweep_orders);
  }
  EXPECT_GE(configs, 7);
}

// mechanics: every possible folder name survives writing.
TEST(LeafConfigTest, KeepsUnusualPaths) {
  LeafConfig config = small_config();
  for (const std::string path : {"/a\nb\tc \"d\"\\e\x7f \u53F6: #", "/~", "/null", "/a: b", "/a #b",
                                 "/- x", "/ends ", "/{a, b]", "/'a'", "/\"", "/%a",
                                 "/\u0085\u2028\uFEFF", "/no UTF-8 \xE9t\xE9", "/\xFF\xC3"}) {
    config.data = {DataSource::kFolders, path, {}};
    EXPECT_EQ(parse_leaf_config(to_yaml(config), "again.yaml").data.path, config.data.path)
        << to_yaml(config);
  }
}

constexpr const char* kTuning =
    "tuning: {folds: 3, order: [4, 8], channels: [[inverted], [mask, inverted]], shrinkage: [0.2, "
    "0.6], "
    "k: [1, 3]}\n";

// mechanics: tuning is written and read back, done in every split and at every order, and settled
// when a model is trained.
TEST(LeafConfigTest, TuningIsDoneInsideTheTrainingLeaves) {
  const LeafConfig config = parse_leaf_config(std::string(kSmallConfig) + kTuning, "tuned.yaml");
  EXPECT_EQ(parse_leaf_config(to_yaml(config), "again.yaml").tuning, config.tuning);
  const LeafEvaluation evaluation = evaluate_leaves(config, {}, LeafRun{});
  EXPECT_EQ(evaluation.result.tuned.size(), 3U);
  const PageValues json = evaluation_document({.evaluation = evaluation});
  EXPECT_EQ(json.at("tuning").at("splits").size(), 3U);
  const std::string text = text_report(json);
  EXPECT_NE(text.find("3-fold cross-validation inside the training leaves, 16 candidates: order "
                      "of 4, 8; channels of [inverted], [mask, inverted]; shrinkage of 0.2, 0.6; "
                      "k of 1, 3\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" of 3 splits: order "), std::string::npos) << text;
  const LeafSweep sweep = sweep_leaves(config, config.sweep_orders, LeafRun{});
  EXPECT_NE(sweep.tuned.find("8 candidates: channels"), std::string::npos) << sweep.tuned;
  const TrainedLeaves trained = train_leaves(config, LeafRun{});
  EXPECT_FALSE(trained.model.config.tuning.asks());
  EXPECT_EQ(trained.model.features.layout(),
            feature_layout(trained.model.config.features, trained.model.config.features.order));
  EXPECT_NE(trained.tuned.find("; chosen: order "), std::string::npos) << trained.tuned;
}

// mechanics: each invalid line is refused with the file, the line and the key.
TEST(LeafConfigTest, NamesTheBadKey) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"features: {order: 1000}", "features.order"},
      {"features: {order: many}", "features.order"},
      {"features: {ordr: 10}", "features.ordr"},
      {"features: {family: hu}", "features.family"},
      {"features: {family: 'jacobi:-2:0'}", "features.family"},
      {"features: {channels: [grey, blue]}", "features.channels"},
      {"features: {channels: [grey, grey]}", "features.channels"},
      {"features: {channels: []}", "features.channels"},
      {"classifier: {k: 0}", "classifier.k"},
      {"classifier: {metric: euclid}", "classifier.metric"},
      {"classifier: {answered_share: 1.5}", "classifier.answered_share"},
      {"classifier: {outlier_score: distance}", "classifier.outlier_score"},  // gone
      {"pipeline: {prior_leaves: -1, projection: plda}", "pipeline.prior_leaves"},
      {"pipeline: {augmentation: 1}", "pipeline.augmentation"},
      {"pipeline: {projection: plda, augmentation: -1}", "pipeline.augmentation"},
      {"pipeline: {shrinkage: -1}", "pipeline.shrinkage"},
      {"pipeline: {projection: pca}", "pipeline.projection"},
      {"pipeline: {projection: plda}", "pipeline.projection: plda needs values: log-magnitude"},
      {"classifier: {vote: distance}", "classifier.vote"},
      {"pipeline: {measure_weight: 0}", "pipeline.measure_weight"},
      {"protocol: {kind: bootstrap}", "protocol.kind"},
      {"protocol: {train: 0}", "protocol.train"},
      {"data: {source: folders}", "data.path"},
      {"preparation: {size: 1}", "preparation.size"},
      {"preparations: {}", "preparations"},
      {"pipeline: {wear: 0.5}", "did you mean 'augmentation'?"},
      {"tuning: {rows: test, k: [1, 5]}", "tuning.rows"},
      {"tuning: {rows: all}", "tuning.rows"},
      {"tuning: {order: [30, 40]}", "tuning.order"},
      {"tuning: {channels: [[grey], [mask]]}", "tuning.channels"},
      {"tuning: {channels: [grey]}", "tuning.channels"},
      {"tuning: {shrinkage: [0.5]}", "tuning.shrinkage"},
      {"tuning: {k: [0]}", "tuning.k"},
      {"tuning: {folds: 1}", "tuning.folds"},
      {"sweep: {orders: [5, -1]}", "sweep.orders"}};
  for (const auto& [text, key] : cases) {
    const std::string message =
        refusal<UsageError>([&text = text] { parse_leaf_config(text, "bad.yaml"); });
    EXPECT_NE(message.find("bad.yaml"), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find(key), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

// agreement: one computation at the highest order is enough for all lower ones. A sweep fits no
// threshold, so that its leaves are classified once.
TEST(LeafTaskTest, SweepEqualsSeparateRuns) {
  LeafConfig config = small_config();
  config.classifier.answered_share = 1.0;
  const LeafSweep sweep = sweep_leaves(config, config.sweep_orders, LeafRun{});
  ASSERT_EQ(sweep.points.size(), 3U);
  for (const SweepPoint& point : sweep.points) {
    config.features.order = point.order;
    const LeafEvaluation alone = evaluate_leaves(config, {}, LeafRun{});
    EXPECT_EQ(alone.result.layout.columns(), point.columns);
    EXPECT_DOUBLE_EQ(alone.result.top1.mean, point.top1.mean) << "order " << point.order;
    EXPECT_DOUBLE_EQ(alone.result.top1.deviation, point.top1.deviation);
  }
}

// invariant: saved splits give the same predictions as drawn ones.
TEST(LeafTaskTest, SavedSplitsGiveTheSamePredictions) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "splits.json";
  const LeafEvaluation drawn = evaluate_leaves(small_config(), {{}, file}, LeafRun{});
  LeafConfig other = small_config();
  other.protocol.seed = 6;
  const LeafEvaluation read = evaluate_leaves(other, {file, {}}, LeafRun{});
  ProtocolSpec of_file = drawn.result.protocol;
  of_file.file = file.string();
  of_file.file_splits = 3;
  EXPECT_EQ(read.result.protocol, of_file);
  EXPECT_EQ(read.result.confusion, drawn.result.confusion);
  EXPECT_DOUBLE_EQ(read.result.top1.mean, drawn.result.top1.mean);
}

// regression: with only a handful of leaves per species, most known ones are still answered. The
// required share is 0.95; a threshold from six leaves of a species cannot be that exact.
TEST(LeafTaskTest, FewTrainingLeavesStillGivePredictions) {
  const LeafConfig config = parse_leaf_config(R"(
data: {source: generated, species: 6, leaves: 12, seed: 4}
preparation: {size: 64, area: 500}
features: {order: 30, channels: [inverted, mask, standardised], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}
classifier: {k: 5, metric: cosine, answered_share: 0.95}
protocol: {leaves: random, train: 6, test: 6, repeats: 5, seed: 5}
)",
                                              "few.yaml");
  const LeafEvaluation evaluation = evaluate_leaves(config, {}, LeafRun{});
  EXPECT_GT(evaluation.result.answered.mean, 0.8);
}

// oracle: the words of leaves of held-back species, counted one by one; text and JSON have them.
TEST(LeafTaskTest, LeavesOfHeldBackSpeciesHaveWords) {
  const LeafConfig config = parse_leaf_config(R"(
data: {source: generated, species: 6, leaves: 12, seed: 4}
preparation: {size: 64, area: 500}
features: {order: 10, channels: [inverted, mask], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}
classifier: {k: 5, metric: cosine, answered_share: 0.95}
protocol: {leaves: random, train: 6, test: 6, repeats: 2, held_back: 2, seed: 5}
)",
                                              "held_back.yaml");
  const LeafEvaluation evaluation = evaluate_leaves(config, {}, LeafRun{});
  const EvaluationResult& result = evaluation.result;
  ASSERT_EQ(result.unknown_predictions.size(), 2U * 2U * 12U);
  const PageValues json = evaluation_document({.evaluation = evaluation});
  for (std::size_t w = 0; w < kWords; ++w) {
    const auto word = static_cast<Word>(w);
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        result.unknown_predictions,
        [&](const TestPrediction& prediction) { return prediction.decision.word() == word; }));
    EXPECT_EQ(result.unknown_words[w].predictions, count) << name_of(word);
    EXPECT_EQ(result.unknown_words[w].right, word == Word::kUnknown ? count : 0) << name_of(word);
    EXPECT_EQ(json.at("unknown_words").at(std::string(name_of(word))).get<std::size_t>(), count);
  }
  const double unknown =
      result.unknown_words[static_cast<std::size_t>(Word::kUnknown)].share(2U * 2U * 12U);
  EXPECT_NE(text_report(json).find("; unknown " + percent(unknown) + " %\n"), std::string::npos);
}

// mechanics: what is refused, and how.
TEST(LeafTaskTest, TooFewLeavesForTheProtocolAreRefused) {
  LeafConfig config = small_config();
  config.protocol.train_leaves = 40;
  EXPECT_THROW(evaluate_leaves(config, {}, LeafRun{}), UsageError);
}

// mechanics: reports contain the figures, parse, and quote where necessary.
TEST(LeafReportTest, HoldsTheFigures) {
  const LeafEvaluation evaluation = evaluate_leaves(small_config(), {}, LeafRun{});
  const PageValues document = evaluation_document({.evaluation = evaluation});
  const auto json = nlohmann::json::parse(json_text(document));
  EXPECT_DOUBLE_EQ(json.at("top1").at("mean").get<double>(), evaluation.result.top1.mean);
  EXPECT_EQ(json.at("splits").size(), 3U);
  EXPECT_EQ(json.at("protocol").at("seed").get<int>(), 5);
  EXPECT_EQ(json.at("confusion").size(), 4U);
  const std::string text = text_report(document);
  EXPECT_NE(text.find(describe(evaluation.result.protocol)), std::string::npos);
  EXPECT_NE(text.find(percent(evaluation.result.top1.mean)), std::string::npos);
  EXPECT_EQ(csv_shown_field("a"), "a");
  EXPECT_EQ(csv_shown_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_shown_field("=cmd|calc!A1"), "'=cmd|calc!A1");  // text, not a spreadsheet formula
  EXPECT_EQ(csv_shown_field("-1,2"), "\"'-1,2\"");
}

// oracle: what printf writes.
TEST(ReportNumbers, HaveFixedDecimals) {
  EXPECT_EQ(percent(0.97253), "97.25");
  EXPECT_EQ(share_text(2.0 / 3.0), "0.666667");
  EXPECT_EQ(seconds_text(1234.0625), "1234.062");  // a tie goes to the even digit
}

// mechanics: text is escaped, and a plot without data refused.
TEST(SvgPlotTest, EscapesTextAndRefusesNothingToDraw) {
  Plot plot;
  plot.title = "a < b & c";
  EXPECT_THROW(svg_plot(plot), UsageError);
  plot.series = {{"one", {{1, 2, 1.5, 2.5}, {3, 4, {}, {}}}, false},
                 {"<two>", {{2, 3, {}, {}}}, true}};
  const std::string svg = svg_plot(plot);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("&lt;two&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("<two>"), std::string::npos);
  plot.series[0].points[0].y = std::nan("");
  EXPECT_THROW(svg_plot(plot), UsageError);
}

}  // namespace
}  // namespace leafglyph
