// Shared by the parts of bench_published: figures and their places in the literature.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leafglyph {

/// One figure of a table, in seconds or the unit of the table.
struct PublishedFigure {
  std::string place;   ///< a file of tools/literature/records and its table, such as jia-10
  std::string row;     ///< as printed there
  std::string column;  ///< as printed there
  double value = 0.0;
};

/// Prints figures as they are added, and keeps them: in a file, if there is one, which has the
/// figures of earlier runs, too. Parts that take minutes ask for what is there and go on after it.
class PublishedFigures {
 public:
  /// Reads the file, if it exists. Throws InputError for one that is not of these figures.
  explicit PublishedFigures(std::filesystem::path file = {});
  /// Takes the place of an earlier figure of the same cell.
  void add(PublishedFigure figure);
  /// The figure of a cell; nullopt if there is none.
  std::optional<double> find(const std::string& place, const std::string& row,
                             const std::string& column) const;

 private:
  /// Where the figure of a cell is; the number of figures if it is not there.
  std::size_t place_of(const std::string& place, const std::string& row,
                       const std::string& column) const;
  void write() const;

  std::filesystem::path file_;
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
/// Parts of bench_published_cpu: the tables of the character thesis, one image with Jacobi moments,
/// and Jia's times of Kintner's recurrence.
void bench_published_cpu_tables(PublishedFigures& figures);
void bench_published_cpu_jacobi(PublishedFigures& figures);
void bench_published_cpu_kintner(PublishedFigures& figures);
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
