// Every command that writes a model, a store or an index: what it replaces, and concurrent writers.
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "classify/leaf/leaf_files.h"
#include "classify/leaf/model_folder.h"
#include "features/base/input_file.h"
#include "features/base/write_lock.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

/// A command that writes the folder {out}.
struct Writer {
  std::string arguments;
  std::string header;    ///< the file of its folder that identifies it
  WriteLock::Kind kind;  ///< kTogether: adds to what is there
};

class Writers : public CommandTest {
 protected:
  Writers() : CommandTest("") {
    folder_.write("small.yaml",
                  "data: {source: folders, path: leaves}\n"
                  "preparation: {size: 64, area: 500}\n"
                  "features: {order: 6, channels: [grey], measures: true}\n"
                  "pipeline: {scaling: standardise}\n"
                  "classifier: {k: 1}\n"
                  "protocol: {train: 2, test: 1, repeats: 2}\n");
    write_synthetic_leaves({3, 4, 1}, folder_.path() / "leaves");
    write_synthetic_leaves({1, 3, 9}, folder_.path() / "more");
    more_ = fs::directory_iterator(at("more"))->path().string();
    make("s", writers().at(2));
  }

  // Sorted so that each finds what it reads.
  std::vector<Writer> writers() const {
    using Kind = WriteLock::Kind;
    const std::string config = " --config " + at("small.yaml") + " --quiet";
    return {{"leaf train --model {out}" + config, "manifest.json", Kind::kAlone},
            {"leaf add {out} beech '" + more_ + "' --quiet", "manifest.json", Kind::kAlone},
            {"features extract " + at("leaves") + " --block 5 --out {out}" + config, "store.json",
             Kind::kTogether},
            {"features merge " + at("s") + " --out {out} --quiet", "store.json", Kind::kAlone},
            {"index build " + at("s") + " --out {out} --quiet", "index.json", Kind::kAlone}};
  }

  Outcome run_writer(const Writer& writer, const std::string& out) const {
    std::string arguments = writer.arguments;
    arguments.replace(arguments.find("{out}"), 5, at(out));
    return run(arguments);
  }

  // A folder that the writer may replace or add to.
  void make(const std::string& out, const Writer& writer) const {
    fs::remove_all(at(out));
    const bool adds = writer.arguments.starts_with("leaf add");
    const Outcome made = run_writer(adds ? writers().front() : writer, out);
    ASSERT_EQ(made.code, 0) << writer.arguments << made.error;
  }

  std::map<std::string, std::string> files(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(at(folder))) {
      files[entry.path().lexically_relative(at(folder)).string()] =
          entry.is_regular_file() ? read_file(entry.path()) : "";
    }
    return files;
  }

  void expect_kept(const Writer& writer, const std::string& why) const {
    SCOPED_TRACE(writer.arguments + ": " + why);
    const auto before = files("out");
    const Outcome outcome = run_writer(writer, "out");
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
    EXPECT_FALSE(outcome.wrote);
    EXPECT_EQ(files("out"), before);
  }

  std::string more_;
};

// mechanics: a folder is replaced only if its header, which a digest protects, identifies it as
// LeafGlyph's, and only the files listed there are removed.
TEST_F(Writers, KeepFoldersOfOthers) {
  std::size_t tried = 0;
  for (const Writer& writer : writers()) {
    const std::string header = "out/" + writer.header;
    const auto foreign = [&](const std::string& why,
                             const std::map<std::string, std::string>& put) {
      fs::remove_all(at("out"));
      for (const auto& [name, content] : put) folder_.write("out/" + name, content);
      expect_kept(writer, why);
      ++tried;
    };
    const std::map<std::string, std::string> own_names = {
        {"lists.bin", "precious"},    {"scaling.npy", "precious"}, {"00000000.npy", "precious"},
        {"00000000.csv", "precious"}, {"rows.npy", "precious"},    {"thesis.txt", "precious"}};
    for (const std::string& content :
         {std::string("{\"name\": \"not yours\"}"), std::string("no JSON"), std::string("[]"),
          std::string("{\"format\": \"leafglyph feature store\", \"version\": 2, \"inputs\": 12, "
                      "\"block\": 5}"),
          std::string("{\"format\": \"leafglyph feature index\", \"version\": 5}"),
          std::string("{\"format\": \"leafglyph-leaf-classifier\", \"sha256\": "
                      "{\"thesis.txt\": \"\"}}")}) {
      std::map<std::string, std::string> put = own_names;
      put[writer.header] = content;
      foreign(content, put);
    }
    foreign("no header", own_names);
    // Its own folder, with a modified header.
    make("out", writer);
    std::string changed = read_file(at(header));
    const std::size_t digit = changed.rfind("\"manifest_sha256\": \"") + 20;
    changed[digit] = changed[digit] == '0' ? '1' : '0';
    folder_.write(header, changed);
    expect_kept(writer, "another digest");
    ++tried;
    if (writer.kind == WriteLock::Kind::kTogether) continue;  // it adds to what is there
    for (const std::string& name :
         {std::string("20240101.csv"), std::string("00000099.npy"), std::string("lists.bin.old"),
          std::string("notes/mine.txt"), std::string(".hidden")}) {
      make("out", writer);
      folder_.write("out/" + name, "precious");
      expect_kept(writer, name);
      ++tried;
    }
  }
  RecordProperty("tried", static_cast<int>(tried));
  EXPECT_EQ(tried, 5U * 8 + 4 * 5);
}

