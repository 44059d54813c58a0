// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of child modules, those that hold none too.

#include "core/nn/module.h"

namespace loupe::nn {

// Module::children() with the names that are registered without a module (null), which containers count and
// iterate over as None.
inline Named<ModulePtr> module_slots(const Module& module) {
    Named<ModulePtr> out;
    for (const auto& attribute : module.type()->attributes()) {
        if (attribute.kind == AttributeKind::Module)
            out.emplace_back(attribute.name, as_module(module.attribute(attribute.name)));
    }
    return out;
}

}  // namespace loupe::nn
