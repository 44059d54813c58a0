// SPDX-License-Identifier: Apache-2.0
#include "core/base/build_facts.h"

#include "core/base/strings.h"

namespace loupe {

std::string_view version() { return LOUPE_VERSION; }

std::string build_facts(std::string_view program) {
#if defined(__clang__)
    constexpr const char* kCompiler = "clang " __clang_version__;
#else
    constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
#if defined(__x86_64__)
    constexpr const char* kMachine = "x86-64";
#elif defined(__aarch64__)
    constexpr const char* kMachine = "aarch64";
#else
    constexpr const char* kMachine = "another machine";
#endif
    return concat(program, " ", version(), "\nbuilt by ", kCompiler, " for ", kMachine, ", ", LOUPE_BUILD_TYPE,
                  "; C++ library ", __GLIBCXX__);
}

}  // namespace loupe
