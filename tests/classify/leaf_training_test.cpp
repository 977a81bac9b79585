// Adding photographs to models, and explanations without the training photographs.
#include "classify/leaf/leaf_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_evidence.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf_report/report.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// Photographs of five drawn species, the last of them in a separate folder.
class LeafTrainingTest : public ::testing::Test {
 protected:
  LeafTrainingTest() {
    write_synthetic_leaves({/*species=*/5, /*leaves_per_species=*/8, /*seed=*/3}, at("all"));
    for (const auto& entry : fs::directory_iterator(at("all"))) species_.push_back(entry.path());
    std::ranges::sort(species_);
    link_others(at("others"));
  }
  // All species but the last, in one folder.
  void link_others(const fs::path& folder) const {
    fs::create_directory(folder);
    for (std::size_t s = 0; s + 1 < species_.size(); ++s) {
      fs::create_directory_symlink(species_[s], folder / species_[s].filename());
    }
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::string last_name() const { return species_.back().filename().string(); }

  static LeafConfig config_of(const fs::path& data) {
    LeafConfig config = small_config();
    config.data = {DataSource::kFolders, data, {}, /*source_aspect=*/0, {}};
    config.classifier.pipeline.plda.augmentation = 0.5;
    return config;
  }
  static LeafModel trained(const fs::path& data) {
    return train_leaves(config_of(data), LeafRun{}).model;
  }

  TemporaryFolder folder_;
  std::vector<fs::path> species_;
};

void expect_same(const LeafModel& a, const LeafModel& b) {
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.sample_names, b.sample_names);
  EXPECT_EQ(a.features.table().values, b.features.table().values);
  EXPECT_EQ(a.features.table().augmented.of, b.features.table().augmented.of);
  EXPECT_EQ(a.features.table().augmented.values, b.features.table().augmented.values);
  EXPECT_EQ(a.pictures, b.pictures);
  EXPECT_EQ(a.classifier.spec(), b.classifier.spec());
  EXPECT_EQ(a.classifier.threshold(), b.classifier.threshold());
  EXPECT_EQ(a.classifier.limits(), b.classifier.limits());
  EXPECT_TRUE(std::ranges::equal(std::get<KnnIndex>(a.classifier.index()).rows(),
                                 std::get<KnnIndex>(b.classifier.index()).rows()));
  EXPECT_EQ(*a.history.accuracy, *b.history.accuracy);
  EXPECT_EQ(a.history.unknown, b.history.unknown);
}

// agreement: adding a species to a saved model equals training with it from the start, to the last
// bit.
TEST_F(LeafTrainingTest, AnAddedSpeciesIsAsOneOfTheTraining) {
  const LeafModel whole = trained(at("all"));
  save_model(trained(at("others")), WriteLock(at("m")));
  const GrownModel grown =
      add_leaves(load_model(at("m")), {last_name(), "", species_.back()}, LeafRun{});
  EXPECT_TRUE(grown.new_species);
  EXPECT_EQ(grown.errors, std::vector<std::string>());
  expect_same(grown.model, whole);
  ASSERT_EQ(grown.model.history.added.size(), 1U);
  EXPECT_EQ(grown.model.history.added[0].leaves, 8U);
  EXPECT_NE(model_text(model_document(grown.model)).find("8 of " + last_name()), std::string::npos);
}

