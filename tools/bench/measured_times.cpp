#include "tools/bench/measured_times.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/names.h"
#include "gpu/cuda_algorithms.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

constexpr std::string_view kHeader =
    "back_end,way,family,convention,method,points,order,size,precision,images,algorithm,plan_ns,"
    "image_ns";

std::string key_of(const MeasuredTime& time) { return time.back_end + ", " + describe(time.cell); }

Family family_of(std::string_view name) {
  for (const auto known : {families(), volume_families()}) {
    for (const Family family : known) {
      if (family.row().name == name) return family;
    }
  }
  throw InputError("family '" + std::string(name) + "' is unknown");
}

// Calls use(row, direction) with the rows of the back end, for the direction of the cell.
template <class Rows, class Use>
auto with_direction(const Rows& rows, Way way, const Use& use) {
  using Row = std::remove_cvref_t<decltype(**rows.begin())>;
  return way == Way::kMoments ? use(rows, &Row::moments) : use(rows, &Row::images);
}
template <class Use>
auto with_rows(std::string_view back_end, Way way, const Use& use) {
  return back_end == "cpu" ? with_direction(cpu_algorithms(), way, use)
                           : with_direction(gpu::cuda_algorithms(), way, use);
}

}  // namespace

std::string describe(const TimedCell& cell) {
  const PlanRequest& request = cell.request;
  return describe(request.spec) + ", " + describe(request.size) + ", " +
         precision_name(request.precision) + ", " + std::to_string(request.images) + " images, " +
         std::string(name_of(cell.way));
}

ArraySize measured_size(const MomentSpec& spec, int side) {
  return is_spherical(spec.family) ? ArraySize(side, side, side) : ArraySize(side);
}

std::string measured_header() { return std::string(kHeader); }

std::string measured_line(const MeasuredTime& time) {
  const PlanRequest& request = time.cell.request;
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(), ",%.3g,%.3g", time.plan, time.image);
  std::string line = time.back_end;
  for (const std::string& field :
       {std::string(name_of(time.cell.way)), std::string(request.spec.family.row().name),
        std::string(name_of(request.spec.convention.convention)),
        std::string(name_of(request.spec.method)), std::to_string(request.spec.points),
        std::to_string(request.spec.order), std::to_string(request.image_size()),
        precision_name(request.precision), std::to_string(request.images), time.algorithm}) {
    line += ',' + field;
  }
  return line + numbers.data();
}

void add_measured(MeasuredTime time, std::vector<MeasuredTime>& times) {
  times.push_back(time);
  if (time.back_end != "cpu" || time.cell.request.images != 64) return;
  time.cell.request.images = 4096;
  times.push_back(std::move(time));
}

std::vector<MeasuredTime> read_measured(const std::filesystem::path& file) {
  std::ifstream stream(file);
  CsvReader reader(stream, file);
  reader.read_names(kHeader);
  std::vector<MeasuredTime> times;
  for (std::vector<std::string> f; reader.next(f);) {
    MeasuredTime time;
    time.back_end = f[0];
    time.cell.way = from_name<Way>(f[1]);
    MomentSpec& spec = time.cell.request.spec;
    spec.family = family_of(f[2]);
    spec.convention.convention = from_name<Convention>(f[3]);
    spec.method = from_name<Method>(f[4]);
    spec.points = std::stoi(f[5]);
    spec.order = std::stoi(f[6]);
    time.cell.request.size = measured_size(spec, std::stoi(f[7]));
    time.cell.request.precision = f[8] == "float" ? Precision::kFloat : Precision::kDouble;
    time.cell.request.images = static_cast<std::size_t>(std::stoul(f[9]));
    time.algorithm = f[10];
    time.plan = std::stod(f[11]);
    time.image = std::stod(f[12]);
    add_measured(std::move(time), times);
  }
  return times;
}

double Race::ratio() const {
  double best = times.front().total();
  double own = 0.0;
  for (const MeasuredTime& time : times) {
    best = std::min(best, time.total());
    if (time.algorithm == chosen) own = time.total();
  }
  return own / best;
}

std::vector<Race> races_of(std::span<const MeasuredTime> times) {
  std::map<std::string, Race> races;
  for (const MeasuredTime& time : times) races[key_of(time)].times.push_back(time);
  std::vector<Race> several;
  for (auto& [key, race] : races) {
    if (race.times.size() < 2) continue;
    const MeasuredTime& first = race.times.front();
    race.chosen = with_rows(first.back_end, first.cell.way, [&](const auto& rows, auto way) {
      const auto* row =
          cheapest<std::remove_cvref_t<decltype(**rows.begin())>>(rows, way, first.cell.request);
      return row == nullptr ? std::string_view() : row->name;
    });
    several.push_back(std::move(race));
  }
  return several;
}

TransformWork work_of(const MeasuredTime& time) {
  return with_rows(time.back_end, time.cell.way, [&](const auto& rows, auto way) {
    for (const auto* row : rows) {
      if (row->name == time.algorithm && (row->*way).work != nullptr) {
        return (row->*way).work(time.cell.request);
      }
    }
    throw InputError("no algorithm of " + time.back_end + " is called " + time.algorithm);
  });
}

}  // namespace leafglyph
