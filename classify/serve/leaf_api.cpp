#include "classify/serve/page_apis.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "classify/http/page_limits.h"
#include "classify/serve/drawn_model.h"
#include "datasets/leaf/example_photographs.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnnamed = "photograph";
constexpr int kPreviewSide = 1000;
constexpr int kExampleSide = 240;
constexpr int kDrawnSide = 480;

// The photograph as an upright JPEG file whose longer side has at most kPreviewSide pixels, because
// browsers may not show its own format. Throws InputError, naming `name`, if the photograph cannot
// be read.
std::string preview_jpeg(std::string_view bytes, const std::string& name) {
  const SampleImage image = decode_picture(bytes, name, kPreviewSide);
  const double scale =
      std::min(1.0, static_cast<double>(kPreviewSide) / std::max(image.width, image.height));
  const cv::Size size(std::max(1, static_cast<int>(image.width * scale)),
                      std::max(1, static_cast<int>(image.height * scale)));
  cv::Mat small;
  cv::resize(view(image), small, size, 0, 0, cv::INTER_AREA);
  return encode_jpeg(samples_of(small));
}

// A label that is safe to show on a page or a terminal, and short enough to read.
std::string label_of(std::string_view name) {
  const std::string label =
      printable(name.substr(name.size() - std::min(name.size(), kMaxPhotographName)));
  return label.empty() ? kUnnamed : label;
}

std::optional<Background> background_of(const HttpRequest& request) {
  const std::optional<std::string> name = request.value("background");
  return name ? std::optional(from_name<Background>(*name)) : std::nullopt;
}

std::optional<std::size_t> part_of(const HttpRequest& request) {
  if (!request.value("part")) return std::nullopt;
  return static_cast<std::size_t>(request.number("part", 0, kMaxPart, 0));
}

// The photographs of a form, or the body as a single photograph.
std::vector<SentPhotograph> photographs_of(const HttpRequest& request) {
  std::vector<SentPhotograph> photographs;
  const std::optional<Background> background = background_of(request);
  for (const HttpPart& part : request.parts) {
    if (part.name != "photograph") continue;
    photographs.push_back({label_of(part.file_name), part.content, background, {}});
  }
  if (photographs.empty() && !request.body.empty()) {
    photographs.push_back({label_of(request.value("name").value_or("")), request.body, background,
                           part_of(request), request.value("one_leaf").has_value()});
  }
  if (photographs.empty()) {
    throw UsageError(
        request.parts.empty()
            ? "the file is empty"
            : "the form has no photograph; send photographs as fields named 'photograph'");
  }
  if (photographs.size() > kMaxRequestPhotographs) {
    throw UsageError("a request has at most " + std::to_string(kMaxRequestPhotographs) +
                     " photographs");
  }
  return photographs;
}

}  // namespace

void LeafApi::add_to(HttpServer& server) {
  server.get("/api/v1/leaf/picture", [this](const HttpRequest& r) { return picture(r); });
  server.get("/api/v1/leaf/examples", [](const HttpRequest&) { return examples(); });
  server.get("/api/v1/leaf/example", [this](const HttpRequest& r) { return example(r); });
  server.get("/api/v1/leaf/drawn", [this](const HttpRequest& r) { return drawn(r); });
  server.post(
      "/api/v1/leaf/identify", [this](const HttpRequest& r) { return identify(r); },
      BodyKind::kBytesOrForm);
  server.post(
      "/api/v1/leaf/preview", [this](const HttpRequest& r) { return preview(r); },
      BodyKind::kBytesOrForm);
  server.post(
      "/api/v1/leaf/keep", [this](const HttpRequest& r) { return keep(r); },
      BodyKind::kBytesOrForm);
}

ModelShelf::Model LeafApi::model_of(const HttpRequest& request) const {
  const std::optional<std::string> name = request.value("model");
  ModelShelf::Model model = shelf_.find(name.value_or(""));
  if (model) return model;
  throw NotFound(name ? "there is no model with that name" : "there is no model yet; train one");
}

HttpReply LeafApi::identify(const HttpRequest& request) {
  const ModelShelf::Model model = model_of(request);
  const bool together = request.value("together").has_value();
  Json leaves = Json::array();
  std::vector<ClassifiedLeaf> answered;
  for (const SentPhotograph& photograph : photographs_of(request)) {
    work_.run([&] {
      LeafReply reply = model->identify(photograph);
      leaves.push_back(leaf_reply_json(*model, reply));
      answered.push_back(std::move(reply.leaf));
    });
  }
  Json json = {{"model", escape_bytes(model->name())}};
  if (together) json["plant"] = plant_reply_json(model->model(), answered);
  json["leaves"] = std::move(leaves);
  return json_reply(std::move(json));
}

HttpReply LeafApi::picture(const HttpRequest& request) const {
  const ModelShelf::Model model = model_of(request);
  const LeafValues<SmallPicture>& pictures = model->model().pictures;
  const int last = static_cast<int>(pictures.size()) - 1;
  const auto leaf = static_cast<std::size_t>(request.number("leaf", 0, last, 0));
  const SmallPicture picture = pictures.empty() ? SmallPicture{} : pictures[leaf];
  if (picture.jpeg.empty()) throw NotFound("the model has no picture of that leaf");
  return {200, "image/jpeg", picture.jpeg, {{"Cache-Control", "private, max-age=3600"}}};
}

HttpReply LeafApi::examples() {
  Json list = Json::array();
  for (const ExamplePhotograph& example : example_photographs()) {
    list.push_back({{"name", example.name}, {"good", example.is_good}, {"text", example.text}});
  }
  return json_reply({{"examples", std::move(list)}});
}

HttpReply LeafApi::picture_of(const std::function<Photograph()>& draw, int side) {
  HttpReply reply{200, "image/jpeg", "", {{"Cache-Control", "private, max-age=3600"}}};
  work_.run([&] {
    const Photograph photograph = draw();
    const PictureBox all{0, 0, photograph.grey.width(), photograph.grey.height()};
    reply.body = small_picture(photograph, all, side).jpeg;
  });
  return reply;
}

HttpReply LeafApi::example(const HttpRequest& request) {
  const int last = static_cast<int>(example_photographs().size()) - 1;
  const auto number = static_cast<std::size_t>(request.number("number", 0, last, 0));
  return picture_of([&] { return draw_example(number); }, kExampleSide);
}

HttpReply LeafApi::drawn(const HttpRequest& request) {
  const int species = request.number("species", 0, kDrawnSpecies - 1, 0);
  const int leaf = request.number("leaf", 0, kMaxDrawnLeaf, 0);
  return picture_of([&] { return drawn_leaf(species, leaf); }, kDrawnSide);
}

HttpReply LeafApi::keep(const HttpRequest& request) {
  const std::string species = request.required("species");
  std::string kept;
  work_.run([&] { kept = kept_.keep(species, photographs_of(request).front().bytes); });
  return json_reply({{"kept", kept}, {"folder", kept_.folder().string()}});
}

HttpReply LeafApi::preview(const HttpRequest& request) {
  HttpReply reply{200, "image/jpeg", "", {}};
  work_.run([&] {
    const SentPhotograph photograph = photographs_of(request).front();
    reply.body = preview_jpeg(photograph.bytes, photograph.name);
  });
  return reply;
}

}  // namespace leafglyph
