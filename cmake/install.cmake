# What `cmake --install` leaves behind: the library, its headers under
# include/revenant/, and a package that find_package(revenant) finds.
include(CMakePackageConfigHelpers)

set(revenant_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/revenant)
set(revenant_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/revenant)

target_include_directories(revenant INTERFACE $<INSTALL_INTERFACE:${revenant_include_dir}>)

install(TARGETS revenant
    EXPORT revenant_targets
    FILE_SET HEADERS DESTINATION ${revenant_include_dir}
)
install(EXPORT revenant_targets
    NAMESPACE revenant::
    FILE revenant-targets.cmake
    DESTINATION ${revenant_package_dir}
)

configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/revenant-config.cmake.in
    ${PROJECT_BINARY_DIR}/revenant-config.cmake
    INSTALL_DESTINATION ${revenant_package_dir}
    NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/revenant-config-version.cmake
    COMPATIBILITY SameMinorVersion
)
install(
    FILES
        ${PROJECT_BINARY_DIR}/revenant-config.cmake
        ${PROJECT_BINARY_DIR}/revenant-config-version.cmake
    DESTINATION ${revenant_package_dir}
)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
