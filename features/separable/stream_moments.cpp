#include "features/separable/stream_moments.h"

#include <algorithm>
#include <cmath>

#include "features/base/parallel_for.h"
#include "features/separable/folded_rows.h"

namespace leafglyph {
namespace {

// What lines carry is kept for so many lines that it stays near the processor, and for so many
// that every thread finds work.
constexpr std::size_t kCarriedBytes = std::size_t{4} << 20;
constexpr std::size_t kFewestGroups = 16;

// The Legendre sums that the exact method needs reach one k further.
std::size_t terms_of(const LineGroups::Group& group, bool exact) {
  return (group.blocks + (exact ? 1 : 0)) * kStreamBlock;
}

// What a thread works in along the lines.
class LineSums {
 public:
  LineSums(const StreamTables& tables, const StreamKernels& kernels)
      : tables_(tables),
        kernels_(kernels),
        folded_(padded_to_block(tables.lines.pairs() + 1)),
        places_(padded_to_block(tables.lines.x().size())),
        t_(padded_to_block(tables.lines.x().size())),
        before_(t_.size()),
        current_(t_.size()),
        even_(tables.legendre.slope.size()),
        odd_(tables.legendre.slope.size()) {}

  // What line l of the group carries, to carried[block][parity of y][l][k].
  void sums(const ImageBatch& image, const LineGroups::Group& group, std::size_t l,
            double* carried) {
    const DiskLine& line = tables_.lines.lines()[group.first_line + l];
    const std::size_t columns = tables_.lines.columns(line.row);
    if (line.row != row_ || !folded_row_) {
      fold_rows(image, line.row, columns, folded_.all());
      row_ = line.row;
      folded_row_ = true;
    }
    if (tables_.lines.is_exact()) {
      fill_edges(line, columns);
    } else {
      fill_points(line);
    }
    const std::size_t terms = terms_of(group, tables_.lines.is_exact());
    kernels_.legendre_sums({padded_to_block(line.places), t_.data(), tables_.legendre.slope.data(),
                            terms, before_.data(), current_.data()},
                           places_.read_only(), even_.data(), odd_.data());
    for (std::size_t parity = 0; parity < 2; ++parity) {
      carry(line, columns, group.blocks, parity, carried + parity * kGroupBlock + l * kStreamBlock);
    }
  }

 private:
  void fill_t(const DiskLine& line) {
    const double inverse = 1.0 / line.half_chord;
    for (std::size_t p = 0; p < line.places; ++p) {
      t_[p] = std::min(1.0, tables_.lines.x()[p] * inverse);
    }
    for (std::size_t p = line.places; p < padded_to_block(line.places); ++p) {
      t_[p] = 0.0;
      for (std::size_t part = 0; part < 4; ++part) places_.array(part)[p] = 0.0;
    }
  }

  void fill_points(const DiskLine& line) {
    for (std::size_t part = 0; part < 4; ++part) {
      const double* folded = folded_.array(part);
      double* values = places_.array(part);
      for (std::size_t p = 0; p < line.places; ++p) {
        values[p] = folded[tables_.lines.column()[p]] * tables_.lines.weight()[p];
      }
    }
    fill_t(line);
  }

  // The steps from pixel to pixel at the edges. Summation by parts takes P_k to P_{k+1} and
  // P_{k-1}: what is even in x goes with the odd Legendre polynomials.
  void fill_edges(const DiskLine& line, std::size_t columns) {
    for (std::size_t part = 0; part < 4; ++part) {
      double* folded = folded_.array(part);
      folded[columns] = 0.0;
      double* values = places_.array(part ^ 2U);
      const bool odd_size = tables_.lines.rule().size % 2 == 1;
      // At x = 0 the step is its own mirror image; an odd size has no edge there.
      values[0] = part < 2 || odd_size ? 0.0 : -folded[0];
      for (std::size_t e = 1; e < line.places; ++e) values[e] = folded[e - 1] - folded[e];
    }
    fill_t(line);
  }

  void carry(const DiskLine& line, std::size_t columns, std::size_t blocks, std::size_t parity,
             double* carried) {
    const double* sums = parity == 0 ? even_.data() : odd_.data();
    const double* factor = tables_.legendre.factor.data();
    const bool exact = tables_.lines.is_exact();
    const double weight = exact ? line.weight * line.half_chord : line.weight;
    for (std::size_t b = 0; b < blocks; ++b, carried += kCarriedBlock) {
      for (std::size_t lane = 0; lane < kStreamBlock; ++lane) {
        const std::size_t k = b * kStreamBlock + lane;
        carried[lane] = exact ? weight * exact_sum(sums, factor, k) : weight * factor[k] * sums[k];
      }
      if (b == 0 && exact && line.places <= columns) {
        // The circle cuts pixel places - 1: only P_1 sees the edge that it makes.
        carried[0] += weight * folded_.array(parity)[line.places - 1];
      }
    }
  }

  static double exact_sum(const double* sums, const double* factor, std::size_t k) {
    const double above = factor[k + 1] * sums[k + 1];
    if (k == 0) return above;
    return (above - factor[k - 1] * sums[k - 1]) / (2.0 * static_cast<double>(k) + 1.0);
  }

