// Typing mistakes: each ends with its exit code and one line that says what to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "tests/support/grey_bmp.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

struct Mistake {
  const char* typed;
  int code;
  std::vector<const char*> parts;  // of the message
};

// Runs the command in a folder with a picture, a text file and a configuration.
class UserMistakes : public CommandTest {
 protected:
  UserMistakes() : CommandTest("") {
    write_grey_bmp(at("photo.bmp"), Image<std::uint8_t>(16, 16));
    folder_.write("notes.txt", "no picture");
    folder_.write("mine.yaml", "base: leaf.yaml\nfeatures: {ordr: 20}\n");
    folder_.write("odd.yaml", "base: leaf\nclassifier: {metric: cosin}\n");
    std::filesystem::create_directory(at("photographs"));
    std::filesystem::current_path(folder_.path());
  }

  void expect_reported(const std::vector<Mistake>& mistakes) {
    for (const Mistake& mistake : mistakes) {
      SCOPED_TRACE(mistake.typed);
      const Outcome outcome = run(mistake.typed);
      for (const char* part : mistake.parts) expect_refused(outcome, mistake.code, part);
    }
  }
};

// mechanics: commands that are misspelled, missing, or in the wrong place.
TEST_F(UserMistakes, Commands) {
  expect_reported(
      {{"", 2, {"leafglyph needs a command: leaf, ", "see leafglyph --help"}},
       {"laef", 2, {"'laef' is not a command of leafglyph; did you mean 'leaf'?"}},
       {"glyphs similar 己", 2, {"did you mean 'glyph'?"}},
       {"train --config leaf", 2, {"did you mean 'leaf train'?"}},
       {"similar 己", 2, {"did you mean 'glyph similar'?"}},
       {"leaf", 2, {"leafglyph leaf needs a command: train, sums", "leafglyph leaf --help"}},
       {"leaf trian", 2, {"not a command of leafglyph leaf; did you mean 'train'?"}},
       {"leaf clasify photo.bmp", 2, {"did you mean 'classify'?"}},
       {"leaf eval", 2, {"did you mean 'evaluate'?"}},
       {"moments recontruct m.npy", 2, {"did you mean 'reconstruct'?"}},
       {"features extrakt .", 2, {"did you mean 'extract'?"}},
       {"help leaf trian", 2, {"did you mean 'train'?"}},
       {"help laef", 2, {"did you mean 'leaf'?"}},
       {"completion tcsh", 2, {"'tcsh' is unknown; use one of bash, zsh, fish"}},
       {"doctor now", 2, {"'now' is one argument more than leafglyph doctor takes"}}});
}

// mechanics: options that are misspelled, in the wrong place, twice or without a value.
TEST_F(UserMistakes, Options) {
  expect_reported(
      {{"--versoin", 2, {"'--versoin' is not an option of leafglyph; did you mean '--version'?"}},
       {"leaf train --cofig leaf --model m", 2, {"did you mean '--config'?"}},
       {"leaf train --cofig=leaf --model m", 2, {"'--cofig' is not an option", "'--config'?"}},
       {"glyph similar --topp 3 己", 2, {"did you mean '--top'?"}},
       {"moments compute photo.bmp --famly zernike --out m.npy", 2, {"did you mean '--family'?"}},
       {"--device cpu leaf train", 2, {"'--device' goes after its command", "leafglyph leaf"}},
       {"leaf --quiet train", 2, {"'--quiet' goes after its command"}},
       {"leaf train --config", 2, {"--config needs a value: --config CONFIG"}},
       {"leaf train --config --model m", 2, {"--config: needs a value before --model"}},
       {"leaf train --config leaf", 2, {"--model is missing: "}},
       {"leaf classify photo.bmp", 2, {"--model is missing: Folder written by leaf train"}},
       {"leaf classify --model m", 2, {"images is missing: Image files"}},
       {"moments compute photo.bmp --order 5 --order 6 --out m.npy",
        2,
        {"--order is given 2 times"}},
       {"moments compute photo.bmp --exact --gauss 3 --out m.npy", 2, {"--exact excludes --gauss"}},
       {"leaf classify --model m photo.bmp --numbered n", 2, {"--numbered requires --every-leaf"}},
       {"leaf train leaf --config leaf --model m",
        2,
        {"'leaf' is one argument more than leafglyph leaf train"}},
       {"glyph similar -x 己", 2, {"'-x' is not an option of leafglyph glyph similar"}}});
}

