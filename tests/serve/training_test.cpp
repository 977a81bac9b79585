// Trainings of the page: uploaded photographs become a model; of two concurrent trainings neither
// loses its photographs or its model.
#include "classify/serve/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/serve/training_page.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::error_of;
using testing::Reply;
using testing::TrainingPage;
using testing::zip_of;

class TrainingApi : public testing::TrainingPageTest {};

// The files of a folder, by path, with their content.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path());
  }
  return files;
}

// mechanics: uploaded photographs are learned and saved, and the model predicts; nothing else
// remains.
TEST_F(TrainingApi, PhotographsBecomeAModel) {
  const TrainingPage page(data_.path());
  EXPECT_EQ(page.send("photograph?species=oak", "x").status, 400);
  EXPECT_EQ(page.get("training/report").status, 404);
  EXPECT_EQ(page.send("run?name=mine").status, 400);
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("archive", archive()).status, 200);
  EXPECT_EQ(page.state()["photographs"], 48);
  EXPECT_EQ(page.state()["species"], 6);
  EXPECT_EQ(page.send("photograph?species=oak&name=broken.png", "no image").status, 200);
  EXPECT_EQ(page.send("run?name=..%2Fmine").status, 400);
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  // leaf train, too, refuses a species without a usable photograph.
  Json state = page.end();
  EXPECT_EQ(state["phase"], "failed");
  EXPECT_EQ(state["failure"].get<std::string>().find(data_.path().string()), std::string::npos);
  EXPECT_NE(state["failure"].get<std::string>().find("oak/broken.png"), std::string::npos);
  EXPECT_FALSE(fs::exists(own("mine")));
  // The photographs stay, and more can be added.
  EXPECT_EQ(error_of(page.send("begin")).first, "gathered");
  EXPECT_EQ(state["photographs"], 49);
  EXPECT_EQ(page.send("photograph?species=oak&name=too.png", "no image").status, 200);
  EXPECT_EQ(page.state()["phase"], "gathering");
  EXPECT_EQ(page.state()["photographs"], 50);
  ASSERT_EQ(page.send("begin?discard=yes").status, 200);
  ASSERT_EQ(page.send("archive", archive()).status, 200);
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  state = page.end();
  ASSERT_EQ(state["phase"], "done") << state;
  EXPECT_EQ(state["leaves"], 48);
  EXPECT_EQ(state["species"], 6);
  const LeafModel model = load_model(own("mine"));
  ASSERT_TRUE(model.history.accuracy);
  EXPECT_EQ(state["accuracy"]["share"], model.history.accuracy->share());
  ASSERT_TRUE(model.history.unknown);
  EXPECT_EQ(state["unknown"]["share"], model.history.unknown->share());
  EXPECT_EQ(testing::post(page.port(), "/api/v1/leaf/identify?model=mine",
                          read_file(leaves_->photographs().front()))
                .status,
            200);
  // Only the model is there, not even the lock of its folder.
  EXPECT_EQ(std::distance(fs::directory_iterator(data_.path()), fs::directory_iterator()), 1);
  EXPECT_EQ(
      std::distance(fs::directory_iterator(own("mine").parent_path()), fs::directory_iterator()),
      1);
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("archive", archive()).status, 200);
  const auto [kind, message] = error_of(page.send("run?name=mine"));
  EXPECT_EQ(message, "a model called 'mine' already exists; choose another name");
  EXPECT_EQ(page.state()["phase"], "gathering");
}

// mechanics: photographs that wait for a training wait for the next server, too, with the names of
// their species; models know these, and whether all their leaves are drawn.
TEST_F(TrainingApi, PhotographsWaitForTheNextServer) {
  std::string names = "folder,chinese_name\n";
  {
    const TrainingPage page(data_.path());
    ASSERT_EQ(page.send("begin").status, 200);
    ASSERT_EQ(page.send("archive", archive()).status, 200);
    const Json sent = page.state()["sent"];
    for (const Json& one : sent) names += one["species"].get<std::string>() + ",甲\n";
    EXPECT_EQ(page.send("names", "species\n").status, 422);
    ASSERT_EQ(page.send("names", names).status, 200);
  }
  const TrainingPage page(data_.path());
  EXPECT_EQ(page.state()["phase"], "gathering");
  EXPECT_EQ(page.state()["photographs"], 48);
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  ASSERT_EQ(page.end()["phase"], "done");
  EXPECT_EQ(load_model(own("mine")).chinese_names, std::vector<std::string>(6, "甲"));
  const Json models = Json::parse(page.get("models").body)["models"];
  EXPECT_EQ(models[0]["drawn"], true);
  EXPECT_EQ(models[0]["species"][5]["chinese_name"], "甲");
  EXPECT_EQ(std::distance(fs::directory_iterator(data_.path()), fs::directory_iterator()), 1);
}

