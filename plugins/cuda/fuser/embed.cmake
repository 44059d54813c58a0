# SPDX-License-Identifier: Apache-2.0
# Writes a C++ source with the text of the headers that generated kernels include:
#   cmake -DOUTPUT=out.cpp -DROOT=... -DFILES=plugins/cuda/loops/portable.h,... -P embed.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(texts "")
set(records "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" text)
  string(APPEND texts "constexpr const char* kText${number} = R\"embedded(${text})embedded\";\n\n")
  string(APPEND records "    {\"${file}\", kText${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed.cmake.
#include \"plugins/cuda/fuser/device_headers.h\"

namespace loupe::cuda {
namespace {

${texts}constexpr DeviceHeader kHeaders[] = {
${records}};

}  // namespace

std::span<const DeviceHeader> device_headers() { return kHeaders; }

}  // namespace loupe::cuda
")