// mechanics: the check of a model to which leaves are added keeps what was seen before, judges all
// leaves anew, and has what was seen in the new ones.
TEST_F(LeafTrainingTest, AnAdditionContinuesTheCheck) {
  LeafModel model = trained(at("others"));
  LeafCheck before;
  before.look = {{Look::kMisfiled, 0, "of folds that are gone"}, {Look::kBlurred, 1, "blurred"}};
  model.check = [&] { return before; };
  const fs::path more = at("more");
  fs::create_directory(more);
  for (const char* name : {"0001.png", "0002.png"}) fs::copy(species_.back() / name, more / name);
  write_file(more / "broken.png", "no image");
  const GrownModel grown = add_leaves(std::move(model), {last_name(), "", more}, LeafRun{});
  std::vector<std::string> texts;
  for (const LookAt& look : grown.model.check().look) texts.push_back(look.text);
  EXPECT_EQ(std::ranges::count(texts, "of folds that are gone"), 0);
  EXPECT_EQ(std::ranges::count(texts, "blurred"), 1);
  EXPECT_EQ(std::ranges::count_if(texts,
                                  [](const std::string& text) {
                                    return text.find("broken.png: ") != std::string::npos;
                                  }),
            1);
  EXPECT_FALSE(grown.model.check().more);
  const std::vector<CheckedClass>& classes = grown.model.history.classes;
  std::size_t wrong = 0, confused = 0;
  for (const CheckedClass& of_class : classes) wrong += of_class.tested - of_class.right;
  for (const Confusion& pair : grown.model.check().confusions) confused += pair.leaves;
  EXPECT_EQ(confused, wrong);
}

// agreement: the same for photographs of a species that the model has, in two parts.
TEST_F(LeafTrainingTest, AddedPhotographsAreAsThoseOfTheTraining) {
  const fs::path part = at("part") / last_name(), rest = at("rest");
  link_others(at("part"));
  fs::create_directory(part);
  fs::create_directory(rest);
  for (int i = 1; i <= 8; ++i) {
    const std::string name = "000" + std::to_string(i) + ".png";
    fs::copy(species_.back() / name, (i <= 3 ? part : rest) / name);
  }
  const GrownModel grown = add_leaves(trained(at("part")), {last_name(), "", rest}, LeafRun{});
  EXPECT_FALSE(grown.new_species);
  expect_same(grown.model, trained(at("all")));
}

// agreement: the same for several folders at once, with a single fit.
TEST_F(LeafTrainingTest, SeveralFoldersAreAddedAtOnce) {
  const fs::path part = at("part"), rest = at("rest");
  fs::create_directory(part);
  fs::create_directory(rest);
  for (int i = 1; i <= 8; ++i) {
    const std::string name = "000" + std::to_string(i) + ".png";
    fs::copy(species_.back() / name, (i <= 3 ? part : rest) / name);
  }
  const NewLeaves leaves[] = {{last_name(), "", part}, {last_name(), "", rest}};
  const GrownModel grown = add_leaves(trained(at("others")), leaves, LeafRun{});
  EXPECT_TRUE(grown.new_species);
  EXPECT_EQ(grown.added, 8U);
  EXPECT_EQ(grown.model.history.added.size(), 2U);
  expect_same(grown.model, trained(at("all")));
}

// mechanics: photographs that the model has already are left out and named; if there are no others,
// nothing changes.
TEST_F(LeafTrainingTest, PhotographsThatItHasAreLeftOut) {
  const fs::path more = at("more");
  fs::create_directory(more);
  fs::copy(species_[0] / "0001.png", more / "again.png");
  write_file(more / "broken.png", "no image");
  const LeafModel model = trained(at("others"));
  EXPECT_THROW(add_leaves(trained(at("others")), {last_name(), "", more}, LeafRun{}), InputError);
  fs::copy(species_.back() / "0001.png", more / "new.png");
  const GrownModel grown = add_leaves(trained(at("others")), {last_name(), "", more}, LeafRun{});
  EXPECT_EQ(grown.model.sample_names.size(), model.sample_names.size() + 1);
  EXPECT_EQ(grown.model.sample_names.all().back(), last_name() + "/new.png");
  ASSERT_EQ(grown.errors.size(), 1U);
  EXPECT_NE(grown.errors[0].find("broken.png"), std::string::npos);
  const auto is_reported = [](const std::string& line) {
    return line.find("again.png: left out") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(grown.warnings, is_reported));
}

