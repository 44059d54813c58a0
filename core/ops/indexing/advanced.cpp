// SPDX-License-Identifier: Apache-2.0
// Advanced indexing: x[i, :, mask] and x[...] = y.

#include <algorithm>
#include <cstring>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/complex_half.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/joining/index_maps.h"
#include "core/ops/nn/simd.h"
#include "core/ops/samples.h"

namespace loupe::indexing {
namespace {

// Which elements an index expression picks.
struct Selection {
    Dims sizes;
    std::vector<IndexMap> offsets;  // per dimension, with the index dimensions as one
};

void check_mask(const Tensor& mask, const Tensor& self, std::size_t at) {
    for (std::size_t d = 0; d < mask.sizes().size(); ++d) {
        if (at + d < self.sizes().size() && mask.sizes()[d] == self.sizes()[at + d]) continue;
        throw Error(ErrorKind::Run, concat("The shape of the mask ", shape_list_text(mask.sizes()), " at index ", d,
                                           " does not match the shape of the indexed tensor ",
                                           shape_list_text(self.sizes()), " at index ", at + d));
    }
}

// One int64 tensor (or none) a dimension: masks become the indices of their true elements.
TensorList expanded_indices(const Tensor& self, const TensorList& indices) {
    TensorList out;
    for (const Tensor& index : indices) {
        if (!index.defined()) {
            out.emplace_back();
        } else if (index.dtype() == ScalarType::Bool || index.dtype() == ScalarType::UInt8) {
            check_mask(index, self, out.size());
            const Tensor positions = fn::nonzero(index);
            for (std::int64_t d = 0; d < index.dim(); ++d) out.push_back(fn::select(positions, 1, d));
        } else if (index.dtype() == ScalarType::Int64) {
            out.push_back(index);
        } else if (index.dtype() == ScalarType::Int32) {
            out.push_back(fn::to_dtype(index, static_cast<std::int64_t>(ScalarType::Int64)));
        } else {
            throw Error(ErrorKind::Run, "tensors used as indices must be long, int, byte or bool tensors");
        }
    }
    if (out.size() > self.sizes().size()) {
        throw Error(ErrorKind::Run,
                    concat("too many indices for tensor of dimension ", self.dim(), " (got ", out.size(), ")"));
    }
    out.resize(self.sizes().size());
    return out;
}

Dims index_shape(const TensorList& indices) {
    Dims shape;
    try {
        for (const Tensor& index : indices) {
            if (index.defined()) shape = broadcast_shapes(span_of(shape), index.sizes());
        }
    } catch (const Error&) {
        std::vector<std::string> shapes;
        for (const Tensor& index : indices) {
            if (index.defined()) shapes.push_back(shape_list_text(index.sizes()));
        }
        fail_with_index(concat("shape mismatch: indexing tensors could not be broadcast together with shapes ",
                               join(shapes, ", ")));
    }
    return shape;
}

void add_offsets(IndexMap& offsets, const Tensor& index, const Dims& shape, std::int64_t size, std::int64_t stride,
                 std::size_t dim) {
    const std::vector<std::int64_t> values = index_values(fn::expand(index, shape, false));
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t value = values[i];
        if (value < -size || value >= size) {
            throw Error(ErrorKind::Run,
                        concat("index ", value, " is out of bounds for dimension ", dim, " with size ", size));
        }
        offsets[i] += (value < 0 ? value + size : value) * stride;
    }
}

Selection select_elements(const Tensor& self, const TensorList& given) {
    const IndexedDims dims = indexed_dims(self, given);
    Selection out;
    out.sizes = dims.sizes;
    IndexMap positions(static_cast<std::size_t>(checked_numel(span_of(dims.shape))), 0);
    const auto add_own = [&](std::size_t d) {
        IndexMap map = identity_map(self.sizes()[d]);
        for (std::int64_t& offset : map) offset *= self.strides()[d];
        out.offsets.push_back(std::move(map));
    };
    for (std::size_t d = 0; d < dims.before; ++d) add_own(d);
    for (std::size_t d = 0; d < dims.indices.size(); ++d) {
        if (dims.indices[d].defined())
            add_offsets(positions, dims.indices[d], dims.shape, self.sizes()[d], self.strides()[d], d);
    }
    out.offsets.push_back(std::move(positions));
    for (std::size_t d = dims.before; d < dims.indices.size(); ++d) {
        if (!dims.indices[d].defined()) add_own(d);
    }
    return out;
}

Tensor index(const Tensor& self, const TensorList& indices) {
    Selection selection = select_elements(self, indices);
    const Tensor out = empty(span_of(selection.sizes), self.dtype(), self.device());
    copy_by_offsets(out, self.raw_data(), std::move(selection.offsets));
    return out;
}
void index_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor& grad = context.grad_output();
        static const OperatorHandle<> put_into{"aten::index_put_"};
        return put_into(fn::new_zeros(grad, context.sizes("self")), context.arguments_of_list("indices"), grad, true);
    });
}

