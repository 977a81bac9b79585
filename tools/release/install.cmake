# cmake --install: the command, the libraries with their headers, the configs, and packages for
# find_package(leafglyph) and pkg-config. Other programs use the components `moments` and `classify`,
# which needs the first. The third component is `command`, the fourth, where OpenCV's dnn was found,
# `networks`.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The headers that programs include. Only these, and the headers that they include, are installed.
set(LEAFGLYPH_MOMENTS_HEADERS
  features/base/errors.h
  features/base/limits.h
  features/base/npy.h
  features/base/threads.h
  features/image/volume.h
  features/moments/moment_file.h
  features/plan/error_curve.h
  gpu/plans.h)
set(LEAFGLYPH_CLASSIFY_HEADERS
  classify/glyph/lookalikes.h
  classify/leaf/leaf_classify.h
  classify/leaf/leaf_evaluation.h
  classify/leaf/model_folder.h
  features/image_io/decode_image.h
  features/image_io/image_file.h)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/leafglyph)
# pkg-config finds the prefix from where its file lies, so that --prefix may be chosen late.
file(RELATIVE_PATH LEAFGLYPH_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" LEAFGLYPH_PREFIX_FROM_PC "${LEAFGLYPH_PREFIX_FROM_PC}")

# leafglyph_install_component(component pc_file headers library...)
function(leafglyph_install_component component pc_file headers)
  install(TARGETS ${ARGN} EXPORT leafglyph_${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  install(EXPORT leafglyph_${component} NAMESPACE leafglyph:: FILE leafglyph-${component}.cmake
          DESTINATION ${package_dir} COMPONENT ${component})
  install(CODE "
    set(source \"${PROJECT_SOURCE_DIR}\")
    set(work \"${CMAKE_BINARY_DIR}/installed_headers\")
    set(roots \"${headers}\")
    include(\"${PROJECT_SOURCE_DIR}/tools/release/install_headers.cmake\")" COMPONENT ${component})
  configure_file(${PROJECT_SOURCE_DIR}/tools/release/${pc_file}.in ${CMAKE_BINARY_DIR}/${pc_file} @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${pc_file}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# The libraries that a static library needs, for pkg-config, which has no targets.
set(LEAFGLYPH_MOMENTS_LIBS ${OpenMP_CXX_FLAGS})
if(LEAFGLYPH_HAVE_OPENBLAS)
  string(APPEND LEAFGLYPH_MOMENTS_LIBS " ${LEAFGLYPH_OPENBLAS}")
endif()
if(LEAFGLYPH_HAVE_CUDA)
  find_package(CUDAToolkit REQUIRED)
  string(APPEND LEAFGLYPH_MOMENTS_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
leafglyph_install_component(moments leafglyph.pc "${LEAFGLYPH_MOMENTS_HEADERS}" leafglyph_moments)
if(LEAFGLYPH_APPS)
  leafglyph_install_component(classify leafglyph-classify.pc "${LEAFGLYPH_CLASSIFY_HEADERS}"
                              leafglyph_data leafglyph_classify)
  install(TARGETS leafglyph_command
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs
          DESTINATION ${CMAKE_INSTALL_DATADIR}/leafglyph COMPONENT command)
  install(DIRECTORY ${LEAFGLYPH_MANUAL}
          DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
  # Debian's zsh and fish look in other folders for what packages bring.
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_folder vendor-completions)
  else()
    set(zsh_folder site-functions)
  endif()
  install(FILES ${LEAFGLYPH_COMPLETIONS}/bash RENAME leafglyph
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
  install(FILES ${LEAFGLYPH_COMPLETIONS}/zsh RENAME _leafglyph
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT command)
  install(FILES ${LEAFGLYPH_COMPLETIONS}/fish RENAME leafglyph.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()
if(TARGET leafglyph_networks)
  install(TARGETS leafglyph_networks
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/leafglyph COMPONENT networks)
endif()

configure_file(${PROJECT_SOURCE_DIR}/tools/release/version.h.in ${CMAKE_BINARY_DIR}/version.h @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/version.h DESTINATION include/leafglyph COMPONENT moments)
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/release/leafglyphConfig.cmake.in
  ${CMAKE_BINARY_DIR}/leafglyphConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/leafglyphConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/leafglyphConfig.cmake
        ${CMAKE_BINARY_DIR}/leafglyphConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT moments)
