#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "classify/character/character_pictures.h"
#include "classify/character_report/recognition_report.h"
#include "classify/http/page_limits.h"
#include "classify/page/html_page.h"
#include "classify/serve/page_apis.h"
#include "features/base/errors.h"
#include "features/glyph/ink.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kServedCandidates = 5;
constexpr const char* kPicture = "picture";

// The picture: a file of a form, or the body.
std::string_view picture_of(const HttpRequest& request) {
  for (const HttpPart& part : request.parts) {
    if (part.name == kPicture) return part.content;
  }
  if (!request.parts.empty()) {
    throw UsageError("the form has no picture; send one as a field named 'picture'");
  }
  if (request.body.empty()) throw UsageError("the file is empty");
  return request.body;
}

// Rows from the top, 0 paper to 255 stroke, in base 64.
Json frame_json(const Image<float>& frame) {
  std::string bytes;
  for (const float ink : frame.pixels()) {
    bytes += static_cast<char>(static_cast<unsigned char>(std::lround(255 * ink)));
  }
  return {{"size", frame.width()}, {"ink", base64(bytes)}};
}

}  // namespace

void RecogniseApi::add_to(HttpServer& server) {
  server.get("/api/v1/glyph/recogniser", [this](const HttpRequest&) { return state(); });
  server.post(
      "/api/v1/glyph/recognise", [this](const HttpRequest& r) { return recognise(r); },
      BodyKind::kBytesOrForm);
}

HttpReply RecogniseApi::state() {
  const ServedRecogniser::State state = recogniser_.state();
  Json json = {{"state", state.name}, {"share", state.share}};
  if (!state.reason.empty()) json["reason"] = state.reason;
  if (const CharacterModel* model = recogniser_.model()) {
    json["characters"] = model->characters.size();
    json["styles"] = model->styles;
  }
  return json_reply(std::move(json));
}

HttpReply RecogniseApi::recognise(const HttpRequest& request) {
  const int top = request.number("top", 1, kMaxServedLookalikes, kServedCandidates);
  Json json;
  work_.run([&] {
    const Image<float> ink =
        ink_of(read_photograph(picture_of(request), kPicture, character_request()));
    const ServedRecogniser::Answer answer =
        recogniser_.recognise(ink, static_cast<std::size_t>(top));
    json = prediction_document(answer.prediction, answer.remark);
    json["frame"] = frame_json(answer.frame);
  });
  return json_reply(std::move(json));
}

}  // namespace leafglyph
