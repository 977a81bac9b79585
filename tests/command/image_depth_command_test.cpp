// End to end: the moments commands with images of every depth, and with files that are not images.
#include <sys/stat.h>

#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "features/base/npy.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

class ImageDepthTest : public CommandTest {
 protected:
  ImageDepthTest() : CommandTest("moments") {}

  // A bright bump on a slope with values `scale` times 0 to about 250, in the depth of `type`.
  cv::Mat bump(int type, double scale) const {
    cv::Mat image(32, 32, CV_64FC(CV_MAT_CN(type)));
    for (int row = 0; row < 32; ++row) {
      for (int column = 0; column < 32; ++column) {
        const double distance = std::hypot(row - 14, column - 18);
        const double value =
            std::floor(100 * std::exp(-distance * distance / 50) + 2 * row + 2 * column);
        for (int c = 0; c < image.channels(); ++c) {
          image.ptr<double>(row)[column * image.channels() + c] = value / (1 + c);
        }
      }
    }
    cv::Mat stored;
    image.convertTo(stored, CV_MAT_DEPTH(type), scale);
    return stored;
  }
  void write(const std::string& name, const cv::Mat& image) const {
    ASSERT_TRUE(cv::imwrite(at(name), image));
  }
  MomentFile moments_of(const std::string& image, const std::string& options = "") const {
    const Outcome done =
        run("compute " + at(image) + " --order 24 --out " + at("m.npy") + " " + options);
    EXPECT_EQ(done.code, 0) << done.error;
    return read_moment_file(at("m.npy"));
  }
  Outcome reconstruct(const std::string& out, const std::string& options = "") const {
    return run("reconstruct " + at("m.npy") + " --out " + at(out) + " " + options);
  }
};

// The whole-image PSNR in a line printed by `reconstruct`.
double psnr_of(const std::string& line) {
  const std::size_t at = line.find("PSNR ");
  return at == std::string::npos ? -1.0 : std::atof(line.c_str() + at + 5);
}

// oracle: 257 times the values give 257 times the moments, and the same PSNR, not rounded, relative
// to 257 times the peak; the reconstruction has the original depth.
TEST_F(ImageDepthTest, SixteenBitsCountAsTheyAre) {
  write("b.png", bump(CV_8U, 1));
  write("w.png", bump(CV_16U, 257));
  write("w.tiff", bump(CV_16U, 257));
  const MomentFile bytes = moments_of("b.png");
  EXPECT_EQ(bytes.range, full_range(SampleDepth::k8Bit));
  const Outcome of_bytes = reconstruct("b-again.png", "--unrounded --reference " + at("b.png"));
  ASSERT_EQ(of_bytes.code, 0) << of_bytes.error;
  EXPECT_EQ(decode_samples(at("b-again.png")).depth(), SampleDepth::k8Bit);
  for (const std::string name : {"w.png", "w.tiff"}) {
    const MomentFile words = moments_of(name);
    EXPECT_EQ(words.range, full_range(SampleDepth::k16Bit));
    ASSERT_EQ(words.values.size(), bytes.values.size());
    for (std::size_t c = 0; c < words.values.size(); ++c) {
      // rounding of sums of a few thousand values of 65535
      EXPECT_LT(std::abs(words.values[c] - 257.0 * bytes.values[c]), 1e-7) << c;
    }
    const Outcome of_words = reconstruct("again-" + name, "--unrounded --reference " + at(name));
    ASSERT_EQ(of_words.code, 0) << of_words.error;
    EXPECT_GT(psnr_of(of_words.out), 20.0) << of_words.out;
    // printed with two digits
    EXPECT_NEAR(psnr_of(of_words.out), psnr_of(of_bytes.out), 0.011);
    EXPECT_EQ(decode_samples(at("again-" + name)).depth(), SampleDepth::k16Bit);
  }
  EXPECT_NE(read_file(at("m.npy.txt")).find("depth: 16-bit\npeak: 65535\n"), std::string::npos);
}

