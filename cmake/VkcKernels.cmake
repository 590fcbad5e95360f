# vkc_add_kernels(TARGET FILES a.slang ... [INCLUDE folder ...] [VARIANTS "stem variant DEFINE=VALUE ..." ...])
#
# Compiles Slang kernels to SPIR-V 1.3 at build time and embeds them, with the interface that each source declares, into
# the static library TARGET, which needs no Vulkan and no other library.
#
#   FILES     one kernel a file: exactly one compute entry point; the kernel's name is the file's stem, which must be
#             a C++ identifier, unique in TARGET, and neither "all" nor "find". Imported and included files are followed by themselves.
#   INCLUDE   folders for `import` and `#include`, besides the kernel's own and that of vkc.slang, the module that comes
#             with vkc
#   VARIANTS  one string each: the stem of a file of FILES, the variant's name, and definitions for the preprocessor.
#             At least one, and each of a macro that the source, or one beside it or in a folder of INCLUDE, mentions.
#             "conv_tile fp16 STORED=half" compiles conv_tile.slang once more, with -DSTORED=half, as conv_tile_fp16.
#             The plain kernel is always there too, so a source gives each such macro a default with #ifndef.
#
#   vkc_add_kernels(demo FILES conv_naive.slang conv_tile.slang INCLUDE common VARIANTS "conv_tile fp16 STORED=half")
#
#   #include "demo_kernels.h"                      // namespace demo_kernels
#   demo_kernels::conv_naive                       // const vkc::KernelSource, see <vkc/kernel_source.h>
#   demo_kernels::conv_tile_fp16
#   demo_kernels::all()                            // std::span<const vkc::KernelSource* const>, in the order of FILES
#   demo_kernels::find("conv_tile")                // const vkc::KernelSource*, null if there is none of that name
#
# The compiler is the cache variable VKC_SLANGC; if that is empty, the first slangc of version 2025.7 or newer on PATH, in
# $VULKAN_SDK/bin, or in a virtual environment (the active one, or .venv of the source tree) that holds the Python package
# slangtorch.

set(VKC_SLANGC "" CACHE FILEPATH "Slang compiler for kernels; empty: look for one")

# Sets `result` to the version that `slangc` prints, empty if it does not run.
function(_vkc_slangc_version slangc result)
  execute_process(COMMAND ${slangc} -v OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE failed)
  string(REGEX MATCH "[0-9]+(\\.[0-9]+)+" version "${out} ${err}")
  if(failed)
    set(version "")
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Sets `result` to a usable slangc or stops.
function(_vkc_find_slangc result)
  set(minimum 2025.7)
  if(VKC_SLANGC)
    set(candidates ${VKC_SLANGC})
  else()
    find_program(_vkc_slangc_on_path slangc NO_CACHE)
    file(GLOB in_venv $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/slangtorch/bin/slangc
                      ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/slangtorch/bin/slangc
                      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.venv/lib/python3*/site-packages/slangtorch/bin/slangc)
    set(candidates ${_vkc_slangc_on_path} $ENV{VULKAN_SDK}/bin/slangc ${in_venv})
  endif()
  set(seen "")
  foreach(candidate IN LISTS candidates)
    if(NOT EXISTS ${candidate} AND VKC_SLANGC)
      string(APPEND seen " VKC_SLANGC=${candidate} does not exist.")
    elseif(EXISTS ${candidate})
      _vkc_slangc_version(${candidate} version)
      if(version VERSION_GREATER_EQUAL minimum)
        set(${result} ${candidate} PARENT_SCOPE)
        return()
      endif()
      string(APPEND seen " ${candidate} is version '${version}'.")
    endif()
  endforeach()
  message(FATAL_ERROR "slangc ${minimum} or newer was not found.${seen} Install the Vulkan SDK, or the Python package slangtorch, which has it "
                      "in its folder slangtorch/bin (in the source tree of upres: make setup), and set -DVKC_SLANGC=/path/to/slangc.")
endfunction()

