// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/value/ivalue.h"

namespace loupe::session {

// Defined tensors of a call in schema order, list elements in place.
inline TensorList tensors_in(std::span<const IValue> values) {
    TensorList all;
    for (const IValue& value : values) {
        visit_tensors(value, [&](const Tensor& t) {
            if (t.defined()) all.push_back(t);
        });
    }
    return all;
}

}  // namespace loupe::session
