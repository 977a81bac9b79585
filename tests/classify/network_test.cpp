// Values of a neural network beside the moments of a leaf. The networks are written by the tests.
#include "classify/rows/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_training.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/files.h"
#include "features/base/sha256.h"
#include "features/base/threads.h"
#include "tests/support/onnx_network.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::onnx_network;
using testing::refuses;

constexpr int kPictureSide = 32;
// Red, the sum of all, blue less green.
const std::vector<float> kWeights = {1, 0, 0, 1, 1, 1, 0, -1, 1};

class NetworkTest : public ::testing::Test {
 protected:
  NetworkTest() { write_file(file(), onnx_network(kWeights, kPictureSide)); }

  std::filesystem::path file() const { return folder_ / "net.onnx"; }
  NetworkSpec spec() const { return {file(), "", kPictureSide, 0, ""}; }
  LeafConfig config() const {
    LeafConfig config = small_config();
    config.features.network = spec();
    settle(config.features.network);
    return config;
  }

  TemporaryFolder folder_;
};

std::unique_ptr<Network> opened(const NetworkSpec& spec) {
  return open_network(read_network(spec), spec);
}

/// $LEAFGLYPH_NETWORK for a scope.
class OtherNetwork {
 public:
  explicit OtherNetwork(const std::filesystem::path& file) {
    ::setenv("LEAFGLYPH_NETWORK", file.c_str(), 1);
  }
  ~OtherNetwork() { ::unsetenv("LEAFGLYPH_NETWORK"); }
  OtherNetwork(const OtherNetwork&) = delete;
  OtherNetwork& operator=(const OtherNetwork&) = delete;
};

std::vector<std::uint8_t> picture_of(const std::vector<std::uint8_t>& colour) {
  std::vector<std::uint8_t> picture;
  for (int i = 0; i < kPictureSide * kPictureSide; ++i) {
    picture.insert(picture.end(), colour.begin(), colour.end());
  }
  return picture;
}

// oracle: of a picture of one colour each value follows from the weights by hand, for the output
// and, as means, for the layer of maps; spec and digest are those of the file.
TEST_F(NetworkTest, ValuesAreThoseOfTheWeights) {
  const double red = (200 / 255.0 - 0.485) / 0.229, green = (100 / 255.0 - 0.456) / 0.224,
               blue = (30 / 255.0 - 0.406) / 0.225;
  const double expected[] = {red, red + green + blue, blue - green};
  for (const char* layer : {"", "means", "maps"}) {
    NetworkSpec used = spec();
    used.layer = layer;
    settle(used);
    EXPECT_EQ(used.values, 3);
    EXPECT_EQ(used.digest, sha256(read_file(file())));
    const std::vector<float> values = opened(used)->values(picture_of({200, 100, 30}));
    ASSERT_EQ(values.size(), 3U);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[i], expected[i], 1e-4) << layer;
  }
}

// mechanics: what is not there, not a network, another one, or without the layer, and keys that
// need a network, are refused with what to do.
TEST_F(NetworkTest, OthersAreRefused) {
  const auto settled = [](const NetworkSpec& spec) {
    return [spec] {
      NetworkSpec settled = spec;
      settle(settled);
    };
  };
  NetworkSpec bad = spec();
  bad.layer = "map";
  EXPECT_TRUE(refuses<InputError>(settled(bad), "net.onnx: no layer 'map'; its last ones are"));
  bad = spec();
  bad.digest = std::string(64, '0');
  EXPECT_TRUE(refuses<FormatError>(settled(bad), "the network has another SHA-256"));
  bad = spec();
  bad.file = folder_ / "none.onnx";
  EXPECT_TRUE(refuses<InputError>(settled(bad), "set LEAFGLYPH_NETWORK to its file"));
  write_file(folder_ / "bad.onnx", read_file(file()).substr(0, 40));
  bad.file = folder_ / "bad.onnx";
  EXPECT_TRUE(refuses<InputError>(settled(bad), "bad.onnx: OpenCV cannot read this network"));
  write_file(folder_ / "wide.onnx", onnx_network(std::vector<float>(3 * 8193), kPictureSide));
  bad.file = folder_ / "wide.onnx";
  EXPECT_TRUE(refuses<InputError>(settled(bad), "the layer has 8193 values"));
  EXPECT_TRUE(refuses<UsageError>([] { parse_leaf_config("features: {size: 64}", "a.yaml"); },
                                  "features.size: needs network"));
}

// mechanics: stores of the same network count as such wherever its file lies, others do not.
TEST_F(NetworkTest, ItsFileMayLieAnywhere) {
  NetworkSpec one = spec(), other;
  settle(one);
  other = one;
  other.file = "/elsewhere.onnx";
  EXPECT_TRUE(same_values(one, other));
  other.digest.back() = other.digest.back() == '0' ? '1' : '0';
  EXPECT_FALSE(same_values(one, other));
  EXPECT_FALSE(same_values(one, {}));
  EXPECT_TRUE(same_values({}, {}));
}

