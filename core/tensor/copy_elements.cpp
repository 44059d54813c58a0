// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/copy_elements.h"

#include <algorithm>

#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/packed.h"
#include "core/tensor/element_walk.h"
#include "core/tensor/jagged.h"

namespace loupe {

Tensor look_at_elements(const Tensor& t) {
    const UnobservedAllocationScope unobserved;
    if (t.defined() && is_packed(t)) return unpacked(t);
    return on_host(jagged_values_or_itself(t));
}

Tensor copy_elements(const Tensor& on_any_device) {
    const auto [t, copy] = [&] {
        const UnobservedAllocationScope unobserved;
        const Tensor here = look_at_elements(on_any_device);
        return std::pair(here, empty(here.sizes(), here.dtype()));
    }();
    visit_element_size(t.dtype(), [&t = t, &copy = copy]<typename T>(std::type_identity<T>) {
        T* to = copy.data<T>();
        walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
            std::copy(elements, elements + n, to);
            to += n;
        });
    });
    return copy;
}

}  // namespace loupe
