// Labelled images on disk: one folder per class, or a CSV of path and label.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// Whether the name ends in .jpg, .jpeg, .jpe, .jfif, .mpo, .png, .bmp, .tif, .tiff, .webp, .heic,
/// .heif, .hif or .avif, in either case.
bool is_image_name(const std::filesystem::path& file);

/// Whether the name ends in .npy, .nii, .nii.gz, .mrc, .map, .ccp4, .fits or .fit, in either case:
/// an array, which may be a volume.
bool is_array_name(const std::filesystem::path& file);

/// What is in folders of images but no image, hidden files left out.
class PassedOverFiles {
 public:
  void add(const std::filesystem::path& path);
  /// A line that counts them by their endings and names the first; none if there are none.
  std::vector<std::string> lines(const std::filesystem::path& folder) const;

 private:
  std::map<std::string, std::size_t> counts_;
  std::string first_;
};

/// Calls use(path) for the images in the folder and its subfolders, or for the files of other names
/// if `is_wanted` says so, in the order of their paths, hidden ones left out. Holds at most the
/// names of one folder and of those above it in memory. Throws InputError when a folder cannot be
/// read.
void for_each_image(const std::string& folder, const std::function<void(const std::string&)>& use,
                    PassedOverFiles* skipped = nullptr,
                    bool (*is_wanted)(const std::filesystem::path&) = is_image_name);

/// The images in the folder and its subfolders, or its arrays (is_array_name), sorted by name,
/// hidden ones left out. A warning counts what else is there. Throws InputError when a folder
/// cannot be read or there is none.
std::vector<std::string> images_in(const std::string& folder,
                                   std::vector<std::string>* warnings = nullptr,
                                   bool arrays = false);

/// The named images, each folder replaced by images_in it. Adds an error for a folder without
/// images; throws InputError if that is all that is named.
std::vector<std::string> named_images(const std::vector<std::string>& names,
                                      std::vector<std::string>& errors,
                                      std::vector<std::string>& warnings, bool arrays = false);

/// Each folder inside `folder` is a class with the folder's name; its images are the files for
/// which is_image_name holds, hidden files left out. A folder with subfolders and no image stands
/// for its subfolders ("Quercus/robur" is the class "Quercus robur"). Classes and files are sorted
/// by name. Names come from `names`, or if that is "" from the file `folder`/species.csv if there
/// is one (read_species_names). A warning counts and names what is skipped: other files, images in
/// no class, folders beside images. Throws InputError when the folder cannot be read, has no class,
/// has a class without images or two classes of the same name, and whatever read_species_names
/// throws.
LeafDataset load_class_folders(const std::filesystem::path& folder,
                               const std::filesystem::path& names = {});

/// A CSV file whose first line names its columns: `path` and `label`, optionally `scientific_name`
/// and `chinese_name`. Fields may be quoted ("a ""b"", c"). A relative path starts at the CSV
/// file's folder. Classes are sorted by name, samples keep the file's order. Throws InputError with
/// the file and the line when it cannot be read or a line is invalid.
LeafDataset load_csv(const std::filesystem::path& csv);

inline constexpr const char* kSpeciesNames = "species.csv";

/// Reads a CSV file whose first line names its columns: `folder`, and one or more of `common_name`,
/// `scientific_name` and `chinese_name`. folders[c] is the folder of class c of the data set; the
/// folder's line gives the names of its class, except that an empty common name keeps the old one.
/// Folders without a line keep theirs, and a warning counts them. Throws InputError with the line
/// for a folder that is not a class or has two lines, and for a common name of two classes.
void read_species_names(const std::filesystem::path& csv, const std::vector<std::string>& folders,
                        LeafDataset& dataset);

}  // namespace leafglyph
