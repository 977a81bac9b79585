// cpp-httplib, with what differs between its versions. Include it instead of <httplib.h>.
#pragma once

#include <httplib.h>

#include <functional>
#include <string>
#include <utility>

namespace leafglyph {

/// What TaskQueue::enqueue returns: nothing, or whether the task was taken.
using EnqueueResult =
    decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));

/// A server that lets its heirs have one request answered.
class LibraryServer : public httplib::Server {
 protected:
  /// Reads a request from `stream` and writes the reply. `prepare` may change the request before it
  /// is routed. Returns false if the connection must end afterwards, because of `last` or because
  /// the client asked for it.
  bool answer_request(httplib::Stream& stream, bool last,
                      const std::function<void(httplib::Request&)>& prepare) {
    bool closed = false;
    return process(*this, stream, last, closed, prepare) && !closed;
  }

 private:
  // A template, so that only the call that this version has is compiled.
  template <class Server, class Prepare>
  static bool process(Server& server, httplib::Stream& stream, bool last, bool& closed,
                      const Prepare& prepare) {
    if constexpr (requires { server.process_request(stream, last, closed, prepare); }) {
      return server.process_request(stream, last, closed, prepare);
    } else {
      std::string client, own;
      int client_port = 0, own_port = 0;
      stream.get_remote_ip_and_port(client, client_port);
      stream.get_local_ip_and_port(own, own_port);
      return server.process_request(stream, client, client_port, own, own_port, last, closed,
                                    prepare);
    }
  }
};

}  // namespace leafglyph