// Calls visit(offset in the tensor) for the rows of the selection (all dimensions but the last), in row-major order.
template <typename Visit>
void visit_rows(const std::vector<IndexMap>& offsets, std::size_t d, std::int64_t base, const Visit& visit) {
    if (d + 1 == offsets.size()) return visit(base);
    for (const std::int64_t offset : offsets[d]) visit_rows(offsets, d + 1, base + offset, visit);
}

struct Assign {
    template <typename T>
    static T apply(T, T value) {
        return value;
    }
};
struct Accumulate {
    template <typename T>
    static T apply(T before, T value) {
        if constexpr (std::is_same_v<T, bool>)
            return before || value;
        else
            return static_cast<T>(before + value);
    }
};
template <typename Change, typename T>
void change_selected(T* to, const std::vector<IndexMap>& offsets, const T* from) {
    const IndexMap& last = offsets.back();
    const auto width = static_cast<std::int64_t>(last.size());
    const bool is_run = last == identity_map(width);
    visit_rows(offsets, 0, 0, [&](std::int64_t base) {
        T* row = to + base;
        if (is_run) {
            with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
                for (std::int64_t i = 0; i < width; ++i) row[i] = Change::apply(row[i], from[i]);
            });
        } else {
            for (std::int64_t i = 0; i < width; ++i)
                row[last[static_cast<std::size_t>(i)]] = Change::apply(row[last[static_cast<std::size_t>(i)]], from[i]);
        }
        from += width;
    });
}

void put(const Tensor& self, const TensorList& indices, const Tensor& values, bool accumulate) {
    if (values.dtype() != self.dtype()) {
        throw Error(ErrorKind::Run, concat("Index put requires the source and destination dtypes match, got ",
                                           dtype_graph_name(self.dtype()), " for the destination and ",
                                           dtype_graph_name(values.dtype()), " for the source."));
    }
    const Selection selection = select_elements(self, indices);
    const Tensor source = dense(expanded_values(values, selection.sizes));
    if (source.numel() == 0) return;
    if (!accumulate) {
        return visit_element_size(self.dtype(), [&]<typename T>(std::type_identity<T>) {
            change_selected<Assign>(self.data<T>(), selection.offsets, source.data<T>());
        });
    }
    visit_dtypes<kWithFloat8>(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        change_selected<Accumulate>(self.data<T>(), selection.offsets, source.data<T>());
    });
}
TensorMeta index_put_meta(const Tensor& self, const TensorList&, const Tensor&, bool) {
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}
void index_put(const Tensor& out, const Tensor& self, const TensorList& indices, const Tensor& values,
               bool accumulate) {
    if (!out.is_same(self)) copy_into(out, self);
    put(out, indices,
        values.numel() == 1 && values.dim() == 0 && values.dtype() != self.dtype()
            ? fn::to_dtype(values, static_cast<std::int64_t>(self.dtype()))
            : values,
        accumulate);
}
void index_put_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] {
        if (context.value("accumulate").to_bool()) return grad;
        return fn::index_put(grad, context.arguments_of_list("indices"), fn::new_zeros(grad, Dims{}), false);
    });
    context.grad("values", [&] { return fn::index(grad, context.arguments_of_list("indices")); });
}
void index_put_impl(Arguments arguments, IValue* results) {
    static const OperatorHandle<> in_place{"aten::index_put_"};
    results[0] = IValue(in_place(arguments[0], arguments[1], arguments[2], arguments[3]));
}

