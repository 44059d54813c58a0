// SPDX-License-Identifier: Apache-2.0
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/onednn/adapter.h"
#include "plugins/onednn/ops/kernels.h"

namespace {

using namespace loupe;

// oneDNN allocates its workspace at each product and frees it: returned to the system, that memory would page-fault
// each time.
void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

void register_all(const PluginRegistries& registries) {
    const dnnl_version_t& version = *dnnl_version();
    if (version.major != DNNL_VERSION_MAJOR) {
        throw Error(ErrorKind::Plugin,
                    concat("needs oneDNN ", DNNL_VERSION_MAJOR, ", found ", version.major, ".", version.minor));
    }
    keep_freed_memory();
    onednn::register_avg_pool(registries);
    onednn::register_batch_norm(registries);
    onednn::register_convolution(registries);
    onednn::register_layer(registries);
    onednn::register_layer_norm(registries);
    onednn::register_max_pool(registries);
    onednn::register_products(registries);
}

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{
        kPluginInterface, "onednn",
        "CPU kernels from oneDNN: convolution, products, pooling, normalisation, LSTM and GRU.", "oneDNN 2.6",
        register_all};
    return &kTable;
}