# Sets `result` to the folder of vkc.slang.
function(_vkc_find_module result)
  find_path(_vkc_module_folder vkc.slang PATHS ${CMAKE_CURRENT_FUNCTION_LIST_DIR} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../shaders/vkc
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  set(${result} ${_vkc_module_folder} PARENT_SCOPE)
endfunction()

# Adds the command that compiles `file` as `kernel`; what it makes is ${folder}/${kernel}.spv and .json.
function(_vkc_compile_kernel slangc file kernel folder includes definitions)
  list(TRANSFORM includes PREPEND -I)
  list(TRANSFORM definitions PREPEND -D)
  add_custom_command(
    OUTPUT ${folder}/${kernel}.spv ${folder}/${kernel}.json
    COMMAND ${slangc} ${file} -O0 -target spirv -profile spirv_1_3 ${includes} ${definitions}
            -o ${folder}/${kernel}.spv -depfile ${folder}/${kernel}.d -reflection-json ${folder}/${kernel}.json
    DEPENDS ${file} ${slangc}
    DEPFILE ${folder}/${kernel}.d
    COMMENT "Slang ${kernel}"
    VERBATIM)
endfunction()

# Stops unless `name` can be a kernel's: a C++ identifier that nothing else in the generated namespace has.
function(_vkc_check_name name what)
  set(taken alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const constexpr continue decltype
            default delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace
            new noexcept not nullptr operator or private protected public register requires return short signed sizeof static struct
            switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
            all find)
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "vkc_add_kernels: ${what}: the kernel would be called \"${name}\", which is no C++ identifier; use letters, digits "
                        "and _ and begin with a letter")
  elseif(name IN_LIST taken)
    message(FATAL_ERROR "vkc_add_kernels: ${what}: the kernel would be called \"${name}\", which is a keyword of C++ or a function of the "
                        "generated header; call it something else")
  endif()
endfunction()