// mechanics: what version 0.2.0 left waiting (such folders have no mark, so that nobody can tell
// them from the user's) is offered, learnt only if the user asks for it, and stays as it is.
TEST_F(TrainingApi, PhotographsOfAnEarlierVersionAreOffered) {
  const fs::path waiting = data_.path() / "waiting";
  for (const auto& entry : fs::recursive_directory_iterator(leaves_->leaves())) {
    if (!entry.is_regular_file() || entry.path().extension() != ".png") continue;
    const fs::path file = waiting / fs::relative(entry.path(), leaves_->leaves());
    fs::create_directories(file.parent_path());
    fs::copy_file(entry.path(), file);
  }
  const std::string species = fs::directory_iterator(waiting)->path().filename().string();
  data_.write("waiting/.species.csv", "folder,common_name\n" + species + ",Speech oak\n");
  const auto before = files_below(waiting);
  {
    const TrainingPage page(data_.path());
    EXPECT_EQ(page.state()["photographs"], 0);
    EXPECT_EQ(page.state()["earlier"]["photographs"], before.size() - 1);
    EXPECT_EQ(page.state()["earlier"]["folder"], waiting.string());
    EXPECT_EQ(page.send("run?name=mine").status, 400);
    EXPECT_EQ(page.send("earlier").status, 400);
    ASSERT_EQ(page.send("begin?discard=yes").status, 200);
    ASSERT_EQ(page.send("earlier").status, 200);
    EXPECT_EQ(page.state()["photographs"], before.size() - 1);
    EXPECT_FALSE(page.state().contains("earlier"));
    ASSERT_EQ(page.send("run?name=mine").status, 200);
    ASSERT_EQ(page.end()["phase"], "done") << page.state();
    EXPECT_NE(page.get("models").body.find("Speech oak"), std::string::npos);
  }
  EXPECT_EQ(files_below(waiting), before);
  EXPECT_FALSE(fs::exists(data_.path() / "waiting-2"));
}

