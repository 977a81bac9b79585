// The leaves of the page: models, answers for photographs, pictures of training leaves.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "classify/serve/http_server.h"
#include "classify/serve/kept_leaves.h"
#include "classify/serve/leaf_answerer.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds to `server`, under /api/v1, what openapi.json says of models and leaves. Answers are worked
/// out by `work`.
class LeafApi {
 public:
  using Model = std::shared_ptr<LeafAnswerer>;

  LeafApi(std::vector<Model> models, KeptLeaves kept, WorkQueue& work);

  void add_to(HttpServer& server);
  /// A model that was trained since; may be called from any thread.
  void add_model(Model model);
  bool has_model(const std::string& name) const;

 private:
  Model named(const std::string& name) const;
  HttpReply list_models() const;
  HttpReply answer(const HttpRequest& request);
  HttpReply picture(const HttpRequest& request) const;
  HttpReply keep(const HttpRequest& request);
  HttpReply preview(const HttpRequest& request);
  Model model_of(const HttpRequest& request) const;

  mutable std::mutex mutex_;
  std::vector<Model> models_;
  KeptLeaves kept_;
  WorkQueue& work_;
};

}  // namespace leafglyph
