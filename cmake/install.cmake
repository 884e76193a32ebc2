# What `cmake --install` leaves behind: the library, its headers under include/revenant/, a package that
# find_package(revenant) finds, the Lua module where luajit looks for it, its annotations, and the docs.
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

# For builds without CMake: pkg-config --cflags --libs revenant.
file(RELATIVE_PATH revenant_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(REVENANT_THREADS)
    set(revenant_pc_requires " tbb")
    set(revenant_pc_libs " -ltbb")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/revenant.pc.in ${PROJECT_BINARY_DIR}/revenant.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/revenant.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(REVENANT_BUILD_LUA)
    # Debian's luajit looks into /usr/local/lib/lua/5.1, but below /usr into the architecture's own folder.
    # Only the installing user knows which of them it is.
    install(CODE "
        set(folder lib/lua/5.1)
        if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
            set(folder lib/${CMAKE_LIBRARY_ARCHITECTURE}/lua/5.1)
        endif()
        file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${folder}\" TYPE MODULE
            FILES \"$<TARGET_FILE:revenant_module>\")
    ")
    install(FILES ${PROJECT_SOURCE_DIR}/lua/loader/init.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/revenant)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/lua/api DESTINATION ${CMAKE_INSTALL_DATADIR}/revenant)
endif()

install(FILES
    ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
    ${PROJECT_SOURCE_DIR}/LICENSE
    ${PROJECT_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR}
)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
    FILES_MATCHING PATTERN make_lua_reference.lua EXCLUDE PATTERN *.md PATTERN *.cpp PATTERN *.lua PATTERN *.png PATTERN *.svg PATTERN *.gif
)
# What the README shows and refers to.
install(FILES
    ${PROJECT_SOURCE_DIR}/bench/README.md
    ${PROJECT_SOURCE_DIR}/bench/RESULTS.md
    ${PROJECT_SOURCE_DIR}/bench/plots.svg
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench
)
