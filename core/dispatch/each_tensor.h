// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/dispatch/registry.h"

namespace loupe {

// visit(tensor) for each tensor argument, list elements included.
template <typename Visit>
void each_tensor(const Operator& op, std::span<const IValue> arguments, Visit&& visit) {
    for (std::uint64_t bits = op.tensor_arguments | op.list_arguments; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(bits));
        if (i >= arguments.size()) break;
        if (arguments[i].is_tensor()) {
            visit(arguments[i].to_tensor());
        } else if (arguments[i].is_list()) {
            for (const IValue& element : arguments[i].to_list().elements) {
                if (element.is_tensor()) visit(element.to_tensor());
            }
        }
    }
}

}  // namespace loupe
