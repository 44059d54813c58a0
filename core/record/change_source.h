// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a change finds what another run had: the formula "reference ID VALUE".

#include <cstdint>
#include <functional>

#include "core/base/scoped_value.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// Of a run that is pinned, by its id; throws Error (Usage) where there is none. Undefined: its elements were not kept.
using ReferenceElements = std::function<Tensor(int id, std::uint32_t value)>;

// What changes in this thread ask.
class ReferenceElementsScope final : ScopedValue<const ReferenceElements*> {
  public:
    explicit ReferenceElementsScope(const ReferenceElements& elements);
};
// Null: nothing is pinned here.
const ReferenceElements* reference_elements();

}  // namespace loupe::session
