#include "datasets/leaf/flavia.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/numbers.h"

namespace leafglyph {
namespace {

// The table on the data set's web site. Numbers missing from it (2613 to 2615, 3564 and 3565) have
// no file.
constexpr std::array<FlaviaSpecies, 32> kSpecies = {{
    {"pubescent bamboo", "Phyllostachys edulis", "毛竹", 1001, 1059},
    {"Chinese horse chestnut", "Aesculus chinensis", "七叶树", 1060, 1122},
    {"Chinese redbud", "Cercis chinensis", "紫荆", 1123, 1194},
    {"true indigo", "Indigofera tinctoria", "木蓝", 1195, 1267},
    {"Japanese maple", "Acer palmatum", "鸡爪槭", 1268, 1323},
    {"nanmu", "Phoebe nanmu", "楠木", 1324, 1385},
    {"castor aralia", "Kalopanax septemlobus", "刺楸", 1386, 1437},
    {"goldenrain tree", "Koelreuteria paniculata", "栾树", 1438, 1496},
    {"Chinese cinnamon", "Cinnamomum japonicum", "天竺桂", 1497, 1551},
    {"Anhui barberry", "Berberis anhweiensis", "安徽小檗", 1552, 1616},
    {"big-fruited holly", "Ilex macrocarpa", "大果冬青", 2001, 2050},
    {"Japanese cheesewood", "Pittosporum tobira", "海桐", 2051, 2113},
    {"wintersweet", "Chimonanthus praecox", "蜡梅", 2114, 2165},
    {"camphor tree", "Cinnamomum camphora", "樟", 2166, 2230},
    {"Japan arrowwood", "Viburnum awabuki", "珊瑚树", 2231, 2290},
    {"sweet osmanthus", "Osmanthus fragrans", "木犀", 2291, 2346},
    {"deodar", "Cedrus deodara", "雪松", 2347, 2423},
    {"ginkgo", "Ginkgo biloba", "银杏", 2424, 2485},
    {"crape myrtle", "Lagerstroemia indica", "紫薇", 2486, 2546},
    {"oleander", "Nerium oleander", "夹竹桃", 2547, 2612},
    {"yew plum pine", "Podocarpus macrophyllus", "罗汉松", 2616, 2675},
    {"Japanese flowering cherry", "Prunus serrulata", "山樱花", 3001, 3055},
    {"glossy privet", "Ligustrum lucidum", "女贞", 3056, 3110},
    {"Chinese toon", "Toona sinensis", "香椿", 3111, 3175},
    {"peach", "Prunus persica", "桃", 3176, 3229},
    {"Ford woodlotus", "Manglietia fordiana", "木莲", 3230, 3281},
    {"trident maple", "Acer buergerianum", "三角槭", 3282, 3334},
    {"Beale's barberry", "Mahonia bealei", "阔叶十大功劳", 3335, 3389},
    {"southern magnolia", "Magnolia grandiflora", "荷花木兰", 3390, 3446},
    {"Canadian poplar", "Populus x canadensis", "加杨", 3447, 3510},
    {"Chinese tulip tree", "Liriodendron chinense", "鹅掌楸", 3511, 3563},
    {"tangerine", "Citrus reticulata", "柑橘", 3566, 3621},
}};

std::optional<int> species_of(int number) {
  for (std::size_t s = 0; s < kSpecies.size(); ++s) {
    if (number >= kSpecies[s].first && number <= kSpecies[s].last) return static_cast<int>(s);
  }
  return std::nullopt;
}

std::optional<int> file_number(const std::filesystem::path& file) {
  return number_in<int>(file.stem().string());
}

// The image files of the folder, by number.
std::map<int, std::filesystem::path> numbered_images(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    throw InputError(folder.string() + ": the folder of Flavia images cannot be read: " +
                     error.message() + "; get them with tools/setup/fetch_flavia");
  }
  std::map<int, std::filesystem::path> images;
  for (const auto& entry : entries) {
    if (!is_image_name(entry.path())) continue;
    const std::optional<int> number = file_number(entry.path());
    if (!number || !species_of(*number)) {
      throw InputError(entry.path().string() +
                       ": its number belongs to no Flavia species; the folder must hold the "
                       "1,907 images of the data set alone");
    }
    const auto [other, is_new] = images.emplace(*number, entry.path());
    if (!is_new) {
      throw InputError(entry.path().string() + ": has the same number as " +
                       other->second.filename().string() + "; remove one of the two");
    }
  }
  return images;
}

void check_complete(const std::map<int, std::filesystem::path>& images,
                    const std::filesystem::path& folder) {
  constexpr std::size_t kNamed = 5;
  std::size_t missing = 0;
  std::string names;
  for (const FlaviaSpecies& species : kSpecies) {
    for (int number = species.first; number <= species.last; ++number) {
      if (images.contains(number)) continue;
      if (++missing <= kNamed) names += (names.empty() ? "" : ", ") + std::to_string(number);
    }
  }
  if (missing > 0) {
    throw InputError(folder.string() + ": " + std::to_string(missing) + " of the " +
                     std::to_string(kFlaviaImages) + " Flavia images are missing (" + names +
                     (missing > kNamed ? ", ..." : "") +
                     "); get the whole set with tools/setup/fetch_flavia");
  }
}

}  // namespace

std::span<const FlaviaSpecies> flavia_species() { return kSpecies; }

LeafDataset load_flavia(const std::filesystem::path& folder) {
  const std::map<int, std::filesystem::path> images = numbered_images(folder);
  check_complete(images, folder);
  LeafDataset dataset;
  dataset.description = "Flavia, 1,907 leaves of 32 species, from " + last_name(folder);
  for (const FlaviaSpecies& species : kSpecies) {
    dataset.class_names.emplace_back(species.common_name);
    dataset.scientific_names.emplace_back(species.scientific_name);
    dataset.chinese_names.emplace_back(species.chinese_name);
  }
  for (const auto& [number, file] : images) {
    dataset.samples.push_back({.file = file, .label = *species_of(number)});
  }
  return dataset;
}

}  // namespace leafglyph
