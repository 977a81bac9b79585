// End to end: `leafglyph moments compute`, `filter`, `tables` and `compare` on small generated
// images.
#include "features/base/npy.h"
#include "features/base/statistics.h"
#include "features/image/volume.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "features/moments/moment_file.h"
#include "tests/support/random_image.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMomentsCommandSeed = 20250103;

class MomentsCommandTest : public CommandTest {
 protected:
  MomentsCommandTest() : CommandTest("moments") {
    folder_.write("text.png", "not an image");
    const Volume bone = generate_bone(24, 20, 1, kMomentsCommandSeed);
    write_picture(folder_.path() / "image.png", volume_slice(bone, Axis::kZ, 0), /*peak=*/255.0);
  }
};

// mechanics: tests/features/convention_test.cpp compares the values themselves
TEST_F(MomentsCommandTest, ComputesByOtherProgramsConventions) {
  const Outcome made = run("compute " + at("image.png") +
                           " --order 8 --convention mahotas --radius 7 " + "--out " + at("m.csv"));
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("zernike, order 8, k = 1, mahotas, centre centroid, radius 7, 24 x 24, 1 "
                          "row of 25 moments"),
            std::string::npos)
      << made.out;
  const std::string csv = read_file(at("m.csv"));
  EXPECT_NE(csv.find("# convention: mahotas\n# centre: centroid\n# radius: 7\n"), csv.npos) << csv;
  // (0, 0) is 1 / pi: the values that count, divided by their sum
  EXPECT_NE(csv.find("\n0,0,0,0.318309886183790"), csv.npos) << csv;
  const auto compute = [&](const std::string& options) {
    return run("compute " + at("image.png") + " --out " + at("m.npy") + " " + options);
  };
  EXPECT_EQ(compute("--centre 11,9.5 --radius 6 --subregions 3 --family pseudo-zernike").code, 0);
  EXPECT_EQ(compute("--centre=-4,0 --radius 4").code, 0);
  for (const char* name : {"m.npy", "m.npy.txt", "m.columns.npy"}) fs::remove(at(name));
  expect_refused(compute("--convention opencv"), 2, "opencv");
  expect_refused(compute("--convention mahotas"), 2, "radius");
  expect_refused(compute("--convention nyxus --exact"), 2, "nyxus");
  expect_refused(compute("--convention nyxus --mask whole"), 2, "nyxus");
  expect_refused(compute("--centre 5"), 2, "'5'");
  for (const char* circle :
       {"--centre 1e308,1e308", "--centre=-40,0", "--centre 5.5,5.5 --radius 0.5",
        "--centre 100,5 --radius enclosing", "--centre 5,90 --radius shorter"}) {
    expect_refused(compute(circle), 2, "no pixel of an image of 24 x 20 lies in the circle");
  }
  expect_refused(compute("--radius 0"), 2, "'0'");
  expect_refused(compute("--radius 9 --family legendre"), 2, "legendre");
  expect_refused(compute("--radius 9 --device cuda"), 2, "use device cpu or auto");
  expect_refused(run("reconstruct " + at("m.csv") + " --out " + at("back.png")), 2,
                 "moments are read from .npy files");
  ASSERT_EQ(run("compute " + at("image.png") + " --order 8 --convention mahotas --radius 7 --out " +
                at("m.npy"))
                .code,
            0);
  expect_refused(run("reconstruct " + at("m.npy") + " --out " + at("back.png")), 2, "mahotas");
}

// mechanics: -v says that the cores are done before CUDA has started; on machines without a GPU,
// too
TEST_F(MomentsCommandTest, OneSmallImageStaysOnTheCores) {
  const std::string image = at("image.png"), note = "device: CPU; the cores are likely";
  for (const std::string& command :
       {"compute " + image + " --order 8 --out " + at("m.npy"),
        "reconstruct " + at("m.npy") + " --out " + at("back.png"),
        "filter " + image + " --order 8 --out " + at("f.png"),
        "volume " + image + " --order 8 --out " + at("v.npy"),
        "volume --from " + at("v.npy") + " --reconstruct " + at("w.npy")}) {
    const Outcome done = run(command + " -v");
    ASSERT_EQ(done.code, 0) << done.error;
    EXPECT_NE(done.error.find(note), std::string::npos) << command << '\n' << done.error;
    EXPECT_EQ(run(command + " -v --device cpu").error.find(note), std::string::npos) << command;
  }
}

