# The number of the plugin interface: a digest of the headers that a plugin is built with, without comments and spaces.
# cmake -DROOT=... -DOUTPUT=... -P interface.cmake writes the header that names it, and OUTPUT.d with what it depends on.
cmake_policy(VERSION 3.25)

# The engine's headers that a source includes.
function(loupe_includes source result)
  file(STRINGS ${source} lines REGEX "^#include \"core/")
  set(found)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" header "${line}")
    list(APPEND found ${header})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The engine's headers below `root` that core/plugin/plugin.h and the plugins there include, and those that they include.
function(loupe_plugin_headers root result)
  set(found)
  set(open core/plugin/plugin.h)
  file(GLOB_RECURSE sources ${root}/plugins/*.h ${root}/plugins/*.cpp)
  foreach(source IN LISTS sources)
    loupe_includes(${source} headers)
    list(APPEND open ${headers})
  endforeach()
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    loupe_includes(${root}/${header} headers)
    list(APPEND open ${headers})
  endwhile()
  list(SORT found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(loupe_plugin_interface root result)
  loupe_plugin_headers(${root} headers)
  set(digests)
  foreach(header IN LISTS headers)
    file(READ ${root}/${header} text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "[ \n]+" " " text "${text}")
    string(SHA256 digest "${text}")
    string(APPEND digests "${header} ${digest}\n")
  endforeach()
  string(SHA256 digest "${digests}")
  string(SUBSTRING ${digest} 0 8 number)
  set(${result} 0x${number} PARENT_SCOPE)
endfunction()

if(OUTPUT)
  loupe_plugin_interface(${ROOT} number)
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made from the headers of plugins.
#pragma once

#include <cstdint>

namespace loupe {

inline constexpr std::uint32_t kPluginInterface = @number@;

}  // namespace loupe
" @ONLY)
  loupe_plugin_headers(${ROOT} headers)
  list(TRANSFORM headers PREPEND "${ROOT}/")
  list(JOIN headers " " dependencies)
  file(WRITE ${OUTPUT}.d "${OUTPUT}: ${dependencies}\n")
endif()
