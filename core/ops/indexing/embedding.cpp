// SPDX-License-Identifier: Apache-2.0
// Rows of a table: embedding and its gradient.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/memory_limit.h"

namespace loupe::indexing {
namespace {

const OperatorHandle<> sparse_backward("aten::embedding_sparse_backward");

// "torch.FloatTensor"; dtypes that are younger than those names have PyTorch's own.
std::string tensor_type_name(ScalarType dtype) {
    const bool is_young = is_complex(dtype) || dtype == ScalarType::BFloat16;
    return is_young ? concat("CPU", dtype_graph_name(dtype), "Type")
                    : concat("torch.", dtype_graph_name(dtype), "Tensor");
}

TensorMeta embedding_meta(const Tensor& weight, const Tensor& indices, std::int64_t, bool, bool) {
    if (weight.dim() != 2) throw Error(ErrorKind::Run, "'weight' must be 2-D");
    if (indices.dtype() != ScalarType::Int64 && indices.dtype() != ScalarType::Int32) {
        throw Error(
            ErrorKind::Run,
            concat("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
                   "but got ",
                   tensor_type_name(indices.dtype()), " instead (while checking arguments for embedding)"));
    }
    TensorMeta meta{to_dims(indices.sizes()), weight.dtype(), weight.device()};
    meta.sizes.push_back(weight.size(1));
    return meta;
}
void embedding(const Tensor& out, const Tensor& weight, const Tensor& indices, std::int64_t, bool, bool) {
    const Tensor places = dense(indices, ScalarType::Int64);
    const auto* rows = places.data<std::int64_t>();
    const std::int64_t limit = weight.size(0);
    const Tensor table = dense(weight);
    const auto bytes = static_cast<std::size_t>(weight.size(1) * weight.element_size());
    const auto* from = static_cast<const std::byte*>(table.raw_data());
    auto* to = static_cast<std::byte*>(out.raw_data());
    const auto grain = static_cast<std::int64_t>(std::max<std::size_t>(131072 / std::max<std::size_t>(bytes, 1), 1));
    parallel_for(0, places.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (rows[i] < 0 || rows[i] >= limit) throw Error(ErrorKind::Run, "index out of range in self");
            std::memcpy(to + static_cast<std::size_t>(i) * bytes, from + static_cast<std::size_t>(rows[i]) * bytes,
                        bytes);
        }
    });
}
void embedding_backward(GradientContext& context) {
    context.grad("weight", [&] {
        if (context.value("sparse").to_bool()) {
            return sparse_backward(context.grad_output(), context.argument("indices"), context.sizes("weight")[0],
                                   context.value("padding_idx"), context.value("scale_grad_by_freq"));
        }
        return fn::embedding_dense_backward(context.grad_output(), context.argument("indices"),
                                            context.sizes("weight")[0], context.value("padding_idx"),
                                            context.value("scale_grad_by_freq"));
    });
}

TensorMeta embedding_dense_backward_meta(const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                                         std::int64_t, bool) {
    if (grad.dim() == 0 || grad.numel() != indices.numel() * grad.size(-1)) {
        throw Error(ErrorKind::Run,
                    concat("expected a gradient of one row an index, but got ", shape_list_text(grad.sizes()),
                           " for indices ", shape_list_text(indices.sizes())));
    }
    require_memory(num_weights, sizeof(std::int64_t));
    return {{num_weights, grad.size(-1)}, grad.dtype(), grad.device()};
}
// Threads share the rows of the table, so that none writes another's.
void embedding_dense_backward(const Tensor& out, const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                              std::int64_t padding_idx, bool scale_grad_by_freq) {
    const std::vector<std::int64_t> rows = index_values(indices);
    const Tensor from = dense(grad);
    const std::int64_t width = grad.size(-1);
    std::vector<std::int64_t> counts;
    if (scale_grad_by_freq) {
        counts.assign(static_cast<std::size_t>(num_weights), 0);
        for (const std::int64_t row : rows) {
            if (row >= 0 && row < num_weights) ++counts[static_cast<std::size_t>(row)];
        }
    }
    fill_with(out, 0);
    visit_dtype(grad.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::is_integral_v<T> && !std::is_same_v<T, ComplexHalf>) {
            const T* source = from.data<T>();
            T* to = out.data<T>();
            const std::int64_t work = static_cast<std::int64_t>(rows.size()) * width;
            const std::int64_t grain = work < 65536 ? num_weights : 1024;
            parallel_for(0, num_weights, grain, [&](std::int64_t begin, std::int64_t end) {
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const std::int64_t row = rows[i];
                    if (row < begin || row >= end || row == padding_idx) continue;
                    const T scale =
                        counts.empty() ? T(1.0f) : T(1.0f / static_cast<float>(counts[static_cast<std::size_t>(row)]));
                    T* target = to + row * width;
                    const T* add = source + static_cast<std::int64_t>(i) * width;
                    for (std::int64_t k = 0; k < width; ++k) target[k] = T(target[k] + T(add[k] * scale));
                }
            });
        } else {
            throw Error(ErrorKind::Run,
                        concat("\"embedding_backward\" not implemented for '", dtype_graph_name(grad.dtype()), "'"));
        }
    });
}
void embedding_dense_backward_gradient(GradientContext& context) {
    context.grad("grad_output", [&] {
        const Tensor indices = context.argument("indices");
        Dims sizes = to_dims(indices.sizes());
        sizes.push_back(context.grad_output().size(-1));
        const Tensor rows =
            fn::reshape(fn::index_select(context.grad_output(), 0, fn::reshape(indices, Dims{-1})), sizes);
        const std::int64_t padding_idx = context.value("padding_idx").to_int();
        if (padding_idx < 0) return rows;
        return fn::masked_fill(rows, fn::unsqueeze(fn::eq_scalar(indices, Scalar(padding_idx)), -1), Scalar(0));
    });
}
Tensor embedding_backward_function(const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                                   std::int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
    if (sparse) return sparse_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
    return fn::embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
}

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
using Wide = std::conditional_t<kIsHalf<T>, float, T>;

