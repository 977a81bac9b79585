// `leafglyph glyph recognise --lines`: the characters on pages of text.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "classify/character_report/recognition_report.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/recognise_options.h"

namespace leafglyph {
namespace {

PageRequest page_request(const CommandLine& line, const RecogniseOptions& options,
                         std::unique_ptr<Progress>& progress) {
  PageRequest request;
  if (!options.direction.empty()) request.direction = from_name<TextDirection>(options.direction);
  request.top = static_cast<std::size_t>(std::max(options.top, 2));
  request.advance = [&line, &progress](std::size_t count, std::size_t all) {
    if (!progress) {
      progress = std::make_unique<Progress>("pictures", all, line.common.progress_style());
    }
    progress->advance(count);
    throw_if_interrupted();
  };
  return request;
}

}  // namespace

void recognise_pages(const CommandLine& line, const RecogniseOptions& options,
                     const CharacterRecogniser& recogniser, std::span<const std::string> files,
                     std::vector<std::string>& errors) {
  if (!options.draw.empty() && files.size() > 1) {
    throw UsageError("--draw draws one page; give one image");
  }
  const KnownLookalikes lookalikes;
  PageValues documents = PageValues::array();
  Table table = page_table(static_cast<std::size_t>(options.top));
  for (const std::string& file : files) {
    try {
      const Photograph photograph = options.photograph(file);
      std::unique_ptr<Progress> progress;
      ReadPage page =
          read_page(recogniser, page_ink(photograph.grey), page_request(line, options, progress));
      progress.reset();
      remark_lookalikes(page, lookalikes);
      if (files.size() > 1) line.text() << printable(file) << ":\n";
      line.text() << text_of(page) << (files.size() > 1 ? "\n" : "") << std::flush;
      documents.push_back(page_document(file, page));
      add_page(table, file, page, static_cast<std::size_t>(options.top));
      if (!options.draw.empty()) write_file(options.draw, page_png(photograph, page));
    } catch (const InputError& error) {
      const std::string reason = error.what();
      errors.push_back(reason.starts_with(file) ? reason : file + ": " + reason);
    } catch (const FormatError& error) {
      errors.emplace_back(error.what());
    }
  }
  write_output(options.figures.json, documents.dump(1) + "\n");
  write_output(options.figures.csv, table.csv());
  write_output(options.hocr, pages_hocr(documents));
}

}  // namespace leafglyph
