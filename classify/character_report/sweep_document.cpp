#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "classify/character_report/character_report.h"
#include "features/base/text.h"

namespace leafglyph {

PageValues character_sweep_document(const CharacterSweep& sweep, double seconds) {
  const std::string family(name_of(kCharacterFamilies, sweep.spec.features.family));
  PageValues json = {
      {"configuration", family},
      {"data", counted(sweep.spec.fonts.size(), "font", "fonts")},
      {"protocol", {{"description", "each style by a fit to the others, clean and damaged"}}},
      {"features",
       fmt::format("{} moments of edges in {} directions", family, sweep.spec.features.directions)},
      {"classifier",
       fmt::format("{} directions of the discriminant", sweep.spec.classifier.directions)},
      {"sweep", PageValues::array()},
      {"seconds", {{"training", seconds}}}};
  for (const CharacterSweepPoint& point : sweep.points) {
    json["sweep"].push_back({{"order", point.order},
                             {"columns", point.columns},
                             {"top1",
                              {{"mean", point.top1.mean},
                               {"standard_deviation", point.top1.deviation},
                               {"interval",
                                {{"low", point.interval.low},
                                 {"high", point.interval.high},
                                 {"method", point.interval.method}}}}}});
  }
  return json;
}

}  // namespace leafglyph
