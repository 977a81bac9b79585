// The moments of the page: an image, put together again from its moments.
#pragma once

#include "classify/serve/http_server.h"
#include "classify/serve/moment_images.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds to `server`, under /api/v1, what openapi.json says of moments.
class MomentApi {
 public:
  MomentApi(const PlanOptions& options, WorkQueue& work) : images_(options), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply reconstruct(const HttpRequest& request);

  MomentImages images_;
  WorkQueue& work_;
};

}  // namespace leafglyph
