// Images from moments, and how close they come to the original.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/engine/moment_engine.h"
#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Which repetitions take part. kPositive and kNegative give the real part of their sums, which are
/// the same; with kZero they add up to kAll.
enum class Repetitions { kAll, kZero, kPositive, kNegative };

/// Reads all, zero, positive or negative; throws UsageError on anything else.
Repetitions repetitions_from_name(std::string_view name);

/// The moments that a reconstruction uses: first_order <= order_of(moment) <= last_order.
struct MomentSelection {
  int first_order = 0;
  int last_order = 0;
  Repetitions repetitions = Repetitions::kAll;
};

/// Images from moments: at every pixel centre of the mask
///     f^ = sum over n, m of Z_nm R_nm(rho) e^{j m theta}
/// over the selected n and m (negative m through Z_{n,-m} = conj Z_nm), R_nm = J_1(lambda_n rho)
/// for Bessel-Fourier moments. From Legendre moments, at every pixel centre of the square, the sum
/// of L_nm p_n(x) p_m(y), which knows no repetitions.
class Reconstructor {
 public:
  Reconstructor(const MomentSpec& spec, int image_size);
  virtual ~Reconstructor() = default;
  Reconstructor(const Reconstructor&) = delete;
  Reconstructor& operator=(const Reconstructor&) = delete;

  const MomentSpec& spec() const { return spec_; }
  int image_size() const { return image_size_; }
  /// The pixels that are reconstructed (the spec's mask rule); the others are 0.
  const Image<unsigned char>& mask() const { return mask_; }

  /// `moments` are all stored moments of spec(); pixel (j, i) goes to image[j * N + i], not
  /// clipped. Throws UsageError when sizes do not fit, orders lie outside 0 <= first <= last <=
  /// spec().order, or repetitions other than kAll are asked of Legendre moments, and InputError
  /// when a selected moment is not finite.
  void reconstruct(std::span<const std::complex<double>> moments, const MomentSelection& selection,
                   std::span<double> image);

  /// One line: back end and method.
  virtual std::string describe() const = 0;

 protected:
  /// `weighted` holds every stored moment times its weight in the sum of Re(Z V): 1 for m = 0, 2
  /// for m > 0 (half of it for one sign alone), 0 for what is not selected. `image` is all 0.
  virtual void evaluate(std::span<const std::complex<double>> weighted,
                        const MomentSelection& selection, std::span<double> image) = 0;

 private:
  MomentSpec spec_;
  int image_size_;
  Image<unsigned char> mask_;
  std::vector<MomentIndex> indices_;
};

/// The one place that chooses; as make_moment_engine.
std::unique_ptr<Reconstructor> make_reconstructor(const MomentSpec& spec, int image_size,
                                                  const EngineOptions& options = {});

std::unique_ptr<Reconstructor> make_cpu_reconstructor(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