// mechanics: invalid numbers, lists and names.
TEST_F(UserMistakes, Values) {
  expect_reported(
      {{"moments compute photo.bmp --order abc --out m.npy", 2, {"--order: 'abc'", "whole number"}},
       {"moments compute photo.bmp --order 1e3 --out m.npy", 2, {"--order: '1e3'"}},
       {"moments compute photo.bmp --order 5,6 --out m.npy", 2, {"--order: '5,6'"}},
       {"moments compute photo.bmp --order -3 --out m.npy", 2, {"-3"}},
       {"leaf generate --out leaves --species many", 2, {"--species: 'many'"}},
       {"doctor --threads two", 2, {"--threads: 'two' is not valid; use a whole number"}},
       {"doctor --memory lots", 2, {"--memory: 'lots' is not valid; use a size such as 512M"}},
       {"glyph similar 己 --top 0", 2, {"--top: '0' is not valid; use a whole number from 1"}},
       {"glyph similar 己 --draw brail", 2, {"use one of auto, ", "did you mean 'braille'?"}},
       {"glyph groups --min-score 90", 2, {"--min-score: '90'", "from 0 to 1"}},
       {"moments tables photo.bmp --orders 5,,6", 2, {"write 5,10,20 or 5:50:5"}},
       {"moments tables photo.bmp --orders 50:5:5", 2, {"'50:5:5' is not valid", "upwards"}},
       {"moments tables photo.bmp --orders 5-50", 2, {"'5-50' is not a list of whole numbers"}},
       {"moments tables --orders 5 notes.txt", 3, {"notes.txt"}},
       {"moments compute photo.bmp --family zernicke --out m.npy", 2, {"did you mean 'zernike'?"}},
       {"moments compute photo.bmp --mask center --out m.npy", 2, {"did you mean 'centre'?"}},
       {"moments compute photo.bmp --convention mahota --out m.npy",
        2,
        {"did you mean 'mahotas'?"}},
       {"moments filter photo.bmp --domain momnt --out x.png", 2, {"did you mean 'moment'?"}},
       {"moments filter photo.bmp --alpha half --out x.png", 2, {"--alpha: 'half'"}},
       {"moments compute photo.bmp --device gpu --out m.npy",
        2,
        {"'gpu' is unknown; use auto, cpu"}},
       {"serve --port 99999", 2, {"--port: '99999' is not valid"}}});
}

// mechanics: tables that are not there, or not tables of columns.
TEST_F(UserMistakes, Tables) {
  folder_.write("twice.csv", "file,x\na.bmp,1\na.bmp,2\n");
  folder_.write("nan.csv", "file,x\na.bmp,nan\n");
  expect_reported({{"leaf train --data photographs --model m --join none.csv", 3, {"none.csv"}},
                   {"leaf train --data photographs --model m --join notes.txt",
                    3,
                    {"notes.txt: 0 columns beside the names"}},
                   {"leaf train --data photographs --model m --join twice.csv",
                    3,
                    {"twice.csv, line 3: 'a.bmp' is there for the second time"}},
                   {"leaf evaluate --data photographs --join nan.csv",
                    3,
                    {"nan.csv, line 2: column 'x' has 'nan', which is not a finite number"}}});
}

