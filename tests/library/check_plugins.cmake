# A plugin that is built away from the engine: the installed template, installed, used, switched off, removed; one that crashes.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(cli ${PREFIX}/bin/tensorloupe-cli)
set(ENV{XDG_DATA_HOME} ${WORK}/data)
set(ENV{XDG_CACHE_HOME} ${WORK}/cache)
file(REMOVE_RECURSE ${WORK}/data ${WORK}/template)
file(COPY ${PREFIX}/share/tensorloupe/plugin_template/ DESTINATION ${WORK}/template)
build_project(${WORK}/template template_built -DCMAKE_PREFIX_PATH=${PREFIX})

function(must_say text)
  run(out ${cli} ${ARGN})
  if(NOT out MATCHES "${text}")
    message(SEND_ERROR "${ARGN} prints\n${out}\nwithout ${text}")
  endif()
endfunction()
function(must_fail_with text)
  execute_process(COMMAND ${cli} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
  if(status EQUAL 0 OR NOT err MATCHES "${text}")
    message(SEND_ERROR "${ARGN}: status ${status}\n${out}${err}\nwithout ${text}")
  endif()
endfunction()

set(numbers ${WORK}/some.numbers)
file(WRITE ${numbers} "numbers\nfc.bias 0.5 -1.25 3\n")
must_say("^installed example" plugins install ${WORK}/template_built/loupe_example.so)
must_say("example +loaded +Shows how" plugins)
must_say("\"state\": \"loaded\"" plugins --json)
must_say("example::scaled_square" ops example)
must_say("ExampleRemoveRepeated" passes)
must_say("example.filters" study list ${HERE}/models/resnet.pt)
must_say("fc" info ${numbers})
must_say("^installed example" plugins install ${WORK}/template_built/loupe_example.so)

run(ignored ${cli} plugins disable example)
must_say("example +off +switched off\n" plugins)
must_fail_with("some.numbers" info ${numbers})
run(ignored ${cli} plugins enable example)
must_say("fc" info ${numbers})
run(ignored ${cli} plugins remove example)
must_fail_with("some.numbers" info ${numbers})
must_fail_with("no plugin of that name was installed" plugins remove example)
must_fail_with("no plugin of that name; tensorloupe-cli plugins lists them" plugins disable example)
must_fail_with("no such file" plugins install ${WORK}/none.so)
must_fail_with("a plugin is a shared library" plugins install ${numbers})

# One that ends whoever loads it is not installed; put there by hand it costs one start, which names it.
file(WRITE ${WORK}/crash/CMakeLists.txt "cmake_minimum_required(VERSION 3.16)
project(crash LANGUAGES CXX)
find_package(Tensorloupe REQUIRED)
tensorloupe_add_plugin(crash crash.cpp)
")
file(WRITE ${WORK}/crash/crash.cpp "#include <csignal>
#include <tensorloupe/plugin.h>
LOUPE_PLUGIN_EXPORT const loupe::PluginTable* loupe_plugin() {
    static constexpr loupe::PluginTable kTable{loupe::kPluginInterface, \"crash\", \"Crashes.\", \"\",
                                               [](const loupe::PluginRegistries&) { std::raise(SIGSEGV); }};
    return &kTable;
}
")
build_project(${WORK}/crash crash_built -DCMAKE_PREFIX_PATH=${PREFIX})
must_fail_with("^crash: crashes when it is loaded: Segmentation fault\n$" plugins install ${WORK}/crash_built/loupe_crash.so)
file(COPY ${WORK}/crash_built/loupe_crash.so DESTINATION ${WORK}/data/tensorloupe/plugins)
must_fail_with("the plugin crash .* crashed when it was loaded: it is switched off" info ${HERE}/models/resnet.pt)
must_say("conv" info ${HERE}/models/resnet.pt)
must_say("crash +off +switched off: crashed when it was loaded" plugins)
must_fail_with("crash: crashes when it is loaded" plugins install ${WORK}/crash_built/loupe_crash.so)
run(ignored ${cli} plugins remove crash)
file(REMOVE_RECURSE ${WORK}/data)
