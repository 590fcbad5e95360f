# Compiler settings and the few functions with which every folder declares its target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${upres_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(upres_options INTERFACE)
target_compile_options(upres_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
# A multiply and an add are contracted only where the code says fma: results must not depend on the optimiser.
target_compile_options(upres_options INTERFACE -ffp-contract=off)

# With ccache installed, a second clone or preset builds in a minute: paths are hashed relative to the source folder.
find_program(UPRES_CCACHE ccache)
if(UPRES_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${upres_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${UPRES_CCACHE})
endif()

set(UPRES_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined")
if(UPRES_SANITIZE)
  add_compile_options(-fsanitize=${UPRES_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${UPRES_SANITIZE})
endif()

# Adds each folder that has a CMakeLists.txt.
function(upres_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${upres_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${upres_SOURCE_DIR}/${folder})
    endif()
  endforeach()
endfunction()

# upres_add_library(NAME SOURCES a.cpp ... LINK upres_base ... [PRIVATE_LINK fmt::fmt ...])
# A static library with our warnings. Headers are found as "folder/file.h" (from src/) and <upres/...>, <vkc/...>.
function(upres_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${upres_SOURCE_DIR}/src ${upres_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE upres_options ${arg_PRIVATE_LINK})
endfunction()

# Under sanitizers everything takes several times as long.
function(upres_stretch timeout)
  if(UPRES_SANITIZE)
    math(EXPR stretched "${${timeout}} * 4")
    set(${timeout} ${stretched} PARENT_SCOPE)
  endif()
endfunction()

# upres_add_test(NAME GROUP unit SOURCES a_test.cpp ... LINK upres_graph ...)
# A GoogleTest program; ctest label = GROUP (unit, device, system, oracle, docs). UPRES_TEST_DATA reaches it in the
# environment.
function(upres_add_test name)
  cmake_parse_arguments(arg "" "GROUP;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  upres_stretch(arg_TIMEOUT)
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE upres_options ${arg_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${upres_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_GROUP} TIMEOUT ${arg_TIMEOUT}
                       SKIP_REGULAR_EXPRESSION "EVERY TEST SKIPPED"
                       ENVIRONMENT "UPRES_TEST_DATA=${UPRES_TEST_DATA}")
endfunction()

set(UPRES_PYTHON ${upres_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH "Python with the packages of scripts/requirements.txt, for system and oracle tests")

# upres_add_pytest(NAME GROUP system FILE test_x.py [TIMEOUT seconds])
# One file of tests; the command reaches it as UPRES_BIN. Skipped as a whole when each of its tests is.
function(upres_add_pytest name)
  cmake_parse_arguments(arg "" "GROUP;FILE;TIMEOUT" "" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)
  endif()
  upres_stretch(arg_TIMEOUT)
  add_test(NAME ${name} COMMAND ${UPRES_PYTHON} -B -m pytest -q -rs -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_GROUP} TIMEOUT ${arg_TIMEOUT}
                       SKIP_REGULAR_EXPRESSION "(^|\n)[0-9]+ skipped in"
                       ENVIRONMENT "UPRES_BIN=$<TARGET_FILE:upres>;UPRES_TEST_DATA=${UPRES_TEST_DATA}")
endfunction()