// mechanics: every command with --memory refuses invalid sizes, and sizes below what the program
// alone needs, before it checks anything else; the message names the smallest sufficient size.
TEST_F(UserMistakes, MemoryThatIsInvalid) {
  ASSERT_EQ(run("help --man-pages man").code, 0);
  std::size_t commands = 0;
  for (const auto& entry : std::filesystem::directory_iterator("man")) {
    if (read_file(entry.path()).find("\\fB\\-\\-memory\\fR") == std::string::npos) continue;
    ++commands;
    std::string command = entry.path().stem().string().substr(std::string("leafglyph-").size());
    std::ranges::replace(command, '-', ' ');
    for (const char* bad : {"-1", "lots", "nan"}) {
      const std::string said =
          "--memory: '" + std::string(bad) + "' is not valid; use a size such as 512M or 4G";
      expect_reported({{(command + " --memory " + bad).c_str(), 2, {said.c_str()}}});
    }
    for (const char* little : {"0", "10", "1M"}) {
      const std::string said = "--memory: '" + std::string(little) +
                               "' is not enough; the program alone needs more: use ";
      expect_reported(
          {{(command + " --memory " + little).c_str(), 2, {said.c_str(), "M or more"}}});
    }
  }
  EXPECT_GT(commands, 30U);
}

