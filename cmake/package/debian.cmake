# `cpack -G DEB` in the build folder, or `make deb`: one package with command, libraries, headers and manual. Which
# packages it needs follows from the libraries that the command and the shared libraries use.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME upres)
set(CPACK_PACKAGE_CONTACT "The upres developers <upres@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "enlarges pictures with convolutional networks")
set(CPACK_PACKAGE_DESCRIPTION "Enlarges pictures with convolutional networks, on any Vulkan GPU and on the CPU where there is
none: the command upres, the library of the same name for C and C++, and vkc, a small Vulkan compute library.")
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers")
# The headers include it: one small file, so that no package of its own for them is worth it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libexpected-dev)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libvulkan-dev)  # for <vkc/native.h> alone
if(NOT BUILD_SHARED_LIBS)  # static libraries need what is behind them
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libvips-dev, libprotobuf-dev, libdnnl-dev, libhwy-dev, libxxhash-dev")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL upres)
include(CPack)