// mechanics: the mask is printed once, whether it is the method's default or not.
TEST_F(MomentsCommandTest, TheMaskIsNamedOnce) {
  for (const std::string& options :
       {std::string("--exact --mask whole"), std::string("--exact --mask centre"),
        std::string("--subregions 3 --mask whole"), std::string("--subregions 3 --mask centre"),
        std::string("--exact"), std::string("--family bessel-fourier")}) {
    const Outcome made =
        run("compute " + at("image.png") + " --order 6 --out " + at("m.npy") + " " + options);
    ASSERT_EQ(made.code, 0) << made.error;
    const std::size_t first = made.out.find("mask ");
    EXPECT_NE(first, std::string::npos) << made.out;
    EXPECT_EQ(made.out.find("mask ", first + 1), std::string::npos) << made.out;
  }
}

// mechanics: families on the square have no disk whose error could be printed or plotted.
TEST_F(MomentsCommandTest, OnlyFamiliesOnTheDiskHaveAnErrorOfTheDisk) {
  for (const auto& [family, has_disk] : {std::pair("zernike", true),
                                         {"pseudo-zernike", true},
                                         {"legendre", false},
                                         {"gegenbauer:1.5", false}}) {
    ASSERT_EQ(run("compute " + at("image.png") + " --order 6 --out " + at("m.npy") + " --family " +
                  family)
                  .code,
              0);
    const Outcome again = run("reconstruct " + at("m.npy") + " --out " + at("again.png") +
                              " --reference " + at("image.png") + " --plot " + at("curve.svg"));
    ASSERT_EQ(again.code, 0) << again.error;
    EXPECT_EQ(again.out.find("disk") != std::string::npos, has_disk) << again.out;
    EXPECT_NE(again.out.find("PSNR "), std::string::npos) << again.out;
    EXPECT_EQ(read_file(at("curve.svg")).find("disk") != std::string::npos, has_disk) << family;
    const Outcome tables = run("tables " + at("image.png") +
                               " --orders 4 --subregions 1 --family " + std::string(family));
    ASSERT_EQ(tables.code, 0) << tables.error;
    EXPECT_EQ(tables.out.find("disk") != std::string::npos, has_disk) << tables.out;
  }
}

