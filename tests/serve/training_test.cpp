// Trainings of the page: photographs that are sent become a model; archives that bomb do not.
#include <gtest/gtest.h>
#include <minizip/zip.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "classify/serve/training_folder.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "made.zip").string();
  const zipFile zip = zipOpen64(file.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [name, bytes] : files) {
    zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6);
    zipWriteInFileInZip(zip, bytes.data(), static_cast<unsigned>(bytes.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  return read_file(file);
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder).string());
  }
  return files;
}

// mechanics: photographs lie in folders of their species and under their names, or a number where
// the name will not do; the folder goes with the object.
TEST(TrainingFolder, PhotographsLieInFoldersOfTheirSpecies) {
  fs::path path;
  {
    TrainingFolder folder;
    path = folder.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    folder.add("oak", "a.png", "1");
    folder.add("oak", "a.png", "2");
    folder.add("oak", "../../a.png", "3");
    folder.add("oak", "a.sh", "4");
    folder.add("beech", "", "5");
    EXPECT_EQ(files_in(path), (std::set<std::string>{"oak/a.png", "oak/00002.jpg", "oak/00003.jpg",
                                                     "oak/00004.jpg", "beech/00005.jpg"}));
    EXPECT_THROW(folder.add("../oak", "a.png", "1"), UsageError);
    EXPECT_THROW(folder.add("oak", "a.png", ""), UsageError);
    EXPECT_EQ(folder.photographs(), 5U);
  }
  EXPECT_FALSE(fs::exists(path));
}

// mechanics: the folder that a file of an archive lies in is its species; names never lead out.
TEST(TrainingFolder, ArchivesAreUnpackedInsideTheFolder) {
  TrainingFolder folder;
  EXPECT_EQ(folder.add_archive(zip_of({{"set/oak/1.png", "a"},
                                       {"set/oak/2.png", "b"},
                                       {"beech/1.png", "c"},
                                       {"none.png", "d"},
                                       {"set/oak/.hidden.png", "e"},
                                       {"__MACOSX/oak/1.png", "f"},
                                       {"../../oak/3.png", "g"},
                                       {"/oak/4.png", "h"},
                                       {"set/oak/", ""}})),
            4U);
  EXPECT_EQ(files_in(folder.path()),
            (std::set<std::string>{"oak/1.png", "oak/2.png", "oak/4.png", "beech/1.png"}));
  for (const std::string& archive :
       {std::string("no archive"), std::string(), zip_of({{"oak/1.png", "abc"}}).substr(0, 40)}) {
    EXPECT_THROW(folder.add_archive(archive), InputError);
  }
}

// mechanics: what unpacks to more than a photograph has is refused before it is unpacked, and bytes
// that were changed are noticed.
TEST(TrainingFolder, BombsAndDamagedArchivesAreRefused) {
  TrainingFolder folder;
  const std::string bomb = zip_of({{"oak/1.png", std::string((64U << 20) + 1, '\0')}});
  EXPECT_LT(bomb.size(), 1U << 20);
  EXPECT_THROW(folder.add_archive(bomb), InputError);
  std::string damaged = zip_of({{"oak/1.png", std::string(1000, 'x') + "abc"}});
  damaged[45] = static_cast<char>(damaged[45] ^ 0x55);
  EXPECT_THROW(folder.add_archive(damaged), InputError);
  EXPECT_EQ(folder.photographs(), 0U);
}

// mechanics: what was sent is learnt, saved, and answers; nothing else is left of it.
TEST(TrainingApi, PhotographsBecomeAModel) {
  const testing::LeavesWithModel leaves;
  const TemporaryFolder data;
  ServeOptions options;
  options.kept = data.path() / "leaves";
  options.trained = data.path() / "models";
  options.glyph_cache.clear();
  const testing::ServedPage page(options);
  const auto send = [&](const std::string& path, const std::string& body) {
    return testing::post(page.port(), "/api/v1/training/" + path, body);
  };
  EXPECT_EQ(send("photograph?species=oak", "x").status, 400);
  EXPECT_EQ(testing::get(page.port(), "/api/v1/training/report").status, 404);
  EXPECT_EQ(send("run?name=mine", "").status, 400);
  ASSERT_EQ(send("begin", "").status, 200);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(leaves.leaves())) {
    if (!entry.is_regular_file()) continue;
    files.emplace_back(fs::relative(entry.path(), leaves.leaves()).string(),
                       read_file(entry.path()));
  }
  ASSERT_EQ(send("archive", zip_of(files)).status, 200);
  EXPECT_EQ(send("photograph?species=oak&name=broken.png", "no image").status, 200);
  EXPECT_EQ(send("run?name=..%2Fmine", "").status, 400);
  ASSERT_EQ(send("run?name=mine", "").status, 200);
  nlohmann::json state;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    state = nlohmann::json::parse(testing::get(page.port(), "/api/v1/training").body);
  } while (state["phase"] == "running");
  // A species without a photograph that can be used is refused by leaf train, too.
  EXPECT_EQ(state["phase"], "failed");
  EXPECT_FALSE(fs::exists(options.trained / "mine"));
  ASSERT_EQ(send("begin", "").status, 200);
  ASSERT_EQ(send("archive", zip_of(files)).status, 200);
  ASSERT_EQ(send("run?name=mine", "").status, 200);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    state = nlohmann::json::parse(testing::get(page.port(), "/api/v1/training").body);
  } while (state["phase"] == "running");
  ASSERT_EQ(state["phase"], "done") << state;
  EXPECT_EQ(state["leaves"], 48);
  EXPECT_EQ(state["species"], 6);
  const LeafModel model = load_model(options.trained / "mine");
  ASSERT_TRUE(model.history.accuracy);
  EXPECT_EQ(state["accuracy"]["share"], model.history.accuracy->share());
  const testing::Reply report = testing::get(page.port(), "/api/v1/training/report");
  EXPECT_EQ(report.status, 200);
  EXPECT_NE(report.head.find("sandbox"), std::string::npos);
  EXPECT_EQ(report.head.find("script-src"), std::string::npos);
  EXPECT_TRUE(report.body.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(testing::post(page.port(), "/api/v1/leaf/answer?model=mine",
                          read_file(leaves.photographs().front()))
                .status,
            200);
  ASSERT_EQ(send("begin", "").status, 200);
  EXPECT_EQ(send("run?name=mine", "").status, 400);  // the name is taken
}

}  // namespace
}  // namespace leafglyph
