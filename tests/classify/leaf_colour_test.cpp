// Colours as features: when they are used, and what a model that needs them refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/report.h"
#include "features/base/errors.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

namespace fs = std::filesystem;

LeafConfig config_of(DrawnColours colours, FeatureColour features) {
  LeafConfig config = small_config();
  config.data.generated.colours = colours;
  config.features.colour = features;
  return config;
}

std::size_t columns(int order) { return moment_count(Family::kZernike, order); }

// Grey and coloured photographs of the same four species in folders.
class ColourFolders : public ::testing::Test {
 protected:
  ColourFolders() {
    for (const auto& [name, colours] :
         {std::pair("grey", DrawnColours::kNone), std::pair("coloured", DrawnColours::kLamps)}) {
      write_synthetic_leaves({4, 6, 3, colours}, folder_.path() / name);
    }
  }
  LeafConfig config(FeatureColour colour) const {
    LeafConfig config = small_config();
    config.data.source = DataSource::kFolders;
    config.data.path = folder_.path() / "coloured";
    config.features.colour = colour;
    config.preparation.finder = Finder::kBest;  // which reads colours regardless of features.colour
    return config;
  }
  fs::path photograph(const std::string& kind) const {
    const fs::path species = *fs::directory_iterator(folder_.path() / kind);
    return species / "0001.png";
  }

  TemporaryFolder folder_;
};

// agreement: auto on grey leaves equals none, bit by bit, and the model needs no colours.
TEST(LeafColours, GreyLeavesAreAsWithout) {
  const LeafModel without =
      train_leaves(config_of(DrawnColours::kNone, FeatureColour::kNone), LeafRun{}).model;
  const LeafModel model =
      train_leaves(config_of(DrawnColours::kNone, FeatureColour::kAuto), LeafRun{}).model;
  EXPECT_EQ(model.features.layout(), without.features.layout());
  EXPECT_EQ(model.features.table().values, without.features.table().values);
  EXPECT_EQ(model.config.features.colour, FeatureColour::kNone);
  EXPECT_FALSE(model.history.colour);
  EXPECT_NE(model_text(model_document(model)).find("grey or colour photographs"),
            std::string::npos);
  // Older configurations do not mention colours.
  EXPECT_EQ(parse_leaf_config(kSmallConfig, "small.yaml").features.colour, FeatureColour::kNone);
}

// oracle: two more channels and four more measures; the grey columns are unchanged.
TEST(LeafColours, AddColumns) {
  const LeafModel grey =
      train_leaves(config_of(DrawnColours::kDaylight, FeatureColour::kNone), LeafRun{}).model;
  const LeafModel lab =
      train_leaves(config_of(DrawnColours::kDaylight, FeatureColour::kLab), LeafRun{}).model;
  const FeatureLayout& layout = lab.features.layout();
  EXPECT_EQ(layout.group_names(), (std::vector<std::string>{"inverted", "mask", "a", "b",
                                                            "measures", "measures of colour"}));
  EXPECT_EQ(layout.columns(), 4 * columns(8) + 8);
  const std::vector<std::string> names = column_names(layout);
  EXPECT_EQ(names[2 * columns(8)], "a_Z_0_0");
  EXPECT_EQ(names.back(), "spread-b");
  EXPECT_EQ(without_colour(lab.features.table()).layout, grey.features.layout());
  EXPECT_EQ(without_colour(lab.features.table()).values, grey.features.table().values);
}

// Rows of two classes: one grey channel and one of colour, each of which may separate the classes.
FeatureTable rows(bool grey_tells, bool colour_tells, std::vector<int>& labels) {
  FeatureTable table;
  table.layout.order = 1;
  table.layout.groups = {{"grey"}, {"a"}};
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 40; ++i) {
    const float label = static_cast<float>(i % 2);
    for (const bool tells : {grey_tells, colour_tells}) {
      // Noise of 50 hides a difference of 20 from distances.
      table.values.push_back(tells ? 20 * label + normal(generator) : 50 * normal(generator));
      table.values.push_back(tells ? normal(generator) : 50 * normal(generator));
    }
    labels.push_back(i % 2);
  }
  return table;
}

// oracle: auto uses colours that separate the classes. It leaves out colours that change nothing,
// since a model without them supports grey photographs, too, and colours that hide what separates
// the classes.
TEST(LeafColours, AreChosenWhereTheyAreBetter) {
  const LeafConfig config = config_of(DrawnColours::kNone, FeatureColour::kAuto);
  for (const auto& [grey, colour] :
       {std::pair(false, true), std::pair(true, true), std::pair(true, false)}) {
    std::vector<int> labels;
    const FeatureTable table = rows(grey, colour, labels);
    const TunedSettings best =
        tune(table, labels, tuning_for(config, table.layout), ClassifierSpec{});
    LeafConfig chosen = config;
    settle(best.settings, chosen);
    const bool better = colour && !grey;
    EXPECT_EQ(chosen.features.colour, better ? FeatureColour::kLab : FeatureColour::kNone);
    EXPECT_EQ(chosen.features.channels, std::vector{Channel::kGrey});
    ASSERT_TRUE(best.gain);
    EXPECT_EQ(best.gain->with > best.gain->without, better);
    EXPECT_EQ(best.gain->with == best.gain->without, colour && grey);
    EXPECT_EQ(describe(best, tuning_for(config, table.layout)).starts_with("with "), better);
    EXPECT_EQ(best.accuracy, std::max(best.gain->with, best.gain->without));
  }
}

