// Faults for which HTTP servers are known, by number where they have one (those of cpp-httplib,
// which ours once was). None is in ours.
#include <gtest/gtest.h>

#include <string>

#include "tests/serve/loopback_client.h"
#include "tests/serve/running_server.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

using testing::parsed;
using testing::Reply;
using testing::request_text;
using testing::round_trip;
using testing::RunningServer;

class KnownFaults : public ::testing::Test {
 protected:
  std::string head(const std::string& line, const std::string& headers = "") const {
    return line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + headers;
  }
  int status(const std::string& request) const { return parsed(round_trip(port_, request)).status; }
  void TearDown() override { EXPECT_EQ(testing::get(port_, "/page.css").status, 200); }

  RunningServer running_;
  int port_ = running_.start();
};

// mechanics: CVE-2025-46728 (no limit for bodies in chunks or without a length), CVE-2026-45352 (a
// chunk of -2 bytes): bodies without a length are not read.
TEST_F(KnownFaults, BodiesHaveALength) {
  for (const char* encoding :
       {"chunked", "Chunked", "gzip, chunked", "identity", "\tchunked", ""}) {
    for (const char* body : {"5\r\nabcde\r\n0\r\n\r\n", "-2\r\nabc", "FFFFFFFFFFFFFFFF\r\nabc",
                             "0\r\nTrailer: x\r\n\r\n"}) {
      const std::string line = std::string("Transfer-Encoding: ") + encoding + "\r\n";
      EXPECT_EQ(status(head("POST /echo", line) + "\r\n" + body), 411) << encoding;
      EXPECT_EQ(status(head("POST /echo", line + "Content-Length: 3\r\n") + "\r\n" + body), 411);
      EXPECT_EQ(status(head("GET /page.css", line) + "\r\n" + body), 411);
    }
  }
  // Nothing is read up to the end of the connection.
  const std::string reply =
      round_trip(port_, head("POST /echo") + "\r\n" + head("GET /page.css") + "\r\n");
  EXPECT_EQ(parsed(reply).status, 200);
  EXPECT_TRUE(reply.ends_with("a{}")) << reply;
}

// mechanics: CVE-2025-53628 (no limit for the length of lines), CVE-2025-52887 (nor for their
// number).
TEST_F(KnownFaults, HeadsHaveALimit) {
  EXPECT_EQ(status(std::string(100'000, 'a')), 431);
  EXPECT_EQ(status(head("GET /page.css", "A: " + std::string(100'000, 'a'))), 431);
  EXPECT_EQ(status(head("GET /" + std::string(100'000, 'a'))), 431);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "A: b\r\n";
  EXPECT_EQ(status(head("GET /page.css", many) + "\r\n"), 431);
  EXPECT_EQ(status(head("GET /page.css", many.substr(0, 3000)) + "\r\n"), 200);
}

// mechanics: CVE-2026-22776 (compressed data is unpacked without a limit).
TEST_F(KnownFaults, NothingIsUnpacked) {
  for (const char* encoding : {"gzip", "deflate", "br", "GZIP", "identity", ""}) {
    const std::string line = std::string("Content-Encoding: ") + encoding + "\r\n";
    EXPECT_EQ(status(request_text("POST", "/echo", port_, "\x1F\x8B\b", line)), 415) << encoding;
  }
}

// mechanics: a regular expression on a client's header may recurse as deep as the header is long
// (CVE-2026-29076 for file names; for ranges before any handler).
TEST_F(KnownFaults, NoHeaderIsMatched) {
  std::string digits = "Range: bytes=", list = "Range: bytes=0-1", commas = "Range: bytes=";
  while (digits.size() < 1700) digits += "0123456789";
  while (list.size() < 1700) list += ", 0-1";
  while (commas.size() < 1700) commas += "-,";
  for (const std::string& line : {digits, digits + "-" + digits.substr(13), list, commas,
                                  std::string("Range: bytes=9-1"), std::string("Range: x")}) {
    for (const char* path : {"/page.css", "/none"}) {
      EXPECT_EQ(
          status(head(std::string("GET ") + path, line + "\r\nConnection: close\r\n") + "\r\n"),
          path == std::string("/none") ? 404 : 200);
    }
  }
}

// mechanics: no head that two readers would read as two requests; a request is never part of a
// body.
TEST_F(KnownFaults, NoRequestHidesInAnother) {
  const std::string hidden =
      "GET /page.css HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n";
  for (const std::string& headers :
       {std::string("X: y\nContent-Length: 4\r\n"), std::string("Content-Length : 4\r\n"),
        std::string("Content-Length: 4\r\nContent-Length: 0\r\n"),
        std::string("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 4\r\n\tTransfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 00000000000000000000000000004,4\r\n"),
        std::string("X: \0\r\n", 6), std::string("X\r\n")}) {
    const std::string reply = round_trip(port_, head("POST /echo", headers) + "\r\n" + hidden);
    EXPECT_GE(parsed(reply).status, 400) << headers;
    EXPECT_EQ(reply.find("HTTP/1.1", 1), std::string::npos) << reply;
  }
}

// mechanics: headers with which a server may let a client choose its own address.
TEST_F(KnownFaults, NoHeaderIsTrusted) {
  const std::string headers =
      "REMOTE_ADDR: 8.8.8.8\r\nLOCAL_ADDR: 8.8.8.8\r\nX-Forwarded-For: ,\r\nForwarded: for=x\r\n"
      "X-Forwarded-Host: attacker.example\r\nForm-Boundary: edge\r\n";
  EXPECT_EQ(testing::post(port_, "/echo", "abc").body, "abc");
  EXPECT_EQ(parsed(round_trip(port_, request_text("POST", "/bytes", port_, "abc", headers))).body,
            "abc");
}

// mechanics: a form is refused on paths that take no file and read on every path that takes one,
// whatever its head says.
TEST(ServedForms, EveryPathTakesThemOrNot) {
  const TemporaryFolder data;
  ServeOptions options;
  options.data = data.path();
  options.glyph_cache.clear();
  const testing::ServedPage page(options);
  std::string line = "Content-Disposition: form-data; name=\"x\"";
  while (line.size() < 8000) line += ";filename=\"\";filename*=";
  const std::string form = "--edge\r\n" + line + " x\r\n\r\nx\r\n--edge--\r\n";
  const std::set<std::string> taking = {"/api/v1/leaf/identify", "/api/v1/leaf/preview",
                                        "/api/v1/leaf/keep", "/api/v1/moments/reconstruct",
                                        "/api/v1/glyph/recognise"};
  std::size_t posts = 0;
  for (const HttpRoute& route : page.routes()) {
    posts += route.method == "POST";
    const std::string path = route.path + "?species=oak&name=x&character=x";
    for (const char* type :
         {"multipart/form-data; boundary=edge", "Multipart/Form-Data;boundary=edge",
          "multipart/form-data; charset=utf-8; boundary=\"edge\""}) {
      const Reply reply = testing::post(page.port(), path, form, type);
      const int expected = route.method == "GET" ? 404 : taking.contains(route.path) ? 400 : 415;
      EXPECT_EQ(reply.status, expected) << route.path << ": " << reply.body;
    }
  }
  EXPECT_GE(posts, 13U);
}

}  // namespace
}  // namespace leafglyph
