# cmake --install: the command, the libraries with their headers, the configs, and a package for
# find_package(leafglyph).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/leafglyph)
foreach(library leafglyph_moments leafglyph_data leafglyph_classify)
  if(TARGET ${library})
    install(TARGETS ${library} EXPORT leafglyph ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(EXPORT leafglyph NAMESPACE leafglyph:: FILE leafglyphTargets.cmake
        DESTINATION ${package_dir})
foreach(folder features classify datasets gpu)
  # The CUDA headers of gpu/ serve its own files alone.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/leafglyph
          FILES_MATCHING PATTERN "*.h" PATTERN "cuda_*.h" EXCLUDE PATTERN "published" EXCLUDE)
endforeach()
if(LEAFGLYPH_APPS)
  install(TARGETS leafglyph_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/leafglyph)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/leafglyphConfig.cmake.in
  ${CMAKE_BINARY_DIR}/leafglyphConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/leafglyphConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/leafglyphConfig.cmake
        ${CMAKE_BINARY_DIR}/leafglyphConfigVersion.cmake DESTINATION ${package_dir})
