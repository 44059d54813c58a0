// SPDX-License-Identifier: Apache-2.0
// Whole slices by index along one dimension: index_select, index_add, index_copy, index_fill.

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/complex_half.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/joining/index_maps.h"
#include "core/ops/nn/simd.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/scalar_range.h"

namespace loupe::indexing {
namespace {

void check_index(const Tensor& index, const char* name) {
    if (index.dim() > 1) {
        const bool says_more = !is_older_torch() && std::string_view(name) != "index_select";
        fail_with_index(
            concat(name, "(): Index is supposed to be a vector",
                   says_more ? concat(", but got dim: ", index.dim(), " with type: ", dtype_graph_name(index.dtype()),
                                      " and size: ", shape_list_text(index.sizes()))
                             : ""));
    }
    if (index.dtype() != ScalarType::Int64 && index.dtype() != ScalarType::Int32) {
        throw Error(ErrorKind::Run, concat(name, "(): Expected dtype int32 or int64 for index"));
    }
}
// Negative indices are not taken here, as in PyTorch. name: the operator that PyTorch 2 names the dimension for; null
// for those that it does not.
std::vector<std::int64_t> checked_values(const Tensor& index, std::int64_t size, const char* name = nullptr,
                                         std::int64_t dim = 0) {
    std::vector<std::int64_t> values = index_values(index);
    for (const std::int64_t value : values) {
        if (value >= 0 && value < size) continue;
        if (name == nullptr || is_older_torch()) throw Error(ErrorKind::Run, "index out of range in self");
        const std::string text = concat("index ", value, " is out of bounds for dimension ", dim, " with size ", size);
        if (std::string_view(name) == "index_copy_") fail_with_index(concat(name, "(): ", text));
        throw TypedError("RuntimeError", text);
    }
    return values;
}
std::int64_t size_along(const Tensor& self, std::int64_t dim) {
    return self.dim() == 0 ? 1 : self.sizes()[static_cast<std::size_t>(dim)];
}

TensorMeta index_select_meta(const Tensor& self, std::int64_t dim, const Tensor& index) {
    check_index(index, "index_select");
    TensorMeta meta{to_dims(self.sizes()), self.dtype(), self.device()};
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    if (self.dim() == 0) {
        if (index.numel() != 1) {
            throw Error(ErrorKind::Run, "index_select(): Index to scalar can have only 1 value, got " +
                                            std::to_string(index.numel()) + " value(s)");
        }
        return meta;
    }
    meta.sizes[static_cast<std::size_t>(wrapped)] = index.numel();
    return meta;
}
void index_select(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index) {
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    IndexMap picked = checked_values(index, size_along(self, wrapped));
    std::vector<IndexMap> maps;
    for (std::int64_t d = 0; d < self.dim(); ++d) maps.push_back(d == wrapped ? picked : identity_map(self.size(d)));
    copy_mapped(out, self, maps);
}
void index_select_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor& grad = context.grad_output();
        static const OperatorHandle<> add_into{"aten::index_add_"};
        return add_into(fn::new_zeros(grad, context.sizes("self")), context.value("dim"), context.argument("index"),
                        grad, Scalar(1));
    });
}

// Do about as many of the indices, which are below `size`, fall into each of `parts` equal ranges?
bool spread_evenly(const std::vector<std::int64_t>& index, std::int64_t size, std::int64_t parts) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(parts));
    for (const std::int64_t i : index) ++counts[static_cast<std::size_t>(i * parts / size)];
    return *std::max_element(counts.begin(), counts.end()) * parts * 2 <= static_cast<std::int64_t>(index.size()) * 3;
}

