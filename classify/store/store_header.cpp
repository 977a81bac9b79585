#include "classify/store/store_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/sha256.h"
#include "features/record/record.h"
#include "features/record/sealed_json.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// The bytes of the projection with that digest, in the folder of the header.
std::string read_projection(const std::string& digest, const std::filesystem::path& header) {
  if (digest.empty()) return "";
  const std::filesystem::path file = header.parent_path() / kProjectionFile;
  std::string bytes = is_regular(file) ? read_file(file) : "";
  check_digest(sha256(bytes), digest, file,
               std::string("is missing, or does not match its checksum in ") + kStore.facts,
               kStore.remedy);
  return bytes;
}

}  // namespace

std::size_t StoreHeader::inputs_of(std::size_t b) const {
  return std::min(block, inputs - std::min(inputs, b * block));
}

StoreHeader StoreHeader::without_inputs() const {
  StoreHeader header = *this;
  header.block = header.inputs = 0;
  header.fields.clear();
  header.list_sha256.clear();
  header.classes.clear();
  header.scientific_names.clear();
  header.chinese_names.clear();
  return header;
}

void validate(const StoreHeader& header) {
  if (header.block == 0 || header.block > kMaxBlockInputs) {
    throw UsageError(fmt::format("{} inputs a block; use 1 to {}", header.block, kMaxBlockInputs));
  }
  // blocks() itself would overflow.
  if (header.inputs > 0 && (header.inputs - 1) / header.block >= kMaxStoreBlocks) {
    throw UsageError(
        fmt::format("{} inputs in blocks of {} make more than {} blocks; use larger blocks",
                    header.inputs, header.block, kMaxStoreBlocks));
  }
  if (header.columns.empty()) throw UsageError("a feature store without columns");
  if (header.scientific_names.size() != header.classes.size() ||
      header.chinese_names.size() != header.classes.size()) {
    throw UsageError("not as many scientific and Chinese names as classes");
  }
}

std::string header_text(const StoreHeader& header) {
  Json json = {{"format", kStore.format},
               {"version", kStore.version},
               {"kind", header.kind},
               {"settings", header.settings},
               {"convention", header.convention},
               {"device", header.device},
               {"parts", name_of(header.parts)},
               {"values", name_of(header.values)},
               {"projection", header.projection.empty() ? "" : sha256(header.projection)},
               {"block", header.block},
               {"inputs", header.inputs},
               {"list_sha256", header.list_sha256},
               {"fields", header.fields},
               {"columns", header.columns},
               {"classes", header.classes},
               {"scientific_names", header.scientific_names},
               {"chinese_names", header.chinese_names}};
  escape_strings(json);
  return sealed_text(std::move(json));
}

StoreHeader parse_header(const std::string& text, const std::filesystem::path& file) {
  StoreHeader header;
  try {
    const Json json = sealed_facts(kStore, text, file);
    header.kind = string_of(json.at("kind"));
    header.settings = string_of(json.at("settings"));
    header.convention = string_of(json.at("convention"));
    header.device = string_of(json.at("device"));
    header.parts = from_name<PartRule>(string_of(json.at("parts")));
    header.fields = strings_of(json.at("fields"));
    header.values = from_name<StoredValues>(string_of(json.at("values")));
    header.projection = read_projection(string_of(json.at("projection")), file);
    header.block = integer_at<std::size_t>(json, "block");
    header.inputs = integer_at<std::size_t>(json, "inputs");
    header.list_sha256 = string_of(json.at("list_sha256"));
    header.columns = strings_of(json.at("columns"));
    header.classes = strings_of(json.at("classes"));
    header.scientific_names = strings_of(json.at("scientific_names"));
    header.chinese_names = strings_of(json.at("chinese_names"));
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
  if (a.parts != b.parts) {
    return fmt::format("the parts that are rows, {} and {}", name_of(a.parts), name_of(b.parts));
  }
  if (a.values != b.values) {
    return fmt::format("the values, {} and {}", name_of(a.values), name_of(b.values));
  }
  if (a.projection != b.projection) return "the projection of the columns";
  if (a.block != b.block) return fmt::format("the inputs per block, {} and {}", a.block, b.block);
  if (a.inputs != b.inputs) {
    return fmt::format("the number of inputs, {} and {}", a.inputs, b.inputs);
  }
  return a == b ? "" : "the list of inputs and labels";
}

}  // namespace leafglyph
