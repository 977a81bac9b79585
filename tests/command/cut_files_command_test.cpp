// End to end: files that are cut as soon as a command has mapped them.
#include <cstdlib>
#include <map>

#include "classify/leaf/leaf_files.h"
#include "features/base/input_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class CutFilesCommandTest : public CommandTest {
 protected:
  CutFilesCommandTest() : CommandTest("") {
    write_synthetic_leaves({4, 6, 1}, folder_.path() / "leaves");
    const Outcome made =
        run("features extract " + at("leaves") + config() + " --block 9 --out " + at("store"));
    EXPECT_EQ(made.code, 0) << made.error;
  }

  static std::string config() {
    return " --config leaf --set features.order=4 --set features.colour=none --quiet";
  }

  // Runs a command once for each file that it maps, which is emptied then. Each time it must end
  // with 4 and a line that names it, and leave nothing at `output`. Returns the number of files.
  int cut_each(const std::string& arguments, const std::string& cut_folder,
               const std::string& output) {
    fs::copy(at(cut_folder), at("whole"));
    int number = 1;
    for (; number < 20; ++number) {
      ::setenv("LEAFGLYPH_FAULT", ("cut:" + std::to_string(number)).c_str(), /*overwrite=*/1);
      ::setenv("LD_PRELOAD", inject_fault_.c_str(), /*overwrite=*/1);
      const Outcome outcome = run(arguments);
      ::unsetenv("LD_PRELOAD");
      fs::remove_all(at(cut_folder));
      fs::copy(at("whole"), at(cut_folder));
      if (outcome.code == 0) break;  // it mapped fewer files
      expect_refused(outcome, 4, cut_folder);
      EXPECT_FALSE(fs::exists(at(output))) << number;
    }
    fs::remove_all(at("whole"));
    return number - 1;
  }

#ifdef LEAFGLYPH_INJECT_FAULT
  const std::string inject_fault_ = LEAFGLYPH_INJECT_FAULT;
#else
  const std::string inject_fault_;
#endif
};

// mechanics: stores and indexes that are cut where they are mapped are damaged, for every command
// that maps them.
TEST_F(CutFilesCommandTest, AreDamaged) {
  if (inject_fault_.empty()) GTEST_SKIP() << "the sanitizers' library must be loaded first";
  EXPECT_GE(
      cut_each("leaf train" + config() + " --features " + at("store") + " --model " + at("model"),
               "store", "model"),
      3);
  EXPECT_GE(cut_each("leaf sums" + config() + " " + at("store") + " --out " + at("sums"), "store",
                     "sums"),
            3);
  EXPECT_GE(cut_each("leaf evaluate" + config() +
                         " --set protocol.train=3 --set protocol.test=2 --features " + at("store"),
                     "store", "none"),
            3);
  ASSERT_EQ(run("index build " + at("store") + " --out " + at("index")).code, 0);
  std::string leaf;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().filename() == "0001.png") leaf = entry.path();
  }
  EXPECT_EQ(cut_each("index search " + at("index") + " '" + leaf + "'", "index", "none"), 1);
  EXPECT_EQ(cut_each("index info " + at("index"), "index", "none"), 1);
  // It also maps the lists that it writes.
  EXPECT_EQ(cut_each("index merge " + at("index") + " --out " + at("merged"), "index", "merged"),
            2);
}

}  // namespace
}  // namespace leafglyph
