// Readers of data sent to `leafglyph serve`.
#include <stdexcept>
#include <string>
#include <vector>

#include "classify/http/form_data.h"
#include "classify/http/request_head.h"
#include "classify/http/request_target.h"
#include "classify/serve/training_folder.h"
#include "classify/support/zip_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"

namespace leafglyph::fuzz {
namespace {

std::vector<std::string> archive_seeds() {
  ZipWriter zip(ZipWriter::Packing::kDeflated);
  const std::string content = "not an image, which nobody asks here";
  for (const char* name : {"oak/1.jpg", "elm/deep/2.png", "elm/.hidden.png", "loose.jpg"}) {
    zip.begin(name, content.size());
    zip.add(content);
  }
  zip.end();
  return {zip.take()};
}

void read_archive(std::string_view bytes) {
  TrainingFolder folder(scratch_folder());
  folder.add_archive(bytes);
}

std::vector<std::string> head_seeds() {
  return {"GET /?a=b HTTP/1.1\r\nHost: localhost:8080\r\nSec-Fetch-Site: same-origin\r\n\r\n",
          "POST /x HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 12\r\nExpect: 100-continue\r\n"
          "Content-Type: multipart/form-data; boundary=\"a b\"\r\n\r\n"};
}

// A head that is accepted has one line of three words; decoding adds nothing to its target.
void read_head(std::string_view bytes) {
  try {
    const RequestHead head{std::string(bytes)};
    for (const std::string_view word : {head.method(), head.target()}) {
      if (word.empty() || word.find_first_of(" \r\n") != std::string_view::npos) {
        throw std::logic_error("a word of the request line is not one word");
      }
    }
    const RequestTarget target = decoded_target(head.target());
    std::size_t size = target.path.size();
    for (const auto& [name, value] : target.query) size += name.size() + value.size();
    if (size > head.target().size()) throw std::logic_error("a target grows when it is decoded");
  } catch (const Refusal&) {
  }
}

std::vector<std::string> form_seeds() {
  return {
      "--edge\r\nContent-Disposition: form-data; name=\"photograph\"; filename=\"a\\\"b.jpg\"\r\n"
      "Content-Type: image/jpeg\r\n\r\nbytes\r\n--edge\r\ncontent-disposition:form-data;name=x"
      "\r\n\r\n\r\n--edge--\r\n",
      "--edge--"};
}

// The parts must lie inside the form, one after the other.
void read_form(std::string_view bytes) {
  const char* begin = bytes.data();
  for (const HttpPart& part : form_parts(bytes, "edge")) {
    const char* end = part.content.data() + part.content.size();
    if (part.content.data() < begin || end > bytes.data() + bytes.size()) {
      throw std::logic_error("a part lies outside its form");
    }
    begin = end;
  }
}

}  // namespace

std::vector<FuzzTarget> serve_targets() {
  return {{"archive", read_archive, archive_seeds},
          {"http_head", read_head, head_seeds},
          {"http_form", read_form, form_seeds}};
}

}  // namespace leafglyph::fuzz