// mechanics: one image is written to a file, several to a folder.
TEST_F(MomentsCommandTest, FiltersOneImageOrMany) {
  const Outcome one =
      run("filter " + at("image.png") + " --order 12 --alpha 0.3 --out " + at("low.png"));
  ASSERT_EQ(one.code, 0) << one.error;
  EXPECT_TRUE(one.out.starts_with("share of power kept\n")) << one.out;
  EXPECT_TRUE(read_file(at("low.png")).starts_with("\x89PNG"));
  const Outcome many = run("filter " + at("image.png") + " --order 12 --filter ilf,ghf --domain " +
                           "both --alpha 0,1 --out " + at("many") + " --csv " + at("many.csv"));
  ASSERT_EQ(many.code, 0) << many.error;
  EXPECT_TRUE(fs::exists(at("many/fourier_ghf_1.png")));
  const std::string csv = read_file(at("many.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 8) << csv;
}

// mechanics: the published sub-regions, in addition to adaptive points.
TEST_F(MomentsCommandTest, FilterTakesSubregions) {
  const std::string filter = "filter " + at("image.png") + " --order 12 --alpha 1 --out ";
  const Outcome adaptive = run(filter + at("a.png"));
  const Outcome sampled = run(filter + at("b.png") + " --subregions 7");
  ASSERT_EQ(sampled.code, 0) << sampled.error;
  EXPECT_NE(sampled.out, adaptive.out);
  expect_refused(run(filter + at("c.png") + " --subregions 0"), 2, "--subregions");
}

// mechanics: maps of several radii, their shape, and pictures of each
TEST_F(MomentsCommandTest, LocalWritesMapsAndPictures) {
  const std::string local = "local " + at("image.png") + " --order 3 --step 2 ";
  const Outcome made =
      run(local + "--radius 2,4.5 --out " + at("maps.npy") + " --pictures " + at("maps"));
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("maps.npy: 6 maps of 12 x 10, of 2 radii"), std::string::npos)
      << made.out;
  const auto maps = read_npy<float>(at("maps.npy"));
  EXPECT_EQ(maps.shape, (std::vector<std::size_t>{2, 6, 10, 12}));
  EXPECT_TRUE(fs::exists(at("maps/radius_4.5_Z_3_1.png")));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("maps")), fs::directory_iterator()), 12);
  ASSERT_EQ(run(local + "--parts --border mirror --out " + at("parts.npy")).code, 0);
  EXPECT_EQ(read_npy<double>(at("parts.npy")).shape, (std::vector<std::size_t>{1, 10, 10, 12}));
  expect_refused(run(local), 2, "give --out FILE.npy, --pictures FOLDER or both");
  expect_refused(run(local + "--parts --pictures " + at("p")), 2, "leave out --parts");
  expect_refused(run(local + "--radius 0.5 --out " + at("x.npy")), 2, "0.5");
  expect_refused(run("local " + at("text.png") + " --out " + at("x.npy")), 3, "text.png");
  EXPECT_FALSE(fs::exists(at("x.npy")));
}

// mechanics: every family on images has tables, with times for both directions.
TEST_F(MomentsCommandTest, TablesServeEveryFamily) {
  for (const std::string family :
       {"zernike", "pseudo-zernike", "bessel-fourier", "jacobi-fourier:4:3", "chebyshev-fourier",
        "exponent-fourier", "pcet", "pct:1.5", "pst", "legendre", "jacobi:0.3:0.7", "tchebichef",
        "krawtchouk:0.3:0.6"}) {
    const Outcome tables = run("tables " + at("image.png") + " --orders 4,8 --subregions 1,3 " +
                               "--repeats 1 --family " + family + " --csv " + at("t.csv"));
    ASSERT_EQ(tables.code, 0) << tables.error;
    EXPECT_NE(tables.out.find("Seconds for the image"), std::string::npos) << tables.out;
    const std::string csv = read_file(at("t.csv"));
    // of sub-regions alone where these are the family's default, without them where it has no
    // points
    const Family of = weighted_family_from_text(family).family;
    const int columns = of.row().discrete ? 1 : default_method(of) == Method::kSubregion ? 2 : 3;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + columns * 2) << csv;
  }
  expect_refused(run("tables " + at("image.png") + " --family legendre --mask whole"), 2, "mask");
}

