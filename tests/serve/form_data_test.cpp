// Forms and request heads: what is accepted and what is refused, each in one pass over its bytes.
#include "classify/http/form_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "classify/http/page_limits.h"
#include "classify/http/request_head.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::string part(const std::string& head, const std::string& content) {
  return "--edge\r\n" + head + "\r\n\r\n" + content + "\r\n";
}
std::string named(const std::string& parameters, const std::string& content = "x") {
  return part("Content-Disposition: form-data; " + parameters, content);
}
const std::string kEnd = "--edge--\r\n";

// mechanics: name, file name and content of every part, in the order of the form; text that only
// looks like a boundary is content.
TEST(FormData, PartsAreTakenAsTheyAre) {
  const std::string body =
      named("name=\"photograph\"; filename=\"a \\\"b\\\".jpg\"", "1\r\n--edg\r\n\r\n--Edge") +
      part("content-type: image/png\r\nCONTENT-DISPOSITION: Form-Data;name=note;filename*=UTF-8''x",
           "") +
      named("name=\"photograph\"", std::string("\0\r", 2)) + kEnd;
  const std::vector<HttpPart> parts = form_parts(body, "edge");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "photograph");
  EXPECT_EQ(parts[0].file_name, "a \\\"b\\\".jpg");
  EXPECT_EQ(parts[0].content, "1\r\n--edg\r\n\r\n--Edge");
  EXPECT_EQ(parts[1].name, "note");
  EXPECT_EQ(parts[1].content, "");
  EXPECT_EQ(parts[2].content, std::string("\0\r", 2));
  EXPECT_EQ(form_parts("--edge--", "edge").size(), 0U);
}

// mechanics: anything but a complete form is refused.
TEST(FormData, WhatIsNoFormIsRefused) {
  const std::string good = named("name=a");
  for (const std::string& body : std::vector<std::string>{
           "",
           "x",
           "\r\n" + good + kEnd,
           good,
           good + "--edge",
           good + "--edge-",
           good + "--other--",
           good + kEnd + "more",
           good + "--edgeX\r\n",
           part("", "x") + kEnd,
           part("Content-Type: image/png", "x") + kEnd,
           part("no colon", "x") + kEnd,
           part("Content-Disposition : form-data; name=a", "x") + kEnd,
           part("Content-Disposition: form-data", "x") + kEnd,
           part("Content-Disposition: attachment; name=a", "x") + kEnd,
           part("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
                "x") +
               kEnd,
           named("name=\"a") + kEnd,
           named("name=\"a\\\"") + kEnd,
           named("name") + kEnd,
           named("name=\"a\" b=c") + kEnd,
           named("=a") + kEnd,
           named("name=" + std::string(kMaxFormHeadBytes, 'a')) + kEnd}) {
    EXPECT_THROW(form_parts(body, "edge"), UsageError) << body.substr(0, 200);
  }
}

// mechanics: as many parts as the limit allows, and no more.
TEST(FormData, PartsAreCounted) {
  std::string body;
  for (std::size_t i = 0; i < kMaxFormParts; ++i) body += named("name=a");
  EXPECT_EQ(form_parts(body + kEnd, "edge").size(), kMaxFormParts);
  EXPECT_THROW(form_parts(body + named("name=a") + kEnd, "edge"), UsageError);
}

// mechanics: boundaries as in RFC 2046, or none.
TEST(FormData, BoundariesAreThoseOfTheStandard) {
  const auto boundary = [](const std::string& rest) {
    return std::string(form_boundary("multipart/form-data" + rest));
  };
  EXPECT_EQ(boundary("; boundary=----WebKitFormBoundaryAbC0"), "----WebKitFormBoundaryAbC0");
  EXPECT_EQ(boundary(";charset=utf-8; Boundary=\"a b\""), "a b");
  EXPECT_EQ(boundary("; boundary=" + std::string(70, 'a')), std::string(70, 'a'));
  for (const std::string& wrong :
       {std::string(), std::string("; boundary"), std::string("; boundary="),
        std::string("; boundary=\""), std::string("; boundary=\"a \""),
        std::string("; boundary=\"a\\\"b\""), std::string("; boundary=a{b"),
        "; boundary=" + std::string(71, 'a')}) {
    EXPECT_EQ(boundary(wrong), "") << wrong;
  }
  EXPECT_TRUE(is_form("Multipart/Form-Data ; boundary=a"));
  for (const char* other :
       {"", "multipart/mixed; boundary=a", "text/plain", "multipart/form-data2"}) {
    EXPECT_FALSE(is_form(other)) << other;
  }
}

