# cmake -DOUTPUT=file.cpp -DROOT=folder -P embed_files.cmake a.json b.json ...
# Writes a C++ source that holds the files as raw strings, named relative to ROOT.
set(entries "")
math(EXPR last "${CMAKE_ARGC} - 1")
set(take FALSE)
foreach(i RANGE ${last})
  if(take)
    file(READ ${CMAKE_ARGV${i}} text)
    file(RELATIVE_PATH name ${ROOT} ${CMAKE_ARGV${i}})
    string(APPEND entries "    {\"${name}\", R\"upres_file(${text})upres_file\"},\n")
  elseif(CMAKE_ARGV${i} MATCHES "embed_files.cmake$")
    set(take TRUE)
  endif()
endforeach()
file(WRITE ${OUTPUT} "#include \"devicedb/embedded_files.h\"

namespace upres::devicedb {
namespace {

constexpr NamedText kFiles[] = {
${entries}};

}  // namespace

std::span<const NamedText> embedded_files() { return kFiles; }

}  // namespace upres::devicedb
")
