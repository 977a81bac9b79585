// The shelf of models: what a page knows of its models, what changes them, and what is never lost.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "classify/http/http_message.h"
#include "classify/leaf/model_folder.h"
#include "classify/serve/drawn_model.h"
#include "classify/serve/model_shelf.h"
#include "classify/serve/zip_archive.h"
#include "features/base/files.h"
#include "tests/serve/training_page.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::error_of;
using testing::Reply;
using testing::TrainingPage;

class ShelfApi : public testing::TrainingPageTest {
 protected:
  void put_model(const std::string& name) const { put(leaves_->model(), name); }
  /// A model of archive(3, 4), as this page would have trained it.
  void put_trained_model(const std::string& name) const {
    put(testing::trained_on_page(*leaves_), name);
  }
  static Json models(const TrainingPage& page) {
    return Json::parse(page.get("models").body)["models"];
  }
  static Reply change(const TrainingPage& page, const std::string& request) {
    return testing::post(page.port(), "/api/v1/models/" + request, "");
  }

 private:
  void put(const fs::path& model, const std::string& name) const {
    fs::create_directories(own(name).parent_path());
    fs::copy(model, own(name));
  }
};

// agreement: what a model's own history says of its species and its accuracy.
TEST_F(ShelfApi, AModelIsDescribed) {
  put_model("mine");
  const TrainingPage page(data_.path(), {leaves_->model()});
  const Json list = models(page);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["own"], false);
  EXPECT_EQ(list[1]["own"], true);
  const LeafModel model = load_model(own("mine"));
  ASSERT_EQ(model.history.classes.size(), model.class_names.size());
  EXPECT_EQ(list[1]["accuracy"]["share"], model.history.accuracy->share());
  std::size_t right = 0;
  for (std::size_t c = 0; c < model.class_names.size(); ++c) {
    const Json& species = list[1]["species"][c];
    EXPECT_EQ(species["name"], model.class_names[c]);
    EXPECT_EQ(species["leaves"], 8);
    EXPECT_EQ(species["latin"], false);
    right += species["right"].get<std::size_t>();
    const std::string picture = "leaf/picture?model=mine&leaf=" + species["pictured"].dump();
    EXPECT_EQ(page.get(picture).status, 200);
  }
  EXPECT_EQ(right, model.history.accuracy->right);
}

// mechanics: a renamed model predicts under its new name, also after a restart; names in use and
// models outside of the data folder are refused.
TEST_F(ShelfApi, ModelsAreRenamed) {
  put_model("mine");
  put_model("other");
  {
    const TrainingPage page(data_.path(), {leaves_->model()});
    EXPECT_EQ(change(page, "rename?model=mine&name=other").status, 400);
    EXPECT_EQ(change(page, "rename?model=mine&name=drawn.model").status, 400);
    EXPECT_EQ(change(page, "rename?model=mine&name=..%2Fx").status, 400);
    EXPECT_EQ(change(page, "rename?model=none&name=x").status, 404);
    EXPECT_EQ(change(page, "rename?model=drawn.model&name=x").status, 404);
    {
      const WriteLock busy(own("mine"));
      EXPECT_EQ(change(page, "rename?model=mine&name=trees").status, 409);
    }
    EXPECT_EQ(change(page, "rename?model=mine&name=trees").status, 200);
    EXPECT_EQ(page.models(), (std::set<std::string>{"drawn.model", "other", "trees"}));
    EXPECT_EQ(testing::post(page.port(), "/api/v1/leaf/identify?model=trees",
                            read_file(leaves_->photographs().front()))
                  .status,
              200);
  }
  const TrainingPage again(data_.path());
  EXPECT_EQ(again.models(), (std::set<std::string>{"other", "trees"}));
}