// mechanics: names that do not fit, and models that lack what adding needs.
TEST_F(LeafTrainingTest, RefusesWhatItCannotAdd) {
  const NewLeaves good{last_name(), "", species_.back()};
  EXPECT_THROW(add_leaves(trained(at("others")), {"", "", species_.back()}, LeafRun{}), UsageError);
  const std::string known = species_[0].filename().string();
  // A species without a name can be given one, but not another.
  GrownModel named =
      add_leaves(trained(at("others")), {known, "Quercus robur", species_.back()}, {});
  EXPECT_EQ(named.model.scientific_names[0], "Quercus robur");
  EXPECT_THROW(add_leaves(std::move(named.model), {known, "Quercus alba", species_.back()}, {}),
               UsageError);
  EXPECT_THROW(add_leaves(trained(at("others")), {last_name(), "", at("none")}, {}), InputError);
  LeafModel old = trained(at("others"));
  FeatureTable rows = std::move(old.features).take();
  rows.augmented = {};
  old.features = std::move(rows);
  EXPECT_THROW(add_leaves(std::move(old), good, LeafRun{}), UsageError);
}

// invariant: an explanation is the same without the training photographs.
TEST_F(LeafTrainingTest, ExplanationsNeedNoTrainingPhotographs) {
  save_model(trained(at("others")), WriteLock(at("m")));
  const std::vector<fs::path> asked = {species_.back() / "0001.png", species_[0] / "0002.png"};
  const auto explained = [&] {
    const LeafModel model = load_model(at("m"));
    std::vector<ClassifiedLeaf> leaves = classify_leaves(model, asked, 2, LeafRun{});
    const auto parts = explain(model, PartClassifiers(model), leaves);
    return html_explanation(model, leaves, parts);
  };
  const std::string before = explained();
  fs::rename(at("others"), at("moved"));
  EXPECT_EQ(explained(), before);
  EXPECT_EQ(before.find("missing"), std::string::npos);
  // Each picture has the outline of its leaf.
  for (std::size_t at = 0, found = 0; found < 2; ++found, ++at) {
    at = before.find("<polygon points=\"", at);
    ASSERT_NE(at, std::string::npos);
  }
}

// The error message of training on this folder.
std::string refusal(const fs::path& data) {
  LeafConfig config = small_config();
  config.data = {DataSource::kFolders, data, {}, /*source_aspect=*/0, {}};
  std::string trained = testing::refusal<InputError>([&] { train_leaves(config, LeafRun{}); });
  if (!trained.empty()) {
    config.protocol.kind = ProtocolKind::kAuto;
    const auto evaluate_them = [&] { evaluate_leaves(config, SplitFiles{}, LeafRun{}); };
    EXPECT_EQ(testing::refusal<InputError>(evaluate_them), trained);
  }
  return trained;
}

// mechanics: a single species, however many photographs it has, is refused before any is read, and
// so are species with one photograph each; unusable photographs do not count.
TEST_F(LeafTrainingTest, TooLittleToLearnFromIsRefused) {
  const auto put = [&](const std::string& data, std::size_t species, int first, int last) {
    fs::path folder = at(data) / species_[species].filename();
    fs::create_directories(folder);
    for (int i = first; i <= last; ++i) {
      const std::string name = "000" + std::to_string(i) + ".png";
      fs::copy(species_[species] / name, folder / name);
    }
    return folder;
  };
  put("one", 0, 1, 2);
  EXPECT_EQ(refusal(at("one")), "three photographs of '" + species_[0].filename().string() +
                                    "' or more are needed to recognise it; add some, or "
                                    "photographs of another species");
  const std::string two =
      "at least two species with two photographs or more are needed to see how leaves of one "
      "species differ, but there is ";
  for (const std::size_t species : {0, 1, 2, 3, 4}) {
    put("single", species, 1, 1);
    if (species > 0) {
      EXPECT_EQ(refusal(at("single")), two + "none: add photographs") << species;
    }
  }
  const std::string one =
      two + "only one, '" + species_[2].filename().string() + "': add photographs of the others";
  put("single", 2, 2, 8);
  EXPECT_EQ(refusal(at("single")), one);
  put("single", 4, 2, 2);
  EXPECT_EQ(refusal(at("single")), "");
  put("pair", 0, 1, 5);
  put("pair", 1, 1, 1);
  EXPECT_TRUE(refusal(at("pair")).starts_with(two + "only one"));
  const fs::path unreadable = at("unreadable") / "oak";
  fs::create_directories(unreadable);
  write_file(unreadable / "1.png", "no image");
  EXPECT_TRUE(refusal(at("unreadable")).starts_with("three photographs of 'oak'"));
}

