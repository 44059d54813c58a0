// SPDX-License-Identifier: Apache-2.0
#include <llvm/Config/llvm-config.h>

#include "core/ops/plugin.h"
#include "plugins/llvm/jit.h"

namespace {

using namespace loupe;

void register_all(const PluginRegistries&) {
    llvm_fuser::start();
    runtime::add_fuser({"llvm", &llvm_fuser::compile});
}

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{kPluginInterface, "llvm", "Compiles fusion groups for this machine's vectors.", "LLVM " LLVM_VERSION_STRING,
                                        register_all};
    return &kTable;
}
