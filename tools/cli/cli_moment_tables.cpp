// `leafglyph moments tables`: the two tables in which the literature reports high-order moments.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "classify/support/progress.h"
#include "features/base/limits.h"
#include "features/base/statistics.h"
#include "features/image/image_quality.h"
#include "features/image_io/image_file.h"
#include "features/plan/error_curve.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct TableOptions {
  std::string image;
  std::string family = "zernike";
  std::vector<int> orders{100, 200, 300, 400, 500};
  std::vector<int> subregions{1, 3, 5, 7, 9};
  std::string mask;
  std::string grey = std::string(name_of(GreyRule::kRec601));
  bool single = false;
  bool unrounded = false;
  int repeats = 3;
  FigureFiles figures;
  std::optional<double> peak;
};

// One column of the tables.
struct Column {
  std::string name;
  MomentSpec spec;  // of the highest order
  std::vector<double> seconds;
  std::vector<double> image_seconds;
  std::vector<OrderError> errors;
};

std::vector<Column> columns_of(const TableOptions& options) {
  MomentSpec spec;
  const WeightedFamily family = weighted_family_from_text(options.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = options.orders.back();
  if (!options.mask.empty()) spec.mask = from_name<Mask>(options.mask);
  std::vector<Column> columns;
  // Those defined at pixels only have one way to be computed.
  const bool has_points = !spec.family.row().discrete;
  for (const int k : has_points ? options.subregions : std::vector<int>()) {
    spec.points = k;
    columns.push_back({fmt::format("k = {}", k), spec, {}, {}, {}});
  }
  spec.points = 1;
  spec.method = default_method(spec.family);
  if (spec.method == Method::kExact) spec.mask.reset();  // a mask counts only whole pixels
  if (spec.method != Method::kSubregion) {
    columns.push_back({std::string(name_of(spec.method)), spec, {}, {}, {}});
  }
  for (const Column& column : columns) validate(column.spec);
  return columns;
}

// Median seconds of a call.
template <class Call>
double median_seconds(int repeats, const Call& call) {
  std::vector<double> seconds;
  // The first run warms up the caches and the GPU, and is not counted.
  for (int i = 0; i <= repeats; ++i) {
    throw_if_interrupted();
    const auto start = std::chrono::steady_clock::now();
    call();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  seconds.erase(seconds.begin());
  return median(std::move(seconds));
}

// Times both directions for one order. Tables are built before the clock starts. `moments` and
// `pixels` receive the results.
void time_order(Column& column, int order, const SquareImage& image, const TableOptions& options,
                const PlanOptions& plan_options, std::vector<std::complex<double>>& moments,
                std::vector<double>& pixels) {
  MomentSpec spec = column.spec;
  spec.order = order;
  const auto plan = make_moment_plan(spec, image.size, plan_options);
  plan->prepare(MomentPlan::Direction::kMoments);
  moments.resize(plan->moment_count());
  const ImageBatch batch(image.channels.front().pixels, 1, image.size);
  column.seconds.push_back(median_seconds(options.repeats, [&] { plan->moments(batch, moments); }));
  plan->prepare(MomentPlan::Direction::kImages);
  column.image_seconds.push_back(median_seconds(options.repeats, [&] {
    plan->reconstruct(moments, {0, top_order(spec)}, pixels);
  }));
}

void fill(Column& column, const SquareImage& image, const TableOptions& options,
          const PlanOptions& plan_options, Progress& progress) {
  std::vector<std::complex<double>> moments;
  std::vector<double> pixels(image.channels.front().pixels.size());
  for (const int order : options.orders) {
    time_order(column, order, image, options, plan_options, moments, pixels);
    progress.advance();
  }
  throw_if_interrupted();
  const auto plan = make_moment_plan(column.spec, image.size, plan_options);
  column.errors = error_by_order(*plan, moments, image.channels.front().pixels, options.orders,
                                 pixels, image.range, rounding_of(options.unrounded));
  progress.advance();
}

// `value` is that of a column in a row.
template <class Value>
void print_table(std::ostream& out, const std::string& title, const TableOptions& options,
                 const std::vector<Column>& columns, NumberFormat format, const Value& value) {
  constexpr std::size_t kWidth = 9;
  std::vector<TableColumn> shown = table_columns("order");
  for (const Column& column : columns) shown.push_back({column.name, ColumnType::kNumber, format});
  Table table(std::move(shown));
  for (std::size_t row = 0; row < options.orders.size(); ++row) {
    table.add(options.orders[row]);
    for (const Column& column : columns) table.add(value(column, row));
  }
  out << title << '\n' << table.aligned(0, kWidth);
}

Table figures_of(const TableOptions& options, const std::vector<Column>& columns) {
  Table table(
      "method:text mask:text order seconds:.6g image_seconds:.6g psnr_whole:.6g "
      "psnr_disk:.6g");
  for (const Column& column : columns) {
    for (std::size_t row = 0; row < options.orders.size(); ++row) {
      const ImageError& error = column.errors[row].error;
      table.add(column.name, name_of(mask_of(column.spec)), options.orders[row],
                column.seconds[row], column.image_seconds[row], error.psnr_whole, error.psnr_disk);
    }
  }
  return table;
}

ExitCode run_tables(TableOptions options, const CommandLine& line) {
  std::sort(options.orders.begin(), options.orders.end());
  options.orders.erase(std::unique(options.orders.begin(), options.orders.end()),
                       options.orders.end());
  std::vector<Column> columns = columns_of(options);
  const SquareImage image = read_square_image(options.image, grey_from(options.grey), options.peak);
  log_image_notes(options.image, image.notes);
  PlanOptions plan_options = line.common.plan_options();
  plan_options.images = 1;
  if (options.single) plan_options.precision = Precision::kFloat;
  {
    Progress progress("tables", columns.size() * (options.orders.size() + 1),
                      line.common.progress_style());
    for (Column& column : columns) {
      fill(column, image, options, plan_options, progress);
    }
  }
  throw_if_interrupted();
  std::ostream& out = line.text();
  out << options.image << ", " << image.size << " x " << image.size << ", " << options.family
      << (options.single ? ", float" : "");
  if (is_circular(columns.front().spec.family)) {
    out << ", mask";
    for (const Column& column : columns) {
      out << (&column == &columns.front() ? " " : ", ") << column.name << ": "
          << name_of(mask_of(column.spec));
    }
  }
  out << '\n';
  print_table(out, "Seconds for all moments", options, columns, decimals(4),
              [](const Column& c, std::size_t row) { return c.seconds[row]; });
  print_table(out, "Seconds for the image of all moments", options, columns, decimals(4),
              [](const Column& c, std::size_t row) { return c.image_seconds[row]; });
  const std::string psnr = options.unrounded ? "PSNR in dB, not rounded, " : "PSNR in dB, ";
  print_table(out, psnr + "whole image", options, columns, decimals(2),
              [](const Column& c, std::size_t row) { return c.errors[row].error.psnr_whole; });
  if (is_circular(columns.front().spec.family)) {
    print_table(out, psnr + "disk only", options, columns, decimals(2),
                [](const Column& c, std::size_t row) { return c.errors[row].error.psnr_disk; });
  }
  write_figures(options.figures, figures_of(options, columns));
  return ExitCode::kDone;
}

}  // namespace

void add_tables_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<TableOptions>();
  CLI::App* tables =
      add_command(moments, line, "tables",
                  "Measure time and PSNR by order and k, as the literature tabulates them",
                  "leafglyph moments tables photo.png --orders 100,300,500 --subregions 1,5,9",
                  [options, &line] { return run_tables(*options, line); });
  tables->add_option("image", options->image, "Image file; colour is converted to grey")
      ->required();
  tables->add_option("--family", options->family, family_choices())->capture_default_str();
  add_whole_numbers(*tables, "--orders", options->orders, 0, kMaxJacobiOrder,
                    "Orders, the rows: 100,300 or 100:500:50");
  add_whole_numbers(*tables, "--subregions", options->subregions, 1, kMaxPointsASide,
                    "Values of k, the columns");
  tables->add_option("--mask", options->mask, kMaskHelp);
  tables->add_option("--grey-as", options->grey, kGreyHelp)->capture_default_str();
  tables->add_flag("--unrounded", options->unrounded, kUnroundedHelp);
  tables->add_flag("--float", options->single, kFloatHelp);
  tables->add_option("--repeats", options->repeats, "Runs; the time is their median")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  tables->add_option("--peak", options->peak, kPeakHelp);
  add_figure_files(*tables, line, options->figures, "everything");
}

}  // namespace leafglyph
