# The examples of the C++ and C interface against what PyTorch gives; a fresh project builds in seconds.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
build_project(${HERE}/examples examples -DCMAKE_PREFIX_PATH=${PREFIX})
expect(${WORK}/examples/run_model ${HERE}/examples/run_model.expected ${HERE}/models/resnet.pt)
expect(${WORK}/examples/input_gradient ${HERE}/examples/input_gradient.expected ${HERE}/models/resnet.pt)
expect(${WORK}/examples/training ${HERE}/examples/training.expected ${HERE}/models/curve.pt)
expect(${WORK}/examples/events ${HERE}/examples/events.expected ${HERE}/models/resnet.pt)
expect(${WORK}/examples/c_example ${HERE}/examples/c_example.expected ${HERE}/models/resnet.pt)

# A program elsewhere finds the plugins of the installed engine, and the version that its headers say.
file(WRITE ${WORK}/one/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(one LANGUAGES CXX)
find_package(Tensorloupe ${VERSION} REQUIRED)
add_executable(one one.cpp)
target_link_libraries(one Tensorloupe::core)
")
file(WRITE ${WORK}/one/one.cpp "#include <tensorloupe/tensorloupe.h>
#include <iostream>
int main() {
    for (const loupe::PluginStatus& plugin : loupe::plugins())
        std::cout << plugin.name << (plugin.loaded ? \" loaded\" : \" \") << plugin.reason << '\\n';
    std::cout << (loupe::version() == TENSORLOUPE_VERSION) << '\\n' << loupe::ones({2}) * 3.0 << '\\n';
}
")
build_project(${WORK}/one one_built -DCMAKE_PREFIX_PATH=${PREFIX})
run(out ${WORK}/one_built/one)
if(NOT out MATCHES "torchvision_ops loaded" OR NOT out MATCHES "\n1\ntensor\\(\\[3., 3.\\]\\)\n$")
  message(SEND_ERROR "a program of its own prints\n${out}")
endif()

# The same by pkg-config.
execute_process(COMMAND pkg-config --cflags --libs tensorloupe OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(flags)
run(ignored ${CXX} -std=c++20 -Wall -Wextra -Wpedantic -Werror ${WORK}/one/one.cpp -o ${WORK}/one_by_flags ${flags})
run(again ${WORK}/one_by_flags)
if(NOT again STREQUAL out)
  message(SEND_ERROR "built by pkg-config it prints\n${again}")
endif()

# Another major version is refused.
string(REGEX MATCH "^[0-9]+" major ${VERSION})
math(EXPR next "${major} + 1")
file(WRITE ${WORK}/other/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES CXX)
find_package(Tensorloupe ${next} QUIET)
if(Tensorloupe_FOUND)
  message(FATAL_ERROR \"found\")
endif()
")
run(ignored ${CMAKE_COMMAND} -G Ninja -S ${WORK}/other -B ${WORK}/other_built -DCMAKE_PREFIX_PATH=${PREFIX})