// Calls row(to, from, n) for runs of elements: those at the indices of `out` beside those of `source`.
template <typename T, typename Row>
void for_slices(const Tensor& out, std::int64_t dim, const std::vector<std::int64_t>& index, const Tensor& source,
                Row row) {
    const Lines to = lines_of(out.sizes(), dim);
    const auto count = static_cast<std::int64_t>(index.size());
    if (count == 0) return;
    struct Part {
        std::int64_t begin, end;
    };
    const auto work = [&](Part outer, Part targets, Part inner) {
        for (std::int64_t o = outer.begin; o < outer.end; ++o) {
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t at = index[static_cast<std::size_t>(i)];
                if (at < targets.begin || at >= targets.end) continue;
                T* target = out.data<T>() + (o * to.size + at) * to.inner;
                const T* from = source.data<T>() + (o * count + i) * to.inner;
                row(target + inner.begin, from + inner.begin, inner.end - inner.begin);
            }
        }
    };
    constexpr std::int64_t kGrain = 32768;
    const Part all_outer{0, to.outer}, all_targets{0, to.size}, all_inner{0, to.inner};
    const std::int64_t threads = thread_count();
    // Slices may hit the same place, so threads share something else: the other dimensions, or the places, which stay
    // in the cache of the thread that writes them.
    if (to.outer > 1) {
        parallel_for(0, to.outer, std::max<std::int64_t>(kGrain / std::max<std::int64_t>(count * to.inner, 1), 1),
                     [&](std::int64_t b, std::int64_t e) {
                         work({b, e}, all_targets, all_inner);
                     });
    } else if (threads > 1 && count * to.inner > kGrain && to.inner >= 8 && spread_evenly(index, to.size, threads)) {
        parallel_for(0, threads, 1, [&](std::int64_t b, std::int64_t e) {
            work(all_outer, {(to.size * b + threads - 1) / threads, (to.size * e + threads - 1) / threads}, all_inner);
        });
    } else {
        parallel_for(0, to.inner, std::max<std::int64_t>(kGrain / std::max<std::int64_t>(count, 1), 64),
                     [&](std::int64_t b, std::int64_t e) {
                         work(all_outer, all_targets, {b, e});
                     });
    }
}

template <typename T>
void add_scaled(T* to, const T* add, T scale, std::int64_t n) {
    with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
        for (std::int64_t k = 0; k < n; ++k) {
            if constexpr (std::is_same_v<T, bool>)
                to[k] = to[k] || (add[k] && scale);
            else if constexpr (std::is_floating_point_v<T>)
                to[k] += add[k] * scale;
            else
                to[k] = plus(to[k], multiply(add[k], scale));
        }
    });
}

// Runs change(contiguous out) and writes the result back when out is not contiguous itself.
template <typename Change>
void on_dense(const Tensor& out, const Tensor& self, Change change) {
    if (!out.is_same(self)) copy_into(out, self);
    const Tensor work = dense(out);
    change(work);
    if (!work.is_same(out)) copy_into(out, work);
}

void check_source(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source, const char* name) {
    check_index(index, name);
    if (self.dtype() != source.dtype()) {
        throw Error(ErrorKind::Run,
                    concat(name, "(): self and source expected to have the same dtype, but got (self) ",
                           dtype_graph_name(self.dtype()), " and (source) ", dtype_graph_name(source.dtype())));
    }
    const std::int64_t along = source.dim() == 0 ? 1 : source.size(std::min(dim, source.dim() - 1));
    if (index.numel() != along) {
        throw Error(ErrorKind::Run, concat(name, "(): Number of indices (", index.numel(),
                                           ") should be equal to source.size(dim): (", along, "), for dim: ", dim));
    }
    const std::int64_t along_self = self.dim() == 0 ? 1 : self.size(dim);
    const bool fits = self.dim() == source.dim() || along == 0 || along_self == 0 ||
                      self.numel() / along_self == source.numel() / along;
    if (!fits) {
        throw Error(ErrorKind::Run, concat(name, "(): Source/destination tensor must have same slice shapes, but got ",
                                           shape_list_text(self.sizes()), " and ", shape_list_text(source.sizes())));
    }
    for (std::int64_t d = 0; d < std::min(self.dim(), source.dim()); ++d) {
        if (d == dim || self.dim() != source.dim() || self.size(d) == source.size(d)) continue;
        throw Error(ErrorKind::Run,
                    concat(name, "(): Source/destination tensor must have same slice shapes. Destination slice shape: ",
                           shape_list_text(self.sizes()), " at dimension ", dim,
                           " and source slice shape: ", shape_list_text(source.sizes()), " at dimension ", dim, "."));
    }
}
TensorMeta like(const Tensor& self) { return {to_dims(self.sizes()), self.dtype(), self.device()}; }

