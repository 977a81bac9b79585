// Templates of the reports' texts and sections.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view check_lines();
std::string_view evaluation_lines();
std::string_view look_lines();
std::string_view model_lines();
std::string_view report_checked();
std::string_view report_checked_species();
std::string_view report_configuration();
std::string_view report_confusion();
std::string_view report_curve_table();
std::string_view report_explained_leaf();
std::string_view report_headline();
std::string_view report_look();
std::string_view report_measured();
std::string_view report_mistakes();
std::string_view report_more_photographs();
std::string_view report_neighbours();
std::string_view report_pairs();
std::string_view report_perturbed();
std::string_view report_species();
std::string_view report_splits();
std::string_view report_store_columns();
std::string_view report_store_labels();
std::string_view report_store_reasons();
std::string_view report_store_rows();
std::string_view report_store_same();
std::string_view report_store_sizes();
std::string_view report_store_unusual();
std::string_view report_times();
std::string_view sweep_lines();

}  // namespace leafglyph
