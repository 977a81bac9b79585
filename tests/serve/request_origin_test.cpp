#include "classify/http/request_origin.h"

#include <gtest/gtest.h>

namespace leafglyph {
namespace {

bool is_refused(const ServedAddress& served, const RequestOrigin& request) {
  return !origin_fault(served, request).empty();
}

RequestOrigin to(const std::string& host) { return {host, {}, {}, false}; }

// mechanics: addresses of this computer and "localhost", with the served port.
TEST(RequestOrigin, OnALoopbackAddressOnlyLoopbackHostsWillDo) {
  const ServedAddress served{"127.0.0.1", 8080};
  for (const char* host :
       {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080", "127.8.9.10:8080"}) {
    EXPECT_EQ(origin_fault(served, to(host)), "") << host;
  }
  for (const char* host : {"",
                           "127.0.0.1",
                           "localhost",
                           "127.0.0.1:80",
                           "127.0.0.1:8081",
                           "attacker.example:8080",
                           "127.0.0.1.attacker.example:8080",
                           "localhost.attacker.example:8080",
                           "192.168.1.7:8080",
                           "[::1]",
                           "[::1",
                           "[::1]8080",
                           "::1:8080",
                           "127.0.0.1:8080:8080",
                           "127.1:8080",
                           "0x7f000001:8080",
                           "2130706433:8080",
                           "user@127.0.0.1:8080",
                           "127.0.0.1 :8080",
                           "127.0.0.1:08080"}) {
    EXPECT_TRUE(is_refused(served, to(host))) << host;
  }
}

// mechanics: other computers must use an address as the host, since names can be made to point
// anywhere.
TEST(RequestOrigin, OnOtherAddressesHostsAreAddresses) {
  const ServedAddress served{"0.0.0.0", 80};
  for (const char* host : {"192.168.1.7", "192.168.1.7:80", "localhost", "[fe80::1]", "10.0.0.1"}) {
    EXPECT_EQ(origin_fault(served, to(host)), "") << host;
  }
  EXPECT_TRUE(is_refused(served, to("attacker.example")));
  const ServedAddress named{"0.0.0.0", 80, {"mybox", "mybox.local"}};
  EXPECT_EQ(origin_fault(named, to("MyBox.local")), "");
  EXPECT_TRUE(is_refused(named, to("mybox.local.attacker.example")));
  EXPECT_TRUE(is_refused(served, to("192.168.1.7.attacker.example")));
}

// mechanics: cross-site requests are recognised by Origin and by Sec-Fetch-Site; a link may open
// the page.
TEST(RequestOrigin, RequestsOfOtherPagesAreRefused) {
  const ServedAddress served{"127.0.0.1", 8080};
  RequestOrigin own{"127.0.0.1:8080", "http://127.0.0.1:8080", "same-origin", false};
  EXPECT_EQ(origin_fault(served, own), "");
  for (const char* origin :
       {"null", "", "http://attacker.example", "http://localhost:8080", "https://127.0.0.1:8080",
        "http://127.0.0.1:8081", "http://127.0.0.1:8080.attacker.example"}) {
    RequestOrigin other = own;
    other.origin = origin;
    EXPECT_TRUE(is_refused(served, other)) << origin;
  }
  for (const char* site : {"cross-site", "same-site", "x"}) {
    RequestOrigin other{"127.0.0.1:8080", {}, site, false};
    EXPECT_TRUE(is_refused(served, other)) << site;
    other.opens_page = true;
    EXPECT_EQ(origin_fault(served, other), "") << site;
  }
  EXPECT_EQ(origin_fault(served, {"127.0.0.1:8080", {}, "none", false}), "");
}

// mechanics: the whole of 127/8 and ::1, nothing that merely looks like them.
TEST(RequestOrigin, LoopbackAddresses) {
  for (const char* address : {"127.0.0.1", "127.255.0.3", "::1", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"", "0.0.0.0", "128.0.0.1", "::", "localhost", "127.0.0.1x"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

}  // namespace
}  // namespace leafglyph