// Shortens a row to max_norm. Its norm is a number of its dtype.
template <typename T>
void shorten(T* values, std::int64_t length, std::int64_t stride, double max_norm, double norm_type) {
    const auto at = [&](std::int64_t k) { return static_cast<double>(static_cast<Wide<T>>(values[k * stride])); };
    double sum = 0;
    for (std::int64_t k = 0; k < length; ++k) {
        const double magnitude = std::fabs(at(k));
        sum = std::isinf(norm_type) ? std::max(sum, magnitude) : sum + std::pow(magnitude, norm_type);
    }
    const double exact = std::isinf(norm_type) ? sum : std::pow(sum, 1 / norm_type);
    const auto norm = static_cast<double>(static_cast<Wide<T>>(static_cast<T>(static_cast<Wide<T>>(exact))));
    if (norm <= max_norm) return;
    const auto scale = static_cast<Wide<T>>(max_norm / (norm + 1e-7));
    for (std::int64_t k = 0; k < length; ++k)
        values[k * stride] = static_cast<T>(static_cast<Wide<T>>(values[k * stride]) * scale);
}

Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
    std::vector<std::int64_t> rows = index_values(indices);
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T> || kIsHalf<T>) {
            for (const std::int64_t row : rows) {
                if (row < 0 || row >= self.size(0)) throw Error(ErrorKind::Run, "index out of range in self");
                shorten(self.data<T>() + row * self.strides()[0], self.size(1), self.strides()[1], max_norm, norm_type);
            }
        } else {
            throw Error(ErrorKind::Run,
                        concat("\"embedding_renorm_\" not implemented for '", dtype_graph_name(self.dtype()), "'"));
        }
    });
    return self;
}

std::vector<Sample> embedding_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {5, 3}, dtype), random_indices(random, {2, 4}, 5), -1, false, false}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
               "bool sparse=False) -> Tensor",
     .summary = "The rows of the table at the indices.",
     .formula = "out[i] = weight[indices[i]]",
     .infer = inferring<embedding_meta>,
     .kernel = filling<embedding>,
     .derivative = {embedding_backward, {save_argument("indices")}},
     .gradient = "weight: sum of grad[i] at indices[i], 0 at padding_idx",
     .samples = embedding_samples,
     .variants = kOut,
     .sparse = {.run = on_sparse::embedding},
     .dtypes = {kAnyDtype}},
    {.schema =
         "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, int padding_idx, "
         "bool scale_grad_by_freq) -> Tensor",
     .summary = "The gradient of embedding: the rows added where they came from, but for the padding's.",
     .formula = "out[indices[i]] += grad_output[i]",
     .infer = inferring<embedding_dense_backward_meta>,
     .kernel = filling<embedding_dense_backward>,
     .derivative = {embedding_dense_backward_gradient, {save_argument("indices")}},
     .gradient = "grad_output: grad[indices[i]]",
     .variants = kOut},
    {.schema = "aten::embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, int padding_idx, "
               "bool scale_grad_by_freq, bool sparse) -> Tensor",
     .summary = "The gradient of embedding.",
     .composite = boxed<embedding_backward_function>},
    {.schema =
         "aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)",
     .summary = "Shortens the rows at the indices to max_norm.",
     .kernel = boxed<embedding_renorm>,
     .is_gradient_stop = true,
     .dtypes = {.kernel = "norm_cpu"}},
};

}  // namespace

std::span<const OperatorRecord> embedding_records() { return kRecords; }

}  // namespace loupe::indexing
