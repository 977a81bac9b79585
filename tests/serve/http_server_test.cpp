#include "classify/http/http_server.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "tests/serve/loopback_client.h"
#include "tests/serve/running_server.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::LoopbackConnection;
using testing::parsed;
using testing::refuses;
using testing::Reply;
using testing::request_text;
using testing::round_trip;
using testing::RunningServer;
using testing::small_limits;

// mechanics: replies let a browser load and run only the server's own resources, and other pages
// may neither frame nor request them.
TEST(HttpServer, RepliesSayWhatABrowserMayDoWithThem) {
  RunningServer running;
  const int port = running.start();
  const Reply reply = testing::get(port, "/page.css");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "a{}");
  EXPECT_NE(reply.head.find("Content-Type: text/css\r\n"), std::string::npos);
  const std::size_t policy = reply.head.find("Content-Security-Policy: default-src 'none';");
  ASSERT_NE(policy, std::string::npos) << reply.head;
  EXPECT_EQ(reply.head.find("unsafe"), std::string::npos);
  for (const char* header :
       {"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin", "frame-ancestors 'none'"}) {
    EXPECT_NE(reply.head.find(header), std::string::npos) << header;
  }
}

// mechanics: errors of handlers are JSON with their kind, and have the status of that kind.
TEST(HttpServer, FaultsAreReportedByTheirStatus) {
  RunningServer running;
  const int port = running.start();
  const auto status = [&](const std::string& path) { return testing::get(port, path).status; };
  EXPECT_EQ(status("/fault?kind=input"), 422);
  EXPECT_EQ(status("/fault?kind=missing"), 404);
  EXPECT_EQ(status("/fault?kind=other"), 500);
  EXPECT_EQ(status("/fault"), 400);
  EXPECT_EQ(status("/fault?kind=a&kind=b"), 400);
  EXPECT_EQ(status("/value?n=9"), 200);
  for (const char* wrong : {"0", "10", "", "1x", "99999999999999999999", "-1", "+1", "1e0"}) {
    EXPECT_EQ(status(std::string("/value?n=") + wrong), 400) << wrong;
  }
  const Reply busy = testing::get(port, "/fault?kind=busy");
  EXPECT_EQ(busy.status, 503);
  EXPECT_NE(busy.head.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_NE(testing::get(port, "/fault?kind=input").body.find("x.png: is not an image"),
            std::string::npos);
}

// mechanics: only the paths that were added exist, whatever prefix is written before them.
TEST(HttpServer, NoPathFromOutsideIsOpened) {
  RunningServer running;
  const int port = running.start();
  for (const char* path :
       {"/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/page.css/../../etc/passwd", "/pageXcss", "/page.css%00", "/page.css/", "/.", "/echo",
        "/file:///etc/passwd", "/%c0%ae%c0%ae/etc/passwd"}) {
    const Reply reply = testing::get(port, path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body.find("root:"), std::string::npos) << path;
  }
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH"}) {
    EXPECT_EQ(parsed(round_trip(port, request_text(method, "/page.css", port))).status, 405)
        << method;
  }
}

// mechanics: requests meant for another host, or sent by another page, are refused.
TEST(HttpServer, RequestsOfOthersAreRefused) {
  RunningServer running;
  const int port = running.start();
  const auto status = [&](const std::string& head) {
    return parsed(round_trip(port, "GET /page.css HTTP/1.1\r\n" + head + "\r\n")).status;
  };
  const std::string own = "Host: localhost:" + std::to_string(port) + "\r\n";
  EXPECT_EQ(status(own), 200);
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status(own + own), 400);
  EXPECT_EQ(status("Host: attacker.example:" + std::to_string(port) + "\r\n"), 403);
  EXPECT_EQ(status("Host: localhost\r\n"), 403);
  EXPECT_EQ(status(own + "Origin: http://attacker.example\r\n"), 403);
  EXPECT_EQ(status(own + "Origin: null\r\n"), 403);
  EXPECT_EQ(status(own + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status(own + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
                         "Sec-Fetch-Dest: document\r\n"),
            200);
  EXPECT_EQ(status(own + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
                         "Sec-Fetch-Dest: iframe\r\n"),
            403);
}

