#include "features/separable/recurrence_moments.h"

#include <algorithm>

#include "features/base/threads.h"
#include "features/separable/separable_image.h"

namespace leafglyph {
namespace {

// Memory for what lines carry at a time, small enough to stay in the cache, and the minimum number
// of groups, enough to give every thread work.
constexpr std::size_t kCarriedBytes = std::size_t{4} << 20;
constexpr std::size_t kFewestGroups = 16;

// Lines whose sums are merged into the nodes together.
constexpr std::size_t kMergedLines = 24;

// Destination of a line's sums: block b of k and parity p of y go to
// values[b * block + p * parity].
struct CarriedLine {
  double* values;
  std::size_t block;
  std::size_t parity;
};

// One thread's scratch memory and sums along the lines.
class LineSums {
 public:
  LineSums(const RecurrenceTables& tables, const RecurrenceKernels& kernels)
      : tables_(tables),
        kernels_(kernels),
        folded_(padded_to_block(tables.lines.pairs() + 1)),
        places_(padded_to_block(tables.lines.x().size())),
        t_(padded_to_block(tables.lines.x().size())),
        before_(t_.size()),
        current_(t_.size()),
        even_(tables.legendre.slope.size()),
        odd_(tables.legendre.slope.size()) {}

  // Computes what a line carries in the first `blocks` blocks of k.
  void sums(const ImageBatch& image, const DiskLine& line, std::size_t blocks,
            const CarriedLine& carried) {
    const std::size_t columns = tables_.lines.columns(line.row);
    // Lines of one row follow each other and share its folded pixels.
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
    // The exact method needs the sums for one more k.
    const std::size_t terms = (blocks + (tables_.lines.is_exact() ? 1 : 0)) * kRecurrenceBlock;
    kernels_.legendre_sums({padded_to_block(line.places - line.first), t_.data(),
                            tables_.legendre.slope.data(), terms, before_.data(), current_.data()},
                           places_.read_only(), even_.data(), odd_.data());
    for (std::size_t parity = 0; parity < 2; ++parity) {
      carry(line, blocks, parity, carried);
    }
  }

