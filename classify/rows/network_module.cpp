#include "classify/rows/network_module.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <stdexcept>

namespace leafglyph {
namespace {

// Pictures as most published networks were trained on: the colours of ImageNet have the mean 0 and
// the deviation 1.
const cv::Scalar kMean(0.485 * 255, 0.456 * 255, 0.406 * 255);
const cv::Scalar kDeviation(0.229 * 255, 0.224 * 255, 0.225 * 255);

std::string first_line(const cv::Exception& error) {
  return error.err.substr(0, error.err.find('\n'));
}

/// OpenCV's own messages on stderr, off for a scope: the exception says the same.
class NoLog {
 public:
  NoLog() : before_(cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT)) {}
  ~NoLog() { cv::utils::logging::setLogLevel(before_); }
  NoLog(const NoLog&) = delete;
  NoLog& operator=(const NoLog&) = delete;

 private:
  cv::utils::logging::LogLevel before_;
};

// OpenCV puts a prefix before the names of a file: "onnx_node!conv1".
bool is_called(const std::string& layer, const std::string& name) {
  return layer == name || layer.ends_with("!" + name);
}

std::string layer_called(const cv::dnn::Net& net, const std::string& name) {
  const std::vector<std::string> layers = net.getLayerNames();
  if (name.empty()) return net.getUnconnectedOutLayersNames().back();
  const auto found = std::ranges::find_if(
      layers, [&](const std::string& layer) { return is_called(layer, name); });
  if (found != layers.end()) return *found;
  constexpr std::size_t kShown = 5;
  std::string last;
  for (std::size_t i = layers.size() - std::min(kShown, layers.size()); i < layers.size(); ++i) {
    last += (last.empty() ? "" : ", ") + layers[i].substr(layers[i].find('!') + 1);
  }
  throw std::runtime_error("no layer '" + name + "'; its last ones are " + last);
}

std::vector<float> means_of_maps(const cv::Mat& values) {
  const int maps = values.dims == 4 ? values.size[1] : static_cast<int>(values.total());
  const cv::Mat rows = values.reshape(1, maps);
  std::vector<float> means;
  for (int map = 0; map < maps; ++map) {
    means.push_back(static_cast<float>(cv::mean(rows.row(map))[0]));
  }
  return means;
}

class DnnNetwork : public Network {
 public:
  DnnNetwork(const std::string& onnx, const std::string& layer, int size) : size_(size) {
    const NoLog quiet;
    try {
      net_ = cv::dnn::readNetFromONNX(onnx.data(), onnx.size());
      net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
      layer_ = layer_called(net_, layer);
    } catch (const cv::Exception& error) {
      throw std::runtime_error("OpenCV cannot read this network (" + first_line(error) + ")");
    }
  }

  std::vector<float> values(std::span<const std::uint8_t> picture) override {
    const NoLog quiet;
    const cv::Mat rgb(size_, size_, CV_8UC3, const_cast<std::uint8_t*>(picture.data()));
    cv::Mat units;
    rgb.convertTo(units, CV_32F);
    cv::subtract(units, kMean, units);
    cv::divide(units, kDeviation, units);
    try {
      net_.setInput(cv::dnn::blobFromImage(units));
      return means_of_maps(net_.forward(layer_));
    } catch (const cv::Exception& error) {
      throw std::runtime_error("the network does not take pictures of " + std::to_string(size_) +
                               " x " + std::to_string(size_) + " pixels (" + first_line(error) +
                               "); set features.size");
    }
  }

 private:
  int size_;
  cv::dnn::Net net_;
  std::string layer_;
};

}  // namespace
}  // namespace leafglyph

extern "C" __attribute__((visibility("default"))) std::unique_ptr<leafglyph::Network>
leafglyph_open_network(const std::string& onnx, const std::string& layer, int size) {
  return std::make_unique<leafglyph::DnnNetwork>(onnx, layer, size);
}
