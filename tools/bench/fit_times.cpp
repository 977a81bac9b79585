#include "tools/bench/fit_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>

#include "features/base/statistics.h"

namespace leafglyph {
namespace {

double sum_of(const WorkCounts& counts, const WorkCounts& times) {
  return std::inner_product(counts.begin(), counts.end(), times.begin(), 0.0);
}

// Equations a x = b, of which each should be met in proportion.
struct Equations {
  std::vector<WorkCounts> a;
  std::vector<double> b;

  // Least squares of (a x - b) / sqrt(b a x) with x >= 0.
  WorkCounts solve() const {
    std::vector<double> weights;
    for (const double value : b) weights.push_back(1.0 / value / value);
    WorkCounts x = solve(weights);
    for (int round = 0; round < 30; ++round) {
      for (std::size_t r = 0; r < a.size(); ++r) weights[r] = 1.0 / b[r] / left(r, x);
      x = solve(weights);
    }
    return x;
  }

  // Median and largest of max(fitted, measured) / min(fitted, measured).
  std::string misfit(const WorkCounts& x) const {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < a.size(); ++r) {
      ratios.push_back(std::max(left(r, x) / b[r], b[r] / left(r, x)));
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f, %.2f", median(ratios), std::ranges::max(ratios));
    return text.data();
  }

 private:
  double left(std::size_t r, const WorkCounts& x) const {
    constexpr double kLeast = 1e-9;  // nanoseconds
    return std::max(kLeast, sum_of(a[r], x));
  }

  // Weighted least squares, by one unknown after another.
  WorkCounts solve(std::span<const double> weights) const {
    std::array<WorkCounts, kWorkKinds> normal{};
    WorkCounts right{};
    for (std::size_t r = 0; r < a.size(); ++r) {
      for (std::size_t i = 0; i < kWorkKinds; ++i) {
        right[i] += weights[r] * a[r][i] * b[r];
        for (std::size_t j = 0; j < kWorkKinds; ++j) {
          normal[i][j] += weights[r] * a[r][i] * a[r][j];
        }
      }
    }
    WorkCounts x{};
    for (int sweep = 0; sweep < 20000; ++sweep) {
      double change = 0.0;
      for (std::size_t i = 0; i < kWorkKinds; ++i) {
        if (normal[i][i] <= 0.0) continue;
        double rest = right[i];
        for (std::size_t j = 0; j < kWorkKinds; ++j) rest -= j == i ? 0.0 : normal[i][j] * x[j];
        const double next = std::max(0.0, rest / normal[i][i]);
        change = std::max(change, std::abs(next - x[i]) * std::sqrt(normal[i][i]));
        x[i] = next;
      }
      if (change < 1e-10 * std::sqrt(static_cast<double>(a.size()))) break;
    }
    return x;
  }
};

using Key = std::tuple<std::string, std::string, Way, Precision>;

Key key_of(const MeasuredTime& time) {
  return {time.back_end, time.algorithm, time.cell.way, time.cell.request.precision};
}

// The times of an algorithm, and what they should explain.
struct Fit {
  Equations plans;
  Equations images;
  WorkCounts plan{};
  WorkCounts image{};
};

class Fits {
 public:
  explicit Fits(std::span<const std::vector<MeasuredTime>> tables) {
    for (const std::vector<MeasuredTime>& table : tables) {
      for (const MeasuredTime& time : table) {
        const TransformWork work = work_of(time);
        Fit& fit = fits_[key_of(time)];
        fit.plans.a.push_back(work.plan);
        fit.plans.b.push_back(time.plan);
        fit.images.a.push_back(work.image);
        fit.images.b.push_back(time.image);
      }
      add_races(table);
    }
    for (auto& [key, fit] : fits_) {
      fit.plan = fit.plans.solve();
      fit.image = fit.images.solve();
    }
  }