// mechanics: messages use the names under which photographs were sent; the report's own script may
// run in a sandbox, and nothing else.
TEST_F(TrainingApi, AReportShowsNoPathAndRunsItsOwnScriptAlone) {
  const TrainingPage page(data_.path());
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("archive", archive()).status, 200);
  const std::string species = leaves_->photographs().front().parent_path().filename().string();
  std::string escaped;
  for (const char letter : species) escaped += letter == ' ' ? "%20" : std::string(1, letter);
  ASSERT_EQ(page.send("photograph?name=paper.jpg&species=" + escaped, "no image").status, 200);
  ASSERT_EQ(page.send("run?name=mine").status, 200);
  const Json state = page.end();
  ASSERT_EQ(state["phase"], "done") << state;
  EXPECT_NE(state.dump().find(species + "/paper.jpg: "), std::string::npos) << state;
  const Reply report = page.get("training/report");
  EXPECT_EQ(report.status, 200);
  EXPECT_NE(report.body.find(species + "/paper.jpg"), std::string::npos);
  for (const std::string& text :
       {state.dump(), report.body, load_model(own("mine")).history.data}) {
    EXPECT_EQ(text.find("partial-"), std::string::npos);
    EXPECT_EQ(text.find(data_.path().string()), std::string::npos);
  }
  EXPECT_TRUE(report.body.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(report.head.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(report.head.find("sandbox allow-scripts\r\n"), std::string::npos) << report.head;
  EXPECT_NE(report.head.find("script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(report.head.find("connect-src"), std::string::npos);
  EXPECT_EQ(report.body.find("<script>"), report.body.rfind("<script>"));
}

// regression: the report of a training was lost when the server ended
TEST_F(TrainingApi, TheReportIsThereAfterARestart) {
  std::string before;
  {
    const TrainingPage page(data_.path());
    ASSERT_EQ(page.send("begin").status, 200);
    ASSERT_EQ(page.send("archive", archive(3, 4)).status, 200);
    ASSERT_EQ(page.send("run?name=mine").status, 200);
    ASSERT_EQ(page.end()["phase"], "done");
    before = page.get("training/report").body;
  }
  const TrainingPage page(data_.path(), {leaves_->model()});
  EXPECT_EQ(page.get("training/report").body, before);
  const Reply report = page.get("models/report?model=mine");
  EXPECT_EQ(report.body, before);
  EXPECT_NE(report.head.find("sandbox allow-scripts\r\n"), std::string::npos) << report.head;
  EXPECT_EQ(page.get("models/report?model=drawn.model").status, 200);
  EXPECT_EQ(page.get("models/report?model=none").status, 404);
  EXPECT_EQ(page.get("models/report").status, 400);
}

// mechanics: uploads that cannot become a model are refused before any work, with a message that
// says what is missing.
TEST_F(TrainingApi, TooFewPhotographsAreRefusedBeforeTheWork) {
  const TrainingPage page(data_.path());
  for (const auto& [species, of_each, word] :
       {std::tuple(0U, 1U, "one species is needed, but there is none"),
        std::tuple(1U, 2U, "or more are needed to recognise it"),
        std::tuple(6U, 1U, "with two photographs or more are needed")}) {
    ASSERT_EQ(page.send("begin?discard=yes").status, 200);
    if (species > 0) {
      ASSERT_EQ(page.send("archive", archive(species, of_each)).status, 200);
    }
    const Reply reply = page.send("run?name=mine");
    EXPECT_EQ(reply.status, 422);
    EXPECT_NE(error_of(reply).second.find(word), std::string::npos) << reply.body;
    EXPECT_EQ(page.state()["phase"], "gathering");
    EXPECT_FALSE(fs::exists(own("mine").parent_path()));
  }
}

// mechanics: photographs collected in another tab are discarded only on explicit request.
TEST_F(TrainingApi, ASecondTabThrowsNothingAwayUnasked) {
  const TrainingPage page(data_.path());
  ASSERT_EQ(page.send("begin").status, 200);
  ASSERT_EQ(page.send("begin").status, 200);  // there was nothing yet
  ASSERT_EQ(page.send("photograph?species=oak", "x").status, 200);
  const Reply refused = page.send("begin");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(error_of(refused).first, "gathered");
  EXPECT_NE(error_of(refused).second.find("photographs waiting for a training: 1;"),
            std::string::npos)
      << refused.body;
  EXPECT_EQ(page.state()["photographs"], 1);
  EXPECT_EQ(page.send("begin?discard=maybe").status, 400);
  EXPECT_EQ(page.state()["photographs"], 1);
  EXPECT_EQ(page.send("begin?discard=yes").status, 200);
  EXPECT_EQ(page.state()["photographs"], 0);
}

// mechanics: two servers with one folder, or a program that holds the model's folder: the second
// one is refused and keeps its photographs.
TEST_F(TrainingApi, OneModelHasOneTraining) {
  const TrainingPage first(data_.path()), second(data_.path());
  for (const TrainingPage* page : {&first, &second}) {
    ASSERT_EQ(page->send("begin").status, 200);
    ASSERT_EQ(page->send("archive", archive(2, 3)).status, 200);
  }
  {
    const WriteLock other(own("same"));
    const Reply refused = first.send("run?name=same");
    EXPECT_EQ(refused.status, 409) << refused.body;
    EXPECT_EQ(error_of(refused).first, "taken");
  }
  ASSERT_EQ(first.send("run?name=same").status, 200);
  const Reply refused = second.send("run?name=same");
  EXPECT_TRUE(refused.status == 409 || refused.status == 400) << refused.body;
  EXPECT_EQ(second.state()["photographs"], 6);
  ASSERT_EQ(first.end()["phase"], "done");
  EXPECT_EQ(second.send("run?name=same").status, 400);
  EXPECT_EQ(second.send("run?name=other").status, 200);
  EXPECT_EQ(second.end()["phase"], "done");
  EXPECT_EQ(load_model(own("same")).sample_names, load_model(own("other")).sample_names);
}

// mechanics: anything in the place of a model is kept, even if it was put there during the
// training.
TEST_F(TrainingApi, WhatIsInThePlaceOfAModelStays) {
  const TrainingPage page(data_.path());
  for (const char* content : {"thesis.txt", "manifest.json", ".hidden"}) {
    fs::remove_all(data_.path() / "models");
    fs::create_directories(own("mine"));
    data_.write("models/mine/" + std::string(content), "precious");
    ASSERT_EQ(page.send("begin?discard=yes").status, 200);
    ASSERT_EQ(page.send("archive", archive(2, 3)).status, 200);
    EXPECT_EQ(page.send("run?name=mine").status, 400);
    EXPECT_EQ(read_file(own("mine") / content), "precious");
    fs::remove_all(own("mine"));
    ASSERT_EQ(page.send("run?name=mine").status, 200);
    fs::create_directories(own("mine"));  // by a program that ignores locks
    data_.write("models/mine/" + std::string(content), "precious");
    EXPECT_EQ(page.end()["phase"], "failed");
    EXPECT_EQ(read_file(own("mine") / content), "precious");
    EXPECT_TRUE(page.models().empty());
  }
}

// mechanics: trained models are available after a restart, after those of --model; unreadable ones
// are reported in one line and left out.
TEST_F(TrainingApi, TrainedModelsAreOfferedAgain) {
  for (const char* name : {"mine", "drawn.model", "damaged"}) {
    fs::create_directories(own(name).parent_path());
    fs::copy(leaves_->model(), own(name));
  }
  data_.write("models/damaged/labels.json", "{}");
  fs::create_directories(own("photographs") / "oak");
  fs::create_directories(own(".hidden"));
  data_.write("models/notes.txt", "no model");
  const TrainingPage page(data_.path(), {leaves_->model()});
  const Json models = Json::parse(page.get("models").body)["models"];
  ASSERT_EQ(models.size(), 2U) << models;
  EXPECT_EQ(models[0]["name"], "drawn.model");
  EXPECT_EQ(models[1]["name"], "mine");
  ASSERT_EQ(page.warnings().size(), 3U);
  for (const char* name : {"damaged", "drawn.model", "photographs"}) {
    EXPECT_TRUE(std::ranges::any_of(page.warnings(), [&](const std::string& line) {
      return line.starts_with("a trained model is left out: ") &&
             line.find(own(name).string()) != std::string::npos;
    })) << name;
  }
  // A model named by --model that is also in the folder is one model, without a warning.
  fs::remove_all(own("damaged"));
  fs::remove_all(own("photographs"));
  fs::remove_all(own("drawn.model"));
  const TrainingPage again(data_.path(), {own("mine")});
  EXPECT_EQ(again.models(), std::set<std::string>{"mine"});
  EXPECT_TRUE(again.warnings().empty());
  // The name of an available model is taken, wherever the model is.
  const TrainingPage third(data_.path(), {leaves_->model()});
  third.send("begin");
  third.send("archive", archive(2, 3));
  EXPECT_EQ(third.send("run?name=drawn.model").status, 400);
}

// mechanics: starting anew while an archive is unpacked discards its photographs and refuses the
// upload; a training waits for photographs that are being added.
TEST_F(TrainingApi, AnArchiveHoldsNobodyUp) {
  ModelShelf shelf({}, data_.path() / "models", /*installed=*/{}, LeafRun{});
  Training training(LeafConfig{}, data_.path(), LeafRun{}, shelf);
  training.begin(/*discard=*/false);
  constexpr std::size_t kFiles = 3000;
  std::vector<std::pair<std::string, std::string>> files(kFiles);
  for (std::size_t i = 0; i < kFiles; ++i) files[i] = {"oak/" + std::to_string(i) + ".png", "x"};
  const std::string zip = zip_of(files);
  std::future<void> adding = std::async(std::launch::async, [&] { training.add_archive(zip); });
  while (training.state().sent.photographs == 0) std::this_thread::yield();
  if (training.state().sent.photographs <
      files.size()) {  // else this machine was too busy to see it
    EXPECT_THROW(training.begin(false), Refusal);
    EXPECT_THROW(training.run("mine"), Refusal);
    training.begin(true);
    EXPECT_EQ(training.state().sent.photographs, 0U);
    training.add("beech", "1.png", "x");
    training.add("beech", "2.png", "x");
    // For the photographs that are there, whatever happens to the others.
    EXPECT_THROW(training.run("mine"), InputError);
    EXPECT_THROW(adding.get(), Refusal);
    EXPECT_EQ(training.state().sent.photographs, 2U);
  }
}

}  // namespace
}  // namespace leafglyph
