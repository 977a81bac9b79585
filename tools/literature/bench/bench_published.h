// What the parts of bench_published share: figures by the places of the literature that they belong
// to.
#pragma once

#include <string>
#include <vector>

namespace leafglyph {

/// One figure of a table: seconds, or what the table holds.
struct PublishedFigure {
  std::string place;   ///< such as jia-10, a file of tools/literature/records and its table
  std::string row;     ///< as printed there
  std::string column;  ///< as printed there
  double value = 0.0;
  bool extrapolated = false;  ///< from smaller runs, as their times grow with the samples
};

/// Prints figures as they come and keeps them.
class PublishedFigures {
 public:
  void add(PublishedFigure figure);
  /// place,row,column,value,extrapolated
  std::string csv() const;

 private:
  std::vector<PublishedFigure> figures_;
};

/// The same noise of 8-bit grey values for every part, size x size.
std::vector<double> noise(int size);
inline constexpr unsigned kNoiseSeed = 512;

/// Methods of the literature on one CPU thread, and how their errors grow with the order.
void bench_published_errors(PublishedFigures& figures);
void bench_published_cpu(PublishedFigures& figures);
/// Our own times in the places of the literature's, on the first GPU or, without one, the CPU.
void bench_published_times(PublishedFigures& figures);
/// Kernels of the literature on the first GPU; `bench_published_no_gpu.cpp` stands for them where
/// CUDA was not built in, and throws Error.
void bench_published_gpu(PublishedFigures& figures);
/// Deng's recursion and Jacobi moments alone, parts of them.
void bench_published_deng(PublishedFigures& figures);
void bench_published_jacobi(PublishedFigures& figures);

}  // namespace leafglyph