// mechanics: a removed model is gone with everything in it, and nothing else is.
TEST_F(ShelfApi, ModelsAreRemoved) {
  put_model("mine");
  put_model("other");
  const TrainingPage page(data_.path(), {leaves_->model()});
  EXPECT_EQ(change(page, "remove?model=drawn.model").status, 404);
  EXPECT_EQ(change(page, "remove?model=none").status, 404);
  EXPECT_EQ(change(page, "remove?model=mine").status, 200);
  EXPECT_EQ(page.models(), (std::set<std::string>{"drawn.model", "other"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(own("x").parent_path()), fs::directory_iterator()),
            1);
  EXPECT_TRUE(fs::exists(leaves_->model()));
  EXPECT_EQ(change(page, "remove?model=mine").status, 404);
}

// regression: removing a model removed what the user had put beside its files
TEST_F(ShelfApi, AModelWithFilesOfTheUserStays) {
  fs::create_directories(own("mine").parent_path());
  fs::copy(leaves_->model(), own("mine"), fs::copy_options::recursive);
  const TrainingPage page(data_.path());
  const std::string remove = "/api/v1/models/remove?model=mine";
  for (const char* other : {"notes.txt", "walks/2025/map.png"}) {
    data_.write("models/mine/" + std::string(other), "mine");
    const Reply reply = testing::post(page.port(), remove, "");
    EXPECT_EQ(reply.status, 409) << reply.body;
    EXPECT_EQ(testing::error_of(reply).first, "others");
    EXPECT_EQ(page.models(), std::set<std::string>{"mine"});
    EXPECT_EQ(read_file(own("mine") / other), "mine");
    fs::remove_all(own("mine") / *fs::path(other).begin());
  }
  EXPECT_EQ(testing::post(page.port(), remove, "").status, 200);
  EXPECT_TRUE(fs::is_empty(own("mine").parent_path()));
}

// agreement: the archive holds the files of the model, byte by byte.
TEST_F(ShelfApi, AModelIsDownloaded) {
  put_model("mine");
  const TrainingPage page(data_.path());
  EXPECT_EQ(page.get("models/archive?model=none").status, 404);
  const Reply reply = page.get("models/archive?model=mine");
  ASSERT_EQ(reply.status, 200);
  std::set<std::string> names;
  for (ZipArchive zip(reply.body); zip.next();) {
    names.insert(zip.name());
    EXPECT_EQ(zip.read(), read_file(own("x").parent_path() / zip.name())) << zip.name();
  }
  std::set<std::string> expected;
  for (const std::string& name : names_in_model(own("mine"))) expected.insert("mine/" + name);
  EXPECT_EQ(names, expected);
}

// agreement: a download that has begun gets the model as it was, although it is removed meanwhile.
TEST_F(ShelfApi, AModelMayGoWhileItIsDownloaded) {
  put_model("mine");
  const TrainingPage page(data_.path());
  const std::string expected = page.get("models/archive?model=mine").body;
  ModelShelf shelf({own("mine")}, data_.path() / "none", "", {});
  const std::function<std::string()> next = shelf.archive("mine");
  std::string bytes = next();
  EXPECT_EQ(change(page, "remove?model=mine").status, 200);
  EXPECT_FALSE(fs::exists(own("mine")));
  for (std::string piece = next(); !piece.empty(); piece = next()) bytes += piece;
  EXPECT_EQ(bytes, expected);
}

// mechanics: damage that is found while a model is sent leaves the download incomplete; that of a
// small file is found before, and nothing is left in the folder for temporary files.
TEST_F(ShelfApi, ADamagedModelIsNotDownloaded) {
  put_model("mine");
  const TrainingPage page(data_.path());
  const auto flip = [&](const char* file) {
    const fs::path path = own("mine") / file;
    std::string bytes = read_file(path);
    bytes.back() ^= 1;
    write_file(path, bytes);
  };
  flip("features.npy");
  const Reply cut = page.get("models/archive?model=mine");
  EXPECT_EQ(cut.status, 200);
  EXPECT_FALSE(cut.complete);
  EXPECT_FALSE(page.warnings().empty());
  flip("features.npy");
  EXPECT_TRUE(page.get("models/archive?model=mine").complete);
  flip("means.npy");
  EXPECT_EQ(page.get("models/archive?model=mine").status, 422);
}

// agreement: a model to which photographs were added on the page is the one that add_leaves makes;
// photographs that it has are left out and named without a path of the server.
TEST_F(ShelfApi, PhotographsAreAddedToAModel) {
  put_trained_model("mine");
  const TrainingPage page(data_.path(), {leaves_->model()});
  EXPECT_EQ(page.send("grow?model=mine").status, 400);
  ASSERT_EQ(page.send("begin").status, 200);
  EXPECT_EQ(page.send("grow?model=mine").status, 400);
  ASSERT_EQ(page.send("archive", archive(4, 5)).status, 200);
  EXPECT_EQ(page.send("grow?model=none").status, 404);
  EXPECT_EQ(page.send("grow?model=drawn.model").status, 404);
  ASSERT_EQ(page.send("grow?model=mine").status, 200);
  const Json state = page.end();
  ASSERT_EQ(state["phase"], "done") << state;
  EXPECT_EQ(state["added"], 3 + 5);
  EXPECT_EQ(state["species"], 4);
  EXPECT_EQ(state["leaves"], 20);
  EXPECT_EQ(state["warnings"].size(), 12U) << state;
  for (const fs::path& folder : {data_.path(), leaves_->leaves().parent_path()}) {
    EXPECT_EQ(state.dump().find(folder.string()), std::string::npos) << state;
  }
  EXPECT_EQ(models(page)[1]["leaves"], 20);
  EXPECT_EQ(page.send("grow?model=mine").status, 400);
  const LeafModel model = load_model(own("mine"));
  EXPECT_EQ(model.history.added.size(), 4U);
  for (const AddedLeaves& added : model.history.added) EXPECT_EQ(added.data, added.species);
}

// mechanics: the notebook of a model: what was done to it, by date; what its folds mixed up, the
// most frequent first; the photographs to look at, with their leaves.
TEST_F(ShelfApi, AModelHasANotebook) {
  put_trained_model("mine");
  const TrainingPage page(data_.path());
  EXPECT_EQ(page.get("models/notebook?model=none").status, 404);
  const fs::path photograph = leaves_->photographs().front().parent_path() / "0008.png";
  testing::post(page.port(), "/api/v1/leaf/keep?species=Ginkgo", read_file(photograph));
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("kept").status, 200);
  ASSERT_EQ(page.send("archive", archive(4, 5)).status, 200);
  ASSERT_EQ(page.send("photograph?name=paper.jpg&species=Ginkgo", "no image").status, 200);
  ASSERT_EQ(page.send("grow?model=mine").status, 200);
  ASSERT_EQ(page.end()["phase"], "done");
  ASSERT_EQ(change(page, "rename?model=mine&name=trees").status, 200);
  const Json notebook = Json::parse(page.get("models/notebook?model=trees").body);
  const Json& history = notebook["history"];
  ASSERT_EQ(history.size(), 3U) << history;
  EXPECT_EQ(history[0]["what"], "trained");
  EXPECT_EQ(history[0]["photographs"], 12);
  EXPECT_EQ(history[0]["species"], 3);
  EXPECT_EQ(history[1]["what"], "added");
  EXPECT_EQ(history[1]["photographs"], 9);
  EXPECT_EQ(history[1]["corrected"], 1);
  EXPECT_EQ(history[1]["species"].size(), 5U);
  EXPECT_EQ(history[2]["from"], "mine");
  EXPECT_EQ(history[2]["to"], "trees");
  for (const Json& event : history) EXPECT_EQ(event["date"].get<std::string>().size(), 20U);
  EXPECT_TRUE(notebook["report"].get<bool>());
  std::set<std::string> looked_at;
  for (const Json& look : notebook["look"]) {
    looked_at.insert(look["text"].get<std::string>().substr(0, 16));
  }
  EXPECT_TRUE(looked_at.contains("Ginkgo/paper.jpg")) << notebook["look"];
  EXPECT_EQ(notebook.dump().find(data_.path().string()), std::string::npos);
  const Json& pairs = notebook["confusions"];
  EXPECT_TRUE(std::ranges::is_sorted(pairs, std::greater{}, [](const Json& pair) {
    return pair["photographs"].get<int>();
  })) << pairs;
  for (const Json& look : notebook["look"]) {
    if (!look.contains("pictured")) continue;
    const std::string leaf = look["pictured"].dump();
    EXPECT_EQ(page.get("leaf/picture?model=trees&leaf=" + leaf).status, 200);
  }
}

