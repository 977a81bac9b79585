// Zernike moments by separation of variables.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/plan/transform.h"
#include "features/separable/disk_lines.h"
#include "features/separable/stream_moments.h"
#include "features/separable/table_moments.h"

namespace leafglyph {

/// Zernike moments of batches of images under a DiskRule, in three maps: along the lines y = const,
/// across them, and a rotation in each degree (line_basis.h, degree_rotation.h). Polynomials come
/// from tables where these are small enough, else from recurrences, in double even for kFloat:
/// the tables would no longer be read faster than made, and a recurrence in float would be off by
/// more than kFloat promises. An image's results depend neither on the other images of the batch
/// nor on the number of threads. Use one object from one thread at a time: it uses every thread
/// that set_thread_count allows itself.
class SeparableMoments {
 public:
  /// Throws UsageError as DiskLines.
  SeparableMoments(const DiskRule& rule, Precision precision);

  /// Stored moment c of image b goes to moments[b * moment_count + c]; nothing is checked, and
  /// pixels that do not count are not looked at.
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments);
  /// The same for |moment|.
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes);

  /// "separable transform, tables in float"
  std::string describe() const;

  /// Memory of such an object and of its calls on one thread, at most.
  static double bytes(const DiskRule& rule, Precision precision);

 private:
  template <class Use>
  void stream(const ImageBatch& images, const Use& use);

  int order_;
  std::unique_ptr<const TableMoments<float>> float_tables_;
  std::unique_ptr<const TableMoments<double>> double_tables_;
  std::unique_ptr<const StreamMoments> stream_;
  StreamMoments::Workspace workspace_;
};

}  // namespace leafglyph
