// What HTTP/1.1 says of request lines, targets, heads of replies and connections.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "classify/http/reply_writer.h"
#include "classify/http/request_target.h"
#include "tests/serve/loopback_client.h"
#include "tests/serve/running_server.h"

namespace leafglyph {
namespace {

using testing::LoopbackConnection;
using testing::parsed;
using testing::Reply;
using testing::request_text;
using testing::round_trip;
using testing::RunningServer;

using Query = std::multimap<std::string, std::string>;

// oracle: escapes of RFC 3986, and + in queries as HTML's forms write them; anything else
// stays.
TEST(RequestTarget, IsDecoded) {
  const std::vector<std::pair<std::string, std::string>> paths = {{"/", "/"},
                                                                  {"/a%20b+c", "/a b+c"},
                                                                  {"/%e5%B7%b1", "/\u5DF1"},
                                                                  {"/%", "/%"},
                                                                  {"/%4", "/%4"},
                                                                  {"/%zz", "/%zz"},
                                                                  {"/%-1", "/%-1"},
                                                                  {"/%0x41", "/%0x41"},
                                                                  {"/%u5DF1", "/%u5DF1"},
                                                                  {"/%2541", "/%41"},
                                                                  {"/a#b?c=d", "/a"},
                                                                  {"*", "*"},
                                                                  {"http://h/a", "http://h/a"},
                                                                  {"/%ff%80", "/\xFF\x80"}};
  for (const auto& [sent, path] : paths) {
    EXPECT_EQ(decoded_target(sent).path, path) << sent;
  }
  EXPECT_EQ(decoded_target("/%00a").path, std::string("/\0a", 3));
  const std::vector<std::pair<std::string, Query>> queries = {
      {"", {}},
      {"?", {}},
      {"?a", {{"a", ""}}},
      {"?a=&b=c", {{"a", ""}, {"b", "c"}}},
      {"?a=b=c?d", {{"a", "b=c?d"}}},
      {"?=b&&a=1&a=1", {{"a", "1"}, {"a", "1"}}},
      {"?a%3Db=c%26d", {{"a=b", "c&d"}}},
      {"?a+b=c%2B+d", {{"a b", "c+ d"}}},
      {"?name=%E5%B7%B1", {{"name", "\u5DF1"}}}};
  for (const auto& [sent, query] : queries) {
    EXPECT_EQ(decoded_target("/" + sent).query, query) << sent;
    EXPECT_EQ(decoded_target("/" + sent).path, "/") << sent;
  }
}

// mechanics: a handler's header replaces the default with its name and never becomes two.
TEST(ReplyHead, NoHeaderBecomesTwo) {
  HttpReply reply{200, "text/plain", "abc", {{"Cache-Control", "max-age=1"}}};
  const std::string head = reply_head(reply, "timeout=5");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\nCache-Control: max-age=1\r\n")) << head;
  EXPECT_EQ(head.find("no-store"), std::string::npos);
  EXPECT_NE(head.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_NE(head.find("Keep-Alive: timeout=5\r\n"), std::string::npos);
  EXPECT_EQ(head.find("Connection:"), std::string::npos);
  EXPECT_NE(reply_head(reply, "").find("Connection: close\r\n"), std::string::npos);
  for (const char* value : {"a\r\nSet-Cookie: b", "a\nb", "a\r"}) {
    reply.headers = {{"X", value}};
    EXPECT_THROW(reply_head(reply, ""), std::logic_error) << value;
    reply.headers = {{value, "x"}};
    EXPECT_THROW(reply_head(reply, ""), std::logic_error) << value;
  }
}

class HttpConnection : public ::testing::Test {
 protected:
  std::string request(const std::string& line, const std::string& headers = "") const {
    return line + "\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + headers + "\r\n";
  }
  // How many replies come for the request sent twice at once.
  std::size_t replies(const std::string& text) const {
    const std::string all = round_trip(port_, text + text);
    std::size_t count = 0;
    for (std::size_t at = all.find("HTTP/1.1 "); at != std::string::npos; ++count) {
      at = all.find("HTTP/1.1 ", at + 1);
    }
    return count;
  }
  int status(const std::string& text) const { return parsed(round_trip(port_, text)).status; }

  RunningServer running_;
  int port_ = running_.start();
};

// mechanics: a connection goes on as long as the client wants, and the reply says whether it does.
TEST_F(HttpConnection, GoesOnUnlessTheClientEndsIt) {
  const std::string line = "GET /page.css HTTP/1.1", older = "GET /page.css HTTP/1.0";
  EXPECT_EQ(replies(request(line)), 2U);
  EXPECT_EQ(replies(request("GET /none HTTP/1.1")), 2U);
  EXPECT_EQ(replies(request("HEAD /page.css HTTP/1.1")), 2U);
  EXPECT_EQ(replies(request("POST /echo HTTP/1.1", "Content-Length: 3\r\n") + "abc"), 2U);
  EXPECT_EQ(replies(request("POST /echo HTTP/1.1")), 2U);
  EXPECT_EQ(replies(request(line, "Connection: keep-alive\r\n")), 2U);
  EXPECT_EQ(replies(request(older, "Connection: Keep-Alive\r\n")), 2U);
  for (const std::string& ending :
       {request(line, "Connection: close\r\n"), request(line, "Connection: Close\r\n"),
        request(older), request(line, "Content-Length: 3\r\n") + "abc",
        request("POST /none HTTP/1.1", "Content-Length: 3\r\n") + "abc",
        request("PUT /page.css HTTP/1.1"), request("GET /page.css HTTP/9.9")}) {
    EXPECT_EQ(replies(ending), 1U) << ending;
    const Reply reply = parsed(round_trip(port_, ending));
    EXPECT_NE(reply.head.find("Connection: close\r\n"), std::string::npos) << ending;
    EXPECT_EQ(reply.head.find("Keep-Alive"), std::string::npos) << ending;
  }
}

// mechanics: a connection has a last request, whose reply says so.
TEST_F(HttpConnection, TakesAThousandRequests) {
  const LoopbackConnection connection(port_);
  std::thread sending([&] {
    for (int i = 0; i < 1010; ++i) connection.send(request("HEAD /page.css HTTP/1.1"));
  });
  const std::string all = connection.receive_all();
  sending.join();
  std::size_t count = 0, kept = 0;
  for (std::size_t at = 0; (at = all.find("HTTP/1.1 200", at)) != std::string::npos; ++at) ++count;
  for (std::size_t at = 0;
       (at = all.find("Keep-Alive: timeout=15, max=1000", at)) != std::string::npos; ++at) {
    ++kept;
  }
  EXPECT_EQ(count, 1000U);
  EXPECT_EQ(kept, 999U);
}

// invariant: HEAD gets the head of GET, for replies and refusals.
TEST_F(HttpConnection, HeadHasTheHeadOfGet) {
  for (const char* path : {"/page.css", "/none", "/fault", "/echo"}) {
    const Reply got = testing::get(port_, path);
    EXPECT_GT(got.body.size(), 0U);
    EXPECT_EQ(round_trip(port_, request_text("HEAD", path, port_)), got.head + "\r\n") << path;
  }
}

// mechanics: a request line is a method, a target and a known version with one blank between each.
TEST_F(HttpConnection, RequestLinesAreReadStrictly) {
  for (const char* line : {"GET  /page.css HTTP/1.1", "GET /page.css  HTTP/1.1", "GET /page.css",
                           "GET /page.css HTTP/1.1 ", " GET /page.css HTTP/1.1", "GET HTTP/1.1",
                           "GET /a b HTTP/1.1", "GET /page.css http/1.1", "GET /page.css HTTP/1.10",
                           "GET /page.css HTTP/2.0", "(GET) /page.css HTTP/1.1", "GET"}) {
    EXPECT_EQ(status(request(line)), 400) << line;
  }
  EXPECT_EQ(status(request("FETCH /page.css HTTP/1.1")), 405);
  EXPECT_EQ(status("\r\n" + request("GET /page.css HTTP/1.1")), 200);
  EXPECT_EQ(status(request("GET /page%2Ecss?x#y HTTP/1.1")), 200);
  EXPECT_EQ(status(request("GET http://127.0.0.1/page.css HTTP/1.1")), 404);
}

// mechanics: an address has a limit of its own, below that of the whole head.
TEST(HttpServer, AddressesHaveALimit) {
  HttpLimits limits = testing::small_limits();
  limits.header_bytes = 20'000;
  RunningServer running(limits);
  const int port = running.start();
  const auto status = [&](std::size_t letters) {
    const std::string path = "/page.css?" + std::string(letters - 10, 'a');
    return testing::get(port, path).status;
  };
  EXPECT_EQ(status(8190 - 13), 200);  // "GET  HTTP/1.1"
  EXPECT_EQ(status(8190 - 12), 414);
}

// mechanics: a server that was stopped before it ran does not wait, and IPv6 is listened on.
TEST(HttpServer, StoppedBeforeItRunsItEnds) {
  HttpServer server("::1", 0);
  EXPECT_EQ(server.url(), "http://[::1]:" + std::to_string(server.address().port) + "/");
  server.stop();
  server.run();
}

}  // namespace
}  // namespace leafglyph