// mechanics: while one command holds a folder, another is refused with a message before any work,
// unless both add to the folder; afterwards it works. Tests every command with a holder of every
// kind, with and without the folder.
TEST_F(Writers, AreRefusedWhileAnotherWrites) {
  std::size_t tried = 0;
  for (const Writer& writer : writers()) {
    for (const bool is_there : {true, false}) {
      for (const WriteLock::Kind holder : {WriteLock::Kind::kAlone, WriteLock::Kind::kTogether}) {
        SCOPED_TRACE(writer.arguments);
        fs::remove_all(at("out"));
        if (is_there) make("out", writer);
        const auto before = is_there ? files("out") : std::map<std::string, std::string>();
        std::optional<WriteLock> held;
        held.emplace(at("out"), holder);
        const Outcome outcome = run_writer(writer, "out");
        ++tried;
        if (holder == WriteLock::Kind::kTogether && writer.kind == holder) {
          EXPECT_EQ(outcome.code, 0) << outcome.error;
          continue;
        }
        expect_refused(outcome, 1, "another LeafGlyph is writing it");
        EXPECT_EQ(fs::exists(at("out")), is_there);
        EXPECT_EQ(is_there ? files("out") : before, before);
        held.reset();
        if (!is_there && writer.arguments.starts_with("leaf add")) continue;  // it needs a model
        EXPECT_EQ(run_writer(writer, "out").code, 0);
      }
    }
  }
  EXPECT_EQ(tried, 5U * 2 * 2);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename().string().find(".partial-"), std::string::npos) << entry;
  }
}

// mechanics: if two commands add a species to one model at the same time, each fails or has its
// species in it. The second one is refused because the first is writing the model (1), or because
// its photographs, the same ones, are already in it (3).
TEST_F(Writers, TwoSpeciesAddedAtOnceAreInTheModelOrRefused) {
  make("out", writers().front());
  const auto add = [&](const std::string& name) {
    return std::string(LEAFGLYPH_COMMAND) + " leaf add " + at("out") + " " + name + " '" + more_ +
           "' --quiet >/dev/null 2>&1";
  };
  folder_.write("both.sh", add("first") + " & a=$!\n" + add("second") +
                               " & b=$!\nwait $a; echo $? >" + at("a") + "\nwait $b; echo $? >" +
                               at("b") + "\n");
  ASSERT_EQ(std::system(("sh " + at("both.sh")).c_str()), 0);
  const LeafModel model = load_model(at("out"));
  std::size_t added = 0;
  for (const auto& [code, species] : {std::pair("a", "first"), {"b", "second"}}) {
    const bool is_in = std::ranges::count(model.class_names, species) == 1;
    const std::string ended = read_file(at(code));
    EXPECT_TRUE(is_in ? ended == "0\n" : ended == "1\n" || ended == "3\n") << species << ended;
    added += is_in;
  }
  EXPECT_GE(added, 1U);
}

// mechanics: a store is not merged with itself.
TEST_F(Writers, AStoreIsMergedOnce) {
  fs::copy(at("s"), at("t"));
  const auto before = files("t");
  expect_refused(run("features merge " + at("s") + " " + at("t") + " --out " + at("t")), 2,
                 "is one of the stores to merge");
  expect_refused(run("features merge " + at("s") + " " + at("s/") + " --out " + at("u")), 2,
                 "is named twice");
  EXPECT_EQ(files("t"), before);
}

}  // namespace
}  // namespace leafglyph
