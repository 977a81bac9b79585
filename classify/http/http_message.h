// A request and its reply, as the handlers of the page see them.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leafglyph {

/// A file or field of a form (multipart/form-data). Refers to the request that contains it.
struct HttpPart {
  std::string_view name;
  std::string_view file_name;  ///< the client's name for it: only a label, never used as a path
  std::string_view content;
};

struct HttpRequest {
  std::multimap<std::string, std::string> query;  ///< ?name=value, decoded
  std::string_view body;                          ///< empty for a form
  std::vector<HttpPart> parts;                    ///< the parts of a form

  /// The value of ?name=; none if it is missing. Throws UsageError when it is given twice.
  std::optional<std::string> value(const std::string& name) const;
  /// The same. Throws UsageError when it is missing.
  std::string required(const std::string& name) const;
  /// The whole number from `least` to `most` given as ?name=; `otherwise` if it is missing. Throws
  /// UsageError for anything else.
  int number(const std::string& name, int least, int most, int otherwise) const;
  /// The content of the field `name` of a form; none if it is missing.
  std::optional<std::string_view> field(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Gives a body that does not fit in memory piece by piece, instead of `body`; an empty piece
  /// ends it. If it throws, or the server stops, the connection is closed without the end of the
  /// body, so that the client knows that it is not complete. Needs HTTP/1.1.
  std::function<std::string()> pieces = nullptr;
};

/// Status 200 and the JSON, as json_text writes it.
HttpReply json_reply(nlohmann::ordered_json json);

/// A path with its handler.
struct HttpRoute {
  std::string method;  ///< "GET", "POST"
  std::string path;
};

/// What the body of a POST may be.
enum class BodyKind {
  kBytes,        ///< bytes as they are
  kBytesOrForm,  ///< or a form with files
};

/// Why a request is refused: the status of the reply, a code for programs and a sentence.
class Refusal : public std::exception {
 public:
  Refusal(int status, const char* kind, std::string message)
      : status_(status), kind_(kind), message_(std::move(message)) {}
  int status() const { return status_; }
  const char* kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int status_;
  const char* kind_;
  std::string message_;
};

/// The requested thing does not exist.
class NotFound : public Refusal {
 public:
  explicit NotFound(std::string message) : Refusal(404, "not-found", std::move(message)) {}
};

/// The server is busy; the client may try again.
class BusyError : public Refusal {
 public:
  BusyError() : Refusal(503, "busy", "too much is asked for at once") {}
};

}  // namespace leafglyph