// mechanics: a model of one species has no accuracy, because there is nothing to mistake its leaves
// for; for the same reason it cannot be evaluated, and it must be able to call leaves unknown.
TEST_F(LeafTrainingTest, OneSpeciesIsLearntButNotEvaluated) {
  fs::create_directories(at("one"));
  fs::create_directory_symlink(species_[0], at("one") / species_[0].filename());
  LeafConfig config = config_of(at("one"));
  const TrainedLeaves trained = train_leaves(config, LeafRun{}, Forecast::kAlways);
  EXPECT_EQ(trained.model.history.accuracy->tested, 0U);
  EXPECT_FALSE(trained.model.check().more);
  EXPECT_NE(model_text(model_document(trained.model)).find("right          not measured"),
            std::string::npos);
  EXPECT_TRUE(trained.model.classifier.calibration());
  EXPECT_THROW(evaluate_leaves(config, {}, LeafRun{}), InputError);
  EXPECT_THROW(sweep_leaves(config, std::vector<int>{10}, LeafRun{}), InputError);
  config.classifier.answered_share = 1;
  EXPECT_THROW(train_leaves(config, LeafRun{}), UsageError);
}

// invariant: the share of unknown species is that of the calibration's folds, each of which leaves
// a species out. The model keeps it, and its text has the sentence.
TEST_F(LeafTrainingTest, UnknownSpeciesAreMeasuredByLeavingThemOut) {
  for (const int species : {4, 5}) {
    const LeafModel model =
        train_leaves(config_of(at(species == 4 ? "others" : "all")), LeafRun{}).model;
    ASSERT_TRUE(model.history.unknown);
    EXPECT_EQ(model.history.unknown->species, species);
    EXPECT_EQ(model.history.unknown->groups, species);
    EXPECT_EQ(model.history.unknown->leaves, model.sample_names.size());
    EXPECT_LE(model.history.unknown->unknown, model.history.unknown->leaves);
    EXPECT_NE(model_text(model_document(model))
                  .find("by leaving out the " + std::to_string(species) + " species one by one"),
              std::string::npos);
    save_model(model, WriteLock(at("m")));
    EXPECT_EQ(load_model(at("m")).history.unknown, model.history.unknown);
  }
}

// mechanics: if it cannot be measured, the sentence gives the reason.
TEST_F(LeafTrainingTest, UnknownSpeciesThatCannotBeMeasuredAreSaid) {
  const fs::path two = at("two");
  fs::create_directory(two);
  for (const std::size_t species : {0, 1}) {
    fs::create_directory_symlink(species_[species], two / species_[species].filename());
  }
  const LeafModel model = trained(two);
  EXPECT_FALSE(model.history.unknown);
  EXPECT_NE(unknown_in_words(model).find("cannot be measured with 2 species; add another"),
            std::string::npos);
  LeafConfig config = config_of(at("all"));
  config.classifier.answered_share = 1;
  const LeafModel naming = train_leaves(config, LeafRun{}).model;
  EXPECT_FALSE(naming.history.unknown);
  EXPECT_NE(unknown_in_words(naming).find("are never called unknown"), std::string::npos);
}

// mechanics: more than five species are left out in five groups, so that the work does not grow
// with their number.
TEST(UnknownShares, SpeciesAreLeftOutInGroups) {
  LeafConfig config = small_config();
  config.data.generated.species = 12;
  const LeafModel model = train_leaves(config, LeafRun{}).model;
  ASSERT_TRUE(model.history.unknown);
  EXPECT_EQ(model.history.unknown->groups, NearestClassifier::kOutlierFolds);
  EXPECT_EQ(model.history.unknown->species, 12);
  EXPECT_EQ(model.history.unknown->leaves, model.sample_names.size());
  EXPECT_NE(unknown_in_words(model).find("by leaving out the 12 species in 5 groups"),
            std::string::npos);
}

}  // namespace
}  // namespace leafglyph
