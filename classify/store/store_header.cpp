#include "classify/store/store_header.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "classify/support/sealed_json.h"
#include "features/base/errors.h"
#include "features/base/limits.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "leafglyph feature store";
constexpr int kVersion = 2;

}  // namespace

void validate(const StoreHeader& header) {
  if (header.block == 0 || header.block > kMaxBlockInputs) {
    throw UsageError(fmt::format("{} inputs a block; use 1 to {}", header.block, kMaxBlockInputs));
  }
  // blocks() itself would wrap round.
  if (header.inputs > 0 && (header.inputs - 1) / header.block >= kMaxStoreBlocks) {
    throw UsageError(
        fmt::format("{} inputs in blocks of {} are more than {} blocks; use larger ones",
                    header.inputs, header.block, kMaxStoreBlocks));
  }
  if (header.columns.empty()) throw UsageError("a feature store without columns");
  if (header.scientific_names.size() != header.classes.size()) {
    throw UsageError("not as many scientific names as classes");
  }
}

std::string header_text(const StoreHeader& header) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"kind", header.kind},
               {"settings", header.settings},
               {"convention", header.convention},
               {"device", header.device},
               {"block", header.block},
               {"inputs", header.inputs},
               {"list_sha256", header.list_sha256},
               {"columns", header.columns},
               {"classes", header.classes},
               {"scientific_names", header.scientific_names}};
  escape_strings(json);
  return sealed_text(std::move(json));
}

StoreHeader parse_header(const std::string& text, const std::filesystem::path& file) {
  StoreHeader header;
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<std::string>() != kFormat) {
      throw FormatError(file.string() + ": not the header of a feature store");
    }
    if (const int version = integer_at<int>(json, "version"); version != kVersion) {
      throw FormatError(fmt::format(
          "{}: a feature store of format version {}, but this LeafGlyph reads version {}, whose "
          "files have checksums: extract the features again, into another folder",
          file.string(), version, kVersion));
    }
    if (!is_sealed(json, text)) {
      throw FormatError(file.string() +
                        ": does not have the checksum that it states; it is damaged or was "
                        "changed: extract the features again, into another folder");
    }
    header.kind = string_of(json.at("kind"));
    header.settings = string_of(json.at("settings"));
    header.convention = string_of(json.at("convention"));
    header.device = string_of(json.at("device"));
    header.block = integer_at<std::size_t>(json, "block");
    header.inputs = integer_at<std::size_t>(json, "inputs");
    header.list_sha256 = string_of(json.at("list_sha256"));
    header.columns = strings_of(json.at("columns"));
    header.classes = strings_of(json.at("classes"));
    header.scientific_names = strings_of(json.at("scientific_names"));
    validate(header);
  } catch (const Json::exception&) {
    throw FormatError(file.string() + ": damaged, or not the header of a feature store");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what() + "; extract the features again");
  }
  return header;
}

std::string difference(const StoreHeader& a, const StoreHeader& b) {
  if (a.kind != b.kind) return "the kind of features";
  if (a.columns != b.columns) return "the columns";
  if (a.settings != b.settings) return "the settings";
  if (a.convention != b.convention) return "the convention of the moments";
  if (a.device != b.device) return fmt::format("the device, {} and {}", a.device, b.device);
  if (a.block != b.block) return fmt::format("the inputs a block, {} and {}", a.block, b.block);
  if (a.inputs != b.inputs) {
    return fmt::format("the number of inputs, {} and {}", a.inputs, b.inputs);
  }
  return a == b ? "" : "the list of inputs and labels";
}

}  // namespace leafglyph