// oracle: known kernels: 1 everywhere, and x = rho cos theta inside a pixel beside the centre
TEST_F(MomentsCommandTest, DrawsKernelsAndRadialFunctions) {
  const Outcome one =
      run("draw --order 0 --size 20 --pixel 10,9 --points 8 --out " + at("one.png"));
  ASSERT_EQ(one.code, 0) << one.error;
  EXPECT_NE(one.out.find("from 1 to 1"), std::string::npos) << one.out;
  const SquareImage white = read_square_image(at("one.png"), GreyRule::kRec601);
  EXPECT_EQ(white.size, 8);
  for (const double value : white.channels.front().pixels) EXPECT_EQ(value, 255.0);
  const Outcome ramp =
      run("draw --order 1 --repetition 1 --size 20 --pixel 10,9 --points 10 --out " + at("x.png"));
  // the pixel is 0.1 wide; its outermost points are half a tenth of that from its sides
  EXPECT_NE(ramp.out.find("from 0.005 to 0.095"), std::string::npos) << ramp.out << ramp.error;
  const Outcome curves = run("draw --family bessel-fourier --order 1,2,3 --out " + at("j1.svg"));
  ASSERT_EQ(curves.code, 0) << curves.error;
  EXPECT_TRUE(read_file(at("j1.svg")).starts_with("<svg"));
  const std::string out = " --out " + at("k.png");
  expect_refused(run("draw --order 3 --repetition 2" + out), 2, "order 3 with repetition 2");
  expect_refused(run("draw --order 2,4" + out), 2, ".svg");
  expect_refused(run("draw --family legendre --order 2" + out), 2, "legendre");
  expect_refused(run("draw --family bessel-fourier --order 0" + out), 2, "order 0");
  expect_refused(run("draw --order 2 --size 20 --pixel 20,0" + out), 2, "20,0");
}

// agreement: float arithmetic changes the moments of one image by no more than its rounding.
TEST_F(MomentsCommandTest, SingleImagesInFloat) {
  for (const std::string family : {"zernike", "bessel-fourier", "exponent-fourier", "legendre"}) {
    const std::string compute =
        "compute " + at("image.png") + " --order 10 --family " + family + " --out ";
    ASSERT_EQ(run(compute + at("double.npy")).code, 0);
    ASSERT_EQ(run(compute + at("float.npy") + " --float").code, 0);
    const MomentFile expected = read_moment_file(at("double.npy"));
    const MomentFile got = read_moment_file(at("float.npy"));
    const double error = relative_l2(got.values, expected.values);
    // A single image takes Zernike's recurrences, which are in double at either precision.
    EXPECT_EQ(error > 0.0, family != "zernike") << family;
    EXPECT_LT(error, 2e-6) << family;  // as Precision::kFloat says
  }
}

// invariant: the errors of three channels and of all of them together; a gain changes only what is
// written.
TEST_F(MomentsCommandTest, ColourErrorsAreAddedUpAndPartsShown) {
  std::vector<std::vector<double>> channels;
  channels.reserve(3);
  for (int c = 0; c < 3; ++c)
    channels.push_back(random_image(24, kMomentsCommandSeed + static_cast<unsigned>(c)));
  write_image(at("colour.png"), 24, 24, {}, channels);
  ASSERT_EQ(run("compute " + at("colour.png") + " --order 20 --out " + at("c.npy")).code, 0);
  const std::string back = "reconstruct " + at("c.npy") + " --reference " + at("colour.png");
  const Outcome all = run(back + " --out " + at("all.png"));
  ASSERT_EQ(all.code, 0) << all.error;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 4) << all.out;
  const auto mse = [&](const std::string& row) {
    const std::size_t line = all.out.find(row + ": PSNR");
    return std::stod(all.out.substr(all.out.find("MSE ", line) + 4));
  };
  const double mean = (mse("red") + mse("green") + mse("blue")) / 3.0;
  EXPECT_NEAR(mse("together"), mean, 2e-4);  // printed with four decimals
  const std::string part = back + " --orders 10:20 --repetitions nonnegative --out ";
  const Outcome plain = run(part + at("plain.npy"));
  const Outcome loud = run(part + at("loud.npy") + " --gain 2 --offset 128");
  ASSERT_EQ(loud.code, 0) << loud.error;
  EXPECT_EQ(plain.out, loud.out);
  EXPECT_NE(read_file(at("plain.npy")), read_file(at("loud.npy")));
  EXPECT_EQ(run(back + " --repetitions nonpositive --out " + at("m.png")).code, 0);
  expect_refused(run(back + " --repetitions some --out " + at("n.png")), 2, "nonnegative");
}