LeafFeatures first_leaves(const LeafConfig& config) {
  const LeafDataset dataset = load_dataset(config.data);
  return features_of(dataset, std::vector<std::size_t>{0, 1, 9, 17}, config, config.features.order,
                     LeafRun{});
}

// invariant: the other columns are as without a network, to the last bit; those of the network are
// its values of the leaf's picture, and the same by any number of threads.
TEST_F(NetworkTest, ItsValuesFollowTheOtherColumns) {
  const LeafConfig with = config();
  const FeatureTable alone = first_leaves(small_config()).table;
  const FeatureTable both = first_leaves(with).table;
  ASSERT_EQ(both.layout.columns(), alone.layout.columns() + 3);
  EXPECT_EQ(column_names(both.layout).back(), "network_2");
  const LeafDataset dataset = load_dataset(with.data);
  const PrepareSpec preparation = preparation_for(with, 0);
  EXPECT_EQ(preparation.picture_side, kPictureSide);
  const auto network = opened(with.features.network);
  const std::size_t samples[] = {0, 1, 9, 17};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = both.row(i);
    EXPECT_TRUE(std::ranges::equal(row.first(alone.layout.columns()), alone.row(i)));
    const PreparedLeaf leaf =
        prepare_leaf(sample_photograph(dataset, samples[i], 0), "leaf", preparation);
    EXPECT_TRUE(std::ranges::equal(row.last(3), network->values(leaf.picture)));
  }
  set_thread_count(1);
  EXPECT_EQ(first_leaves(with).table.values, both.values);
}

// mechanics: a model knows its network by the digest. It is read and described without the file,
// identifies with it wherever it lies, and refuses another one; a copy to be given away does not
// say where the file was.
TEST_F(NetworkTest, AModelAsksForItsNetwork) {
  write_synthetic_leaves({/*species=*/4, /*leaves_per_species=*/6, /*seed=*/3}, folder_ / "data");
  LeafConfig with = config();
  with.data = {DataSource::kFolders, folder_ / "data", {}, 0, {}};
  const LeafModel trained = train_leaves(with, LeafRun{}).model;
  save_model(trained, WriteLock(folder_ / "m"));
  const LeafModel model = load_model(folder_ / "m");
  EXPECT_EQ(model.config.features.network, with.features.network);
  const std::vector<std::filesystem::path> leaves = {folder_ / "data" / model.sample_names[0],
                                                     folder_ / "data" / model.sample_names[7]};
  const auto likeliest = [&](const LeafModel& by) {
    std::vector<float> distances;
    for (const ClassifiedLeaf& leaf : classify_leaves(by, leaves, 1, LeafRun{}, std::nullopt)) {
      distances.push_back(leaf.prediction.value().ranking.front().distance);
    }
    return distances;
  };
  const std::vector<float> expected = likeliest(model);
  std::filesystem::rename(file(), folder_ / "moved.onnx");
  EXPECT_TRUE(refuses<InputError>([&] { likeliest(model); }, "there is no such network"));
  {
    const OtherNetwork moved(folder_ / "moved.onnx");
    EXPECT_EQ(likeliest(load_model(folder_ / "m")), expected);
    const LeafModel shared = shared_model(load_model(folder_ / "m"), "leaves");
    EXPECT_EQ(shared.config.features.network.file, "/net.onnx");
    EXPECT_EQ(shared.requested.features.network.file, "/net.onnx");
    EXPECT_EQ(likeliest(shared), expected);
  }
  write_file(file(), onnx_network({1, 2, 3}, kPictureSide));
  EXPECT_TRUE(refuses<FormatError>([&] { likeliest(model); }, "another SHA-256"));
}

// mechanics: a network in a model's own folder, which came with the model, is not read.
TEST_F(NetworkTest, ANetworkInAModelsFolderIsRefused) {
  write_synthetic_leaves({/*species=*/3, /*leaves_per_species=*/4, /*seed=*/3}, folder_ / "data");
  LeafConfig with = config();
  with.data = {DataSource::kFolders, folder_ / "data", {}, 0, {}};
  with.classifier.pipeline.projection = Projection::kNone;
  LeafModel model = train_leaves(with, LeafRun{}).model;
  for (LeafConfig* config : {&model.config, &model.requested}) {
    config->features.network.file = folder_ / "m" / "net.onnx";
  }
  save_model(model, WriteLock(folder_ / "m"));
  EXPECT_TRUE(refuses<FormatError>([&] { load_model(folder_ / "m"); },
                                   "names a network in the model's own folder"));
}

}  // namespace
}  // namespace leafglyph
