// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/nvrtc.h"

#include <dlfcn.h>

#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/fuser/device_headers.h"

namespace loupe::cuda {
namespace {

// As nvrtc.h declares them; the library is not there everywhere where this is built.
using Program = struct OpaqueProgram*;

struct Library {
    std::string problem;
    int major = 0, minor = 0;

    int (*version)(int*, int*) = nullptr;
    const char* (*error_string)(int) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*cubin)(Program, char*) = nullptr;

    Library() {
        void* library = nullptr;
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (library != nullptr) break;
        }
        if (library == nullptr) {
            problem = "NVRTC (libnvrtc.so.13 or .12) cannot be loaded";
            return;
        }
        const auto find = [&]<typename F>(const char* name, F& function) {
            function = reinterpret_cast<F>(dlsym(library, name));
            if (function == nullptr && problem.empty()) problem = concat("NVRTC has no ", name);
        };
        find("nvrtcVersion", version);
        find("nvrtcGetErrorString", error_string);
        find("nvrtcCreateProgram", create);
        find("nvrtcDestroyProgram", destroy);
        find("nvrtcCompileProgram", compile);
        find("nvrtcGetProgramLogSize", log_size);
        find("nvrtcGetProgramLog", log);
        find("nvrtcGetPTXSize", ptx_size);
        find("nvrtcGetPTX", ptx);
        find("nvrtcGetCUBINSize", cubin_size);
        find("nvrtcGetCUBIN", cubin);
        if (problem.empty()) version(&major, &minor);
    }
};
const Library& library() {
    static const auto* const instance = new Library;
    return *instance;
}

std::vector<std::string> options_for(int architecture) {
    return {concat("--gpu-architecture=sm_", architecture),
            "--std=c++17",
            "--fmad=false",  // operators round; formulas say where two are one
            "--generate-line-info",
            "--ptxas-options=-v",
            "--no-source-include",
            "-default-device"};
}

void check(int status, const char* doing) {
    if (status != 0)
        throw Error(ErrorKind::Plugin, concat("NVRTC: ", library().error_string(status), " (", doing, ")"));
}

template <typename Size, typename Get>
std::string text_of(Program program, Size size_of, Get get, const char* doing) {
    std::size_t size = 0;
    check(size_of(program, &size), doing);
    std::string text(size, '\0');
    if (size > 0) check(get(program, text.data()), doing);
    return text;
}
std::string without_end(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

// The first line of the log that says what is wrong.
std::string first_error(const std::string& log) {
    std::size_t at = log.find("error");
    if (at == std::string::npos) at = 0;
    const std::size_t begin = at == 0 ? 0 : log.rfind('\n', at) + 1;  // npos + 1 is 0
    return log.substr(begin, log.find('\n', begin) - begin);
}

struct OwnedProgram {
    Program program = nullptr;
    OwnedProgram() = default;
    OwnedProgram(const OwnedProgram&) = delete;
    OwnedProgram& operator=(const OwnedProgram&) = delete;
    ~OwnedProgram() {
        if (program != nullptr) library().destroy(&program);
    }
};

}  // namespace

const std::string& nvrtc_problem() { return library().problem; }

std::string nvrtc_version() { return nvrtc_problem().empty() ? concat(library().major, ".", library().minor) : ""; }

std::string compiler_key(int architecture) {
    std::string key = concat("NVRTC ", nvrtc_version());
    for (const std::string& option : options_for(architecture)) key += " " + option;
    for (const DeviceHeader& header : device_headers()) key += concat("\n", header.name, "\n", header.text);
    return key;
}

CompiledCode compile_source(const std::string& text, int architecture) {
    if (!nvrtc_problem().empty()) throw Error(ErrorKind::Plugin, nvrtc_problem());
    // Standard headers, and CUDA's own, are one of ours.
    constexpr const char* kStandIns[] = {"cmath",  "cstddef",     "cstdint",     "cstring",
                                         "limits", "type_traits", "cuda_bf16.h", "cuda_fp16.h"};
    constexpr const char* kStandIn = "#include \"plugins/cuda/fuser/device/std.h\"\n";
    std::vector<const char*> names, texts;
    for (const DeviceHeader& header : device_headers()) {
        names.push_back(header.name);
        texts.push_back(header.text);
    }
    for (const char* name : kStandIns) {
        names.push_back(name);
        texts.push_back(kStandIn);
    }
    const Library& nvrtc = library();
    OwnedProgram owned;
    check(nvrtc.create(&owned.program, text.c_str(), "fused.cu", static_cast<int>(names.size()), texts.data(),
                       names.data()),
          "reading a kernel");
    const std::vector<std::string> options = options_for(architecture);
    std::vector<const char*> arguments;
    for (const std::string& option : options) arguments.push_back(option.c_str());
    const int status = nvrtc.compile(owned.program, static_cast<int>(arguments.size()), arguments.data());
    CompiledCode code;
    code.log = without_end(text_of(owned.program, nvrtc.log_size, nvrtc.log, "reading its log"));
    if (status != 0)
        throw Error(ErrorKind::Plugin,
                    concat("NVRTC: ", code.log.empty() ? nvrtc.error_string(status) : first_error(code.log)));
    code.ptx = without_end(text_of(owned.program, nvrtc.ptx_size, nvrtc.ptx, "reading PTX"));
    code.cubin = text_of(owned.program, nvrtc.cubin_size, nvrtc.cubin, "reading machine code");
    return code;
}

}  // namespace loupe::cuda
