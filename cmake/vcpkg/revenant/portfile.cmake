# An overlay port: vcpkg install revenant --overlay-ports=cmake/vcpkg builds the tree that it lies in. To submit
# it, replace the next line by vcpkg_from_github.
cmake_path(SET SOURCE_PATH NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)

vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
if("lua" IN_LIST FEATURES) # the module lies where luajit looks for it, and nothing links it
    set(VCPKG_POLICY_ALLOW_DLLS_IN_LIB enabled)
    set(VCPKG_POLICY_DLLS_IN_STATIC_LIBRARY enabled)
    set(VCPKG_POLICY_DLLS_WITHOUT_LIBS enabled)
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES lua REVENANT_BUILD_LUA)
vcpkg_cmake_configure(
    SOURCE_PATH ${SOURCE_PATH}
    OPTIONS
        ${options}
        -DREVENANT_BUILD_TESTS=OFF
        -DREVENANT_BUILD_GAME=OFF
        -DREVENANT_BUILD_BENCH=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/revenant)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
file(INSTALL ${CURRENT_PORT_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
