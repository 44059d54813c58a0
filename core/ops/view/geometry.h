// SPDX-License-Identifier: Apache-2.0
#pragma once
// A view operator is a function from metadata to metadata; these turn it into a kernel, an `infer` and an in-place
// form.

#include <optional>
#include <tuple>

#include "core/dispatch/boxing.h"

namespace loupe {

// Where the elements of a view lie in its base's storage.
struct ViewGeometry {
    Dims sizes;
    Dims strides;
    std::int64_t offset = 0;
};

// The geometry of the tensor itself, to start from.
inline ViewGeometry geometry_of(const Tensor& t) {
    return {to_dims(t.sizes()), to_dims(t.strides()), t.storage_offset()};
}

// Strides with which a tensor of these sizes and strides can be seen in the new sizes without a copy, if there are any.
std::optional<Dims> strides_for_view(IntSpan sizes, IntSpan strides, IntSpan new_sizes);
// The sizes with -1 worked out; throws Error (Run) "shape '[3]' is invalid for input of size 4".
Dims resolve_sizes(IntSpan sizes, std::int64_t numel);

namespace detail {

template <auto F, std::size_t... I>
ViewGeometry call_geometry(Arguments arguments, std::index_sequence<I...>) {
    using S = Signature<decltype(+F)>;
    return F(Unbox<typename S::template Parameter<I>>::from(arguments[I])...);
}
template <auto F>
ViewGeometry call_geometry(Arguments arguments) {
    return call_geometry<F>(arguments, std::make_index_sequence<Signature<decltype(+F)>::kCount>());
}
inline Tensor apply_geometry(const Tensor& self, const ViewGeometry& g) {
    return self.view_as_strided(span_of(g.sizes), span_of(g.strides), g.offset);
}

}  // namespace detail

// F: ViewGeometry f(const Tensor& self, other arguments...).
template <auto F>
void viewing(Arguments arguments, IValue* results) {
    results[0] = IValue(detail::apply_geometry(arguments[0].to_tensor(), detail::call_geometry<F>(arguments)));
}
template <auto F>
void inferring_view(Arguments arguments, MetaList& outputs) {
    ViewGeometry g = detail::call_geometry<F>(arguments);
    const Tensor self = arguments[0].to_tensor();
    outputs.push_back({std::move(g.sizes), self.dtype(), self.device(), std::move(g.strides)});
}
// Makes the tensor itself the view.
template <auto F>
void viewing_in_place(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    self.set_metadata_from(detail::apply_geometry(self, detail::call_geometry<F>(arguments)));
    results[0] = arguments[0];
}

}  // namespace loupe
