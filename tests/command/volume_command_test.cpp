// End to end: `leafglyph moments volume` on small generated volumes and images.
#include "features/base/statistics.h"
#include "features/image/volume.h"
#include "features/image_io/volume_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kVolumeCommandSeed = 20250103;

class VolumeCommandTest : public CommandTest {
 protected:
  VolumeCommandTest() : CommandTest("moments") {}

  void write_slice(const std::string& name, int width, int height) const {
    const Volume bone = generate_bone(width, height, 1, kVolumeCommandSeed);
    write_picture(folder_.path() / name, volume_slice(bone, Axis::kZ, 0), /*peak=*/255.0);
  }
};

// mechanics: volumes with unequal axes work in both directions.
TEST_F(VolumeCommandTest, VolumesNeedNotBeCubes) {
  const Outcome made = run("volume --generate 12,10,8 --family jacobi:0.3:0.7 " +
                           std::string("--order 9 --orders 3 --slice x:11,y:9,z:7 ") +
                           "--plane 1:1:1:0 --pictures " + at("pictures") + " --csv " +
                           at("psnr.csv") + " --out " + at("m.npy"));
  ASSERT_EQ(made.code, 0) << made.error;
  for (const char* name : {"x_11", "y_9", "z_7", "plane_1", "original_z_7"}) {
    EXPECT_TRUE(fs::exists(at("pictures/" + std::string(name) + ".png"))) << name;
  }
  const std::string csv = read_file(at("psnr.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  const Outcome back = run("volume --from " + at("m.npy") + " --reconstruct " + at("back.npy"));
  ASSERT_EQ(back.code, 0) << back.error;
  const Volume volume = read_volume(at("back.npy")).volume;
  EXPECT_EQ(volume.width, 12);
  EXPECT_EQ(volume.height, 10);
  EXPECT_EQ(volume.depth, 8);
}

// agreement: slices computed without the volume equal those drawn with it
TEST_F(VolumeCommandTest, SlicesComeWithoutTheVolume) {
  const std::string places = " --slice x:11,y:9,z:7 --pictures ";
  const Outcome made = run("volume --generate 12,10,8 --family jacobi:0.3:0.7 --order 9 --out " +
                           at("m.npy") + places + at("alone"));
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(made.out.find("PSNR"), std::string::npos) << made.out;
  const Outcome again = run("volume -v --from " + at("m.npy") + places + at("again"));
  EXPECT_NE(again.error.find("slice z:7 without the volume"), std::string::npos) << again.error;
  EXPECT_EQ(again.error.find("volume to order"), std::string::npos) << again.error;
  const Outcome whole = run("volume --from " + at("m.npy") + " --reconstruct " + at("back.npy") +
                            places + at("whole"));
  ASSERT_EQ(whole.code, 0) << whole.error;
  for (const char* name : {"x_11", "y_9", "z_7"}) {
    const std::string file = "/" + std::string(name) + ".png";
    EXPECT_EQ(read_file(at("alone" + file)), read_file(at("whole" + file))) << name;
    EXPECT_EQ(read_file(at("again" + file)), read_file(at("whole" + file))) << name;
    EXPECT_TRUE(fs::exists(at("alone/original_" + std::string(name) + ".png")));
  }
}

// The rows of a table of norms, without its names.
std::vector<double> norms_in(const std::string& csv) {
  std::istringstream stream(csv);
  std::vector<double> norms;
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line.substr(0, 8), "n,l,norm");
  while (std::getline(stream, line)) norms.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  return norms;
}

// invariant: 3-D Zernike moments go to files and back, and their norms are those of the volume
// turned by 90 degrees about the z axis. Values are whole, so only rounding differs.
TEST_F(VolumeCommandTest, NormsOfABallStayWhenTheVolumeTurns) {
  constexpr int kSide = 14;
  const Volume bone = generate_bone(kSide, kSide, kSide, kVolumeCommandSeed);
  Volume turned(kSide, kSide, kSide);
  for (int k = 0; k < kSide; ++k) {
    for (int j = 0; j < kSide; ++j) {
      for (int i = 0; i < kSide; ++i) turned.at(k, i, kSide - 1 - j) = bone.at(k, j, i);
    }
  }
  write_volume(at("bone.npy"), bone);
  write_volume(at("turned.npy"), turned);
  const Outcome made =
      run("volume " + at("bone.npy") + " --family zernike-3d --order 12 --orders 4,8 --out " +
          at("m.npy") + " --csv " + at("psnr.csv") + " --slice z:7 --pictures " + at("pictures") +
          " --norms " + at("norms.csv"));
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("zernike-3d, order 12"), std::string::npos) << made.out;
  EXPECT_TRUE(fs::exists(at("pictures/z_7.png")));
  const Outcome other =
      run("volume " + at("turned.npy") + " --family zernike-3d --order 12 --norms -");
  ASSERT_EQ(other.code, 0) << other.error;
  const std::vector<double> norms = norms_in(read_file(at("norms.csv")));
  const std::vector<double> same = norms_in(other.out);
  ASSERT_EQ(norms.size(), 49U);
  ASSERT_EQ(same.size(), norms.size());
  for (std::size_t c = 0; c < norms.size(); ++c) EXPECT_NEAR(same[c], norms[c], 1e-12 * 255) << c;
  const Outcome back = run("volume --from " + at("m.npy") + " --reconstruct " + at("back.npy") +
                           " --norms " + at("again.csv"));
  ASSERT_EQ(back.code, 0) << back.error;
  EXPECT_EQ(read_file(at("again.csv")), read_file(at("norms.csv")));
  EXPECT_EQ(read_volume(at("back.npy")).volume.width, kSide);
  const Outcome table =
      run("volume " + at("bone.npy") + " --family zernike-3d --order 2 --out " + at("m.csv"));
  ASSERT_EQ(table.code, 0) << table.error;
  const std::string csv = read_file(at("m.csv"));
  EXPECT_NE(csv.find("\nrow,n,l,m,re,im,magnitude\n0,0,0,0,"), std::string::npos) << csv;
}

