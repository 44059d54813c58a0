// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape: view, reshape, flatten.

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/geometry.h"

namespace loupe {

Dims resolve_sizes(IntSpan sizes, std::int64_t numel) {
    Dims out = to_dims(sizes);
    std::int64_t known = 1;
    std::optional<std::size_t> unknown;
    for (std::size_t d = 0; d < out.size(); ++d) {
        if (out[d] == -1) {
            if (unknown) throw Error(ErrorKind::Run, "only one dimension can be inferred");
            unknown = d;
        } else if (out[d] < 0) {
            throw Error(ErrorKind::Run,
                        concat("invalid shape dimension ", out[d],
                               is_older_torch() ? "" : concat(" at index ", d, " of shape ", shape_list_text(sizes))));
        } else if (__builtin_mul_overflow(known, out[d], &known)) {
            throw Error(ErrorKind::Run, concat("shape '", shape_list_text(sizes), "' is too large"));
        }
    }
    if (unknown && known == 0 && numel == 0) {
        throw Error(ErrorKind::Run,
                    concat("cannot reshape tensor of 0 elements into shape ", shape_list_text(sizes),
                           " because the unspecified dimension size -1 can be any value and is ambiguous"));
    }
    const bool fits = unknown ? known > 0 && numel % known == 0 : known == numel;
    if (!fits) {
        throw Error(ErrorKind::Run,
                    concat("shape '", shape_list_text(sizes), "' is invalid for input of size ", numel));
    }
    if (unknown) out[*unknown] = numel / known;
    return out;
}

std::optional<Dims> strides_for_view(IntSpan sizes, IntSpan strides, IntSpan new_sizes) {
    if (sizes.empty()) return Dims(new_sizes.size(), 1);
    const std::int64_t numel = checked_numel(sizes);
    if (numel == 0 && std::ranges::equal(sizes, new_sizes)) return to_dims(strides);
    if (numel == 0) return contiguous_strides(new_sizes);
    Dims out(new_sizes.size());
    auto next = static_cast<std::ptrdiff_t>(new_sizes.size()) - 1;
    std::int64_t base = strides.back();  // stride of the last element of a run of dimensions without gaps
    std::int64_t run = 1;
    std::int64_t placed = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        run *= sizes[d];
        const bool ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != run * base);
        if (!ends) continue;
        while (next >= 0 && (placed < run || new_sizes[static_cast<std::size_t>(next)] == 1)) {
            out[static_cast<std::size_t>(next)] = placed * base;
            placed *= new_sizes[static_cast<std::size_t>(next)];
            --next;
        }
        if (placed != run) return std::nullopt;
        if (d > 0) {
            base = strides[d - 1];
            run = 1;
            placed = 1;
        }
    }
    if (next != -1) return std::nullopt;
    return out;
}

