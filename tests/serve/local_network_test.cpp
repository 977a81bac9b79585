// What keeps others in the local network out of the page, and what shows a phone the way in.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "classify/http/local_network.h"
#include "classify/serve/qr_code.h"
#include "tests/serve/loopback_client.h"
#include "tests/serve/running_server.h"

namespace leafglyph {
namespace {

// mechanics: the address that was printed and the cookie of its page are admitted, nothing like
// them.
TEST(AccessCode, AdmitsItsAddressAndItsCookie) {
  const AccessCode code = AccessCode::random();
  const std::string target = "/" + code.query(), set = code.set_cookie(8080);
  const std::string cookie = set.substr(0, set.find(';'));
  EXPECT_TRUE(code.admits(target, "", 8080));
  EXPECT_TRUE(code.admits("/", cookie, 8080));
  EXPECT_TRUE(code.admits("/main.js", "a=b; " + cookie + "; c=d", 8080));
  for (const std::string& other : {std::string("/"), std::string("/?code="), target + "x",
                                   target + "&a=b", "/main.js" + target.substr(1)}) {
    EXPECT_FALSE(code.admits(other, "", 8080)) << other;
  }
  for (const std::string& other :
       {cookie + "x", "x" + cookie, cookie.substr(0, cookie.size() - 1), std::string("; ; ")}) {
    EXPECT_FALSE(code.admits("/", other, 8080)) << other;
  }
  EXPECT_FALSE(code.admits("/", cookie, 8081));
  EXPECT_NE(AccessCode::random().query(), code.query());
  EXPECT_TRUE(AccessCode().admits("/", "", 8080));
  EXPECT_EQ(AccessCode().query(), "");
}

// mechanics: a server with a code answers nothing without it, whoever asks.
TEST(AccessCode, AServerAsksForIt) {
  const AccessCode code = AccessCode::random();
  HttpServer server("127.0.0.1", 0, testing::small_limits(), code);
  for (const char* path : {"/", "/x"}) {
    server.get(path, [](const HttpRequest&) { return HttpReply{200, "text/plain", "in", {}}; });
  }
  std::thread running([&] { server.run(); });
  const int port = server.address().port;
  EXPECT_EQ(testing::get(port, "/").status, 403);
  EXPECT_EQ(testing::get(port, "/x" + code.query()).status, 403);
  EXPECT_EQ(testing::get(port, "/none").status, 403);
  EXPECT_EQ(testing::get(port, "/" + code.query()).status, 200);
  const std::string set = code.set_cookie(port);
  const std::string header = "Cookie: " + set.substr(0, set.find(';')) + "\r\n";
  EXPECT_EQ(testing::get(port, "/x", header).status, 200);
  EXPECT_EQ(testing::get(port, "/none", header).status, 404);
  EXPECT_NE(server.url().find(code.query()), std::string::npos);
  server.stop();
  running.join();
}

// oracle: the parts of ISO/IEC 18004 that every code has: its size, the rings in three corners and
// the dotted lines between them.
TEST(QrCode, HasThePatternsOfEveryCode) {
  const QrCode code = qr_code("http://192.168.178.123:8080/?code=abcd23456789");
  if (code.side == 0) GTEST_SKIP() << "built without libqrencode";
  constexpr int kRings = 7, kLine = 6;  // modules
  EXPECT_EQ((code.side - 17) % 4, 0);
  const int far = code.side - kRings;
  for (const auto& [top, left] : {std::pair(0, 0), std::pair(0, far), std::pair(far, 0)}) {
    for (int row = -1; row <= kRings; ++row) {
      for (int column = -1; column <= kRings; ++column) {
        const int ring = std::max(std::abs(row - 3), std::abs(column - 3));
        EXPECT_EQ(code.is_dark(top + row, left + column), ring != 2 && ring != 4);
      }
    }
  }
  for (int i = kRings + 1; i < far - 1; ++i) {
    EXPECT_EQ(code.is_dark(kLine, i), i % 2 == 0);
    EXPECT_EQ(code.is_dark(i, kLine), i % 2 == 0);
  }
  const std::string text = code.text(), path = code.path();
  EXPECT_EQ(std::ranges::count(text, '\n'), (code.side + 2 * 2 + 1) / 2);
  EXPECT_EQ(std::ranges::count(path, 'M'), std::ranges::count(code.modules, '1'));
}

// mechanics: names of this computer are lower case, and one of them is for mDNS.
TEST(LocalNetwork, NamesOfThisComputer) {
  const std::vector<std::string> names = own_names();
  ASSERT_GE(names.size(), 2U);
  EXPECT_EQ(names[1], names[0] + ".local");
}

}  // namespace
}  // namespace leafglyph