// oracle: float samples, including negative ones, are used unchanged; white is the largest, or
// --peak.
TEST_F(ImageDepthTest, FloatsCountAsTheyAre) {
  write("b.png", bump(CV_8U, 1));
  write("f.tiff", bump(CV_32F, 1.0 / 128) - 0.5F);
  const MomentFile bytes = moments_of("b.png");
  const MomentFile floats = moments_of("f.tiff", "-v");
  EXPECT_EQ(floats.range.depth, SampleDepth::kFloat);
  double largest = 0.0;
  cv::minMaxLoc(bump(CV_32F, 1.0 / 128) - 0.5F, nullptr, &largest);
  EXPECT_EQ(floats.range.peak, largest);
  for (std::size_t c = 1; c < floats.values.size(); ++c) {
    const MomentIndex index = moment_indices(Family::kZernike, 24)[c];
    if (index.m % 4 == 0) continue;  // the constant 0.5 has a moment here: the disk is of pixels
    EXPECT_LT(std::abs(floats.values[c] * 128.0 - bytes.values[c]), 1e-9) << c;  // of sums of 255
  }
  const Outcome tiff = reconstruct("again.tiff", "--reference " + at("f.tiff"));
  ASSERT_EQ(tiff.code, 0) << tiff.error;
  EXPECT_EQ(decode_samples(at("again.tiff")).depth(), SampleDepth::kFloat);
  const Outcome other = reconstruct(
      "again.npy", "--reference " + at("f.tiff") + " --peak " + std::to_string(10 * largest));
  ASSERT_EQ(other.code, 0) << other.error;
  EXPECT_NEAR(psnr_of(other.out), psnr_of(tiff.out) + 20.0, 0.011);  // two digits
  EXPECT_EQ(moments_of("f.tiff", "--peak 3").range.peak, 3.0);
  expect_refused(run("compute " + at("f.tiff") + " --peak 0 --order 2 --out " + at("x.npy")), 2,
                 "peak 0");
  expect_refused(run("compute " + at("f.tiff") + " --peak nan --order 2 --out " + at("x.npy")), 2,
                 "--peak: 'nan'");
}

// oracle: an array is the image of its samples, rows first, channels last.
TEST_F(ImageDepthTest, ArraysAreImages) {
  const cv::Mat colour = bump(CV_8UC3, 1);
  write("c.png", colour);
  const MomentFile expected = moments_of("c.png");
  std::vector<std::uint8_t> samples;  // red first
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 32; ++column) {
      for (int c = 2; c >= 0; --c) samples.push_back(colour.at<cv::Vec3b>(row, column)[c]);
    }
  }
  const std::vector<std::size_t> shape = {32, 32, 3};
  folder_.write("c.npy", npy_bytes<std::uint8_t>(samples, shape));
  const MomentFile array = moments_of("c.npy");
  EXPECT_EQ(array.values, expected.values);
  EXPECT_EQ(array.range, expected.range);
  ASSERT_EQ(array.rows.size(), 3U);
  EXPECT_EQ(array.rows[0], "c.npy:red");
  EXPECT_EQ(moments_of("c.npy", "--grey").values, moments_of("c.png", "--grey").values);
  moments_of("c.npy");
  ASSERT_EQ(reconstruct("again.npy", "--reference " + at("c.npy")).code, 0);
  ASSERT_EQ(reconstruct("again.png", "--reference " + at("c.png")).code, 0);
  const auto again = read_npy<double>(at("again.npy"));
  EXPECT_EQ(again.shape, shape);
  EXPECT_EQ(again.type, "|u1");
  const auto picture = std::get<std::vector<std::uint8_t>>(decode_samples(at("again.png")).samples);
  EXPECT_EQ(again.values, std::vector<double>(picture.begin(), picture.end()));
  const std::vector<std::uint16_t> words(samples.begin(), samples.begin() + 1024);
  folder_.write("w.npy", npy_bytes<std::uint16_t>(words, std::vector<std::size_t>{32, 32}));
  EXPECT_EQ(moments_of("w.npy").range, full_range(SampleDepth::k16Bit));
  folder_.write("x.npy", npy_bytes<std::uint8_t>(samples, std::vector<std::size_t>{32, 48, 2}));
  expect_refused(run("compute " + at("x.npy") + " --order 2 --out " + at("y.npy")), 4,
                 "32 x 48 x 2");
}

