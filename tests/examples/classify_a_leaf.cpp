// Identifies the leaves on photographs with a model saved by `leafglyph leaf train`:
//   classify_a_leaf MODEL PHOTOGRAPH...
// prints one line per photograph: the file, the most likely species or "unknown", and how unlike
// the training leaves it is.
#include <cstdio>
#include <filesystem>
#include <vector>

#include "leafglyph/classify/leaf/leaf_classify.h"
#include "leafglyph/classify/leaf/model_folder.h"
#include "leafglyph/features/base/errors.h"

namespace lg = leafglyph;

int main(int argc, char** argv) try {
  if (argc < 3) throw lg::UsageError("usage: classify_a_leaf MODEL PHOTOGRAPH...");
  const lg::LeafModel model = lg::load_model(argv[1]);
  const std::vector<std::filesystem::path> photographs(argv + 2, argv + argc);

  int status = 0;
  for (const lg::ClassifiedLeaf& leaf : lg::classify_leaves(model, photographs, 1, {})) {
    if (!leaf.prediction) {
      std::fprintf(stderr, "%s\n", leaf.error.c_str());
      status = static_cast<int>(lg::ExitCode::kSomeFailed);
      continue;
    }
    const lg::RankedClass& best = leaf.prediction->ranking.front();
    const char* name =
        leaf.prediction->decision.known() ? model.class_names[best.label].c_str() : "unknown";
    std::printf("%s: %s (%.3f)\n", leaf.file.c_str(), name, leaf.prediction->outlier_score);
  }
  return status;
} catch (const lg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.code());
}
