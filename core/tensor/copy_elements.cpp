// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/copy_elements.h"

#include <algorithm>

#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/element_walk.h"
#include "core/tensor/sparse.h"

namespace loupe {

Tensor look_at_elements(const Tensor& t) {
    const UnobservedAllocationScope unobserved;
    return on_host(elements_or_itself(t));
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