// oracle: float colours read back from both formats as the same numbers, to the digits of float.
TEST_F(ImageDepthTest, FloatColoursAreWrittenWhole) {
  std::vector<double> samples(32 * 32 * 3);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = std::sin(0.01 * static_cast<double>(i)) + static_cast<double>(i % 3);
  }
  folder_.write("c.npy", npy_bytes<double>(samples, std::vector<std::size_t>{32, 32, 3}));
  moments_of("c.npy");
  ASSERT_EQ(reconstruct("again.npy").code, 0);
  const Outcome tiff = reconstruct("again.tiff");
  ASSERT_EQ(tiff.code, 0) << tiff.error;
  const auto array = read_npy<float>(at("again.npy")).values;
  const SampleImage image = decode_samples(at("again.tiff"));
  ASSERT_EQ(image.channels, 3);
  EXPECT_EQ(std::get<std::vector<float>>(image.samples), array);
}

// mechanics: a depth is neither lost in a format that cannot hold it nor mixed with another.
TEST_F(ImageDepthTest, DepthsAreNotMixed) {
  write("b.png", bump(CV_8U, 1));
  write("w.png", bump(CV_16U, 257));
  write("f.tiff", bump(CV_32F, 1));
  moments_of("w.png");
  expect_refused(reconstruct("x.jpg"), 2, "16-bit");
  expect_refused(reconstruct("x.png", "--reference " + at("b.png")), 2, "8-bit");
  moments_of("f.tiff");
  expect_refused(reconstruct("x.png"), 2, "float");
  const Outcome both =
      run("compute " + at("b.png") + " " + at("w.png") + " --order 2 --out " + at("m.npy"));
  EXPECT_EQ(both.code, 5);
  EXPECT_NE(both.error.find("w.png has 16-bit samples"), std::string::npos) << both.error;
  expect_refused(run("filter " + at("w.png") + " --order 6 --out " + at("x.bmp")), 2, "16-bit");
  const Outcome filtered = run("filter " + at("w.png") + " --order 6 --out " + at("low.png"));
  ASSERT_EQ(filtered.code, 0) << filtered.error;
  EXPECT_EQ(decode_samples(at("low.png")).depth(), SampleDepth::k16Bit);
  const Outcome many =
      run("filter " + at("f.tiff") + " --order 6 --filter ilf,glf --out " + at("many"));
  ASSERT_EQ(many.code, 0) << many.error;
  EXPECT_TRUE(std::filesystem::exists(at("many/moment_glf_0.5.tiff")));
}