namespace views {
namespace {

ViewGeometry view(const Tensor& self, const Dims& size) {
    Dims sizes = resolve_sizes(span_of(size), self.numel());
    auto strides = strides_for_view(self.sizes(), self.strides(), span_of(sizes));
    if (!strides) {
        throw Error(ErrorKind::Run,
                    "view size is not compatible with input tensor's size and stride (at least one dimension "
                    "spans across two contiguous subspaces). Use .reshape(...) instead.");
    }
    return {std::move(sizes), *std::move(strides), self.storage_offset()};
}
ViewGeometry reshape_alias(const Tensor& self, const Dims& size, const Dims& stride) {
    return {size, stride, self.storage_offset()};
}
void view_backward(GradientContext& context) {
    context.grad("self", [&] { return fn::reshape(context.grad_output(), context.sizes("self")); });
}

Tensor reshape(const Tensor& self, const Dims& shape) {
    const Dims sizes = resolve_sizes(span_of(shape), self.numel());
    if (const auto strides = strides_for_view(self.sizes(), self.strides(), span_of(sizes))) {
        return fn::reshape_alias(self, sizes, *strides);
    }
    return fn::unsafe_view(fn::clone(self, std::int64_t{0}), sizes);
}
Tensor reshape_as(const Tensor& self, const Tensor& other) { return fn::reshape(self, other.sizes()); }
Tensor view_as(const Tensor& self, const Tensor& other) { return fn::view(self, other.sizes()); }
Tensor ravel(const Tensor& self) { return fn::reshape(self, Dims{-1}); }

Tensor flatten(const Tensor& self, std::int64_t start, std::int64_t end) {
    const std::int64_t first = wrap_dim(start, self.dim());
    const std::int64_t last = wrap_dim(end, self.dim());
    if (first > last) throw Error(ErrorKind::Run, "flatten() has invalid args: start_dim cannot come after end_dim");
    if (self.dim() == 0) return fn::reshape(self, Dims{1});
    if (first == last) return self;
    Dims sizes;
    std::int64_t merged = 1;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
        const std::int64_t size = self.sizes()[static_cast<std::size_t>(d)];
        if (d < first || d > last) {
            sizes.push_back(size);
        } else {
            merged *= size;
            if (d == last) sizes.push_back(merged);
        }
    }
    return fn::reshape(self, sizes);
}

Tensor unflatten(const Tensor& self, std::int64_t dim, const Dims& sizes) {
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    if (sizes.empty()) throw Error(ErrorKind::Run, "unflatten: sizes must be non-empty");
    const std::int64_t size = self.size(wrapped);
    Dims inner;
    try {
        inner = resolve_sizes(span_of(sizes), size);
    } catch (const Error&) {
        throw Error(ErrorKind::Run,
                    concat("unflatten: Provided sizes ", shape_list_text(span_of(sizes)),
                           " don't multiply up to the size of dim ", wrapped, " (", size, ") in the input tensor"));
    }
    Dims all = to_dims(self.sizes());
    all.erase(all.begin() + wrapped);
    all.insert(all.begin() + wrapped, inner.begin(), inner.end());
    return fn::view(self, all);
}

// The same bytes as elements of another type.
void check_reinterpretable(const Tensor& self, ScalarType dtype) {
    const std::int64_t from = self.element_size();
    const std::int64_t to = element_size(dtype);
    if (from == to) return;
    if (self.dim() == 0) {
        throw Error(ErrorKind::Run, concat("self.dim() cannot be 0 to view ", dtype_graph_name(self.dtype()), " as ",
                                           dtype_graph_name(dtype), " (different element sizes)"));
    }
    if (self.strides().back() != 1) {
        throw Error(ErrorKind::Run,
                    concat("self.stride(-1) must be 1 to view ", dtype_graph_name(self.dtype()), " as ",
                           dtype_graph_name(dtype), " (different element sizes), but got ", self.strides().back()));
    }
    if (from < to && self.sizes().back() % (to / from) != 0) {
        throw Error(ErrorKind::Run, concat("self.size(-1) must be divisible by ", to / from, " to view ",
                                           dtype_graph_name(self.dtype()), " as ", dtype_graph_name(dtype),
                                           " (different element sizes), but got ", self.sizes().back()));
    }
}
Tensor reinterpret(const Tensor& self, ScalarType dtype) {
    check_reinterpretable(self, dtype);
    const std::int64_t from = self.element_size();
    const std::int64_t to = element_size(dtype);
    const auto scaled = [&](std::int64_t elements) {
        if (elements * from % to != 0) {
            throw Error(ErrorKind::Run, "strides and offset must be whole elements of the new dtype");
        }
        return elements * from / to;
    };
    Dims sizes = to_dims(self.sizes());
    Dims strides = to_dims(self.strides());
    if (from != to) {
        for (std::size_t d = 0; d + 1 < strides.size(); ++d) strides[d] = scaled(strides[d]);
        sizes.back() = sizes.back() * from / to;
    }
    const Tensor out = self.shallow_copy();
    out.impl()->dtype = dtype;
    out.impl()->offset = scaled(self.storage_offset());
    out.impl()->set_sizes_strides(span_of(sizes), span_of(strides));
    return out;
}

std::vector<Sample> view_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), Dims{6, 4}}},
            {{random_tensor(random, {2, 3, 4}, dtype), Dims{2, -1, 2}}, "-1"},
            {{random_tensor(random, {1}, dtype), Dims{}}, "to a scalar"}};
}
std::vector<Sample> flatten_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 4}, dtype), 1, -1}},
            {{random_tensor(random, {}, dtype), 0, -1}, "of a scalar"}};
}

constexpr std::string_view kReshaped = "self: grad in self's shape";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
     .summary = "The same elements in another shape, without a copy; -1 stands for what is left.",
     .infer = inferring_view<view>,
     .kernel = viewing<view>,
     .derivative = {view_backward},
     .gradient = kReshaped,
     .samples = view_samples},
    {.schema = "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
     .summary = "A view of a tensor that has no other reader.",
     .results_from = ResultsFrom::Metadata,
     .infer = inferring_view<view>,
     .kernel = viewing<view>,
     .derivative = {view_backward},
     .gradient = kReshaped,
     .samples = view_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
     .summary = "A view of which the strides are known.",
     .infer = inferring_view<reshape_alias>,
     .kernel = viewing<reshape_alias>,
     .derivative = {view_backward},
     .gradient = kReshaped},
    {.schema = "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
     .summary = "The same elements in another shape: a view when there is one, else a copy.",
     .composite = boxed<reshape>,
     .gradient = kReshaped,
     .samples = view_samples},
    {.schema = "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
     .summary = "In the shape of the other tensor.",
     .composite = boxed<reshape_as>},
    {.schema = "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
     .summary = "In the shape of the other tensor, without a copy.",
     .composite = boxed<view_as>},
    {.schema = "aten::ravel(Tensor(a) self) -> Tensor(a)", .summary = "In one dimension.", .composite = boxed<ravel>},
    {.schema = "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
     .summary = "Makes the dimensions start_dim to end_dim one.",
     .composite = boxed<flatten>,
     .gradient = kReshaped,
     .samples = flatten_samples},
    {.schema = "aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)",
     .summary = "Makes one dimension several.",
     .composite = boxed<unflatten>,
     .gradient = kReshaped},
    {.schema = "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
     .summary = "The same bytes as elements of another type.",
     .kernel = boxed<reinterpret>,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> reshape_records() { return kRecords; }

}  // namespace views
}  // namespace loupe