  // Moves one time after another by a few percent as long as that makes wrong choices less wrong.
  void improve_choice() {
    std::vector<std::pair<double*, double>> movable;  // with what it was
    for (auto& [key, fit] : fits_) {
      for (WorkCounts* counts : {&fit.plan, &fit.image}) {
        for (double& time : *counts) {
          if (time > 0.0) movable.emplace_back(&time, time);
        }
      }
    }
    double least = wrongness(movable);
    for (int sweep = 0; sweep < 40; ++sweep) {
      const double before = least;
      for (const auto& [time, first] : movable) {
        for (const double factor : {0.5, 0.8, 0.95, 1.05, 1.25, 2.0}) {
          const double kept = *time;
          *time *= factor;
          const double now = wrongness(movable);
          if (now < least) {
            least = now;
          } else {
            *time = kept;
          }
        }
      }
      if (least > 0.999 * before) break;
    }
  }

  std::string source() const {
    std::string text =
        "// Printed by tools/bench/bench_algorithms --fit; nothing here is written by hand.\n"
        "#include \"features/plan/cost.h\"\n\nnamespace leafglyph {\n\n"
        "std::span<const WorkTimes> fitted_times() {\n"
        "  static constexpr WorkTimes kTimes[] = {\n";
    for (const auto& [key, fit] : fits_) {
      const auto& [back_end, algorithm, way, precision] = key;
      text += "      // median and largest misfit: plan " + fit.plans.misfit(fit.plan) +
              ", image " + fit.images.misfit(fit.image) + "\n      {\"" + back_end + "\", \"" +
              algorithm + "\", " + (way == Way::kMoments ? "Way::kMoments" : "Way::kImages") +
              ", " + (precision == Precision::kFloat ? "Precision::kFloat" : "Precision::kDouble") +
              ",\n       " + initialiser(fit.plan) + ",\n       " + initialiser(fit.image) + "},\n";
    }
    return text + "  };\n  return kTimes;\n}\n\n}  // namespace leafglyph\n";
  }

 private:
  struct Runner {
    const Fit* fit;
    TransformWork work;
    double total;  // measured
  };
  struct Contest {
    std::vector<Runner> runners;
    std::size_t images;
    double best;
  };

  void add_races(const std::vector<MeasuredTime>& table) {
    for (const Race& race : races_of(table)) {
      Contest contest{{}, race.times.front().cell.request.images, 1e300};
      for (const MeasuredTime& time : race.times) {
        contest.runners.push_back({&fits_[key_of(time)], work_of(time), time.total()});
        contest.best = std::min(contest.best, time.total());
      }
      contests_.push_back(std::move(contest));
    }
  }

  // How much longer the chosen algorithms need, and a little for how far the times were moved.
  double wrongness(std::span<const std::pair<double*, double>> moved) const {
    constexpr double kTolerated = 1.15;  // measurements are no better
    constexpr double kStiffness = 0.001;
    double sum = 0.0;
    for (const Contest& contest : contests_) {
      const Runner* chosen = nullptr;
      double least = 0.0;
      for (const Runner& runner : contest.runners) {
        const double cost = Cost{sum_of(runner.work.plan, runner.fit->plan),
                                 sum_of(runner.work.image, runner.fit->image)}
                                .of(contest.images);
        if (chosen == nullptr || cost < least) {
          chosen = &runner;
          least = cost;
        }
      }
      const double excess = std::log(chosen->total / contest.best / kTolerated);
      if (excess > 0.0) sum += excess * excess;
    }
    for (const auto& [time, first] : moved) {
      sum += kStiffness * std::pow(std::log(*time / first), 2.0);
    }
    return sum;
  }

  static std::string initialiser(const WorkCounts& x) {
    std::string text = "{";
    for (std::size_t i = 0; i < kWorkKinds; ++i) {
      std::array<char, 32> number{};
      std::snprintf(number.data(), number.size(), "%s%.3g", i == 0 ? "" : ", ", x[i]);
      text += number.data();
    }
    return text + "}";
  }

  std::map<Key, Fit> fits_;
  std::vector<Contest> contests_;
};

}  // namespace

std::string fitted_source(std::span<const std::vector<MeasuredTime>> tables) {
  Fits fits(tables);
  fits.improve_choice();
  return fits.source();
}

}  // namespace leafglyph