  const StreamTables& tables_;
  const StreamKernels& kernels_;
  FoldedArrays folded_;
  FoldedArrays places_;
  AlignedVector<double> t_;
  AlignedVector<double> before_;
  AlignedVector<double> current_;
  AlignedVector<double> even_;
  AlignedVector<double> odd_;
  std::size_t row_ = 0;
  bool folded_row_ = false;
};

}  // namespace

StreamMoments::StreamMoments(const DiskRule& rule) : tables_(rule) {
  const std::size_t one = tables_.basis.blocks() * kCarriedBlock * sizeof(double);
  groups_at_a_time_ = std::max(kFewestGroups, kCarriedBytes / one);
}

double StreamMoments::bytes(const DiskLines& lines) {
  const double terms =
      static_cast<double>(padded_to_block(static_cast<std::size_t>(lines.rule().order) + 1));
  return StreamTables::bytes(lines) + sizeof(double) * terms * (terms + kStreamBlock) / 2 +
         static_cast<double>(kCarriedBytes);
}

void StreamMoments::moments(const ImageBatch& image, std::span<std::complex<double>> moments,
                            Workspace& work) const {
  const std::size_t groups = tables_.groups.groups().size();
  work.kappa.assign(tables_.basis.length(), 0.0);
  work.carried.resize(std::min(groups, groups_at_a_time_) * tables_.basis.blocks() * kCarriedBlock);
  for (std::size_t first = 0; first < groups; first += groups_at_a_time_) {
    const std::size_t count = std::min(groups_at_a_time_, groups - first);
    sum_along_lines(image, first, count, work);
    sum_across_lines(first, count, work);
  }
  rotate(work.kappa, moments);
}

void StreamMoments::sum_along_lines(const ImageBatch& image, std::size_t first, std::size_t count,
                                    Workspace& work) const {
  const StreamKernels& kernels = stream_kernels();
  parallel_for_with_scratch({count}, [&]() -> RoundJob {
    return [&, sums = LineSums(tables_, kernels)](std::size_t g) mutable {
      const LineGroups::Group& group = tables_.groups.groups()[first + g];
      if (group.blocks == 0) return;
      double* carried = work.carried.data() + g * tables_.basis.blocks() * kCarriedBlock;
      std::fill_n(carried, group.blocks * kCarriedBlock, 0.0);
      for (std::size_t l = 0; l < group.lines; ++l) sums.sums(image, group, l, carried);
    };
  });
}

void StreamMoments::sum_across_lines(std::size_t first_group, std::size_t count,
                                     Workspace& work) const {
  const StreamKernels& kernels = stream_kernels();
  const LineBasis& basis = tables_.basis;
  const bool last_pass = first_group + count == tables_.groups.groups().size();
  parallel_for_with_scratch({basis.blocks()}, [&]() -> RoundJob {
    return [&,
            states = GroupStates(tables_.groups, first_group, count)](std::size_t block) mutable {
      double* sums = work.kappa.data() + basis.offset(block);
      for_chunks(tables_, states, block, [&](std::size_t g, std::size_t first, std::size_t last) {
        double* carried = work.carried.data() + (g * basis.blocks() + block) * kCarriedBlock;
        kernels.line_sums(basis.slope(block), first, last, states.block(g, carried), sums);
      });
      if (!last_pass) return;
      const double* factor = basis.factor(block);
      for (std::size_t i = 0; i < basis.steps(block) * kStreamBlock; ++i) sums[i] *= factor[i];
    };
  });
}

void StreamMoments::rotate(std::span<const double> kappa,
                           std::span<std::complex<double>> moments) const {
  const DegreeRotation& rotation = tables_.rotation;
  const LineBasis& basis = tables_.basis;
  const auto degrees = static_cast<std::size_t>(rotation.order()) + 1;
  parallel_for_with_scratch({degrees, kDegreesAtATime}, [&]() -> RoundJob {
    return [&, in = AlignedVector<double>(rotation.padded_terms()),
            parts = FoldedArrays(rotation.padded_terms())](std::size_t round) mutable {
      const int n = static_cast<int>(degrees - 1 - round);  // the longest first
      for (int parity = 0; parity < 2 && parity <= n; ++parity) {
        const auto scale = rotation.scale(n, parity);
        for (std::size_t i = 0; i < scale.size(); ++i) {
          const std::size_t k = 2 * i + static_cast<std::size_t>(parity);
          const std::size_t j = static_cast<std::size_t>(n) - k;
          in[i] = scale[i] *
                  kappa[basis.offset(k / kStreamBlock) + j * kStreamBlock + k % kStreamBlock];
        }
        rotation.sums(n, parity, in.data(), parts.array(static_cast<std::size_t>(parity)));
      }
      const double* cosines = parts.array(0);
      // Sine parts begin at m = 1 or 2.
      const double* sines = parts.array(1) - (n % 2 == 0 ? 1 : 0);
      std::complex<double>* row = moments.data() + moment_position(Family::kZernike, n, n % 2);
      for (int m = n % 2; m <= n; m += 2, ++cosines, ++sines, ++row) {
        const double norm = zernike_norm(n, m);
        *row = turned_back(norm * *cosines, m == 0 ? 0.0 : norm * *sines, m);
      }
    };
  });
}

}  // namespace leafglyph
