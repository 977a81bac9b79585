// An answer of a leaf model as the page draws it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "classify/serve/leaf_answerer.h"

namespace leafglyph {

/// "answer": what `leaf classify --json` prints of the photograph; "table": its line of --csv;
/// "outline", "parts": what was found on the photograph; "species": the nearest ones with training
/// leaves; "channels": what each answers by itself; "reasons": what speaks for and against the
/// answer, by kinds that the page has sentences for. Its strings are UTF-8 (json_text.h).
nlohmann::ordered_json leaf_reply_json(const LeafAnswerer& model, const LeafReply& reply);

/// What `leaf classify --same-plant --json` prints of the leaves together. Throws InputError when
/// none of them has an answer.
nlohmann::ordered_json plant_reply_json(const LeafModel& model,
                                        std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
