// Shared by the parts of bench_published: figures and their places in the literature.
#pragma once

#include <string>
#include <vector>

namespace leafglyph {

/// One figure of a table, in seconds or the unit of the table.
struct PublishedFigure {
  std::string place;   ///< a file of tools/literature/records and its table, such as jia-10
  std::string row;     ///< as printed there
  std::string column;  ///< as printed there
  double value = 0.0;
  bool extrapolated = false;  ///< from smaller runs, in proportion to the samples
};

/// Prints figures as they are added, and keeps them.
class PublishedFigures {
 public:
  void add(PublishedFigure figure);
  /// With the columns place,row,column,value,extrapolated.
  std::string csv() const;

 private:
  std::vector<PublishedFigure> figures_;
};

/// A size x size image of 8-bit noise, the same for every part.
std::vector<double> noise(int size);
inline constexpr unsigned kNoiseSeed = 512;

/// Bytes of the tables and terms of the character thesis's recursion.
void bench_published_sizes(PublishedFigures& figures);
/// Methods of the literature on one CPU thread, and how their errors grow with the order.
void bench_published_errors(PublishedFigures& figures);
void bench_published_cpu(PublishedFigures& figures);
/// Two parts of bench_published_cpu: the tables of the character thesis, and one image with Jacobi
/// moments.
void bench_published_cpu_tables(PublishedFigures& figures);
void bench_published_cpu_jacobi(PublishedFigures& figures);
/// LeafGlyph's times for the tables of the literature, on the first GPU, or on the CPU if there is
/// none.
void bench_published_times(PublishedFigures& figures);
/// Kernels of the literature on the first GPU: all of the parts below. Each throws Error in a build
/// without CUDA (bench_published_no_gpu.cpp).
void bench_published_gpu(PublishedFigures& figures);
void bench_published_factorial(PublishedFigures& figures);  ///< Xuan's, and those it compares with
void bench_published_deng(PublishedFigures& figures);       ///< the character thesis's
void bench_published_jacobi(PublishedFigures& figures);     ///< Wang's
void bench_published_bessel(PublishedFigures& figures);     ///< Xia's
void bench_published_kintner(PublishedFigures& figures);    ///< Jia's

}  // namespace leafglyph
