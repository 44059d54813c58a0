# SPDX-License-Identifier: Apache-2.0
# Writes a C++ source with the text of Python modules and the records of their names:
#   cmake -DOUTPUT=out.cpp -DFUNCTION=standard_modules_in_python -DHEADER=core/python/library/standard_modules.h
#         -DFOLDER=... -DFILES=json.py,json/decoder.py -P embed_python.cmake
# With -DPACKAGE=architectures the folder is that package: llama.py is architectures.llama, __init__.py the package.
string(REPLACE "," ";" FILES "${FILES}")
set(texts "")
set(records "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${FOLDER}/${file}" text)
  string(REGEX REPLACE "\\.py$" "" name "${file}")
  string(REPLACE "/" "." name "${name}")
  if(PACKAGE)
    string(PREPEND name "${PACKAGE}.")
    string(REGEX REPLACE "\\.__init__$" "" name "${name}")
  endif()
  string(APPEND texts "constexpr std::string_view kText${number} = R\"embedded(${text})embedded\";\n\n")
  string(APPEND records "    {\"${name}\", nullptr, kText${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed_python.cmake of the .py files in ${FOLDER}.
#include \"${HEADER}\"

namespace loupe::python {
namespace {

${texts}constexpr ModuleRecord kRecords[] = {
${records}};

}  // namespace

std::span<const ModuleRecord> ${FUNCTION}() { return kRecords; }

}  // namespace loupe::python
")
