// SPDX-License-Identifier: Apache-2.0
// Registers the compiler of fusion groups, which is in ../llvm beside the plugins and loaded on first use.
#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/plugin/plugin.h"
#include "plugins/llvm/jit.h"

namespace {

using namespace loupe;

struct Compiler {
    llvm_fuser::CompileFunction compile = nullptr;
    std::string problem;
};

std::filesystem::path compiler_path() {
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&compiler_path), &own) == 0) return {};
    return std::filesystem::path(own.dli_fname).parent_path().parent_path() / "llvm" / "loupe_llvm_compiler.so";
}

Compiler load_compiler() {
    void* library = dlopen(compiler_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : dlsym(library, "loupe_llvm_compiler");
    if (symbol == nullptr) {
        const char* problem = dlerror();
        return {nullptr, problem == nullptr ? "cannot be loaded" : problem};
    }
    try {
        return {reinterpret_cast<const llvm_fuser::CompilerEntry*>(symbol)->start(), {}};
    } catch (const Error& error) {
        return {nullptr, error.message()};
    }
}

Ptr<const runtime::FusedKernel> compile(const runtime::FusedExpression& expression, const std::vector<bool>& is_number,
                                        std::string* why) {
    static const Compiler compiler = load_compiler();
    if (compiler.compile != nullptr) return compiler.compile(expression, is_number, why);
    if (why != nullptr) *why = compiler.problem;
    return nullptr;
}

void register_all(const PluginRegistries& registries) { registries.add_fuser({"llvm", &compile}); }

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{kPluginInterface, "llvm", "Compiles fusion groups for this machine's vectors.",
                                        "LLVM " LLVM_VERSION_STRING, register_all};
    return &kTable;
}
