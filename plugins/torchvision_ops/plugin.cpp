// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin.h"
#include "plugins/torchvision_ops/ops/family.h"

namespace {

using namespace loupe;
using namespace loupe::torchvision_ops;

void register_all(const PluginRegistries& registries) {
    static const auto records = joined_records({LOUPE_TORCHVISION_RECORDS(LOUPE_TAKE_RECORDS)});
    registries.add_family({"torchvision", records});
}

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{
        kPluginInterface, "torchvision_ops",
        "The operators of torchvision: suppression of boxes, pooling of regions, deformable convolution.", "",
        register_all};
    return &kTable;
}
