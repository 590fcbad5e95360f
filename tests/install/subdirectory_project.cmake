# A project that has upres as a folder of its own. SOURCE: that folder; CODE: the folder of the README's code.
cmake_minimum_required(VERSION 3.25)
project(enlarge LANGUAGES C CXX)
add_subdirectory(${SOURCE} upres EXCLUDE_FROM_ALL)
vkc_add_kernels(readme FILES ${CODE}/scale.slang)
add_executable(scale ${CODE}/scale.cpp)
target_link_libraries(scale PRIVATE vkc::vkc readme)
add_executable(enlarge ${CODE}/enlarge.cpp)
target_link_libraries(enlarge PRIVATE upres::upres)
