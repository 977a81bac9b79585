// End to end: the command `leafglyph leaf ...` on a few generated leaves.
#include <sys/resource.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "classify/leaf/leaf_files.h"
#include "features/image_io/decode_image.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class LeafCommandTest : public CommandTest {
 protected:
  LeafCommandTest() : CommandTest("leaf") {
    folder_.write("small.yaml",
                  "data: {source: generated, species: 3, leaves: 6, seed: 1}\n"
                  "preparation: {size: 64, area: 500}\n"
                  "features: {order: 6, channels: [grey, mask]}\n"
                  "pipeline: {scaling: standardise}\n"
                  "classifier: {k: 3}\n"
                  "protocol: {train: 4, test: 2, repeats: 2}\n");
  }
};

// mechanics: training makes a model with the promised files, and the model identifies leaves.
TEST_F(LeafCommandTest, TrainsAndClassifies) {
  const Outcome trained =
      run("train --config " + at("small.yaml") + " --model " + at("m") + " --quiet");
  ASSERT_EQ(trained.code, 0) << trained.error;
  EXPECT_EQ(trained.error, "");
  write_synthetic_leaves({3, 1, 1}, folder_.path() / "leaves");
  std::vector<std::string> images;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "leaves")) {
    if (entry.is_regular_file()) images.push_back("'" + entry.path().string() + "'");
  }
  ASSERT_EQ(images.size(), 3U);
  const std::string model = "classify --model " + at("m") + " ";
  const Outcome all =
      run(model + images[0] + " " + images[1] + " " + images[2] + " --top 2 --json - --quiet");
  EXPECT_EQ(all.code, 0) << all.error;
  const auto json = nlohmann::json::parse(all.out);
  ASSERT_EQ(json.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ("'" + json[i].at("image").get<std::string>() + "'", images[i]);
    EXPECT_EQ(json[i].at("classes").size(), 2U);
  }
  folder_.write("bad.png", "not an image");
  const Outcome some = run(model + at("bad.png") + " " + images[0] + " --json -");
  EXPECT_EQ(some.code, 5);
  EXPECT_NE(some.error.find("bad.png"), std::string::npos);
  const auto mixed = nlohmann::json::parse(some.out);
  EXPECT_TRUE(mixed[0].contains("error"));
  EXPECT_TRUE(mixed[1].contains("prediction"));
  const Outcome text = run(model + images[0] + " --top 1");
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 2) << text.out;
  EXPECT_EQ(run(model + at("bad.png") + " --json -").code, 3);
  const Outcome folder = run(model + at("leaves") + " " + at("bad.png") + " --top 2 --csv " +
                             at("predictions.csv") + " --json -");
  EXPECT_EQ(folder.code, 5);
  const std::size_t count = nlohmann::json::parse(folder.out).size();
  EXPECT_EQ(count, images.size() + 1);
  const std::string csv = read_file(at("predictions.csv"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), count + 1) << csv;
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "image,prediction,word,probability,error,class_1,scientific_name_1,score_1,distance_1,"
            "class_2,"
            "scientific_name_2,score_2,distance_2");
  fs::create_directory(at("empty"));
  expect_refused(run(model + at("empty")), 3, "no image");
}

