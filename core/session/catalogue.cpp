// SPDX-License-Identifier: Apache-2.0
// What the program knows, without a model.

#include "core/ops/plugin_loader.h"
#include "core/ops/registry.h"
#include "core/session/session.h"

namespace loupe::session {

std::vector<PluginInfo> list_plugins() {
    std::vector<PluginInfo> all;
    for (const PluginStatus& status : plugins()) {
        all.push_back({status.name, status.file.string(), status.description, status.loaded, status.reason});
    }
    return all;
}

std::vector<OperatorInfo> list_operators() {
    plugins();
    std::vector<OperatorInfo> all;
    for (const Operator* op : all_operators()) {
        OperatorInfo info;
        info.schema = op->schema.str();
        info.summary = std::string(op->record->summary);
        info.formula = std::string(op->record->formula);
        info.family = std::string(op->family);
        if (op->record->derivative) info.derivative = op->node_name;
        for (const auto& candidates : op->kernels->candidates) {
            for (const KernelCandidate& candidate : candidates) info.kernels.push_back(candidate.backend);
        }
        if (op->is_composite()) info.kernels.push_back("made of other operators");
        all.push_back(std::move(info));
    }
    return all;
}

}  // namespace loupe::session
