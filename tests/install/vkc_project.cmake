# A project that knows vkc alone, under rules of an older CMake. CODE: the folder of the README's code.
cmake_minimum_required(VERSION 3.16)
project(scale LANGUAGES CXX)
find_package(vkc REQUIRED)
vkc_add_kernels(readme FILES ${CODE}/scale.slang)
add_executable(scale ${CODE}/scale.cpp)
target_link_libraries(scale PRIVATE vkc::vkc readme)
