// SPDX-License-Identifier: Apache-2.0
// What the program knows, without a model.

#include "core/plugin/plugin_loader.h"
#include "core/session/session.h"

namespace loupe::session {

std::vector<PluginInfo> list_plugins() {
    std::vector<PluginInfo> all;
    for (const PluginStatus& status : plugins()) {
        all.push_back({status.name, status.file.string(), status.description, status.loaded, status.reason});
    }
    return all;
}

}  // namespace loupe::session