# Stops unless each of a variant's definitions is NAME or NAME=VALUE of a macro that the source, or a source beside it or in
# the folders of INCLUDE, mentions.
function(_vkc_check_definitions variant file includes definitions)
  if(NOT definitions)
    message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\" defines nothing; a variant is \"stem variant DEFINE=VALUE ...\"")
  endif()
  cmake_path(GET file PARENT_PATH folder)
  set(text "")
  set(seen "")
  foreach(definition IN LISTS definitions)
    if(NOT definition MATCHES "^([A-Za-z_][A-Za-z0-9_]*)(=|$)")
      message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\": \"${definition}\" is not DEFINE or DEFINE=VALUE (without -D)")
    endif()
    set(macro ${CMAKE_MATCH_1})
    if(macro IN_LIST seen)
      message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\" defines ${macro} twice")
    endif()
    list(APPEND seen ${macro})
    if(NOT EXISTS ${file})  # another step of the build makes it
      continue()
    endif()
    file(STRINGS ${file} found REGEX "(^|[^A-Za-z0-9_])${macro}($|[^A-Za-z0-9_])" LIMIT_COUNT 1)
    foreach(include IN LISTS folder includes)
      file(GLOB others ${include}/*.slang ${include}/*.slangh ${include}/*.h)
      foreach(other IN LISTS others)
        if(NOT found)
          file(STRINGS ${other} found REGEX "(^|[^A-Za-z0-9_])${macro}($|[^A-Za-z0-9_])" LIMIT_COUNT 1)
        endif()
      endforeach()
    endforeach()
    if(NOT found)
      message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\" defines ${macro}, which neither ${file} nor a source beside it or in a "
                          "folder of INCLUDE mentions")
    endif()
  endforeach()
endfunction()

# Sets `result` to the list of "kernel|file|definitions" records (definitions apart by spaces).
function(_vkc_list_kernels files includes variants result)
  set(records "")
  set(stems "")
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET file STEM LAST_ONLY stem)
    get_source_file_property(generated "${file}" GENERATED)
    if(NOT generated AND (NOT EXISTS "${file}" OR IS_DIRECTORY "${file}"))
      message(FATAL_ERROR "vkc_add_kernels: there is no file ${file}")
    endif()
    _vkc_check_name("${stem}" "${file}")
    if(stem IN_LIST stems)
      message(FATAL_ERROR "vkc_add_kernels: ${file}: there is another file of that name: ${file_of_${stem}}")
    endif()
    list(APPEND stems ${stem})
    list(APPEND records "${stem}|${file}|")
    set(file_of_${stem} ${file})
  endforeach()
  set(kernels ${stems})
  foreach(variant IN LISTS variants)
    if(NOT variant MATCHES "^([^ ]+) +([^ ]+) *(.*)$")
      message(FATAL_ERROR "vkc_add_kernels: a variant is \"stem variant DEFINE=VALUE ...\", not \"${variant}\"")
    endif()
    set(stem ${CMAKE_MATCH_1})
    set(kernel ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    set(definitions "${CMAKE_MATCH_3}")
    if(NOT stem IN_LIST stems)
      list(JOIN stems ", " known)
      message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\" is of \"${stem}\", which is no file of FILES; there are: ${known}")
    endif()
    _vkc_check_name("${kernel}" "variant \"${variant}\"")
    if(kernel IN_LIST kernels)
      message(FATAL_ERROR "vkc_add_kernels: variant \"${variant}\": there is another kernel \"${kernel}\"")
    endif()
    list(APPEND kernels ${kernel})
    separate_arguments(separate UNIX_COMMAND "${definitions}")
    _vkc_check_definitions("${variant}" ${file_of_${stem}} "${includes}" "${separate}")
    list(APPEND records "${kernel}|${file_of_${stem}}|${definitions}")
  endforeach()
  set(${result} "${records}" PARENT_SCOPE)
endfunction()

function(vkc_add_kernels target)
  cmake_parse_arguments(arg "" "" "FILES;INCLUDE;VARIANTS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vkc_add_kernels(${target} ...): what is \"${arg_UNPARSED_ARGUMENTS}\"? There are FILES, INCLUDE and VARIANTS")
  elseif(NOT arg_FILES)
    message(FATAL_ERROR "vkc_add_kernels(${target} FILES ...): no file is given")
  endif()
  _vkc_find_module(module_folder)
  set(includes ${module_folder})
  foreach(include IN LISTS arg_INCLUDE)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND includes ${include})
  endforeach()
  _vkc_list_kernels("${arg_FILES}" "${includes}" "${arg_VARIANTS}" records)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)  # here: its target is known to the caller's folder alone
  _vkc_find_slangc(slangc)

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  file(MAKE_DIRECTORY ${folder})
  set(kernels "")
  set(compiled "")
  foreach(record IN LISTS records)
    string(REPLACE "|" ";" fields "${record}")
    list(GET fields 0 kernel)
    list(GET fields 1 file)
    list(GET fields 2 definitions)
    separate_arguments(definitions UNIX_COMMAND "${definitions}")
    _vkc_compile_kernel(${slangc} ${file} ${kernel} ${folder} "${includes}" "${definitions}")
    list(APPEND kernels ${kernel})
    list(APPEND compiled ${folder}/${kernel}.spv ${folder}/${kernel}.json)
  endforeach()
  _vkc_embed_kernels(${target} ${folder} "${kernels}" "${compiled}")
endfunction()

# Makes the static library of the kernels compiled in `folder`.
function(_vkc_embed_kernels target folder kernels compiled)
  find_file(_vkc_embed_script embed_kernels.py PATHS ${CMAKE_CURRENT_FUNCTION_LIST_DIR} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  set(made ${folder}/${target}_kernels.h ${folder}/${target}_kernels.cpp)
  add_custom_command(
    OUTPUT ${made}
    COMMAND Python3::Interpreter ${_vkc_embed_script} --target ${target} --folder ${folder} ${kernels}
    DEPENDS ${compiled} ${_vkc_embed_script}
    COMMENT "Embedding kernels of ${target}"
    VERBATIM)
  add_library(${target} STATIC ${made})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${folder})
  if(EXISTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/vkc/kernel_source.h)
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include)
  else()  # installed
    target_include_directories(${target} PUBLIC $<TARGET_PROPERTY:vkc::vkc,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endfunction()