// mechanics: with none and lab there is nothing to choose.
TEST(LeafColours, AreChosenByAutoAlone) {
  std::vector<int> labels;
  const FeatureTable table = rows(true, false, labels);
  for (const FeatureColour colour : {FeatureColour::kNone, FeatureColour::kLab}) {
    EXPECT_FALSE(tuning_for(config_of(DrawnColours::kNone, colour), table.layout).asks());
  }
}

// invariant: a model made with auto is read back with its choice and states what it needs; grey
// photographs are refused with one line each, and the others answered.
TEST_F(ColourFolders, AModelSaysWhatItNeeds) {
  const TrainedLeaves trained = train_leaves(config(FeatureColour::kAuto), LeafRun{});
  ASSERT_TRUE(trained.model.history.colour);
  const OptionalGain gain = *trained.model.history.colour;
  EXPECT_EQ(trained.model.config.features.colour,
            gain.with > gain.without ? FeatureColour::kLab : FeatureColour::kNone);
  EXPECT_NE(trained.tuned.find("% of the leaves are identified correctly with colours"),
            std::string::npos);

  save_model(train_leaves(config(FeatureColour::kLab), LeafRun{}).model,
             WriteLock(folder_.path() / "model"));
  save_model(trained.model, WriteLock(folder_.path() / "chosen"));
  EXPECT_EQ(load_model(folder_.path() / "chosen").history.colour, gain);
  const LeafModel model = load_model(folder_.path() / "model");
  EXPECT_EQ(model.config.features.colour, FeatureColour::kLab);
  EXPECT_NE(model_text(model_document(model)).find("needs          colour photographs"),
            std::string::npos);
  const std::vector<fs::path> files = {photograph("grey"), photograph("coloured")};
  const auto predictions = classify_leaves(model, files, 1, LeafRun{});
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_FALSE(predictions[0].prediction);
  EXPECT_NE(
      predictions[0].error.find("is grey, but the model, or features.colour: lab, needs colours"),
      std::string::npos);
  EXPECT_EQ(predictions[0].error.find('\n'), std::string::npos);
  EXPECT_TRUE(predictions[1].prediction) << predictions[1].error;
}

// Whether there is a warning with this text.
bool is_reported(const TrainedLeaves& trained, const std::string& text) {
  return std::ranges::any_of(trained.warnings, [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
}

// mechanics: with one grey photograph among coloured ones, also as the first one, auto uses grey
// values and warns with its name; lab leaves out that photograph and says so.
TEST_F(ColourFolders, OneGreyPhotographTurnsThemOff) {
  for (const char* name : {"0009.png", "0000.png"}) {
    const fs::path grey = photograph("coloured").parent_path() / name;
    fs::copy_file(photograph("grey"), grey);
    const TrainedLeaves trained = train_leaves(config(FeatureColour::kAuto), LeafRun{});
    EXPECT_EQ(trained.model.config.features.colour, FeatureColour::kNone);
    EXPECT_EQ(trained.model.features.layout().columns(), 2 * columns(8) + kMeasureCount);
    EXPECT_TRUE(is_reported(
        trained, "1 of 25 photographs has none: " + grey.string() + "; remove it to train"));
    const TrainedLeaves lab = train_leaves(config(FeatureColour::kLab), LeafRun{});
    EXPECT_EQ(lab.errors.size(), 1U);
    EXPECT_EQ(lab.model.sample_names.size(), 24U);
    fs::remove(grey);
  }
}

// mechanics: the same if only one photograph has colours, and if there are as many of each; there
// is no warning if all are alike, or if colours were not requested.
TEST_F(ColourFolders, SomeGreyPhotographsAreReported) {
  const fs::path coloured = photograph("coloured");
  const fs::path added = photograph("grey").parent_path() / "0009.png";
  fs::copy_file(coloured, added);
  LeafConfig auto_on_grey = config(FeatureColour::kAuto);
  auto_on_grey.data.path = folder_.path() / "grey";
  EXPECT_TRUE(is_reported(train_leaves(auto_on_grey, LeafRun{}),
                          "24 of 25 photographs have none; first: "));
  fs::remove(added);
  EXPECT_FALSE(is_reported(train_leaves(auto_on_grey, LeafRun{}), "colours are not used"));
  EXPECT_FALSE(
      is_reported(train_leaves(config(FeatureColour::kAuto), LeafRun{}), "colours are not used"));
  fs::copy_file(photograph("grey"), coloured.parent_path() / "0009.png");
  EXPECT_FALSE(
      is_reported(train_leaves(config(FeatureColour::kNone), LeafRun{}), "colours are not used"));
}

// mechanics: channels of colour are listed under features.colour only, and weights require a known
// number of channels.
TEST(LeafColours, KeysAreChecked) {
  const auto error_of = [](const std::string& text) {
    return refusal<UsageError>([&] { parse_leaf_config(text, "c.yaml"); });
  };
  EXPECT_NE(error_of("features: {channels: [grey, a]}").find("features.colour adds those"),
            std::string::npos);
  EXPECT_NE(error_of("features: {colour: rgb}").find("none, auto or lab"), std::string::npos);
}

}  // namespace
}  // namespace leafglyph
