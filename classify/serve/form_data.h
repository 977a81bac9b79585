// Forms (multipart/form-data), read strictly and in linear time.
#pragma once

#include <string_view>
#include <vector>

#include "classify/serve/http_message.h"

namespace leafglyph {

/// Whether a Content-Type is that of a form.
bool is_form(std::string_view content_type);

/// The boundary that the Content-Type of a form names; empty where it names none that RFC 2046
/// allows.
std::string_view form_boundary(std::string_view content_type);

/// The parts of a form, in its order; they refer to `body`. Throws UsageError when the body is not
/// a form with that boundary to its end, for a part without a name, one whose head has more than
/// kMaxFormHeadBytes, and for more than kMaxFormParts parts.
std::vector<HttpPart> form_parts(std::string_view body, std::string_view boundary);

}  // namespace leafglyph