// mechanics: so does every command that reads images, if one of them needs more; the message names
// the smallest sufficient size.
TEST_F(UserMistakes, MemoryThatOneImageExceeds) {
  constexpr int kSide = 5792;  // 256 MiB as a square of double, in addition to what sanitizers take
  std::filesystem::create_directories("large/oak");
  std::filesystem::create_directories("large/ash");
  for (const char* file :
       {"large.bmp", "large/oak/1.bmp", "large/oak/2.bmp", "large/ash/1.bmp", "large/ash/2.bmp"}) {
    write_grey_bmp(at(file), Image<std::uint8_t>(kSide, kSide));
  }
  for (const std::string command :
       {"moments compute large.bmp --order 3 --out m.npy", "moments tables large.bmp --orders 3",
        "moments filter large.bmp --out f.png", "leaf prepare large.bmp --out stages",
        "features extract large --config leaf --out s", "features extract large --order 3 --out t",
        "leaf check large --config leaf", "leaf train --config leaf --data large --model m",
        "leaf evaluate --config leaf --data large"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run(command + " --quiet --memory 250M");
    EXPECT_EQ(outcome.code, 2) << outcome.error;
    EXPECT_NE(outcome.error.find(" of memory and "), std::string::npos) << outcome.error;
    EXPECT_NE(outcome.error.find("allow "), std::string::npos) << outcome.error;
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
  }
}

// mechanics: outputs in another format, without one, given twice, or in a missing folder; all
// before any work.
TEST_F(UserMistakes, Outputs) {
  expect_reported(
      {{"leaf generate --out -", 2, {"--out - : this does not go to standard output"}},
       {"moments compute photo.bmp --out -", 2, {"--out"}},
       {"moments compute photo.bmp --out m.txt", 2, {"m.txt"}},
       {"moments draw --order 5 --out kernel.pgn", 2, {"not written as '.pgn'; use .png"}},
       {"glyph similar 己 --json a.csv", 2, {"--json a.csv: the file is JSON; name it with .json"}},
       {"glyph similar 己 --sheet a.jpg", 2, {"the file is PNG; name it with .png"}},
       {"glyph explore --out a.json", 2, {"the file is HTML"}},
       {"leaf evaluate --config leaf --report result.pdf", 2, {"name it with .html"}},
       {"leaf sweep --config leaf --plot sweep.png", 2, {"the file is SVG"}},
       {"leaf evaluate --config leaf --csv a.csv --confusion a.csv", 2, {"both name a.csv"}},
       {"leaf evaluate --config leaf --json - --csv -", 2, {"both name standard output"}},
       {"leaf sweep --config leaf --csv nowhere/a.csv", 1, {"nowhere"}},
       {"glyph export", 2, {"give --csv FILE or --json FILE"}},
       {"features export s.store", 2, {"--csv, --npz or --parquet"}},
       {"features export s.store --npz a.csv", 2, {"name it with .npz"}},
       {"features export s.store --parquet a.csv", 2, {"name it with .parquet"}}});
}

// mechanics: inputs and configurations that are missing, misspelled or something else.
TEST_F(UserMistakes, InputsAndConfigurations) {
  expect_reported(
      {{"leaf train --config leef --model m", 3, {"leef: there is no such file", "'leaf'?"}},
       {"leaf train --config leaf.yml --model m", 3, {"did you mean 'leaf'?", "config list"}},
       {"leaf train --config configs/leaff.yaml --model m", 3, {"did you mean 'leaf'?"}},
       {"config show leaf_tune", 3, {"did you mean 'leaf_tuned'?"}},
       {"config show --all mine.yaml", 2, {"mine.yaml:2: features.ordr: is an unknown key"}},
       {"config show leaf --set pipeline.wear=1", 2, {"pipeline.wear", "'augmentation'?"}},
       {"config show gb2312 --set lookalikes.grd=4", 2, {"did you mean 'grid'?"}},
       {"leaf train --config mine.yaml --model m",
        2,
        {"mine.yaml:2: features.ordr: is an unknown key", "did you mean 'order'?"}},
       {"leaf train --config odd.yaml --model m", 2, {"did you mean 'cosine'?"}},
       {"leaf train --config notes.txt --model m", 2, {"notes.txt"}},
       {"leaf train --config photographs --model m", 3, {"photographs: is a folder"}},
       {"leaf train --config leaf --set order=20 --model m",
        2,
        {"--set: order: is an unknown key"}},
       {"leaf train --config leaf --set features.ordr=20 --model m", 2, {"did you mean 'order'?"}},
       {"leaf train --config leaf --set features.order --model m", 2, {"write key=value"}},
       {"leaf train --config leaf --set 'features.order=[' --model m",
        2,
        {"--set features.order=[: is not YAML"}},
       {"leaf train --config leaf --set features.order=999 --model m",
        2,
        {"--set: features.order: 999 is out of range; use from 0 to 200"}},
       {"glyph similar 己 --set lookalikes.grd=4", 2, {"did you mean 'grid'?"}},
       {"features extract photographs --order 5 --set a=1 --out s", 2, {"--set needs --config"}},
       {"leaf classify --model leaf.model photo.bmp", 3, {"train one with leaf train"}},
       {"leaf classify --model photographs photo.bmp", 4, {"photographs"}},
       {"moments compute foto.bmp --order 5 --out m.npy", 3, {"foto.bmp: there is no such file"}},
       {"moments compute notes.txt --order 5 --out m.npy", 3, {"notes.txt"}},
       {"moments reconstruct photo.bmp --out x.png", 2, {"photo.bmp"}},
       {"leaf check photographs --config leaf", 3, {"photographs"}}});
}

// regression: moments in another program's convention were computed on the CPU, but their store
// said cuda. Every command that computes them refuses a requested GPU.
TEST_F(UserMistakes, AGpuForWhatHasNoCuda) {
  cv::Mat spot(20, 30, CV_8U, cv::Scalar(0));
  spot(cv::Rect(4, 6, 9, 5)).setTo(200);
  cv::imwrite(at("spot.png"), spot);
  const std::string convention = " --order 4 --convention mahotas --radius 8";
  ASSERT_EQ(run("features extract spot.png --out s" + convention).code, 0);
  EXPECT_NE(run("features info s").out.find(", computed on cpu"), std::string::npos);
  ASSERT_EQ(run("index build s --out i").code, 0);
  for (const std::string device : {"cuda", "cuda:0", "cuda:all"}) {
    for (const std::string& command :
         {"moments compute spot.png --out m.npy" + convention,
          "features extract spot.png --out t" + convention, std::string("index search i spot.png"),
          std::string("index classify i spot.png")}) {
      SCOPED_TRACE(command);
      expect_refused(run(command + " --device " + device), 2,
                     "there is no CUDA for convention mahotas");
    }
  }
}

}  // namespace
}  // namespace leafglyph