// regression: files that OpenCV's reader accepted, or crashed on, are refused by every command.
TEST_F(ImageDepthTest, OneDoorForEveryCommand) {
  write("b.png", bump(CV_8U, 1));
  moments_of("b.png");
  cv::Mat noise(64, 64, CV_8UC3);
  cv::randu(noise, 0, 255);
  write("whole.jpg", noise);
  const std::string jpeg = read_file(at("whole.jpg"));
  folder_.write("cut.jpg", jpeg.substr(0, jpeg.size() / 3));
  // files that Debian's OpenCV passes to its DICOM reader
  folder_.write("dicom.bin", std::string(128, '\0') + "DICM" + std::string(16, '\1'));
  std::filesystem::create_symlink("loop.png", at("loop.png"));
  ASSERT_EQ(::mkfifo(at("pipe.png").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(at("pipe.npy").c_str(), 0600), 0);
  for (const std::string name : {"cut.jpg", "dicom.bin", "loop.png", "pipe.png", "pipe.npy"}) {
    const std::string file = at(name);
    expect_refused(run("compute " + file + " --order 3 --out " + at("x.npy")), 3, name);
    expect_refused(run("filter " + file + " --order 3 --out " + at("x.png")), 3, name);
    expect_refused(run("compare " + file + " --moments 6 --csv " + at("x.csv")), 3, name);
    expect_refused(run("tables " + file + " --orders 3 --csv " + at("x.csv")), 3, name);
    expect_refused(reconstruct("x.png", "--reference " + file), 3, name);
    expect_refused(run("volume " + file + " --order 3 --out " + at("x.npy")), 3, name);
  }
  expect_refused(run("reconstruct " + at("pipe.npy") + " --out " + at("x.png")), 3, "pipe.npy");
  expect_refused(run("volume --from " + at("pipe.npy") + " --reconstruct " + at("x.npy")), 3,
                 "pipe.npy");
}

// mechanics: the memory for a padded square or a stated size is known before it is allocated.
TEST_F(ImageDepthTest, SquaresBeyondTheLimitAreRefused) {
  write("strip.png", cv::Mat(2, 9000, CV_8U, cv::Scalar(7)));
  expect_refused(run("compute " + at("strip.png") + " --order 3 --out " + at("x.npy")), 3,
                 "9000 x 9000");
  write("b.png", bump(CV_8U, 1));
  moments_of("b.png");
  std::string header = read_file(at("m.npy.txt"));
  for (const char* key : {"padded width", "padded height", "width", "height"}) {
    const std::string line = std::string(key) + ": 32\n";
    header.replace(header.find("\n" + line) + 1, line.size(), std::string(key) + ": 20000\n");
  }
  folder_.write("m.npy.txt", header);
  const Outcome refused = reconstruct("x.png");
  EXPECT_NE(refused.code, 0);
  EXPECT_FALSE(refused.wrote);
}

// oracle: 16-bit slices are a volume of their values; slices of two depths are not a volume.
TEST_F(ImageDepthTest, VolumesKeepTheDepthOfTheirSlices) {
  std::filesystem::create_directory(at("stack"));
  for (int k = 0; k < 8; ++k) {
    write("stack/" + std::to_string(k) + ".png", bump(CV_16U, 200.0 + k));
  }
  const Outcome done = run("volume " + at("stack") + " --order 20 --orders 10 --out " +
                           at("v.npy") + " --reconstruct " + at("back.npy"));
  ASSERT_EQ(done.code, 0) << done.error;
  EXPECT_NE(read_file(at("v.npy.txt")).find("depth: 16-bit\npeak: 65535\n"), std::string::npos);
  const auto back = read_npy<double>(at("back.npy"));
  EXPECT_GT(*std::max_element(back.values.begin(), back.values.end()), 10000.0);
  write("stack/3.png", bump(CV_8U, 1));
  expect_refused(run("volume " + at("stack") + " --order 3 --out " + at("x.npy")), 3, "3.png");
}

// oracle: one colour everywhere has the Legendre moment J_00 = 2 grey, with the grey values of
// (200, 100, 50) worked out by hand: 124.2, 116.667, 128.604, 110.456, 131.6 and
// 100, rounded
TEST_F(ImageDepthTest, ColoursBecomeGreyByTheRuleAskedFor) {
  write("colour.png", cv::Mat(16, 16, CV_8UC3, cv::Scalar(50, 100, 200)));  // blue, green, red
  const auto grey_by = [&](const std::string& options) {
    const Outcome done = run("compute " + at("colour.png") + " --family legendre --order 0 --out " +
                             at("m.npy") + " " + options);
    EXPECT_EQ(done.code, 0) << done.error;
    const MomentFile file = read_moment_file(at("m.npy"));
    EXPECT_EQ(file.rows.size(), 1u);
    return file.values.front().real() / 2.0;
  };
  // 1e-11: rounding of a sum of 256 pixels
  EXPECT_NEAR(grey_by("--grey"), 124.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as rec601"), 124.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as mean"), 117.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as gamma22"), 129.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as 0.384,0.480,0.136"), 132.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as 0.25,0.25,0.5"), 100.0, 1e-11);
  EXPECT_NEAR(grey_by("--grey-as gamma18"), 110.0, 1e-11);
  // The original of these moments is the picture by the same rule.
  const std::string compare = "reconstruct " + at("m.npy") + " --out " + at("again.png") +
                              " --reference " + at("colour.png") + " --grey-as ";
  EXPECT_NE(run(compare + "gamma18").out.find("PSNR inf dB"), std::string::npos);
  EXPECT_EQ(run(compare + "mean").out.find("PSNR inf dB"), std::string::npos);
  const Outcome tables = run("tables " + at("colour.png") +
                             " --family legendre --orders 0 --subregions 1 --repeats 1 "
                             "--grey-as gamma22 --unrounded");
  EXPECT_EQ(tables.code, 0) << tables.error;
  EXPECT_NE(tables.out.find("PSNR in dB, not rounded, whole image"), std::string::npos);
  const Outcome wrong = run("tables " + at("colour.png") + " --grey-as gamma");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("use rec601, mean, gamma22 or gamma18"), std::string::npos)
      << wrong.error;
}

}  // namespace
}  // namespace leafglyph
