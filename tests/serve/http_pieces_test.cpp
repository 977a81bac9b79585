// Replies that are sent piece by piece: complete, or seen to be incomplete.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "features/base/errors.h"
#include "tests/serve/loopback_client.h"
#include "tests/serve/running_server.h"

namespace leafglyph {
namespace {

using testing::LoopbackConnection;
using testing::Reply;
using testing::request_text;
using testing::round_trip;
using testing::RunningServer;
using testing::small_limits;

constexpr std::size_t kPiece = 100'000;
constexpr int kEndless = -1;
constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";

// Pieces of a's, b's and so on.
std::string piece(int number) { return std::string(kPiece, static_cast<char>('a' + number % 26)); }

class HttpPieces : public ::testing::Test {
 protected:
  // `reply`: how long a piece may take to be read.
  explicit HttpPieces(std::chrono::milliseconds reply = small_limits().reply)
      : running_(limits(reply)) {
    add("/pieces", 5);
    add("/endless", kEndless);
    running_.server().get("/damaged", [](const HttpRequest&) {
      HttpReply reply{200, "text/plain", "", {}};
      reply.pieces = [n = std::make_shared<int>(0)] {
        if (++*n == 3) throw FormatError("a file is damaged");
        return piece(*n);
      };
      return reply;
    });
    port_ = running_.start();
  }

  // A page of so many pieces; open_ counts the replies that are being sent.
  void add(const std::string& path, int count) {
    running_.server().get(path, [this, count](const HttpRequest&) {
      ++open_;
      const std::shared_ptr<int> sent(new int(0), [this](const int* number) {
        delete number;
        --open_;
      });
      HttpReply reply{200, "text/plain", "", {}};
      reply.pieces = [sent, count] { return *sent == count ? "" : piece((*sent)++); };
      return reply;
    });
  }

  static HttpLimits limits(std::chrono::milliseconds reply) {
    HttpLimits limits = small_limits();
    limits.reply = reply;
    limits.reply_bytes = kPiece;
    return limits;
  }

  Reply get(const std::string& path) const { return testing::get(port_, path); }
  void wait_until_closed() const {
    while (open_ > 0) std::this_thread::yield();
  }

  RunningServer running_;
  int port_ = 0;
  std::atomic<int> open_{0};
};

// mechanics: all pieces arrive, also for several clients at once and in one connection; a range of
// them is not sent, HEAD sends none, and an older protocol is refused.
TEST_F(HttpPieces, ArriveCompletely) {
  std::string all;
  for (int i = 0; i < 5; ++i) all += piece(i);
  std::future<Reply> other = std::async(std::launch::async, [&] { return get("/pieces"); });
  for (const char* range : {"", "Range: bytes=5-9\r\n"}) {
    const Reply reply = testing::get(port_, "/pieces", range);
    EXPECT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.complete);
    EXPECT_EQ(reply.body, all);
    EXPECT_NE(reply.head.find("Accept-Ranges: none"), std::string::npos);
    EXPECT_NE(reply.head.find("X-Content-Type-Options: nosniff"), std::string::npos);
  }
  EXPECT_EQ(other.get().body, all);
  const std::string host = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n";
  const std::string two = round_trip(port_, "GET /pieces" + host + "GET /page.css" + host);
  EXPECT_TRUE(two.ends_with("a{}"));
  EXPECT_EQ(round_trip(port_, request_text("HEAD", "/pieces", port_)).find("aaa"),
            std::string::npos);
  const std::string older = "GET /pieces HTTP/1.0\r\nHost: 127.0.0.1:" + std::to_string(port_);
  const std::string refused = round_trip(port_, older + "\r\n\r\n");
  EXPECT_NE(refused.find(" 505 "), std::string::npos) << refused.substr(0, 200);
  wait_until_closed();
}

// mechanics: when a piece cannot be made, the client sees that the body is not complete.
TEST_F(HttpPieces, AreNotEndedAfterAFault) {
  const Reply reply = get("/damaged");
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(reply.complete);
  EXPECT_EQ(reply.body.size(), 2 * kPiece);
  EXPECT_EQ(get("/page.css").body, "a{}");
}

// mechanics: a client that goes away, or reads nothing more, does not keep its reply open.
TEST_F(HttpPieces, EndWithTheirClient) {
  {
    const LoopbackConnection leaves(port_);
    leaves.send(request_text("GET", "/endless", port_));
    EXPECT_FALSE(leaves.receive().empty());
    EXPECT_EQ(open_, 1);
  }
  wait_until_closed();
  const LoopbackConnection stalls(port_);
  stalls.send(request_text("GET", "/endless", port_));
  EXPECT_FALSE(stalls.receive().empty());
  wait_until_closed();
  EXPECT_FALSE(stalls.receive_all().ends_with(kLastChunk));
}

// mechanics: a client that reads on gets more time for each part that it has read.
TEST_F(HttpPieces, MayTakeLongerThanAReply) {
  const LoopbackConnection slow(port_);
  slow.send(request_text("GET", "/endless", port_));
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < 3 * small_limits().reply) {
    ASSERT_FALSE(slow.receive().empty());
  }
  EXPECT_EQ(open_, 1);
}

class PatientHttpPieces : public HttpPieces {
 protected:
  PatientHttpPieces() : HttpPieces(std::chrono::hours(1)) {}
};

// mechanics: a server that stops breaks off replies in pieces, also to a client that reads nothing,
// and the clients see it.
TEST_F(PatientHttpPieces, EndWithTheServer) {
  const LoopbackConnection reads(port_), stalls(port_);
  for (const LoopbackConnection* client : {&reads, &stalls}) {
    client->send(request_text("GET", "/endless", port_));
    EXPECT_FALSE(client->receive().empty());
  }
  std::future<std::string> read =
      std::async(std::launch::async, [&] { return reads.receive_all(); });
  running_.stop();
  EXPECT_EQ(open_, 0);
  EXPECT_FALSE(read.get().ends_with(kLastChunk));
  EXPECT_FALSE(stalls.receive_all().ends_with(kLastChunk));
}

}  // namespace
}  // namespace leafglyph
