#include "classify/leaf/changed_settings.h"

#include <fmt/format.h>

namespace leafglyph {

void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings) {
  if (fitted.k != configured.k) {
    warnings.insert(warnings.begin(),
                    fmt::format("half of the species have {} training leaves or fewer: so many "
                                "neighbours vote, not classifier.k = {}",
                                fitted.k, configured.k));
  }
  const bool compared = fitted.metric != configured.metric;
  const bool told = fitted.novelty != configured.novelty;
  if (!compared && !told) return;
  const bool few_classes = told && fitted.novelty == Novelty::kDistance;
  const auto key = [](const char* name, std::string_view value) {
    return fmt::format("classifier.{}: {}", name, value);
  };
  const std::string metric = key("metric", metric_name(configured.metric));
  const std::string novelty = key("novelty", novelty_name(configured.novelty));
  std::string text;
  if (few_classes) {
    text =
        fmt::format("there are fewer than {} species, too few for {}; ", kFewestClasses, novelty);
  } else {
    text = "there are only one or two directions, too few for " + (compared ? metric : novelty) +
           (compared && told ? " and " + novelty : "") + "; ";
  }
  if (!(fitted.pipeline == configured.pipeline)) {
    text += "each channel's own discriminant is added, ";
  }
  if (compared) {
    text += "rows are compared by " + std::string(metric_name(fitted.metric)) + " distance";
  }
  if (compared && told) text += ", and ";
  if (told) {
    text += few_classes ? "what is unknown is told by the distance of its neighbours"
                        : "what is unknown is told by the Mahalanobis distance in all features";
  }
  warnings.insert(warnings.begin(), std::move(text));
}

}  // namespace leafglyph