// agreement: a copy to be given away identifies leaves as its model does. mechanics: it has neither
// pictures nor features, does not say where they came from, and nothing can be added to it.
TEST_F(LeafCommandTest, SharedModelsIdentifyAsTheirModelsDo) {
  write_synthetic_leaves({3, 8, 1}, folder_.path() / "leaves");
  const std::string data = " --data " + at("leaves");
  ASSERT_EQ(
      run("train --config leaf" + data +
          " --set preparation.size=64 --set preparation.area=500 --model " + at("m") + " --quiet")
          .code,
      0);
  const Outcome shared = run("share " + at("m") + " " + at("given"));
  ASSERT_EQ(shared.code, 0) << shared.error;
  const std::string classify = "classify " + at("leaves") + " --csv - --quiet --model ";
  const Outcome expected = run(classify + at("m"));
  ASSERT_EQ(expected.code, 0) << expected.error;
  EXPECT_EQ(run(classify + at("given")).out, expected.out);
  const Outcome explained = run(classify + at("given") + " --explain " + at("explained.html"));
  EXPECT_EQ(explained.code, 0) << explained.error;
  EXPECT_FALSE(fs::exists(at("given/features.npy")));
  EXPECT_TRUE(read_file(at("given/pictures.mjpeg")).empty());
  for (const auto& file : fs::directory_iterator(at("given"))) {
    EXPECT_EQ(read_file(file.path()).find(at("leaves")), std::string::npos) << file.path();
  }
  EXPECT_NE(run("info " + at("given")).out.find("data           24 leaves of 3 species\n"),
            std::string::npos);
  const std::string species = fs::directory_iterator(at("leaves"))->path().string();
  expect_refused(run("add " + at("given") + " new '" + species + "'"), 2, "given away");
  const Outcome again = run("share " + at("given") + " " + at("again") + " --data 'three species'");
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(run(classify + at("again")).out, expected.out);
}

// mechanics: a model describes itself, can be extended, and is unchanged if that fails.
TEST_F(LeafCommandTest, ModelsAreLookedIntoAndGrow) {
  ASSERT_EQ(run("train --config " + at("small.yaml") + " --model " + at("m") + " --quiet").code, 0);
  write_synthetic_leaves({4, 3, 2}, folder_.path() / "leaves");
  fs::path last;
  for (const auto& entry : fs::directory_iterator(at("leaves"))) {
    last = std::max(last, entry.path());
  }
  fs::rename(last, at("new"));
  const Outcome info = run("info " + at("m"));
  ASSERT_EQ(info.code, 0) << info.error;
  EXPECT_NE(info.out.find("of 18 training leaves, by 5 folds"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("          6  "), std::string::npos) << info.out;
  fs::create_directory(at("empty"));
  const std::string before = read_file(at("m/manifest.json"));
  expect_refused(run("add " + at("m") + " oak " + at("empty")), 3, "empty");
  expect_refused(run("add " + at("none") + " oak " + at("new")), 3, "none");
  EXPECT_EQ(read_file(at("m/manifest.json")), before);
  const Outcome added = run("add " + at("m") + " oak " + at("new") +
                            " --scientific-name 'Quercus robur' --chinese-name 夏栎 " + "--quiet");
  ASSERT_EQ(added.code, 0) << added.error;
  EXPECT_NE(added.out.find("added 3 photographs of oak, a new species: 21 leaves of 4 classes"),
            std::string::npos)
      << added.out;
  const auto json = nlohmann::json::parse(run("info " + at("m") + " --json -").out);
  EXPECT_EQ(json.at("species").at(3).at("scientific_name"), "Quercus robur");
  EXPECT_EQ(json.at("species").at(3).at("chinese_name"), "夏栎");
  // A name that is there stays; one that is missing can still be given.
  const std::string again = "add " + at("m") + " oak " + at("new") + " --quiet --chinese-name ";
  expect_refused(run(again + "栎"), 2, "the model calls oak '夏栎', not '栎'");
  EXPECT_EQ(json.at("species").at(3).at("photographs"), 3);
  EXPECT_EQ(json.at("added").at(0).at("photographs"), 3);
  EXPECT_EQ(json.at("pictures").at("count"), 21);
  EXPECT_EQ(json.at("accuracy").at("tested"), 21);
}

// mechanics: the leaves of a sheet by their numbers, and one prediction for a plant.
TEST_F(LeafCommandTest, NamesEveryLeafAndOnePlant) {
  ASSERT_EQ(run("train --config " + at("small.yaml") + " --model " + at("m") + " --quiet").code, 0);
  write_synthetic_leaves({1, 3, 1}, folder_.path() / "leaves");
  const std::string classify = "classify --quiet --model " + at("m") + " " + at("leaves") + " ";
  const Outcome every = run(classify + "--every-leaf --json - --numbered " + at("numbered"));
  ASSERT_EQ(every.code, 0) << every.error;
  const auto json = nlohmann::json::parse(every.out);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("leaf"), 1);
  EXPECT_EQ(json[0].at("box").size(), 4U);
  EXPECT_NO_THROW(decode_image(at("numbered/0002-leaves.jpg")));
  const Outcome plant = run(classify + "--same-plant --top 1");
  ASSERT_EQ(plant.code, 0) << plant.error;
  EXPECT_TRUE(plant.out.starts_with("one plant, 3 leaves: ")) << plant.out;
  EXPECT_NE(plant.out.find("of 9  "), std::string::npos) << plant.out;
  const Outcome both =
      run(classify + "--same-plant --every-leaf --json - --explain " + at("e.html"));
  ASSERT_EQ(both.code, 0) << both.error;
  EXPECT_EQ(nlohmann::json::parse(both.out).at("leaves").size(), 3U);
  EXPECT_NE(read_file(at("e.html")).find("0001.png #1"), std::string::npos);
  expect_refused(run(classify + "--numbered " + at("other")), 2, "--numbered");
  const Outcome none = run("classify --model " + at("m") + " --same-plant " + at("none.png"));
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(none.out, "");
}