std::string post_head(const std::string& lines) {
  return "POST /x?a=b HTTP/1.1\r\n" + lines + "\r\n";
}
// The status with which a head is refused; 0 if it is accepted.
int refusal_of(const std::string& text) {
  try {
    const RequestHead head(text);
    return 0;
  } catch (const Refusal& why) {
    return why.status();
  }
}

// mechanics: the request line is taken apart; other headers than those that are used change
// nothing.
TEST(RequestHead, HasWhatIsUsed) {
  const RequestHead head(post_head(
      "Host: localhost:1\r\nRange: bytes=0-,0-\r\nAccept-Encoding: gzip\r\nREMOTE_ADDR: 1.2.3.4\r\n"
      "Form-Boundary: x\r\nConnection: close\r\ncontent-LENGTH:\t007 \r\n"
      "Content-Type: multipart/form-data; boundary=edge\r\nX-Forwarded-For: ,\r\n"));
  EXPECT_EQ(head.method(), "POST");
  EXPECT_EQ(head.value(Header::kHost), "localhost:1");
  EXPECT_EQ(head.body_bytes(), 7U);
  EXPECT_EQ(head.target(), "/x?a=b");
  EXPECT_EQ(head.boundary(), "edge");
  EXPECT_FALSE(head.is_older());
  EXPECT_TRUE(head.ends_connection());
}

// mechanics: a head that two readers could read differently is refused, whatever it could hide.
TEST(RequestHead, WhatIsNotPlainIsRefused) {
  EXPECT_EQ(refusal_of(post_head("")), 0);
  const std::vector<std::pair<std::string, int>> cases = {
      {"Content-Length: 5\r\nContent-Length: 5\r\n", 400},
      {"Host: a\r\nhost: b\r\n", 400},
      {"Content-Length: -1\r\n", 400},
      {"Content-Length: +1\r\n", 400},
      {"Content-Length: 0x10\r\n", 400},
      {"Content-Length: 5, 5\r\n", 400},
      {"Content-Length: 1 1\r\n", 400},
      {"Content-Length:\r\n", 400},
      {"Content-Length: 99999999999999999999\r\n", 400},
      {"Content-Length : 5\r\n", 400},
      {" Content-Length: 5\r\n", 400},
      {"A: b\r\n folded: c\r\n", 400},
      {"A: b\nContent-Length: 5\r\n", 400},
      {"A: b\rContent-Length: 5\r\n", 400},
      {std::string("A: b\0c\r\n", 8), 400},
      {"no colon\r\n", 400},
      {": no name\r\n", 400},
      {"Transfer-Encoding: chunked\r\n", 411},
      {"Transfer-Encoding: identity\r\n", 411},
      {"transfer-encoding:\tgzip, chunked\r\nContent-Length: 5\r\n", 411},
      {"Content-Encoding: gzip\r\n", 415},
      {"Content-Type: multipart/form-data\r\n", 400},
      {"Content-Type: multipart/form-data; boundary=a\"b\r\n", 400},
  };
  for (const auto& [lines, status] : cases) {
    EXPECT_EQ(refusal_of(post_head(lines)), status) << lines;
  }
  for (const char* text : {"", "\r\n\r\n", "GET / HTTP/1.1", "GET / HTTP/1.1\n\n"}) {
    EXPECT_EQ(refusal_of(text), 400) << text;
  }
}

}  // namespace
}  // namespace leafglyph