std::vector<Sample> index_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {4, 5}, dtype), TensorList{random_indices(random, {3}, 4)}}},
            {{random_tensor(random, {4, 5}, dtype), TensorList{Tensor(), random_indices(random, {2, 2}, 5)}},
             "second dimension"}};
}
std::vector<Sample> index_put_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {4, 5}, dtype), TensorList{tensor_of<std::int64_t>({0, 3}, {2})},
              random_tensor(random, {2, 5}, dtype), false}},
            {{random_tensor(random, {4, 5}, dtype), TensorList{random_indices(random, {3}, 4)},
              random_tensor(random, {5}, dtype), true},
             "accumulate"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
     .summary = "The elements at the indices, as numpy's advanced indexing picks them.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<index>,
     .derivative = {index_backward, {save_argument("indices")}},
     .samples = index_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .placement = Placement::Mixed,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor",
     .summary = "The elements at the indices.",
     .results_from = ResultsFrom::Metadata,
     .composite = forward<"aten::index.Tensor">,
     .placement = Placement::Mixed},
    {.schema = "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
     .summary = "A copy with the values at the indices, or added there.",
     .infer = inferring<index_put_meta>,
     .kernel = filling<index_put>,
     .derivative = {index_put_backward, {save_argument("indices")}},
     .gradient = "self: grad, 0 at the indices unless values are added\nvalues: grad at the indices",
     .samples = index_put_samples,
     .variants = kInPlace | kOut,
     .placement = Placement::Mixed,
     .autocast = {.cuda = Autocast::Widest},
     .dtypes = {kWithFloat8, "index_put"}},
    {.schema =
         "aten::index_put.hacked_twin(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor",
     .summary = "A copy with the values at the indices, or added there.",
     .composite = forward<"aten::index_put">,
     .autocast = {.cuda = Autocast::Widest}},
    {.schema = "aten::index_put_.hacked_twin(Tensor(a!) self, Tensor[] indices, Tensor values, bool accumulate=False) "
               "-> Tensor(a!)",
     .summary = "Writes the values at the indices, or adds them there.",
     .composite = forward<"aten::index_put_">,
     .gradient = "self: grad, 0 at the indices unless values are added\nvalues: grad at the indices",
     .placement = Placement::Mixed},
    {.schema = "aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, "
               "bool unsafe=False) -> Tensor(a!)",
     .summary = "Writes the values at the indices, or adds them there.",
     .composite = index_put_impl,
     .placement = Placement::Mixed},
};

}  // namespace

IndexedDims indexed_dims(const Tensor& self, const TensorList& given) {
    IndexedDims out;
    out.indices = expanded_indices(self, given);
    out.shape = index_shape(out.indices);
    std::size_t first = 0, last = 0, count = 0;
    for (std::size_t d = 0; d < out.indices.size(); ++d) {
        if (!out.indices[d].defined()) continue;
        if (count++ == 0) first = d;
        last = d;
    }
    if (count == 0) throw Error(ErrorKind::Run, "index: at least one index must be a tensor");
    out.before = last - first + 1 == count ? first : 0;
    const IntSpan own = self.sizes();
    out.sizes.assign(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(out.before));
    out.sizes.insert(out.sizes.end(), out.shape.begin(), out.shape.end());
    for (std::size_t d = out.before; d < out.indices.size(); ++d) {
        if (!out.indices[d].defined()) out.sizes.push_back(own[d]);
    }
    return out;
}

Tensor expanded_values(const Tensor& values, const Dims& sizes) {
    try {
        return fn::expand(values, sizes, false);
    } catch (const Error&) {
        throw Error(ErrorKind::Run,
                    concat("shape mismatch: value tensor of shape ", shape_list_text(values.sizes()),
                           " cannot be broadcast to indexing result of shape ", shape_list_text(span_of(sizes))));
    }
}

std::span<const OperatorRecord> advanced_records() { return kRecords; }

}  // namespace loupe::indexing
