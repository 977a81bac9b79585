#include "classify/serve/page_apis.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "classify/http/page_limits.h"
#include "classify/page/html_page.h"
#include "features/base/errors.h"
#include "features/image/sample_range.h"
#include "features/image_io/encode_image.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

std::string png_uri(std::span<const double> pixels, const MomentImage& image) {
  const SampleRange range;
  const int left = (image.size - image.width) / 2, top = (image.size - image.height) / 2;
  std::vector<std::uint8_t> picture;
  picture.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int row = 0; row < image.height; ++row) {
    const double* from = pixels.data() + static_cast<std::ptrdiff_t>(top + row) * image.size + left;
    std::transform(from, from + image.width, std::back_inserter(picture), [&](double value) {
      return static_cast<std::uint8_t>(std::lround(range.clipped(value)));
    });
  }
  return data_uri("image/png", encode_png({image.width, image.height, 1, std::move(picture)}));
}

// JSON has no infinity, so an image without error has no PSNR.
Json decibels(double psnr) { return std::isfinite(psnr) ? Json(psnr) : Json(nullptr); }

}  // namespace

void MomentApi::add_to(HttpServer& server) {
  server.post(
      "/api/v1/moments/reconstruct",
      [this](const HttpRequest& request) { return reconstruct(request); }, BodyKind::kBytesOrForm);
}

HttpReply MomentApi::reconstruct(const HttpRequest& request) {
  const std::string_view bytes = request.field("image").value_or(request.body);
  if (bytes.empty()) {
    throw UsageError(request.parts.empty() || request.field("image")
                         ? "the file is empty"
                         : "the form has no image; send it as a field named 'image'");
  }
  const WeightedFamily family =
      weighted_family_from_text(request.value("family").value_or("zernike"));
  const int order = request.number("order", 0, kMaxServedOrder, 20);
  Json json;
  work_.run([&] {
    const MomentImage image = moment_image(bytes, "the image");
    const Reconstruction made = images_.reconstruct(image, family, order);
    json = {{"family", family_text(family)},
            {"order", order},
            {"moments", made.moments},
            {"width", image.width},
            {"height", image.height},
            {"psnr_whole", decibels(made.error.psnr_whole)},
            {"psnr_disk", decibels(made.error.psnr_disk)},
            {"original", png_uri(image.pixels, image)},
            {"image", png_uri(made.pixels, image)}};
  });
  return json_reply(std::move(json));
}

}  // namespace leafglyph