TensorMeta index_add_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                          const Scalar&) {
    check_source(self, wrap_dim(dim, self.dim()), index, source, "index_add_");
    return like(self);
}
void index_add(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
               const Scalar& alpha) {
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const auto values = checked_values(index, size_along(self, wrapped), "index_add_", wrapped);
    on_dense(out, self, [&](const Tensor& work) {
        const Tensor from = dense(source);
        visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
            const T scale = alpha.to<T>();
            for_slices<T>(work, wrapped, values, from,
                          [scale](T* to, const T* add, std::int64_t n) { add_scaled(to, add, scale, n); });
        });
    });
}
void index_add_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] { return grad; });
    context.grad("source", [&] {
        const Tensor picked = fn::index_select(grad, context.value("dim"), context.argument("index"));
        return fn::mul_scalar(fn::reshape(picked, context.sizes("source")), context.value("alpha"));
    });
}

TensorMeta index_copy_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
    check_source(self, wrap_dim(dim, self.dim()), index, source, "index_copy_");
    return like(self);
}
void index_copy(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const auto values = checked_values(index, size_along(self, wrapped), "index_copy_", wrapped);
    on_dense(out, self, [&](const Tensor& work) {
        const Tensor from = dense(source);
        visit_element_size(out.dtype(), [&]<typename T>(std::type_identity<T>) {
            for_slices<T>(work, wrapped, values, from,
                          [](T* to, const T* add, std::int64_t n) { std::copy_n(add, n, to); });
        });
    });
}
void index_copy_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self",
                 [&] { return fn::index_fill(grad, context.value("dim"), context.argument("index"), Scalar(0)); });
    context.grad("source", [&] {
        return fn::reshape(fn::index_select(grad, context.value("dim"), context.argument("index")),
                           context.sizes("source"));
    });
}

void fill_slices(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const std::int64_t size = size_along(self, wrapped);
    require_fits(value, out.dtype());
    if (!out.is_same(self)) copy_into(out, self);
    for (std::int64_t i : index_values(index)) {
        if (i < -size || i >= size)
            throw Error(ErrorKind::Run,
                        concat("index ", i, " is out of bounds for dimension ", wrapped, " with size ", size));
        if (i < 0) i += size;
        if (out.dim() == 0) {
            fill_with(out, value);
            continue;
        }
        Dims sizes = to_dims(out.sizes());
        sizes[static_cast<std::size_t>(wrapped)] = 1;
        const std::int64_t offset = out.storage_offset() + i * out.strides()[static_cast<std::size_t>(wrapped)];
        fill_with(out.view_as_strided(span_of(sizes), out.strides(), offset), value);
    }
}
TensorMeta index_fill_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar&) {
    wrap_dim(dim, self.dim());
    if (index.dtype() != ScalarType::Int64)
        throw Error(ErrorKind::Run, "index_fill_(): Expected dtype int64 for index.");
    if (index.dim() > 1) throw Error(ErrorKind::Run, "Index has to be a vector/scalar");
    return like(self);
}
void index_fill(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
    if (value.is_complex() && !is_complex(self.dtype()))
        throw Error(ErrorKind::Run, "index_fill_(): Converting complex Scalar to non-complex type is not supported");
    fill_slices(out, self, dim, index, value);
}
TensorMeta index_fill_tensor_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& value) {
    if (value.dim() != 0) {
        throw Error(ErrorKind::Run,
                    concat("index_fill_ only supports a 0-dimensional value tensor, but got tensor with ", value.dim(),
                           " dimension(s)."));
    }
    return index_fill_meta(self, dim, index, 0);
}
void index_fill_tensor(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index,
                       const Tensor& value) {
    fill_slices(out, self, dim, index, item(value));
}
void index_fill_backward(GradientContext& context) {
    context.grad("self", [&] {
        return fn::index_fill(context.grad_output(), context.value("dim"), context.argument("index"), Scalar(0));
    });
}
void index_fill_tensor_backward(GradientContext& context) {
    index_fill_backward(context);
    context.grad("value", [&] {
        return fn::sum(fn::index_select(context.grad_output(), context.value("dim"), context.argument("index")));
    });
}

