# leafglyph_opencv(PART...): makes targets opencv_PART of OpenCV's libraries. They are found by name,
# because Debian has OpenCV's CMake package only with all of OpenCV, which takes a gigabyte.
find_path(OpenCV_INCLUDE_DIRS opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
file(STRINGS ${OpenCV_INCLUDE_DIRS}/opencv2/core/version.hpp numbers
     REGEX "#define CV_VERSION_(MAJOR|MINOR|REVISION)")
list(TRANSFORM numbers REPLACE "[^0-9]*([0-9]+).*" "\\1")
list(JOIN numbers "." OpenCV_VERSION)
function(leafglyph_opencv)
  foreach(part ${ARGN})
    find_library(LEAFGLYPH_OPENCV_${part} opencv_${part} REQUIRED)
    add_library(opencv_${part} UNKNOWN IMPORTED)
    set_target_properties(opencv_${part} PROPERTIES
      IMPORTED_LOCATION ${LEAFGLYPH_OPENCV_${part}})
  endforeach()
endfunction()
leafglyph_opencv(core imgproc)
