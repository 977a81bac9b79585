// Zernike features as Nyxus computes them. make_golden.py runs this program and says how to build
// it.
// Usage: nyxus_zernike ORDER < IMAGE.pgm (P2); prints one magnitude per line, by n and then by m.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "roi_cache.h"
#define private public  // mb_zernike2D is private
#include "features/zernike.h"
#undef private

// For regions larger than memory; it would need Nyxus's readers.
void ZernikeFeature::osized_calculate(LR&, const Fsettings&, ImageLoader&) {}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int order = std::atoi(argv[1]);
  std::string format;
  int width = 0;
  int height = 0;
  int white = 0;
  std::cin >> format >> width >> height >> white;
  ImageMatrix image;
  image.allocate(width, height);
  for (int i = 0; i < width * height; ++i) std::cin >> image.writable_data_ptr()[i];
  if (format != "P2" || !std::cin) return 2;
  std::size_t count = 0;
  for (int n = 0; n <= order; ++n) count += n / 2 + 1;
  std::vector<double> magnitudes(count);
  ZernikeFeature().mb_zernike2D(image, order, 0, magnitudes.data());
  for (const double magnitude : magnitudes) std::printf("%.17g\n", magnitude);
}