// mechanics: a model of 0.2.0 has no report, and says why; its history is there.
TEST_F(ShelfApi, AModelWithoutAReportSaysSo) {
  LeafModel old = load_model(testing::trained_on_page(*leaves_));
  old.check = nullptr;
  fs::create_directories(own("old").parent_path());
  save_model(old, WriteLock(own("old")));
  const TrainingPage page(data_.path());
  EXPECT_EQ(models(page)[0]["report"], false);
  const Reply reply = page.get("models/report?model=old");
  EXPECT_EQ(reply.status, 404);
  EXPECT_NE(testing::error_of(reply).second.find("0.2.0"), std::string::npos);
  const Json notebook = Json::parse(page.get("models/notebook?model=old").body);
  EXPECT_EQ(notebook["history"].size(), 1U);
  EXPECT_FALSE(notebook.contains("look"));
}

// mechanics: photographs that were kept become part of the next training, and the shelf counts
// those that a model lacks.
TEST_F(ShelfApi, KeptPhotographsAreTrainedOn) {
  put_trained_model("mine");
  const TrainingPage page(data_.path());
  const fs::path photograph = leaves_->photographs().front().parent_path() / "0008.png";
  ASSERT_EQ(
      testing::post(page.port(), "/api/v1/leaf/keep?species=Ginkgo", read_file(photograph)).status,
      200);
  EXPECT_EQ(models(page)[0]["kept_new"], 1);
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("kept").status, 200);
  EXPECT_EQ(page.state()["sent"],
            Json::parse(R"([{"species": "Ginkgo", "latin": false, "photographs": 1}])"));
  ASSERT_EQ(page.send("grow?model=mine").status, 200);
  const Json state = page.end();
  ASSERT_EQ(state["phase"], "done") << state;
  EXPECT_EQ(state["added"], 1);
  EXPECT_EQ(models(page)[0]["kept_new"], 0);
}