// invariant: the ball around the mass has the same norms wherever the mass is in the volume.
TEST_F(VolumeCommandTest, TheBallIsAroundTheMassWhereAskedFor) {
  const Volume bone = generate_bone(10, 10, 10, kVolumeCommandSeed);
  for (const int shift : {2, 9}) {
    Volume volume(24, 24, 24);
    for (int k = 0; k < 10; ++k) {
      for (int j = 0; j < 10; ++j) {
        for (int i = 0; i < 10; ++i) volume.at(k + shift, j + 3, i + shift) = bone.at(k, j, i);
      }
    }
    write_volume(at(std::to_string(shift) + ".npy"), volume);
    const Outcome made = run("volume " + at(std::to_string(shift) + ".npy") +
                             " --family zernike-3d --order 8 --around-mass 1.8 --norms " +
                             at(std::to_string(shift) + ".csv"));
    ASSERT_EQ(made.code, 0) << made.error;
  }
  EXPECT_EQ(read_file(at("2.csv")), read_file(at("9.csv")));
  expect_refused(run("volume " + at("2.npy") + " --order 3 --around-mass 0 --out " + at("m.npy")),
                 2, "a ball of 0 times");
  expect_refused(run("volume --generate 4,4,4 --order 3 --around-mass 1 --out " + at("m.npy")), 2,
                 "--around-mass");
}

// mechanics: what the ball refuses, and how.
TEST_F(VolumeCommandTest, BallRefusesWhatHasNoSuchMoments) {
  const std::string ball = "volume --generate 9,9,9 --family zernike-3d --out " + at("m.npy");
  expect_refused(run(ball + " --order 201"), 2, "201");
  expect_refused(run(ball + " --order 5 --subregions 2"), 2, "leave out the method");
  expect_refused(run(ball + " --order 5 --gauss 2"), 2, "leave out the method");
  expect_refused(run("volume --generate 9,9,9 --order 5 --norms " + at("n.csv")), 2, "zernike-3d");
  write_slice("image.png", 24, 20);
  expect_refused(
      run("volume " + at("image.png") + " --family zernike-3d --order 5 --out " + at("m.npy")), 2,
      "volumes");
  for (const char* images : {"tables --orders 5 ", "compute --out m.npy "}) {
    expect_refused(run(images + at("image.png") + " --family zernike-3d"), 2,
                   "zernike-3d moments are those of volumes, not of images");
  }
}