 private:
  void fill_t(const DiskLine& line) {
    const double inverse = 1.0 / line.half_chord;
    const std::size_t count = line.places - line.first;
    for (std::size_t p = 0; p < count; ++p) {
      // Rounding must not put a place beyond the end of its line, where P_k grows with k.
      t_[p] = std::min(1.0, tables_.lines.x()[line.first + p] * inverse);
    }
    for (std::size_t p = count; p < padded_to_block(count); ++p) {
      t_[p] = 0.0;  // any t: the places carry 0
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

  // The differences between neighbouring pixels, at the edges. Summation by parts replaces P_k by
  // P_{k+1} and P_{k-1}, so the part that is even in x goes with the odd Legendre polynomials.
  void fill_edges(const DiskLine& line, std::size_t columns) {
    const bool odd_size = tables_.lines.rule().size % 2 == 1;
    for (std::size_t part = 0; part < 4; ++part) {
      double* folded = folded_.array(part);
      folded[columns] = 0.0;
      double* values = places_.array(part ^ 2U);
      for (std::size_t e = std::max<std::size_t>(line.first, 1); e < line.places; ++e) {
        values[e - line.first] = folded[e - 1] - folded[e];
      }
      // At x = 0 the difference is its own mirror image. An odd size has no edge there.
      if (line.first == 0) values[0] = part < 2 || odd_size ? 0.0 : -folded[0];
    }
    fill_t(line);
  }

  // Scales the sums of one parity of y to the Legendre polynomials P_k and stores them as what the
  // line carries. The exact method uses the integral of P_k, which is
  // (P_{k+1} - P_{k-1}) / (2 k + 1).
  void carry(const DiskLine& line, std::size_t blocks, std::size_t parity,
             const CarriedLine& carried) {
    const double* sums = parity == 0 ? even_.data() : odd_.data();
    const double* factor = tables_.legendre.factor.data();
    double* values = carried.values + parity * carried.parity;
    if (!tables_.lines.is_exact()) {
      for (std::size_t b = 0; b < blocks; ++b, values += carried.block) {
        for (std::size_t lane = 0; lane < kRecurrenceBlock; ++lane) {
          const std::size_t k = b * kRecurrenceBlock + lane;
          values[lane] = line.weight * factor[k] * sums[k];
        }
      }
      return;
    }
    const double weight = line.weight * line.half_chord;
    const double* above = tables_.legendre.above.data();
    const double* below = tables_.legendre.below.data();
    values[0] = weight * factor[1] * sums[1];
    // The circle cuts pixel places - 1 and so adds an edge at t = 1. There P_{k+1} - P_{k-1}
    // vanishes for k >= 1, and P_1 alone remains for k = 0.
    if (line.cut) values[0] += weight * folded_.array(parity)[line.places - 1];
    for (std::size_t b = 0; b < blocks; ++b, values += carried.block) {
      for (std::size_t lane = b == 0 ? 1 : 0; lane < kRecurrenceBlock; ++lane) {
        const std::size_t k = b * kRecurrenceBlock + lane;
        values[lane] = weight * (above[k] * sums[k + 1] - below[k] * sums[k - 1]);
      }
    }
  }

  const RecurrenceTables& tables_;
  const RecurrenceKernels& kernels_;
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

// Minimum number of groups of lines to process together: a whole panel, whose nodes are filled at
// once.
std::size_t fewest_groups(const LineNodes& nodes) {
  std::size_t most = kFewestGroups;
  for (const LineNodes::Panel& panel : nodes.panels()) {
    most = std::max(most, panel.nodes / kGroupLines);
  }
  return most;
}

}  // namespace

RecurrenceMoments::RecurrenceMoments(const DiskRule& rule) : tables_(rule, true) {
  const std::size_t one = tables_.basis.blocks() * kCarriedBlock * sizeof(double);
  groups_at_a_time_ = std::max(fewest_groups(tables_.nodes), kCarriedBytes / one);
}

double RecurrenceMoments::operations(const DiskRule& rule) {
  const LineLayout layout(rule, true);
  const double terms = rule.order + 1.0;
  double places = 0.0;
  for (const DiskLine& line : layout.lines.lines()) {
    places += static_cast<double>(line.places - line.first);
  }
  double weights = 0.0;
  for (const LineNodes::Panel& panel : layout.nodes.panels()) {
    weights += static_cast<double>((panel.last_line - panel.first_line) * panel.nodes);
  }
  // A step of a recurrence takes two operations. A place and a node's weight each add to two sums;
  // a polynomial across lines and a component of a vector each add to one.
  const auto nodes = static_cast<double>(layout.nodes.nodes().size());
  return 4 * places * terms + 2 * weights * terms + 3 * nodes * terms * terms / 2 +
         3 * terms * terms * terms / 6;
}

double RecurrenceMoments::bytes(const DiskRule& rule) {
  const LineLayout layout(rule, true);
  const double terms =
      static_cast<double>(padded_to_block(static_cast<std::size_t>(rule.order) + 1));
  const auto groups = static_cast<double>(fewest_groups(layout.nodes));
  const double carried = std::max<double>(
      kCarriedBytes, groups * terms / kRecurrenceBlock * kCarriedBlock * sizeof(double));
  return RecurrenceTables::bytes(layout) + sizeof(double) * terms * (terms + kRecurrenceBlock) / 2 +
         carried;
}

void RecurrenceMoments::moments(const ImageBatch& image, std::span<std::complex<double>> moments,
                                Workspace& work) const {
  const std::size_t groups = tables_.groups.groups().size();
  const auto& panels = tables_.nodes.panels();
  work.kappa.assign(tables_.basis.length(), 0.0);
  work.carried.resize(std::min(groups, groups_at_a_time_) * tables_.basis.blocks() * kCarriedBlock);
  std::size_t panel = 0;
  for (std::size_t first = 0; first < groups;) {
    std::size_t count = std::min(groups_at_a_time_, groups - first);
    // Only some groups are carried at a time, so that the sums across them find them in the cache.
    if (panels.empty()) {
      sum_along_lines(image, first, count, work);
    } else {
      const std::size_t first_panel = panel;
      const std::size_t most = count;
      count = 0;
      while (panel < panels.size() && count + panels[panel].nodes / kGroupLines <= most) {
        count += panels[panel++].nodes / kGroupLines;
      }
      sum_panels(image, first_panel, panel, first, work);
    }
    sum_across_lines(first, count, work);
    first += count;
  }
  rotate(work.kappa, moments);
}

void RecurrenceMoments::sum_along_lines(const ImageBatch& image, std::size_t first,
                                        std::size_t count, Workspace& work) const {
  const RecurrenceKernels& kernels = recurrence_kernels();
  parallel_for_with_scratch({count}, [&]() -> RoundJob {
    return [&, sums = LineSums(tables_, kernels)](std::size_t g) mutable {
      const LineGroups::Group& group = tables_.groups.groups()[first + g];
      if (group.blocks == 0) return;
      double* carried = work.carried.data() + g * tables_.basis.blocks() * kCarriedBlock;
      std::fill_n(carried, group.blocks * kCarriedBlock, 0.0);
      for (std::size_t l = 0; l < group.lines; ++l) {
        sums.sums(image, tables_.lines.lines()[group.first_line + l], group.blocks,
                  {carried + l * kRecurrenceBlock, kCarriedBlock, kGroupBlock});
      }
    };
  });
}

void RecurrenceMoments::sum_panels(const ImageBatch& image, std::size_t first_panel,
                                   std::size_t last_panel, std::size_t first_group,
                                   Workspace& work) const {
  const RecurrenceKernels& kernels = recurrence_kernels();
  const std::size_t row = 2 * kRecurrenceBlock * tables_.basis.blocks();
  const std::size_t group_stride = tables_.basis.blocks() * kCarriedBlock;
  parallel_for_with_scratch({last_panel - first_panel}, [&]() -> RoundJob {
    return [&, sums = LineSums(tables_, kernels),
            rows = AlignedVector<double>(kMergedLines * row)](std::size_t p) mutable {
      const LineNodes::Panel& panel = tables_.nodes.panels()[first_panel + p];
      const std::size_t group = panel.first_node / kGroupLines;
      const std::size_t blocks = tables_.groups.groups()[group].blocks;  // the panel's most
      double* carried = work.carried.data() + (group - first_group) * group_stride;
      std::fill_n(carried, panel.nodes / kGroupLines * group_stride, 0.0);
      for (std::size_t first = panel.first_line; first < panel.last_line; first += kMergedLines) {
        const std::size_t count = std::min(kMergedLines, panel.last_line - first);
        for (std::size_t l = 0; l < count; ++l) {
          sums.sums(image, tables_.lines.lines()[first + l], blocks,
                    {rows.data() + l * row, 2 * kRecurrenceBlock, kRecurrenceBlock});
        }
        kernels.merge_lines({count, panel.nodes / kGroupLines, blocks, rows.data(), row,
                             tables_.weights.of(panel, first), panel.nodes, carried, group_stride});
      }
    };
  });
}

void RecurrenceMoments::sum_across_lines(std::size_t first_group, std::size_t count,
                                         Workspace& work) const {
  const RecurrenceKernels& kernels = recurrence_kernels();
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
      // The scale of the recurrence is the same for all lines, so it is applied to the sums.
      if (!last_pass) return;
      const double* factor = basis.factor(block);
      for (std::size_t i = 0; i < basis.steps(block) * kRecurrenceBlock; ++i) sums[i] *= factor[i];
    };
  });
}

void RecurrenceMoments::rotate(std::span<const double> kappa,
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
          in[i] = scale[i] * kappa[basis.offset(k / kRecurrenceBlock) + j * kRecurrenceBlock +
                                   k % kRecurrenceBlock];
        }
        rotation.sums(n, parity, in.data(), parts.array(static_cast<std::size_t>(parity)));
      }
      const double* cosines = parts.array(0);
      // Sine parts start at m = 1 or 2.
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