// mechanics: a check reports problems as text, JSON and a page, and leaves no model behind.
TEST_F(LeafCommandTest, ChecksPhotographs) {
  write_synthetic_leaves({3, 6, 1}, folder_.path() / "own");
  const fs::path species = fs::directory_iterator(at("own"))->path();
  write_file(species / "broken.png", "no image");
  fs::copy(species / "0001.png", species / "copy.png");
  const Outcome checked = run("check " + at("own") + " --config " + at("small.yaml") +
                              " --report " + at("check.html") + " --json " + at("check.json"));
  EXPECT_EQ(checked.code, 5) << checked.error;
  EXPECT_NE(checked.error.find("broken.png"), std::string::npos) << checked.error;
  for (const char* text :
       {"by 5 folds", "there twice\n", "no leaf found\n", "6 to 7 of a species"}) {
    EXPECT_NE(checked.out.find(text), std::string::npos) << text << "\n" << checked.out;
  }
  const auto json = nlohmann::json::parse(read_file(at("check.json")));
  EXPECT_EQ(json.at("species").size(), 3U);
  EXPECT_EQ(json.at("more").at(1).at("photographs"), 12);
  const std::string page = read_file(at("check.html"));
  EXPECT_NE(page.find("copy.png"), std::string::npos);
  EXPECT_NE(page.find("data:image/jpeg"), std::string::npos);
  const Outcome trained = run("train --data " + at("own") + " --config " + at("small.yaml") +
                              " --model " + at("m") + " --quiet");
  EXPECT_EQ(trained.code, 5);
  EXPECT_NE(trained.out.find(checked.out.substr(0, checked.out.find('\n'))), std::string::npos)
      << trained.out;
}

