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

/// Methods of the literature on one CPU thread, and how their errors grow with the order.
void bench_published_errors(PublishedFigures& figures);
void bench_published_cpu(PublishedFigures& figures);
/// LeafGlyph's times for the tables of the literature, on the first GPU, or on the CPU if there is
/// none.
void bench_published_times(PublishedFigures& figures);
/// Kernels of the literature on the first GPU. Throws Error in a build without CUDA
/// (bench_published_no_gpu.cpp), as do the two below.
void bench_published_gpu(PublishedFigures& figures);
/// Two parts of bench_published_gpu: only Deng's recurrence, only Jacobi moments.
void bench_published_deng(PublishedFigures& figures);
void bench_published_jacobi(PublishedFigures& figures);

}  // namespace leafglyph
