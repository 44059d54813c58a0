// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finding hooks by what they are.

#include "core/autograd/node.h"

namespace loupe::nn {

// The first hook of type Hook for which is_it holds; null when there is none. Valid until the list changes.
template <typename Hook, typename List, typename IsIt>
const Hook* find_hook(const List& hooks, IsIt&& is_it) {
    for (const auto& entry : hooks.snapshot()) {
        if (const Hook* hook = entry.hook.template target<Hook>(); hook != nullptr && is_it(*hook)) return hook;
    }
    return nullptr;
}

template <typename Hook, typename List, typename IsIt>
void remove_hook(List& hooks, IsIt&& is_it) {
    hooks.remove_if([&](const typename List::Hook& each) {
        const Hook* hook = each.template target<Hook>();
        return hook != nullptr && is_it(*hook);
    });
}

}  // namespace loupe::nn
