# Finds OpenBLAS: LEAFGLYPH_OPENBLAS, the library, and LEAFGLYPH_CBLAS_INCLUDE, the folder of its
# headers. LEAFGLYPH_HAVE_OPENBLAS says whether both are there.
#
# The OpenMP build comes first: it works on OpenMP's threads, another one starts its own beside them.
# Debian and openSUSE give it a folder, Fedora and older openSUSE a name.
set(folders openblas-openmp openblas)
if(CMAKE_LIBRARY_ARCHITECTURE)
  list(PREPEND folders ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
endif()
find_library(LEAFGLYPH_OPENBLAS NAMES openblas
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib64/openblas-openmp
  NO_DEFAULT_PATH)
find_library(LEAFGLYPH_OPENBLAS NAMES openblaso openblas_openmp)
if(NOT LEAFGLYPH_OPENBLAS)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_search_module(LEAFGLYPH_BLAS QUIET openblas blas)
  endif()
  find_library(LEAFGLYPH_OPENBLAS NAMES openblas HINTS ${LEAFGLYPH_BLAS_LIBRARY_DIRS})
endif()
# Its own cblas.h lies beside this header; that of another BLAS would not do.
if(LEAFGLYPH_OPENBLAS)
  find_path(LEAFGLYPH_CBLAS_INCLUDE openblas_config.h
    HINTS ${LEAFGLYPH_BLAS_INCLUDE_DIRS} PATH_SUFFIXES ${folders})
endif()

if(LEAFGLYPH_OPENBLAS AND LEAFGLYPH_CBLAS_INCLUDE)
  set(LEAFGLYPH_HAVE_OPENBLAS TRUE CACHE INTERNAL "")
  message(STATUS "Products on the CPU: ${LEAFGLYPH_OPENBLAS}")
  if(NOT CMAKE_CROSSCOMPILING)
    include(CheckCXXSourceRuns)
    set(CMAKE_REQUIRED_INCLUDES ${LEAFGLYPH_CBLAS_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${LEAFGLYPH_OPENBLAS})
    check_cxx_source_runs("#include <cblas.h>
      int main() { return openblas_get_parallel() == OPENBLAS_THREAD ? 1 : 0; }"
      LEAFGLYPH_OPENBLAS_KEEPS_TO_ITS_THREAD)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(NOT LEAFGLYPH_OPENBLAS_KEEPS_TO_ITS_THREAD)
      message(WARNING "${LEAFGLYPH_OPENBLAS} starts threads of its own beside those of OpenMP: "
        "LeafGlyph will be slower and use more threads than --threads allows. Install OpenBLAS's "
        "OpenMP build (Debian and Ubuntu: libopenblas-openmp-dev), or set OPENBLAS_NUM_THREADS=1 "
        "whenever LeafGlyph runs.")
    endif()
  endif()
else()
  set(LEAFGLYPH_HAVE_OPENBLAS FALSE CACHE INTERNAL "")
  set(other)
  if(LEAFGLYPH_BLAS_FOUND)
    set(other ", only another BLAS: ${LEAFGLYPH_BLAS_LINK_LIBRARIES}")
  endif()
  message(WARNING "OpenBLAS was not found${other}. Moments will be computed by loops of "
    "LeafGlyph's own, which are slower at high orders and give other last digits. Install OpenBLAS's "
    "OpenMP build (Debian and Ubuntu: libopenblas-openmp-dev), or name the library with "
    "-DLEAFGLYPH_OPENBLAS=FILE and the folder of its cblas.h with -DLEAFGLYPH_CBLAS_INCLUDE=FOLDER.")
endif()
