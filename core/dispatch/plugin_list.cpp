// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/plugin_list.h"

namespace loupe {
namespace {

constinit PluginLoader plugin_loader = nullptr;

}  // namespace

void set_plugin_loader(PluginLoader loader) { plugin_loader = loader; }

const std::vector<PluginStatus>& plugins() {
    static const std::vector<PluginStatus> all =
        plugin_loader != nullptr ? plugin_loader() : std::vector<PluginStatus>();
    return all;
}

}  // namespace loupe
