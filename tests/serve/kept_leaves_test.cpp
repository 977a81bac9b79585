#include "classify/serve/kept_leaves.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <vector>

#include "classify/http/page_limits.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/sha256.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

// mechanics: the name of a folder inside the folder, or a refusal.
TEST(KeptLeaves, NamesThatWouldLeadElsewhereAreRefused) {
  for (const char* name : {"Ginkgo biloba", "银杏", "St. John's wort", "a..b", "x.y"}) {
    EXPECT_EQ(species_folder(name), name);
  }
  const std::string with_zero("a\0b", 3);
  for (const std::string& name : std::vector<std::string>{
           "", ".", "..", "../x", "/etc", "a/b", "a\\b", ".hidden", " a", "a ", "a\nb", "a\x7F",
           "\xC2\x85", "\xFF", with_zero, std::string(kMaxSpeciesName + 1, 'a')}) {
    EXPECT_THROW(species_folder(name), UsageError) << name;
  }
}

// mechanics: the unchanged bytes are kept under their digest; a file that is not an image leaves
// nothing.
TEST(KeptLeaves, PhotographsAreKeptByTheirBytes) {
  const TemporaryFolder folder;
  const KeptLeaves kept(folder.path() / "kept");
  EXPECT_THROW(kept.keep("oak", "no image"), InputError);
  EXPECT_THROW(kept.keep("../oak", "no image"), UsageError);
  EXPECT_FALSE(std::filesystem::exists(kept.folder()));
  Image<std::uint8_t> image(8, 6);
  for (std::size_t i = 0; i < image.size(); ++i) image.data()[i] = static_cast<std::uint8_t>(5 * i);
  write_grey_bmp(folder.path() / "made.bmp", image);
  const std::string photograph = read_file(folder.path() / "made.bmp");
  const std::string name = kept.keep("oak", photograph);
  EXPECT_EQ(name, "oak/" + sha256(photograph).substr(0, 16) + ".bmp");
  EXPECT_EQ(read_file(kept.folder() / name), photograph);
  EXPECT_EQ(kept.keep("oak", photograph), name);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kept.folder() / "oak"),
                          std::filesystem::directory_iterator()),
            1);
}

// mechanics: if several servers keep photographs in one folder at the same time, none is lost,
// whether they are the same or different, and nothing else is left.
TEST(KeptLeaves, ServersMayShareAFolder) {
  const TemporaryFolder folder;
  constexpr int kServers = 4, kPhotographs = 12;
  std::vector<std::string> photographs;
  for (int i = 0; i < kPhotographs; ++i) {
    Image<std::uint8_t> image(8, 6);
    for (std::size_t p = 0; p < image.size(); ++p) {
      image.data()[p] = static_cast<std::uint8_t>((i + 5) * static_cast<int>(p));
    }
    write_grey_bmp(folder.path() / "made.bmp", image);
    photographs.push_back(read_file(folder.path() / "made.bmp"));
  }
  std::vector<std::future<void>> servers;
  servers.reserve(kServers);
  for (int s = 0; s < kServers; ++s) {
    servers.push_back(std::async(std::launch::async, [&] {
      const KeptLeaves kept(folder.path() / "kept");
      for (const std::string& photograph : photographs) kept.keep("oak", photograph);
    }));
  }
  for (std::future<void>& server : servers) server.get();
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "kept" / "oak")) {
    found.insert(read_file(entry.path()));
  }
  EXPECT_EQ(found, std::set<std::string>(photographs.begin(), photographs.end()));
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kPhotographs));
}

}  // namespace
}  // namespace leafglyph
