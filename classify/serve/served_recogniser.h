// The recogniser of the page: loaded, or made, while the page is already in use.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "classify/character/character_recogniser.h"
#include "classify/character/known_lookalikes.h"
#include "features/image/image.h"

namespace leafglyph {

/// Safe for many threads.
class ServedRecogniser {
 public:
  /// The recogniser in a folder; empty: UsualCharacters of these caches, which is made on one
  /// thread of its own when something is first recognised, so that other work goes on.
  ServedRecogniser(std::filesystem::path folder, std::filesystem::path caches,
                   std::function<void(const std::string&)> warn);
  /// Waits for its thread, which request_interruption() ends.
  ~ServedRecogniser();
  ServedRecogniser(const ServedRecogniser&) = delete;
  ServedRecogniser& operator=(const ServedRecogniser&) = delete;

  struct State {
    std::string name;    ///< "idle" until it is asked for, "loading", "making", "ready", "failed"
    double share = 0;    ///< of the work of making it
    std::string reason;  ///< why it failed
  };
  /// Loads the recogniser first, if it is there.
  State state();

  struct Answer {
    CharacterPrediction prediction;
    LookalikeRemark remark;
    Image<float> frame;  ///< the ink as the recogniser sees it
  };
  /// Waits while it is loaded. Throws Refusal (503) while it is made, InputError if that failed.
  Answer recognise(const Image<float>& ink, std::size_t top);

  const CharacterModel* model() const;  ///< nullptr until it is ready; then it stays

 private:
  struct Ready {
    explicit Ready(CharacterModel model) : recogniser(std::move(model)) {}
    CharacterRecogniser recogniser;
    KnownLookalikes lookalikes;
  };
  bool is_idle() const;
  bool is_there() const;
  void begin();
  void make();
  CharacterModel made_or_kept();

  std::filesystem::path folder_, caches_;
  std::function<void(const std::string&)> warn_;
  mutable std::mutex mutex_;  // for state_, ready_, thread_
  std::condition_variable changed_;
  State state_{"idle", 0, ""};
  std::shared_ptr<Ready> ready_;
  std::thread thread_;
  std::mutex recognising_;
};

}  // namespace leafglyph
