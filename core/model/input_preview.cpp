// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_preview.h"

#include "core/base/error.h"
#include "core/model/inputs.h"
#include "core/tensor/element_walk.h"
#include "core/value/type.h"

namespace loupe::session {

InputPreview preview_input(const InputSpec& spec, std::int64_t max_elements) {
    InputPreview out;
    if (spec.literal || !spec.elements.empty()) {
        out.error = "not a tensor";
        return out;
    }
    try {
        std::int64_t numel = 1;
        for (const std::int64_t size : spec.shape) numel *= size;
        // Drawing a great many random numbers to show none of them would take its time.
        if (spec.source != InputSpec::Source::File && numel > max_elements) {
            out.dtype = spec.dtype;
            out.shape = spec.shape;
            return out;
        }
        Argument argument;
        argument.type = types::tensor();
        const Tensor t = make_input(spec, argument).to_tensor();
        out.dtype = std::string(dtype_name(t.dtype()));
        out.shape.assign(t.sizes().begin(), t.sizes().end());
        if (t.numel() > max_elements) return out;
        out.elements.reserve(static_cast<std::size_t>(t.numel()));
        visit_any_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
            walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) {
                    if constexpr (is_complex(scalar_type_of<T>))
                        out.elements.push_back(std::abs(std::complex<double>(elements[i])));
                    else
                        out.elements.push_back(static_cast<double>(elements[i]));
                }
            });
        });
    } catch (const Error& error) {
        out.error = error.what();
    }
    return out;
}

}  // namespace loupe::session
