// store.json: what the rows of a feature store are.
#pragma once

#include <filesystem>
#include <string>

#include "classify/store/feature_store.h"

namespace leafglyph {

std::string header_text(const StoreHeader& header);

/// Throws UsageError unless the header has 1 to kMaxBlockInputs inputs a block, at most
/// kMaxStoreBlocks blocks, columns, and as many scientific names as classes.
void validate(const StoreHeader& header);

/// Reads what header_text wrote. Throws FormatError, naming `file`, when the text is damaged or of
/// another format.
StoreHeader parse_header(const std::string& text, const std::filesystem::path& file);

/// In words, what of two headers differs: "the list of inputs"; empty when nothing does.
std::string difference(const StoreHeader& a, const StoreHeader& b);

}  // namespace leafglyph
