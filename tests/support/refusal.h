// What a call is refused with.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "features/base/errors.h"

namespace leafglyph::testing {

/// The message of the E that `call` throws; empty if it throws nothing.
template <class E = Error, class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

/// Whether `call` throws an E whose message contains `words`; otherwise with what it did instead.
template <class E = Error, class Call>
::testing::AssertionResult refuses(const Call& call, std::string_view words) {
  const std::string message = refusal<E>(call);
  if (message.empty()) return ::testing::AssertionFailure() << "nothing was refused";
  if (message.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << message << "' lacks '" << words << "'";
}

}  // namespace leafglyph::testing
