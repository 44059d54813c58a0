# cmake -DOUT=FILE -DTESTS=name:a.cpp,other:b.cpp -P join_tests.cmake: writes the one file that the tests are compiled as. Each is in a
# namespace of its own, its headers, which were read before, are not read there again, and the program's name says which of
# them it runs.
string(REPLACE "," ";" TESTS "${TESTS}")
set(headers)
set(tests)
set(choices)
foreach(test IN LISTS TESTS)
  string(REGEX MATCH "^([^:]+):(.+)$" matched "${test}")
  set(name ${CMAKE_MATCH_1})
  set(test ${CMAKE_MATCH_2})
  cmake_path(GET test PARENT_PATH folder)
  file(STRINGS ${test} lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    if(line MATCHES "\\.moc\"")
      continue()
    endif()
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header "${line}")
    if(EXISTS ${folder}/${header})
      set(line "#include \"${folder}/${header}\"")
    endif()
    list(APPEND headers "${line}")
  endforeach()
  string(APPEND tests "namespace ${name}_file {\n#include \"${test}\"\n}\n")
  string(APPEND choices "    if (name == \"${name}\") return ${name}_file::main(argc, argv);\n")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(WRITE ${OUT} "${headers}
#include <cstdio>
#include <string_view>
${tests}
int main(int argc, char** argv) {
    const std::string_view path = argv[0];
    const std::string_view name = path.substr(path.rfind('/') + 1);
${choices}    std::fprintf(stderr, \"%s is none of the tests in here\\n\", argv[0]);
    return 2;
}
")
