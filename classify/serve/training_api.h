// The training of the page.
#pragma once

#include "classify/serve/http_server.h"
#include "classify/serve/training.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds to `server`, under /api/v1, what openapi.json says of trainings.
class TrainingApi {
 public:
  TrainingApi(LeafConfig config, std::filesystem::path data, std::filesystem::path saved,
              const LeafRun& run, Training::Models models, WorkQueue& work)
      : training_(std::move(config), std::move(data), std::move(saved), run, std::move(models)),
        work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply state() const;
  HttpReply report() const;

  Training training_;
  WorkQueue& work_;
};

}  // namespace leafglyph