Tensor index_select_backward_function(const Tensor& grad, const Dims& sizes, std::int64_t dim, const Tensor& index) {
    return fn::index_add(fn::new_zeros(grad, sizes), dim, index, grad, Scalar(1));
}

std::vector<Sample> index_select_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, random_indices(random, {5}, 4)}},
            {{random_tensor(random, {3, 4}, dtype), 0, random_indices(random, {2}, 3)}, "rows"}};
}
std::vector<Sample> index_add_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, random_indices(random, {5}, 4),
              random_tensor(random, {3, 5}, dtype), Scalar(2)}}};
}
std::vector<Sample> index_copy_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, tensor_of<std::int64_t>({2, 0}, {2}),
              random_tensor(random, {3, 2}, dtype)}}};
}
std::vector<Sample> index_fill_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, tensor_of<std::int64_t>({2, 0}, {2}), Scalar(1)}}};
}

std::vector<Sample> index_fill_tensor_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = index_fill_samples(random, dtype);
    for (Sample& s : samples) s.arguments[3] = random_tensor(random, IntSpan(), dtype);
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
     .summary = "The slices at the indices along dim.",
     .formula = "out[i] = self[index[i]]",
     .infer = inferring<index_select_meta>,
     .kernel = filling<index_select>,
     .derivative = {index_select_backward, {save_argument("index")}},
     .gradient = "self: grad[i] added at index[i], else 0",
     .samples = index_select_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kSameScalarType, .reads_by_index = true},
     .sparse = {.run = on_sparse::rows},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::index_select_backward(Tensor grad, int[] self_sizes, int dim, Tensor index) -> Tensor",
     .summary = "The gradient of index_select.",
     .composite = boxed<index_select_backward_function>},
    {.schema = "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
     .summary = "With the source's slices, times alpha, added at the indices along dim.",
     .formula = "out = self; out[index[i]] += alpha source[i]",
     .infer = inferring<index_add_meta>,
     .kernel = filling<index_add>,
     .derivative = {index_add_backward, {save_argument("index")}},
     .gradient = "self: grad\nsource: alpha grad[index[i]]",
     .samples = index_add_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "index_add_"}},
    {.schema = "aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
     .summary = "With the source's slices at the indices along dim.",
     .formula = "out = self; out[index[i]] = source[i]",
     .infer = inferring<index_copy_meta>,
     .kernel = filling<index_copy>,
     .derivative = {index_copy_backward, {save_argument("index")}},
     .gradient = "self: grad, 0 at index\nsource: grad[index[i]]",
     .samples = index_copy_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Widest}},
    {.schema = "aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     .summary = "With the value in the slices at the indices along dim.",
     .formula = "out = self; out[index[i]] = value",
     .infer = inferring<index_fill_meta>,
     .kernel = filling<index_fill>,
     .derivative = {index_fill_backward, {save_argument("index")}},
     .gradient = "self: grad, 0 at index\nvalue: sum of grad at index",
     .samples = index_fill_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "int_Scalar_out"}},
    {.schema = "aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor",
     .summary = "With the value in the slices at the indices along dim.",
     .infer = inferring<index_fill_tensor_meta>,
     .kernel = filling<index_fill_tensor>,
     .derivative = {index_fill_tensor_backward, {save_argument("index")}, "IndexFillBackward1"},
     .samples = index_fill_tensor_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "int_Tensor_out"}},
};

}  // namespace

std::span<const OperatorRecord> index_dim_records() { return kRecords; }

}  // namespace loupe::indexing