// mechanics: the surfaces of the original and of the reconstruction, whole and clipped
TEST_F(VolumeCommandTest, DrawsSurfaces) {
  const auto surface = [&](const std::string& options) {
    return run("volume --generate 12,10,8 --order 20 --surface 100 --pictures " + at("pictures") +
               options);
  };
  const Outcome whole = surface("");
  ASSERT_EQ(whole.code, 0) << whole.error;
  const Outcome clipped = surface(" --clip=-1:-1:1:2,1:0:0:8 --view 20:-10");
  ASSERT_EQ(clipped.code, 0) << clipped.error;
  for (const Outcome& outcome : {whole, clipped}) {
    EXPECT_NE(outcome.out.find("\nsurface.png: "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\noriginal_surface.png: "), std::string::npos) << outcome.out;
  }
  EXPECT_NE(whole.out, clipped.out);
  EXPECT_TRUE(fs::exists(at("pictures/surface.png")));
  EXPECT_TRUE(fs::exists(at("pictures/original_surface.png")));
}

// mechanics: what is refused, and how.
TEST_F(VolumeCommandTest, VolumeRefusesBadOptions) {
  const auto volume = [&](const std::string& arguments) {
    return run("volume --generate 12,10,8 --order 5 --out " + at("m.npy") + " --reconstruct " +
               at("back.npy") + " " + arguments);
  };
  const std::string pictures = " --pictures " + at("pictures");
  expect_refused(volume("--family jacobi:-1:0"), 2, "alpha = -1");
  expect_refused(volume("--family jacobi:0:-1.5"), 2, "beta = -1.5");
  expect_refused(volume("--family gegenbauer:-0.5"), 2, "-0.5");
  expect_refused(volume("--family zernike"), 2, "disk");
  expect_refused(volume("--orders -1"), 2, "--orders: '-1'");
  expect_refused(run("volume --generate 4,4,4 --order -1"), 2, "order -1");
  expect_refused(volume("--orders 2,6"), 2, "--orders 6");
  expect_refused(volume("--slice z:8" + pictures), 2, "0 to 7");
  expect_refused(volume("--slice x:12" + pictures), 2, "x:12");
  expect_refused(volume("--slice 8" + pictures), 2, "'8'");
  expect_refused(volume("--plane 1:0:0:1.5" + pictures), 2, "misses");
  expect_refused(volume("--plane 0:0:0:0" + pictures), 2, "normal");
  expect_refused(volume("--slice z:1"), 2, "--pictures");
  expect_refused(volume("--plane 1:0:0" + pictures), 2, "NX:NY:NZ:OFFSET");
  expect_refused(volume("--surface 100"), 2, "--pictures");
  expect_refused(volume("--clip 1:0:0:5" + pictures), 2, "--surface");
  expect_refused(volume("--surface 100 --clip 1:0:0" + pictures), 2, "A:B:C:D");
  expect_refused(volume("--surface 100 --clip 1:0:0:-1" + pictures), 2, "leaves nothing");
  expect_refused(volume("--surface 100 --view 0:91" + pictures), 2, "-90 to 90");
  expect_refused(volume("--surface 100 --view 0" + pictures), 2, "AZIMUTH:ELEVATION");
  expect_refused(volume("--generate 12,10"), 2, "W,H,D");
  write_slice("image.png", 24, 20);
  expect_refused(volume(at("image.png")), 2, "one of");
}

// mechanics: what is refused, and how.
TEST_F(VolumeCommandTest, VolumeRefusesBadInput) {
  const auto volume = [&](const std::string& input) {
    return run("volume --out " + at("m.npy") + " --order 5 " + input);
  };
  fs::create_directory(at("stack"));
  expect_refused(volume(at("stack")), 3, "empty");
  write_slice("stack/1.png", 9, 8);
  write_slice("stack/2.png", 9, 7);
  expect_refused(volume(at("stack")), 3, "9 x 7");
  folder_.write("stack/2.png", "not an image");
  expect_refused(volume(at("stack")), 3, "2.png");
  expect_refused(volume(at("none")), 3, "none");
  folder_.write("text.png", "not an image");
  expect_refused(volume(at("text.png")), 3, "text.png");
  folder_.write("bad.npy", "not an array");
  expect_refused(volume(at("bad.npy")), 4, "bad.npy");
  folder_.write("bad.npy.txt", "not a header");
  expect_refused(run("volume --from " + at("bad.npy") + " --reconstruct " + at("back.npy")), 4,
                 "bad.npy.txt");
  expect_refused(run("volume --from " + at("none.npy")), 3, "none.npy");
}

// mechanics: 8 petabytes of voxels, and moments that would not fit at any size
TEST_F(VolumeCommandTest, VolumesTooLargeAreRefusedWithWhatFits) {
  const std::string out = " --out " + at("m.npy");
  const Outcome outcome = run("volume --generate 100000,100000,100000 --order 5" + out);
  expect_refused(outcome, 3, "would fit");
  EXPECT_NE(outcome.error.find("100000 x 100000 x 100000"), std::string::npos) << outcome.error;
  expect_refused(run("volume --generate 4,4,4 --order 100000" + out), 3, "lower order");
  expect_refused(run("volume --generate 16000,16000,16000 --family zernike-3d --order 5" + out), 3,
                 "would fit");
}

}  // namespace
}  // namespace leafglyph
