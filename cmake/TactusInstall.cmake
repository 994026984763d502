# `cmake --install`: libraries, headers, command line and its manual pages, mesh reader, examples, models, CMake package
# (find_package(tactus) gives tactus::tactus and tactus::io) and pkg-config files (tactus, tactus_io).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tactus)
set(installed tactus)
set(pkg_config_files tactus)
if(TACTUS_IO)
  list(APPEND installed tactus_io)
  list(APPEND pkg_config_files tactus_io)
  set_target_properties(tactus_io PROPERTIES EXPORT_NAME io)
endif()

install(TARGETS ${installed} EXPORT tactusTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tactusTargets NAMESPACE tactus:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(TARGET tactus_cli)
  install(TARGETS tactus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET tactus_manual)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
endif()
if(TACTUS_IO)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/examples
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tactus)
endif()
if(TARGET tactus_mesh)
  install(TARGETS tactus_mesh RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tactus)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tactusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/tactusConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/tactusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/tactusConfig.cmake ${PROJECT_BINARY_DIR}/package/tactusConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix is found from where the .pc file lies, so that an installed tree may be moved.
file(RELATIVE_PATH prefix_from_pc /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
foreach(name ${pkg_config_files})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
