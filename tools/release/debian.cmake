# cpack: the Debian packages, from a build with the prefix /usr (tools/release/package makes it).
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT TARGET leafglyph_python)
  return()
endif()
# The libraries are static. Their C++ interfaces have classes with members and templates, which change
# from version to version, so a program could not run with a newer shared library, and its SONAME would
# have to change with every version. Programs compiled against leafglyph-dev do not need leafglyph at
# run time.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME leafglyph)
set(CPACK_PACKAGE_VENDOR "The LeafGlyph developers")
set(LEAFGLYPH_MAINTAINER "" CACHE STRING
    "Who answers for the Debian packages: Name <address>; empty: whoever builds them")
set(LEAFGLYPH_HOMEPAGE "" CACHE STRING "URL of the project for the Debian packages; empty: none")
set(CPACK_PACKAGE_CONTACT ${LEAFGLYPH_MAINTAINER})
if(LEAFGLYPH_MAINTAINER STREQUAL "")
  set(CPACK_PACKAGE_CONTACT "Whoever built this package <nobody@localhost>")
endif()
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${LEAFGLYPH_HOMEPAGE})
set(CPACK_PACKAGE_VERSION ${LEAFGLYPH_VERSION_TEXT})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/release/package_files.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME leafglyph)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# glyph similar needs fonts and data about characters. Debian does not let packages depend on
# X fonts such as xfonts-base. libheif is loaded when a HEIF file is read.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "fonts-arphic-gbsn00lp, fonts-arphic-gkai00mp, \
fonts-wqy-microhei, libheif1, libopenblas0-openmp, unicode-data")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "fonts-arphic-ukai, fonts-arphic-uming, \
fonts-wqy-zenhei, xfonts-base")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "leafglyph-networks, python3-leafglyph, xdg-utils")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "names plant leaves and finds look-alike Chinese characters
 LeafGlyph recognises plant leaves on photographs and finds Chinese characters
 that look alike, by orthogonal image moments. The command trains on folders
 of photographs, names new ones, computes moments of any image or volume to
 high orders, and serves a page in the browser that does the same.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME leafglyph-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libexif-dev, libfaiss-dev, libfmt-dev, \
libfreetype-dev, libheif1, libhwy-dev, libjpeg-dev, liblapacke-dev, libopenblas-openmp-dev, \
libopencv-dev, libpng-dev, libssl-dev, libtbb-dev, libtiff-dev, libwebp-dev, libyaml-cpp-dev, nlohmann-json3-dev, \
pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "orthogonal image moments and leaf recognition in C++
 Headers and static libraries to compute Zernike, pseudo-Zernike,
 Bessel-Fourier, Legendre, Gegenbauer and Jacobi moments, to make images from
 them, and to train and ask classifiers of leaves; with files for CMake's
 find_package and for pkg-config.")

set(CPACK_DEBIAN_NETWORKS_PACKAGE_NAME leafglyph-networks)
set(CPACK_DEBIAN_NETWORKS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_NETWORKS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_NETWORKS_PACKAGE_DEPENDS "leafglyph | python3-leafglyph")
set(CPACK_DEBIAN_NETWORKS_DESCRIPTION "neural networks beside the moments of leaves, for leafglyph
 Lets LeafGlyph compute values of a neural network of your own, in an ONNX
 file, and learn their weight beside the moments of leaves. It brings the dnn
 module of OpenCV, and no network.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-leafglyph)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
math(EXPR next_python "${LEAFGLYPH_PYTHON_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libheif1, libopenblas0-openmp, python3 (>= 3.${LEAFGLYPH_PYTHON_MINOR}~), \
python3 (<< 3.${next_python}~), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS leafglyph)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas, python3-sklearn, python3-torch")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/tools/release/debian/postinst
    ${PROJECT_SOURCE_DIR}/tools/release/debian/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "orthogonal image moments and leaf recognition in Python
 Moments of numpy arrays and images from them, features and names of leaves,
 and look-alike Chinese characters: the Python module of LeafGlyph.")

# Files that Debian requires in every package. tools/release/package gives the time of the commit.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/debian/changelog
  "leafglyph (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * Changes stand in the CHANGELOG.md of the sources.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
set(LEAFGLYPH_COPYRIGHT ${PROJECT_BINARY_DIR}/debian/copyright)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" license "${license}")
file(WRITE ${LEAFGLYPH_COPYRIGHT}
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
  "Upstream-Name: LeafGlyph\n\nFiles: *\nCopyright: The LeafGlyph developers\nLicense: MIT\n ${license}\n")
set(components command moments python)
if(TARGET leafglyph_networks)
  list(APPEND components networks)
endif()
foreach(component ${components})
  set(package leafglyph)
  if(component STREQUAL "moments")
    set(package leafglyph-dev)
  elseif(component STREQUAL "python")
    set(package python3-leafglyph)
  elseif(component STREQUAL "networks")
    set(package leafglyph-networks)
  endif()
  install(FILES ${LEAFGLYPH_COPYRIGHT} DESTINATION share/doc/${package} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/debian/changelog.gz
          DESTINATION share/doc/${package} COMPONENT ${component})
endforeach()

include(CPack)
cpack_add_component(command GROUP program)
cpack_add_component(moments GROUP development)
cpack_add_component(classify GROUP development)
cpack_add_component(python GROUP python)
cpack_add_component(networks GROUP networks)