// mechanics: models that packages installed are offered after the others, and never changed; one
// with the name of another model and one that cannot be read are left out.
TEST_F(ShelfApi, InstalledModelsAreOffered) {
  put_model("mine");
  const TemporaryFolder installed;
  for (const char* name : {"flavia", "mine"}) {
    fs::copy(leaves_->model(), installed.path() / name);
  }
  fs::create_directory(installed.path() / "broken");
  std::vector<std::string> warnings;
  LeafRun run;
  run.warn = [&](const std::string& line) { warnings.push_back(line); };
  ModelShelf shelf({}, own("mine").parent_path(), installed.path(), run);
  const std::vector<ModelShelf::Offered> offered = shelf.all();
  ASSERT_EQ(offered.size(), 2U);
  EXPECT_EQ(offered[0].model->name(), "mine");
  EXPECT_TRUE(offered[0].own);
  EXPECT_EQ(offered[1].model->name(), "flavia");
  EXPECT_FALSE(offered[1].own);
  EXPECT_THROW(shelf.changeable("flavia"), NotFound);
  EXPECT_THROW(shelf.remove("flavia"), NotFound);
  EXPECT_TRUE(fs::exists(installed.path() / "flavia" / kModel.facts));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("an installed model is left out"), std::string::npos);
  EXPECT_NE(warnings[0].find("broken"), std::string::npos);
}

// mechanics: a model of drawn leaves is made with one request, once; it names drawn leaves that it
// has not learned.
TEST_F(ShelfApi, AModelOfDrawnLeavesIsMade) {
  const TrainingPage page(data_.path());
  {
    const WriteLock busy(own(kDrawnModel));
    EXPECT_EQ(change(page, "drawn").status, 409);
  }
  const Reply made = change(page, "drawn");
  ASSERT_EQ(made.status, 200) << made.body;
  const Json model = Json::parse(made.body)["models"][0];
  EXPECT_EQ(model["name"], kDrawnModel);
  EXPECT_TRUE(model["drawn"].get<bool>() && model["own"].get<bool>());
  ASSERT_EQ(model["species"].size(), static_cast<std::size_t>(kDrawnSpecies));
  const std::string date = load_model(own(kDrawnModel)).history.date;
  EXPECT_EQ(change(page, "drawn").body, made.body);
  EXPECT_EQ(load_model(own(kDrawnModel)).history.date, date);
  for (int species = 0; species < kDrawnSpecies; ++species) {
    const std::string path = fmt::format("leaf/drawn?species={}&leaf={}", species, kDrawnLeaves);
    const std::string leaf = page.get(path).body;
    const Reply answer = testing::post(page.port(), "/api/v1/leaf/identify", leaf);
    const Json prediction = Json::parse(answer.body)["leaves"][0]["prediction"];
    EXPECT_EQ(prediction["classes"][0]["class"],
              model["species"][static_cast<std::size_t>(species)]["name"])
        << prediction;
  }
  EXPECT_EQ(page.get("leaf/drawn?species=8").status, 400);
}

// mechanics: a cancelled training leaves no model, and its photographs can be trained on again.
TEST_F(ShelfApi, ATrainingIsCancelled) {
  const TrainingPage page(data_.path());
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("archive", archive(6, 8)).status, 200);
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  ASSERT_EQ(page.send("cancel").status, 200);
  const Json state = page.end();
  ASSERT_EQ(state["phase"], "gathering") << state;
  EXPECT_EQ(state["photographs"], 48);
  EXPECT_TRUE(page.models().empty());
  EXPECT_FALSE(fs::exists(own("mine")));
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  EXPECT_EQ(page.end()["phase"], "done");
}

// mechanics: files of an archive that are not photographs of a species are counted and named.
TEST_F(ShelfApi, WhatIsLeftOutIsNamed) {
  const TrainingPage page(data_.path());
  ASSERT_EQ(page.send("begin").status, 200);
  const std::string zip = testing::zip_of({{"1.jpg", "a"},
                                           {"2.jpg", "b"},
                                           {"oak/1.jpg", "c"},
                                           {"oak/Thumbs.db", "d"},
                                           {"beech/Thumbs.db", "d"},
                                           {"oak/desktop.ini", "e"},
                                           {"__MACOSX/oak/._1.jpg", "f"},
                                           {"oak/.DS_Store", "g"}});
  const Reply reply = page.send("archive", zip);
  ASSERT_EQ(reply.status, 200);
  const Json state = Json::parse(reply.body);
  EXPECT_EQ(state["photographs"], 1);
  EXPECT_EQ(state["loose"], Json::parse(R"({"count": 2, "names": ["1.jpg", "2.jpg"]})"));
  EXPECT_EQ(state["others"]["count"], 5);
  EXPECT_EQ(state["others"]["names"], Json::parse(R"(["Thumbs.db", "desktop.ini", "._1.jpg"])"));
}

}  // namespace
}  // namespace leafglyph
