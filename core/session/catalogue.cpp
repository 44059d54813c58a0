// SPDX-License-Identifier: Apache-2.0
#include "core/session/catalogue.h"

#include <set>

#include "core/dispatch/plugin_list.h"
#include "core/formats/format_registry.h"
#include "core/passes/pass_list.h"
#include "core/passes/pipeline.h"

namespace loupe::session {

// Plugins give to all these lists.

std::vector<PassInfo> list_passes() {
    plugins();
    std::vector<PassInfo> all;
    for (const passes::Pass* pass : passes::all_passes())
        all.push_back({std::string(pass->name), std::string(pass->summary)});
    return all;
}

std::vector<std::string> list_pipelines() {
    std::vector<std::string> names{"none"};
    for (const passes::Pipeline& pipeline : passes::named_pipelines()) names.push_back(pipeline.name);
    return names;
}

std::vector<std::string> list_extensions() {
    plugins();
    std::set<std::string> all{".loupe"};
    for (const FormatReader& reader : FormatRegistry::instance().readers())
        all.insert(reader.extensions.begin(), reader.extensions.end());
    return {all.begin(), all.end()};
}

std::vector<PluginInfo> list_plugins() {
    std::vector<PluginInfo> all;
    for (const PluginStatus& status : plugins()) {
        all.push_back({status.name, status.file.string(), status.description, status.needs, status.loaded,
                       status.is_off, status.reason});
    }
    return all;
}

}  // namespace loupe::session
