#include "classify/serve/served_recogniser.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "classify/character/character_training.h"
#include "classify/character/usual_characters.h"
#include "classify/http/http_message.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/threads.h"

namespace leafglyph {

ServedRecogniser::ServedRecogniser(std::filesystem::path folder, std::filesystem::path caches,
                                   std::function<void(const std::string&)> warn)
    : folder_(std::move(folder)), caches_(std::move(caches)), warn_(std::move(warn)) {}

ServedRecogniser::~ServedRecogniser() {
  if (thread_.joinable()) thread_.join();
}

bool ServedRecogniser::is_there() const {
  try {
    return !folder_.empty() || is_folder(UsualCharacters("", caches_).folder());
  } catch (const Error&) {  // a font is missing
    return false;
  }
}

ServedRecogniser::State ServedRecogniser::state() {
  if (is_idle() && is_there()) begin();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return state_.name != "loading"; });
  return state_;
}

bool ServedRecogniser::is_idle() const {
  const std::lock_guard lock(mutex_);
  return state_.name == "idle";
}

const CharacterModel* ServedRecogniser::model() const {
  const std::lock_guard lock(mutex_);
  return ready_ ? &ready_->recogniser.model() : nullptr;
}

void ServedRecogniser::begin() {
  const std::lock_guard lock(mutex_);
  if (state_.name != "idle") return;
  state_.name = "loading";
  thread_ = std::thread([this] { make(); });
}

CharacterModel ServedRecogniser::made_or_kept() {
  if (!folder_.empty()) return load_characters(folder_);
  const UsualCharacters usual("", caches_);
  if (std::optional<CharacterModel> kept = usual.kept(warn_)) return *std::move(kept);
  {
    const std::lock_guard lock(mutex_);
    state_.name = "making";
  }
  changed_.notify_all();
  const auto all = static_cast<double>(rows_to_train(usual.spec(), 0, 0));
  CharacterModel model = train_characters(usual.spec(), {}, [&](std::size_t count) {
                           throw_if_interrupted();
                           const std::lock_guard lock(mutex_);
                           state_.share += static_cast<double>(count) / all;
                         }).model;
  usual.keep(model, warn_);
  return model;
}

void ServedRecogniser::make() {
  State state{"ready", 1, ""};
  std::shared_ptr<Ready> ready;
  try {
    set_thread_count(1);
    ready = std::make_shared<Ready>(made_or_kept());
  } catch (const Interrupted&) {
    state = {"idle", 0, ""};
  } catch (const std::exception& error) {
    state = {"failed", 0, error.what()};
    warn_("the recogniser of characters: " + state.reason);
  }
  {
    const std::lock_guard lock(mutex_);
    ready_ = std::move(ready);
    state_ = std::move(state);
  }
  changed_.notify_all();
}

ServedRecogniser::Answer ServedRecogniser::recognise(const Image<float>& ink, std::size_t top) {
  begin();
  std::shared_ptr<Ready> ready;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return state_.name != "loading"; });
    if (state_.name == "failed") throw InputError(state_.reason);
    if (!ready_) {
      throw Refusal(
          503, "making",
          fmt::format("the recogniser is being made from fonts: {:.0f} %", 100 * state_.share));
    }
    ready = ready_;
  }
  const std::lock_guard lock(recognising_);
  Answer answer;
  answer.prediction = ready->recogniser.recognise(
      1, [&](std::size_t) { return ink; }, std::max<std::size_t>(top, 2))[0];
  answer.remark = ready->lookalikes.remarks({&answer.prediction, 1}).front();
  answer.frame = normalised(ink, ready->recogniser.model().spec.features.frame);
  return answer;
}

}  // namespace leafglyph