// mechanics: what is refused, and how.
TEST_F(MomentsCommandTest, FilterRefusesWithItsExitCode) {
  const auto filter = [&](const std::string& arguments) {
    return run("filter " + arguments + " --out " + at("out.png"));
  };
  const std::string image = at("image.png");
  expect_refused(filter(image + " --alpha 1.1"), 2, "1.1");
  expect_refused(filter(image + " --alpha 0.5,-0.1"), 2, "-0.1");
  expect_refused(filter(image + " --alpha nan"), 2, "nan");
  expect_refused(filter(image + " --filter low"), 2, "'low'");
  expect_refused(filter(image + " --domain wave"), 2, "'wave'");
  expect_refused(filter(image + " --alpha 0.1,0.2 --order 0"), 2, "order");
  expect_refused(filter(at("none.png")), 3, "none.png");
  expect_refused(filter(at("text.png") + " --filter ilf,glf"), 3, "text.png");
  expect_refused(run("filter " + image + " --out " + at("out.gfi")), 2, ".gfi");
  expect_refused(run("filter " + image), 2, "--out");
}

// mechanics: one line per family, and the requested outputs.
TEST_F(MomentsCommandTest, ComparesFamilies) {
  const Outcome outcome = run("compare " + at("image.png") + " --orders 4,8 --csv " +
                              at("families.csv") + " --plot " + at("families.svg"));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1 + 2 * 7) << outcome.out;
  const std::string csv = read_file(at("families.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 7) << csv;
  EXPECT_NE(read_file(at("families.svg")).find("jacobi:0.3:0.7"), std::string::npos);
}

// mechanics: what is refused, and how.
TEST_F(MomentsCommandTest, CompareRefusesWithItsExitCode) {
  const auto compare = [&](const std::string& arguments) {
    return run("compare --csv " + at("families.csv") + " " + arguments);
  };
  const std::string image = at("image.png") + " ";
  expect_refused(compare(image + "--families jacobi:-1:0"), 2, "alpha = -1");
  expect_refused(compare(image + "--families jacobi:0:-2"), 2, "beta = -2");
  expect_refused(compare(image + "--families gegenbauer:-0.5"), 2, "-0.5");
  expect_refused(compare(image + "--families zernike,jacobi"), 2, "jacobi:ALPHA:BETA");
  expect_refused(compare(image + "--orders 4,0"), 2, "bessel-fourier moments start at order 1");
  expect_refused(compare(image + "--orders 4 --moments 10"), 2, "--orders");
  expect_refused(compare(at("none.png")), 3, "none.png");
  expect_refused(compare(at("text.png")), 3, "text.png");
  expect_refused(compare(image + "--leaves " + at("none.yaml")), 3, "none.yaml");
  expect_refused(compare(image + "--lookalikes " + at("none.txt")), 3, "none.txt");
}

// mechanics: outputs are checked before any work, here before a missing input is read.
TEST_F(MomentsCommandTest, OutputsAreTriedBeforeTheWork) {
  const std::string none = at("none.png") + " ";
  const std::string nowhere = " " + at("nowhere/file.npy");
  const std::string bare = " " + at("nowhere/file");
  fs::create_directory(at("m.npy.txt"));
  folder_.write("file.npy", "mine");
  const std::string volume = "volume --from " + at("none.npy");
  for (const std::string& command :
       {"compute " + none + "--out" + nowhere, "tables " + none + "--csv" + bare,
        "compare " + none + "--csv" + bare, "compare " + none + "--plot" + bare,
        "filter " + none + "--out " + at("x.png") + " --csv" + bare,
        "filter " + none + "--out " + at("nowhere/x.png"),
        "reconstruct " + none + "--out " + at("nowhere/x.png"),
        "reconstruct " + none + "--out " + at("x.png") + " --curve" + bare,
        "reconstruct " + none + "--out " + at("x.png") + " --plot" + bare,
        volume + " --out" + nowhere, volume + " --reconstruct" + nowhere,
        volume + " --csv" + bare}) {
    expect_refused(run(command), 1, "nowhere");
  }
  expect_refused(run("compute " + none + "--out " + at("m.npy")), 1, "m.npy.txt");
  expect_refused(run(volume + " --pictures " + at("file.npy")), 1, "file.npy");
  expect_refused(run("filter " + none + "--alpha 0.1,0.2 --out " + at("file.npy")), 1, "file.npy");
  expect_refused(run(volume + " --out " + at("x.npy") + " --csv " + at("x.npy.txt")), 2, "--csv");
  EXPECT_EQ(read_file(at("file.npy")), "mine");
}

// mechanics: what is refused, and how.
TEST_F(MomentsCommandTest, NumbersThatAreNoneOrOutOfRangeAreRefused) {
  const std::string image = at("image.png") + " ";
  const std::string out = " --out " + at("out.png");
  for (const std::string number : {"nan", "inf", "-inf", "1e400", "1e13", "12x"}) {
    expect_refused(run("filter " + image + "--offset " + number + out), 2, "'" + number + "'");
  }
  for (const std::string number : {"nan", "inf"}) {
    expect_refused(run("volume " + image + "--peak " + number), 2, "--peak: '" + number + "'");
  }
  for (const std::string number : {"0", "-1"}) {
    expect_refused(run("volume " + image + "--peak " + number), 2, "peak " + number);
  }
  expect_refused(run("volume --generate 4,4,4 --seed -1"), 2, "'-1'");
  expect_refused(run("volume --generate 4,4,4 --seed 4294967296"), 2, "'4294967296'");
  expect_refused(run("compare " + image + "--moments -5"), 2, "'-5'");
  expect_refused(run("tables " + image + "--repeats 0"), 2, "'0'");
  expect_refused(run("compute " + image + "--threads 100000 --out " + at("m.npy")), 2, "100000");
}

// mechanics: limits are checked before any work.
TEST_F(MomentsCommandTest, WhatNoMachineComputesIsRefusedAtOnce) {
  const std::string image = at("image.png") + " ";
  const std::string out = " --out " + at("m.npy");
  expect_refused(run("compute " + image + "--order 2147483647" + out), 2, "2147483647");
  expect_refused(run("compute " + image + "--subregions 2147483647" + out), 2, "2147483647");
  expect_refused(run("compute " + image + "--gauss 1000000" + out), 2, "1000000");
  expect_refused(run("compute " + image + "--family bessel-fourier --order 100000" + out), 2,
                 "100000");
  expect_refused(run("compute " + image + "--family jacobi:1e18:1e18" + out), 2, "1e+18");
  expect_refused(run("filter " + image + "--order 100000 --out " + at("out.png")), 2, "100000");
  const std::string volume = "volume --generate 8,8,8" + out;
  expect_refused(run(volume + " --order 1000000000"), 2, "1000000000");
  expect_refused(run(volume + " --gauss 1000000"), 2, "1000000");
  expect_refused(run(volume + " --subregions 100000"), 2, "100000");
  expect_refused(run("volume --generate 2147483647,8,8" + out), 2, "2147483647");
  expect_refused(run(volume + " --slice x:4294967297 --pictures " + at("p")), 2, "4294967297");
}

// mechanics: Ctrl-C leaves no output. The tables of order 10000 alone take seconds.
TEST_F(MomentsCommandTest, AnInterruptedComputationWritesNothing) {
  const Outcome outcome =
      run_interrupted("compute -v " + at("image.png") + " --order 10000 --out " + at("m.npy"),
                      "TERM", "grep -q 'method:' $stderr");
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_TRUE(outcome.error.ends_with("leafglyph: interrupted\n")) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(outcome.wrote);
}

// mechanics: newlines and control characters of a name are escaped.
TEST_F(MomentsCommandTest, MessagesAreOneLineWhateverANameHolds) {
  const Outcome outcome = run("filter \"$(printf 'none\\n\\033[31m.png')\" --out " + at("o.png"));
  expect_refused(outcome, 3, "none\\n\\x1b[31m.png");
}

}  // namespace
}  // namespace leafglyph
