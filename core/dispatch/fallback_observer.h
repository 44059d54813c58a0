// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observer of operators that run on the CPU for want of a kernel on their tensors' device.

#include <cstddef>

#include "core/tensor/device.h"

namespace loupe {

// What the copies there and back took.
struct FallbackCost {
    Device device;
    std::size_t bytes = 0;
    double seconds = 0;
};

class FallbackObserver {
  public:
    virtual ~FallbackObserver() = default;
    // An operator of the calling thread has run so.
    virtual void on_fallback(const FallbackCost& cost) = 0;
};

FallbackObserver* fallback_observer();
// Null removes it.
void set_fallback_observer(FallbackObserver* observer);

}  // namespace loupe