// mechanics: both commands write the requested outputs.
TEST_F(LeafCommandTest, EvaluatesAndSweeps) {
  const Outcome evaluated =
      run("evaluate --config " + at("small.yaml") + " --json " + at("r.json") + " --csv " +
          at("r.csv") + " --confusion " + at("c.csv") + " --save-splits " + at("s.json"));
  ASSERT_EQ(evaluated.code, 0) << evaluated.error;
  EXPECT_NE(evaluated.out.find("2 stratified splits of the first 6 leaves"), std::string::npos)
      << evaluated.out;
  const auto json = nlohmann::json::parse(read_file(at("r.json")));
  EXPECT_EQ(json.at("classes").size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(read_file(at("s.json"))).at("splits").size(), 2U);
  // A file made by others may state anything: the command prints its actual contents.
  auto stated = nlohmann::json::parse(read_file(at("s.json")));
  stated.erase("manifest_sha256");
  stated["protocol"]["repeats"] = 77;
  stated["protocol"]["kind"] = "leave-one-out";
  folder_.write("stated.json", stated.dump());
  for (const std::string file : {"s.json", "stated.json"}) {
    const Outcome again = run("evaluate --config " + at("small.yaml") + " --splits " + at(file) +
                              " --json " + at("again.json") + " --report " + at("again.html"));
    ASSERT_EQ(again.code, 0) << again.error;
    const std::string what = "2 splits of " + at(file);
    EXPECT_NE(again.out.find("protocol       " + what + "\n"), std::string::npos) << again.out;
    const auto same = nlohmann::json::parse(read_file(at("again.json")));
    EXPECT_EQ(same.at("protocol"),
              (nlohmann::json{{"description", what}, {"file", at(file)}, {"splits", 2}}));
    EXPECT_EQ(same.at("top1").at("mean"), json.at("top1").at("mean"));
    if (file == "s.json") {
      EXPECT_EQ(same.at("top1"), json.at("top1"));
    }
    const std::string page = read_file(at("again.html"));
    EXPECT_NE(page.find(what), std::string::npos);
    for (const char* claim : {"stratified splits", "leave-one-out on all"}) {
      EXPECT_EQ(page.find(claim), std::string::npos) << claim;
      EXPECT_EQ(again.out.find(claim), std::string::npos) << claim;
    }
  }
  const Outcome swept = run("sweep --config " + at("small.yaml") + " --orders 2,6 --csv " +
                            at("sweep.csv") + " --plot " + at("sweep.svg"));
  ASSERT_EQ(swept.code, 0) << swept.error;
  const std::string csv = read_file(at("sweep.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  EXPECT_NE(read_file(at("sweep.svg")).find("</svg>"), std::string::npos);
  // A name of digits stays a name.
  folder_.write("2024.yaml", read_file(at("small.yaml")));
  const Outcome named = run("sweep --config " + at("2024.yaml") + " --orders 2 --quiet --json -");
  ASSERT_EQ(named.code, 0) << named.error;
  EXPECT_EQ(nlohmann::json::parse(named.out)[0]["configuration"], "2024");
  // What a spreadsheet would take for a formula is protected in CSV alone.
  folder_.write("=1.yaml", read_file(at("small.yaml")));
  const Outcome formula = run("sweep --config '" + at("=1.yaml") +
                              "' --orders 2 --quiet --json - " + "--csv " + at("formula.csv"));
  ASSERT_EQ(formula.code, 0) << formula.error;
  EXPECT_EQ(nlohmann::json::parse(formula.out)[0]["configuration"], "=1");
  EXPECT_NE(read_file(at("formula.csv")).find("\n'=1,2,"), std::string::npos);
}

// regression: a report on a classifier that is always right used all available memory.
TEST_F(LeafCommandTest, APerfectEvaluationHasAReport) {
  for (const int species : {2, 5}) {
    run("generate --out " + at(std::to_string(species)) + " --leaves 10 --seed 1 --species " +
        std::to_string(species));
    const Outcome evaluated = run("evaluate --config leaf --data " + at(std::to_string(species)) +
                                  " --quiet --report " + at("perfect.html"));
    const Outcome swept = run("sweep --config leaf --orders 6,8 --data " +
                              at(std::to_string(species)) + " --quiet --plot " + at("perfect.svg"));
    EXPECT_EQ(evaluated.code, 0) << evaluated.error;
    EXPECT_NE(evaluated.out.find("100.00 %"), std::string::npos) << evaluated.out;
    const std::string page = read_file(at("perfect.html"));
    EXPECT_NE(page.find("</html>"), std::string::npos);
    EXPECT_NE(page.find("Probabilities stated and found"), std::string::npos);
    EXPECT_EQ(swept.code, 0) << swept.error;
  }
}

// mechanics: what is refused, and how.
TEST_F(LeafCommandTest, BadInputsAreOneLineAndACode) {
  const auto config = [&](const std::string& text) { return folder_.write("bad.yaml", text); };
  const std::string small = at("small.yaml");
  expect_refused(run("evaluate --config " + at("none.yaml")), 3, "none.yaml");
  expect_refused(run("evaluate --config " + config("featurs: {}")), 2, "featurs");
  expect_refused(run("evaluate --config " + config("features: {order: -1}")), 2, "order");
  expect_refused(run("evaluate --config " +
                     config("data: {source: generated, species: 2, leaves: 6}\n"
                            "preparation: {size: 64, area: 500}") +
                     " --quiet"),
                 2, "50");
  expect_refused(run("evaluate --config " + config("data: {source: folders, path: nowhere}")), 3,
                 "nowhere");
  expect_refused(run("train --config " + small + " --model " + at("small.yaml/m") + " --quiet"), 1,
                 "small.yaml");
  expect_refused(run("evaluate --config " + small + " --quiet --json " + at("small.yaml/r.json")),
                 1, "small.yaml");
  expect_refused(run("classify --model " + at("none") + " x.png"), 3, "none");
  fs::create_directory(at("empty"));
  expect_refused(run("classify --model " + at("empty") + " x.png"), 4, "empty");
  expect_refused(run("classify x.png"), 2, "--model");
  expect_refused(run("sweep --config " + small + " --orders 5,1000"), 2, "order");
  expect_refused(run("generate --seed -1 --out " + at("g")), 2, "'-1'");
  expect_refused(run("generate --species -1 --out " + at("g")), 2, "-1");
  expect_refused(run("evaluate --quiet --config " +
                     config("base: small.yaml\npipeline: {projection: plda, shrinkage: 0}")),
                 2, "pipeline.shrinkage");
  expect_refused(run("evaluate --config " + config("\"a\\n\\e[31mb\": 1")), 2, "a\\n\\x1b[31mb");
}

// mechanics: Ctrl-C leaves whole pictures and exit code 130.
TEST_F(LeafCommandTest, InterruptedGenerationLeavesWholePictures) {
  const Outcome outcome =
      run_interrupted("generate --species 20 --leaves 100000 --quiet --out " + at("many"), "INT",
                      "[ -n \"$(find " + at("many") + " -name '*.png' 2>/dev/null)\" ]");
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_EQ(outcome.error, "leafglyph: interrupted\n");
  for (const auto& entry : fs::recursive_directory_iterator(at("many"))) {
    if (!entry.is_regular_file()) continue;
    EXPECT_NO_THROW(decode_image(entry.path())) << entry.path();
  }
}

// mechanics: leaves identified so far are printed before the end; the table is complete or stays
// the old one.
TEST_F(LeafCommandTest, InterruptedClassificationKeepsTheOldTable) {
  ASSERT_EQ(run("train --config " + at("small.yaml") + " --model " + at("m") + " --quiet").code, 0);
  write_synthetic_leaves({3, 2, 1}, folder_.path() / "leaves");
  folder_.write("predictions.csv", "old");
  std::string folders;
  for (int i = 0; i < 5000; ++i) folders += " leaves";
  const std::string classify = "classify --model m --csv predictions.csv --quiet";
  const fs::path here = fs::current_path();
  fs::current_path(folder_.path());
  const Outcome outcome =
      run_interrupted(classify + folders, "INT", "[ -s ${stderr%stderr}stdout ]");
  fs::current_path(here);
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_EQ(outcome.error, "leafglyph: interrupted\n");
  EXPECT_EQ(outcome.out.back(), '\n');
  EXPECT_FALSE(outcome.wrote);
  EXPECT_EQ(read_file(at("predictions.csv")), "old");
}

// regression: a file beyond the limit of ulimit -f ended the process with a signal and left a
// partial file.
TEST_F(LeafCommandTest, AFileBeyondTheLimitIsOneLine) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit low{2000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const Outcome outcome =
      run("evaluate --config " + at("small.yaml") + " --quiet --report " + at("report.html"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error,
            "leafglyph: " + at("report.html") + ": cannot be written: File too large\n");
  EXPECT_FALSE(outcome.wrote);
}

// mechanics: anything but a regular file is refused immediately, in one line.
TEST_F(LeafCommandTest, LoopsOfLinksAndPipesAreNamed) {
  std::filesystem::create_symlink("loop", at("loop"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  ASSERT_EQ(run("train --config " + at("small.yaml") + " --model " + at("m") + " --quiet").code, 0);
  expect_refused(run("classify --model " + at("loop") + " " + at("loop")), 3, at("loop"));
  expect_refused(run("classify --model " + at("m") + " " + at("loop")), 3, at("loop"));
  expect_refused(run("classify --model " + at("m") + " " + at("pipe")), 3, at("pipe"));
  expect_refused(run("classify --model " + at("pipe") + " " + at("pipe")), 4, at("pipe"));
  expect_refused(run("train --config " + at("pipe") + " --model " + at("x")), 3, at("pipe"));
  expect_refused(run("train --config " + at("loop") + " --model " + at("x")), 3, at("loop"));
}

// mechanics: outputs that cannot be written are refused before any work, here before a missing
// configuration is read.
TEST_F(LeafCommandTest, OutputsAreTriedBeforeTheWork) {
  const auto refuse = [&](const std::string& command, int code, const std::string& named) {
    expect_refused(run(command), code, named);
  };
  const std::string config = " --config " + at("none.yaml") + " ";
  const std::string nowhere = at("nowhere/file");
  folder_.write("file", "mine");
  fs::create_directory(at("folder"));
  folder_.write("folder/manifest.json", "{}");
  for (const std::string option : {"--json", "--csv", "--confusion", "--save-splits", "--report"}) {
    refuse("evaluate" + config + option + " " + nowhere, 1, "nowhere");
  }
  for (const std::string option : {"--csv", "--plot"}) {
    refuse("sweep" + config + option + " " + at("folder"), 1, "folder");
  }
  for (const std::string option : {"--csv", "--explain"}) {
    refuse("classify --model " + at("none") + " x.png " + option + " " + nowhere, 1, "nowhere");
  }
  refuse("train" + config + "--model " + at("file"), 1, "file");
  refuse("train" + config + "--model " + at("folder"), 1, "manifest.json");
  refuse("train" + config + "--model ''", 2, "--model");
  refuse("evaluate" + config + "--json ''", 2, "--json");
  refuse("generate --out " + at("file"), 1, "file");
  refuse("prepare x.png --out " + at("file/x"), 1, "file");
  refuse("evaluate" + config + "--json " + at("x") + " --csv " + at("folder/../x"), 2, "--csv");
  EXPECT_EQ(read_file(at("file")), "mine");
}

// mechanics: a disk that is full at the end loses a file, not the result.
TEST_F(LeafCommandTest, TheResultIsPrintedBeforeFilesAreWritten) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string small = " --config " + at("small.yaml") + " --quiet --csv /dev/full";
  for (const std::string command : {"evaluate", "sweep --orders 2"}) {
    const Outcome outcome = run(command + small);
    EXPECT_EQ(outcome.code, 1) << outcome.error;
    EXPECT_NE(outcome.error.find("/dev/full"), std::string::npos) << outcome.error;
    EXPECT_NE(outcome.out, "") << command;
  }
}

// regression: of photographs with the same name in several folders only the last one's stages were
// kept.
TEST_F(LeafCommandTest, PreparesPhotographsOfOneName) {
  write_synthetic_leaves({2, 1, 1}, folder_.path() / "leaves");
  std::string images;
  std::vector<std::string> species;
  for (const auto& entry : fs::directory_iterator(at("leaves"))) {
    species.push_back(entry.path().filename().string());
    images += " '" + (entry.path() / "0001.png").string() + "'";
  }
  const Outcome prepared = run("prepare" + images + " --out " + at("stages"));
  ASSERT_EQ(prepared.code, 0) << prepared.error;
  for (const std::string& name : species) {
    for (const std::string stage : {"1-grey", "2-binary", "3-leaf", "4-prepared"}) {
      EXPECT_TRUE(fs::exists(at("stages/" + name + "-0001-" + stage + ".png"))) << name << stage;
    }
    EXPECT_NE(prepared.out.find(at("stages/" + name + "-0001-*.png")), std::string::npos)
        << prepared.out;
  }
  const std::string picture = "'" + at("leaves/" + species[0] + "/0001.png") + "' ";
  expect_refused(run("prepare " + picture + picture + "--out " + at("again")), 2, "0001.png");
}

}  // namespace
}  // namespace leafglyph
