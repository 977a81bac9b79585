// The report of a model's training as a page in a sandbox.
#include <string>
#include <string_view>
#include <utility>

#include "classify/leaf_report/report.h"
#include "classify/page/html_page.h"
#include "classify/serve/page_apis.h"
#include "features/base/errors.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

// The digest of the page's script, as a content policy writes it.
std::string script_digest(std::string_view page) {
  constexpr std::string_view kBegin = "<script>", kEnd = "</script>";
  const std::size_t begin = page.rfind(kBegin) + kBegin.size();
  const std::string hexadecimal = sha256(page.substr(begin, page.rfind(kEnd) - begin));
  std::string digest;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    digest += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, /*base=*/16));
  }
  return base64(digest);
}

// The report contains its style, its script (allowed by its digest), and its pictures as data. In a
// sandbox it has no origin and cannot make requests.
std::string report_policy(std::string_view page) {
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
         script_digest(page) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";
}

}  // namespace

HttpReply report_reply(const LeafModel& model) {
  if (!model.check) {
    throw NotFound(
        "the model has no training report: those of LeafGlyph 0.2.0 and copies to give away come "
        "without one");
  }
  std::string page = html_check(model);
  const std::string policy = report_policy(page);
  return {200, "text/html; charset=utf-8", std::move(page), {{"Content-Security-Policy", policy}}};
}

}  // namespace leafglyph
