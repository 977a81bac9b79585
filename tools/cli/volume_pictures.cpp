#include "tools/cli/volume_pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/image_io/volume_file.h"

namespace leafglyph {
namespace {

SlicePlace slice_place(const std::string& text) {
  const bool has_axis = text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == ':';
  const auto position = number_in<int>(has_axis ? std::string_view(text).substr(2) : "");
  if (!position) {
    throw UsageError("--slice '" + text + "' is not x:NUMBER, y:NUMBER or z:NUMBER");
  }
  return {static_cast<Axis>(text[0] - 'x'), *position};
}

// Numbers with colons between them.
template <std::size_t N>
std::array<double, N> numbers_of(const std::string& option, const std::string& text,
                                 const std::string& form) {
  std::array<double, N> numbers{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < N; ++i) {
    const auto number = take_number<double>(rest);
    const bool goes_on = i + 1 < N ? rest.starts_with(':') : rest.empty();
    if (!number || !goes_on) throw UsageError(option + " '" + text + "' is not " + form);
    numbers[i] = *number;
    rest.remove_prefix(rest.empty() ? 0 : 1);
  }
  return numbers;
}

PlanePlace plane_place(const std::string& text) {
  const auto [x, y, z, offset] = numbers_of<4>("--plane", text, "NX:NY:NZ:OFFSET");
  const PlanePlace plane{{x, y, z}, offset};
  check_plane(plane.normal, plane.offset);
  return plane;
}

std::optional<SurfaceView> surface_view(const PlaceOptions& options) {
  if (!options.surface) {
    if (!options.clips.empty() || options.view != PlaceOptions{}.view) {
      throw UsageError("--clip and --view apply to a surface; give its level with --surface");
    }
    return std::nullopt;
  }
  SurfaceView view;
  view.level = *options.surface;
  const auto [azimuth, elevation] = numbers_of<2>("--view", options.view, "AZIMUTH:ELEVATION");
  view.azimuth = azimuth;
  view.elevation = elevation;
  for (const std::string& text : options.clips) {
    const auto [a, b, c, d] = numbers_of<4>("--clip", text, "A:B:C:D");
    view.clips.push_back({{a, b, c}, d});
  }
  return view;
}

void write_surface(const SurfaceView& view, const Volume& volume, const PictureFolder& folder) {
  const Image<SurfaceHit> hits = cast_rays(volume, view);
  const auto pixels_of = [&](SurfaceHit::Kind kind) {
    return std::count_if(hits.pixels().begin(), hits.pixels().end(),
                         [&](const SurfaceHit& hit) { return hit.kind == kind; });
  };
  const std::string name = folder.prefix + "surface.png";
  write_picture(folder.path / name, shade(hits, volume, view, folder.peak), folder.peak);
  fmt::print("{}: {} x {}, {} pixels of the surface, {} of cut faces\n", name, hits.width(),
             hits.height(), pixels_of(SurfaceHit::Kind::kSurface),
             pixels_of(SurfaceHit::Kind::kCut));
}

}  // namespace

VolumePlaces parse_places(const PlaceOptions& options) {
  VolumePlaces places;
  for (const std::string& slice : options.slices) places.slices.push_back(slice_place(slice));
  for (const std::string& plane : options.planes) places.planes.push_back(plane_place(plane));
  places.surface = surface_view(options);
  return places;
}

void check_places(const VolumePlaces& places, const std::array<int, 3>& lengths) {
  for (const SlicePlace& slice : places.slices) check_slice(lengths, slice.axis, slice.position);
  if (places.surface) validate(*places.surface, lengths);
}

void write_slices(const VolumePlaces& places, const SliceSource& slice_of,
                  const PictureFolder& folder) {
  for (const SlicePlace& slice : places.slices) {
    const std::string name = axis_name(slice.axis) + fmt::format("_{}.png", slice.position);
    write_picture(folder.path / (folder.prefix + name), slice_of(slice), folder.peak);
  }
}

void write_places(const VolumePlaces& places, const Volume& volume, const PictureFolder& folder) {
  write_slices(
      places,
      [&](const SlicePlace& slice) { return volume_slice(volume, slice.axis, slice.position); },
      folder);
  const int size = std::max({volume.width, volume.height, volume.depth, 256});
  for (std::size_t p = 0; p < places.planes.size(); ++p) {
    write_picture(folder.path / fmt::format("{}plane_{}.png", folder.prefix, p + 1),
                  oblique_plane(volume, places.planes[p].normal, places.planes[p].offset, size),
                  folder.peak);
  }
  if (places.surface) write_surface(*places.surface, volume, folder);
}

}  // namespace leafglyph