// mechanics: a body is passed on unchanged up to the accepted length; forms are split into parts.
TEST(HttpServer, BodiesHaveALimit) {
  RunningServer running;
  const int port = running.start();
  EXPECT_EQ(testing::post(port, "/echo", "abc").body, "abc");
  EXPECT_EQ(testing::post(port, "/echo", std::string(10'000, 'x')).body.size(), 10'000U);
  EXPECT_EQ(testing::post(port, "/echo", std::string(10'001, 'x')).status, 413);
  EXPECT_EQ(testing::post(port, "/echo", testing::form_text({{"a", "1"}, {"b", "2\r\n3"}}, "XY"),
                          "multipart/form-data; boundary=XY")
                .body,
            "a=1;b=2\r\n3;");
  const auto with = [&](const std::string& extra, const std::string& body) {
    return parsed(round_trip(port, request_text("POST", "/echo", port, body, extra))).status;
  };
  EXPECT_EQ(with("Content-Encoding: gzip\r\n", "\x1F\x8B"), 415);
  EXPECT_EQ(with("Content-Encoding: br\r\n", "x"), 415);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(testing::post(port, "/echo", "still there").body, "still there");
}

std::string post_head(int port, const std::string& path, std::size_t length,
                      const std::string& extra = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + extra +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

// mechanics: a request refused for its head is refused before any byte of its body arrives, and the
// reply says that the connection ends.
TEST(HttpServer, RefusalsDoNotWaitForTheBody) {
  HttpLimits limits = small_limits();
  limits.request = std::chrono::seconds(60);  // longer than any test takes
  limits.all_bodies_bytes = 5000;
  RunningServer running(limits);
  const int port = running.start();
  const std::string form = "Content-Type: multipart/form-data; boundary=edge\r\n";
  const auto refusal = [&](const std::string& head) {
    const LoopbackConnection connection(port);
    EXPECT_TRUE(connection.send(head));
    const Reply reply = parsed(connection.receive_all());
    EXPECT_NE(reply.head.find("Connection: close\r\n"), std::string::npos) << head;
    return reply.status;
  };
  EXPECT_EQ(refusal(post_head(port, "/bytes", 100, form)), 415);
  EXPECT_EQ(refusal(post_head(port, "/none", 100)), 404);
  EXPECT_EQ(refusal(post_head(port, "/none", 100, form)), 404);
  EXPECT_EQ(refusal(post_head(port, "/page.css", 100)), 404);
  EXPECT_EQ(refusal(post_head(port, "/echo", 10'001)), 413);
  EXPECT_EQ(refusal(post_head(port, "/echo", 5001)), 503);
  EXPECT_EQ(refusal(post_head(port, "/echo", 100, "Content-Type: multipart/form-data\r\n")), 400);
  EXPECT_EQ(refusal(post_head(port, "/echo", 100, "Origin: http://a\r\n")), 403);
  // Without "100 Continue" first.
  EXPECT_EQ(refusal(post_head(port, "/bytes", 100, form + "Expect: 100-continue\r\n")), 415);
}

// mechanics: bodies that have not arrived yet count against one limit for all connections, as long
// as their connection lasts.
TEST(HttpServer, BodiesShareOneBudget) {
  HttpLimits limits = small_limits();
  limits.request = std::chrono::seconds(60);
  limits.all_bodies_bytes = 10'000;
  RunningServer running(limits);
  const int port = running.start();
  {
    const LoopbackConnection first(port), second(port);
    first.send(post_head(port, "/echo", 6000) + "abc");
    second.send(post_head(port, "/bytes", 4000, "Expect: 100-continue\r\n"));
    EXPECT_EQ(second.receive(), "HTTP/1.1 100 Continue\r\n\r\n");  // it has its share
    Reply busy;
    do {  // until the first one has its share, too
      busy = testing::post(port, "/bytes", "x");
    } while (busy.status == 200);
    EXPECT_EQ(busy.status, 503);
    EXPECT_NE(busy.head.find("Retry-After: 1\r\n"), std::string::npos);
    EXPECT_EQ(testing::post(port, "/echo", "").status, 200);  // an empty body takes nothing
    EXPECT_EQ(testing::get(port, "/page.css").status, 200);
    second.send(std::string(4000, 'x'));
    EXPECT_EQ(parsed(second.receive()).status, 200);
  }
  while (testing::post(port, "/echo", std::string(10'000, 'x')).status != 200) {
    std::this_thread::yield();
  }
}

// mechanics: a form line that a regular expression would match for minutes is like any other line,
// on all paths.
TEST(HttpServer, FormsAreReadInOnePass) {
  RunningServer running;
  const int port = running.start();
  std::string line = "Content-Disposition: form-data; name=\"a\"";
  while (line.size() < 3900) line += ";filename=\"\";filename*=";
  const std::string begin = "--edge\r\n" + line;
  const std::vector<std::pair<std::string, int>> forms = {
      {begin + "\r\n\r\nx\r\n--edge--", 200},
      {begin + line + "\r\n\r\nx\r\n--edge--", 400},  // longer than the head of a part may be
      {begin + "\"\r\n\r\nx\r\n--edge--", 400},
      {begin + "\" x=\r\n\r\nx\r\n--edge--", 400},
      {begin + "\"\";b=c\r\n\r\nx\r\n--edge--", 200},
      {begin, 400}};
  for (const auto& [form, status] : forms) {
    const auto posted = [&, &form = form](const std::string& path) {
      return testing::post(port, path, form, "multipart/form-data; boundary=edge").status;
    };
    EXPECT_EQ(posted("/echo"), status) << form.substr(3900);
    EXPECT_EQ(posted("/bytes"), 415);
    EXPECT_EQ(posted("/none"), 404);
    EXPECT_EQ(posted("/page.css"), 404);
  }
}

// mechanics: ranges cannot multiply the length of a reply, and replies are not compressed.
TEST(HttpServer, RangesAndPackedRepliesAreNotServed) {
  RunningServer running;
  const int port = running.start();
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 900; ++i) ranges += ",0-";
  for (const std::string& header :
       {std::string("Range: bytes=0-0"), ranges, std::string("Accept-Encoding: gzip, br")}) {
    const Reply reply = testing::get(port, "/page.css", header + "\r\n");
    EXPECT_EQ(reply.status, 200) << header.substr(0, 40);
    EXPECT_EQ(reply.body, "a{}");
  }
}

// mechanics: the bytes of a refused body are not read as a request (request smuggling).
TEST(HttpServer, AConnectionEndsBehindABodyThatWasNotRead) {
  RunningServer running;
  const int port = running.start();
  const std::string hidden =
      "GET /page.css HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  const std::string head = "POST /echo HTTP/1.1\r\nHost: attacker.example\r\nContent-Length: " +
                           std::to_string(hidden.size()) + "\r\n\r\n";
  const std::string answered = round_trip(port, head + hidden);
  EXPECT_EQ(parsed(answered).status, 403);
  EXPECT_EQ(answered.find("a{}"), std::string::npos);
  EXPECT_EQ(answered.find("HTTP/1.1", 1), std::string::npos);
  // In contrast, consecutive requests are all answered.
  const std::string both = round_trip(port, hidden + hidden);
  EXPECT_NE(both.find("a{}HTTP/1.1 200"), std::string::npos) << both;
}

// mechanics: input that is not HTTP, endless headers and malformed forms end in a refusal or a
// closed connection, and the server continues.
TEST(HttpServer, NonsenseDoesNotHarm) {
  RunningServer running;
  const int port = running.start();
  const std::string host = "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  const std::string line = "GET /page.css HTTP/1.1\r\n";
  std::vector<std::string> requests = {
      "",
      "\r\n\r\n",
      std::string(100, '\0'),
      "GET\r\n\r\n",
      "GET /page.css HTTP/9.9\r\n" + host + "\r\n",
      "GET " + std::string(20'000, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
      line + host + "A: " + std::string(100'000, 'a'),
      line + host + "no colon here\r\n\r\n",
      line + host + "Content-Length: -1\r\n\r\n",
      "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 18446744073709551615\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\n" + host + "Content-Length: abc\r\n\r\nabc",
      "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nZZZ\r\n",
      "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n-5\r\nabc",
      line + host + "Range: bytes=9-1\r\n\r\n",
  };
  std::string many = line + host;
  for (int i = 0; i < 100'000; ++i) many += "A: b\r\n";
  requests.push_back(many);
  for (const char* type :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"",
        "multipart/form-data; boundary=XY", "application/x-www-form-urlencoded"}) {
    for (const std::string& body :
         {std::string("--XY"), std::string("--XY\r\n"), std::string("--XY\r\nContent-Disposition"),
          "--XY\r\n\r\n" + std::string(500, '-'), std::string("--XY--"),
          "--XY\r\nContent-Disposition: form-data; name=\"" + std::string(5000, 'n'),
          std::string("a=%zz&b=%&&&==")}) {
      requests.push_back(
          request_text("POST", "/echo", port, body, "Content-Type: " + std::string(type) + "\r\n"));
    }
  }
  for (const std::string& request : requests) {
    round_trip(port, request);
    EXPECT_EQ(testing::get(port, "/page.css").status, 200) << request.substr(0, 200);
  }
}

// mechanics: slow clients are cut off, and others are served meanwhile.
TEST(HttpServer, SlowRequestsEnd) {
  RunningServer running;
  const int port = running.start();
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n";
  const LoopbackConnection in_headers(port), in_body(port);
  ASSERT_TRUE(in_headers.send(head));
  ASSERT_TRUE(in_body.send(head + "Content-Length: 1000\r\n\r\nabc"));
  std::thread dripping([&] {
    for (int i = 0; i < 40; ++i) {  // longer than a request may take
      in_headers.send("a");
      in_body.send("b");
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
  });
  EXPECT_EQ(testing::get(port, "/page.css").status, 200);
  EXPECT_NE(parsed(in_headers.receive_all()).status, 200);
  EXPECT_NE(parsed(in_body.receive_all()).status, 200);
  dripping.join();
}

// mechanics: a connection beyond the limit is asked to retry later.
TEST(HttpServer, FurtherConnectionsAreAskedToComeBack) {
  RunningServer running;
  const int port = running.start();
  {
    std::vector<std::unique_ptr<LoopbackConnection>> open;
    for (std::size_t i = 0; i < small_limits().connections; ++i) {
      open.push_back(std::make_unique<LoopbackConnection>(port));
    }
    const Reply reply = parsed(round_trip(port, request_text("GET", "/page.css", port)));
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.head.find("Retry-After: 1\r\n"), std::string::npos);
  }
  while (testing::get(port, "/page.css").status != 200) std::this_thread::yield();
}

// mechanics: a request in progress when the server is asked to stop still gets its reply.
TEST(HttpServer, StoppingLosesNoRequestInWork) {
  RunningServer running;
  std::promise<void> begun;
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  running.server().get("/slow", [&](const HttpRequest&) {
    begun.set_value();
    gone.wait();
    return HttpReply{200, "text/plain", "done", {}};
  });
  const int port = running.start();
  const LoopbackConnection idle(port);  // does not delay the server
  std::future<Reply> reply =
      std::async(std::launch::async, [&] { return testing::get(port, "/slow"); });
  begun.get_future().wait();
  std::thread stopping([&] { running.stop(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  go.set_value();
  EXPECT_EQ(reply.get().body, "done");
  stopping.join();
  EXPECT_THROW(LoopbackConnection refused(port), std::runtime_error);
}

// mechanics: the error names an invalid address or a port in use.
TEST(HttpServer, AddressesThatCannotBeListenedOnAreNamed) {
  EXPECT_THROW(HttpServer("localhost", 0), UsageError);
  EXPECT_THROW(HttpServer("", 0), UsageError);
  EXPECT_THROW(HttpServer("999.0.0.1", 0), UsageError);
  const HttpServer first("127.0.0.1", 0);
  EXPECT_TRUE(refuses([&] { const HttpServer second("127.0.0.1", first.address().port); },
                      std::to_string(first.address().port)));
  EXPECT_EQ(first.url(), "http://127.0.0.1:" + std::to_string(first.address().port) + "/");
}

}  // namespace
}  // namespace leafglyph
