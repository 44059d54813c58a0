// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/copy_elements.h"

#include <algorithm>

#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"

namespace loupe {

Tensor copy_elements(const Tensor& on_any_device) {
    const Tensor t = on_host(on_any_device);
    Tensor copy = [&] {
        const UnobservedAllocationScope unobserved;
        return empty(t.sizes(), t.dtype());
    }();
    visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = copy.data<T>();
        walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
            std::copy(elements, elements + n, to);
            to += n;
        });
    });
    return copy;
}

}  // namespace loupe
