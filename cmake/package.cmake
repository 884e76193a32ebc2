# `cpack --config build/release/CPackConfig.cmake -G DEB` makes a Debian package of what is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME revenant)
set(CPACK_PACKAGE_CONTACT "Revenant contributors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# What programs that link the static library need, and what the module is linked with.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libzstd-dev, libstdc++6 (>= 12), pkg-config")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "luajit, love")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
