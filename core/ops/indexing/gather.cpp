// SPDX-License-Identifier: Apache-2.0
// Single elements by index along one dimension: gather, scatter, scatter_add, scatter_reduce.

#include <algorithm>
#include <limits>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/complex_half.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/samples.h"
#include "core/tensor/scalar_range.h"

namespace loupe::indexing {
namespace {

const OperatorHandle<> kAddInto{"aten::scatter_add_"};

void check_index_dtype(const Tensor& index, const char* name) {
    if (index.dtype() == ScalarType::Int64 || index.numel() == 0) return;
    const bool takes_both = !is_older_torch() && std::string_view(name) == "gather";
    throw Error(ErrorKind::Run,
                concat(name, "(): Expected dtype ", takes_both ? "int32/int64" : "int64", " for index"));
}
std::int64_t rank(const Tensor& t) { return std::max<std::int64_t>(t.dim(), 1); }
// Sizes and strides of a 0-dimensional tensor as those of a vector of one element.
Dims at_least_1d(IntSpan values) { return values.empty() ? Dims{1} : to_dims(values); }

constexpr std::integral_constant<std::int64_t, 0> kZero;
constexpr std::integral_constant<std::int64_t, 1> kOne;

[[noreturn]] void fail_index(std::int64_t value, std::int64_t dim, std::int64_t limit) {
    throw Error(ErrorKind::Run, concat("index ", value, " is out of bounds for dimension ", dim, " with size ", limit));
}

// Calls visit(position in index, position in `other`, offset in `indexed`) for each element of the index.
template <typename Visit>
void for_index(const Tensor& indexed, std::int64_t dim, const Tensor& index, IntSpan other_strides, bool is_write,
               const Visit& visit) {
    const Dims sizes = at_least_1d(index.sizes());
    const Dims strides = at_least_1d(indexed.dim() == 0 ? IntSpan() : indexed.strides());
    const Dims other = at_least_1d(other_strides);
    const auto last = sizes.size() - 1;
    const auto d = static_cast<std::size_t>(dim);
    const std::int64_t limit = indexed.dim() == 0 ? 1 : indexed.sizes()[d];
    const auto* values = index.data<std::int64_t>();
    const std::int64_t width = sizes[last];
    const std::int64_t rows = width == 0 ? 0 : index.numel() / width;
    const std::int64_t step = last == d ? 0 : strides[last], other_step = other[last], along = strides[d];
    const auto run = [&](std::int64_t begin, std::int64_t end, std::int64_t first, std::int64_t behind) {
        for (std::int64_t row = begin; row < end; ++row) {
            std::int64_t rest = row;
            std::int64_t base = 0;
            std::int64_t other_base = 0;
            for (std::size_t k = last; k-- > 0;) {
                const std::int64_t i = rest % sizes[k];
                rest /= sizes[k];
                if (k != d) base += i * strides[k];
                other_base += i * other[k];
            }
            const std::int64_t* row_values = values + row * width;
            const auto walk = [&](auto row_step, auto row_other, auto row_along) {
                for (std::int64_t j = first; j < behind; ++j) {
                    const std::int64_t value = row_values[j];
                    if (value < 0 || value >= limit) fail_index(value, dim, limit);
                    visit(row * width + j, other_base + j * row_other, base + j * row_step + value * row_along);
                }
            };
            // Along the last dimension of arrays without gaps, and across it.
            if (other_step == 1 && step == 0 && along == 1)
                walk(kZero, kOne, kOne);
            else if (other_step == 1 && step == 1)
                walk(kOne, kOne, along);
            else
                walk(step, other_step, along);
        }
    };
    // Writes may collide unless rows differ in another dimension than dim: then threads share columns.
    constexpr std::int64_t kGrain = 16384;
    if (is_write && last != d) {
        parallel_for(0, width, std::max<std::int64_t>(kGrain / std::max<std::int64_t>(rows, 1), 16),
                     [&](std::int64_t begin, std::int64_t end) { run(0, rows, begin, end); });
    } else {
        parallel_for(0, rows, std::max<std::int64_t>(kGrain / std::max<std::int64_t>(width, 1), 1),
                     [&](std::int64_t begin, std::int64_t end) { run(begin, end, 0, width); });
    }
}

void check_ranks(const Tensor& self, const Tensor& index, std::int64_t dim, const char* name) {
    check_index_dtype(index, name);
    if (index.numel() == 0) return;
    if (rank(self) != rank(index)) {
        throw Error(ErrorKind::Run, concat("Index tensor must have the same number of dimensions as ",
                                           std::string_view(name) == "gather" ? "input" : "self", " tensor"));
    }
    for (std::int64_t d = 0; d < std::min(self.dim(), index.dim()); ++d) {
        if (d == dim || index.size(d) <= self.size(d)) continue;
        throw Error(ErrorKind::Run,
                    concat("Size does not match at dimension ", d, " expected index ", shape_list_text(index.sizes()),
                           is_older_torch() ? " to be smaller than self " : " to be no larger than self ",
                           shape_list_text(self.sizes()), " apart from dimension ", dim));
    }
}

TensorMeta gather_meta(const Tensor& self, std::int64_t dim, const Tensor& index, bool) {
    check_ranks(self, index, wrap_dim(dim, self.dim()), "gather");
    return {to_dims(index.sizes()), self.dtype(), self.device()};
}
struct Word16 {
    std::uint64_t low, high;
};
template <typename Word>
void gather_words(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index) {
    Word* to = out.data<Word>();
    const Word* from = self.data<Word>();
    for_index(self, dim, index, out.strides(), false,
              [=](std::int64_t, std::int64_t position, std::int64_t offset) { to[position] = from[offset]; });
}
void gather(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, bool) {
    if (out.numel() == 0) return;
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const Tensor positions = dense(index);
    switch (self.element_size()) {
        case 1:
            return gather_words<std::uint8_t>(out, self, wrapped, positions);
        case 2:
            return gather_words<std::uint16_t>(out, self, wrapped, positions);
        case 4:
            return gather_words<std::uint32_t>(out, self, wrapped, positions);
        case 8:
            return gather_words<std::uint64_t>(out, self, wrapped, positions);
        default:
            return gather_words<Word16>(out, self, wrapped, positions);
    }
}
void gather_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor& grad = context.grad_output();
        return kAddInto(fn::new_zeros(grad, context.sizes("self")), context.value("dim"), context.argument("index"),
                        grad);
    });
}
Tensor gather_backward_function(const Tensor& grad, const Tensor& self, std::int64_t dim, const Tensor& index, bool) {
    return kAddInto(fn::new_zeros(grad, self.sizes()), dim, index, grad);
}

enum class Reduction { Assign, Sum, Product, Mean, Maximum, Minimum };

template <typename T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value != value;
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        return is_nan(static_cast<float>(value));
    else
        return false;
}
template <Reduction R, typename T>
void reduce_into(T& to, T value) {
    if constexpr (R == Reduction::Assign) {
        to = value;
    } else if constexpr (std::is_same_v<T, bool>) {
        to = R == Reduction::Product || R == Reduction::Minimum ? to && value : to || value;
    } else if constexpr (R == Reduction::Sum || R == Reduction::Mean) {
        to = static_cast<T>(to + value);
    } else if constexpr (R == Reduction::Product) {
        to = static_cast<T>(to * value);
    } else if constexpr (is_complex(scalar_type_of<T>)) {
        throw Error(ErrorKind::Run, "amax and amin are not for complex numbers");
    } else if constexpr (R == Reduction::Maximum) {
        if (is_nan(value) || to < value) to = value;
    } else {
        if (is_nan(value) || value < to) to = value;
    }
}

void check_scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    check_ranks(self, index, dim, "scatter");
    if (index.numel() == 0) return;
    if (self.dtype() != src.dtype())
        throw Error(ErrorKind::Run, "scatter(): Expected self.dtype to be equal to src.dtype");
    if (rank(index) != rank(src)) {
        throw Error(ErrorKind::Run, "Index tensor must have the same number of dimensions as src tensor");
    }
    for (std::int64_t d = 0; d < std::min(src.dim(), index.dim()); ++d) {
        if (index.size(d) <= src.size(d)) continue;
        throw Error(ErrorKind::Run,
                    concat("Expected index ", shape_list_text(index.sizes()), " to be smaller than self ",
                           shape_list_text(self.sizes()), " apart from dimension ", dim,
                           " and to be smaller size than src ", shape_list_text(src.sizes())));
    }
}

template <Reduction R>
void scatter_with(const Tensor& out, std::int64_t dim, const Tensor& index, const Tensor& src) {
    visit_dtypes<kWithUnsigned>(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = out.data<T>();
        const T* from = src.data<T>();
        for_index(out, dim, index, src.strides(), true, [=](std::int64_t, std::int64_t position, std::int64_t offset) {
            reduce_into<R>(to[offset], from[position]);
        });
    });
}
void scatter_by(Reduction reduction, const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index,
                const Tensor& src) {
    if (!out.is_same(self)) copy_into(out, self);
    if (index.numel() == 0) return;
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const Tensor positions = dense(index);
    switch (reduction) {
        case Reduction::Assign:
            return scatter_with<Reduction::Assign>(out, wrapped, positions, src);
        case Reduction::Product:
            return scatter_with<Reduction::Product>(out, wrapped, positions, src);
        case Reduction::Maximum:
            return scatter_with<Reduction::Maximum>(out, wrapped, positions, src);
        case Reduction::Minimum:
            return scatter_with<Reduction::Minimum>(out, wrapped, positions, src);
        default:
            return scatter_with<Reduction::Sum>(out, wrapped, positions, src);
    }
}
// The number as a source that is read everywhere.
Tensor number_source(const Tensor& index, const Scalar& value, ScalarType dtype) {
    const Dims strides(index.sizes().size(), 0);
    return scalar_tensor(value, dtype).view_as_strided(index.sizes(), span_of(strides), 0);
}
TensorMeta like(const Tensor& self) { return {to_dims(self.sizes()), self.dtype(), self.device()}; }

TensorMeta scatter_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    check_scatter(self, wrap_dim(dim, self.dim()), index, src);
    return like(self);
}
template <Reduction R>
void scatter(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    scatter_by(R, out, self, dim, index, src);
}
void scatter_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self",
                 [&] { return fn::scatter_value(grad, context.value("dim"), context.argument("index"), Scalar(0)); });
    context.grad("src", [&] { return fn::gather(grad, context.value("dim"), context.argument("index"), false); });
}
void scatter_add_backward(GradientContext& context) {
    const Tensor& grad = context.grad_output();
    context.grad("self", [&] { return grad; });
    context.grad("src", [&] { return fn::gather(grad, context.value("dim"), context.argument("index"), false); });
}

TensorMeta scatter_value_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar&) {
    check_ranks(self, index, wrap_dim(dim, self.dim()), "scatter");
    return like(self);
}
void scatter_value(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
    require_fits(value, self.dtype());
    scatter_by(Reduction::Assign, out, self, dim, index, number_source(index, value, self.dtype()));
}
void scatter_value_backward(GradientContext& context) {
    context.grad("self", [&] {
        return fn::scatter_value(context.grad_output(), context.value("dim"), context.argument("index"), Scalar(0));
    });
}

Reduction old_reduction(std::string_view name) {
    if (name == "add") return Reduction::Sum;
    if (name == "multiply") return Reduction::Product;
    throw Error(ErrorKind::Run, "reduce argument must be either add or multiply.");
}
TensorMeta scatter_old_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                            std::string_view reduce) {
    old_reduction(reduce);
    return scatter_meta(self, dim, index, src);
}
void scatter_old(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce) {
    scatter_by(old_reduction(reduce), out, self, dim, index, src);
}
TensorMeta scatter_value_old_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value,
                                  std::string_view reduce) {
    old_reduction(reduce);
    return scatter_value_meta(self, dim, index, value);
}
void scatter_value_old(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index,
                       const Scalar& value, std::string_view reduce) {
    scatter_by(old_reduction(reduce), out, self, dim, index, number_source(index, value, self.dtype()));
}

Reduction reduction_named(std::string_view name) {
    if (name == "sum") return Reduction::Sum;
    if (name == "prod") return Reduction::Product;
    if (name == "mean") return Reduction::Mean;
    if (name == "amax") return Reduction::Maximum;
    if (name == "amin") return Reduction::Minimum;
    throw Error(ErrorKind::Run, concat("reduce argument must be either sum, prod, mean, amax or amin, got ", name));
}
Scalar neutral(Reduction reduction, ScalarType dtype) {
    if (reduction == Reduction::Sum || reduction == Reduction::Mean) return 0;
    if (reduction == Reduction::Product) return 1;
    const bool is_max = reduction == Reduction::Maximum;
    if (is_floating(dtype))
        return is_max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) -> Scalar {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<std::int64_t>(is_max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max());
        } else {
            return 0;
        }
    });
}
TensorMeta scatter_reduce_meta(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                               std::string_view reduce, bool) {
    reduction_named(reduce);
    return scatter_meta(self, dim, index, src);
}
void scatter_reduce(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                    std::string_view reduce, bool include_self) {
    const Reduction reduction = reduction_named(reduce);
    if (!out.is_same(self)) copy_into(out, self);
    if (index.numel() == 0) return;
    if (!include_self) {
        scatter_by(Reduction::Assign, out, out, dim, index,
                   number_source(index, neutral(reduction, out.dtype()), out.dtype()));
    }
    scatter_by(reduction, out, out, dim, index, src);
    if (reduction != Reduction::Mean) return;
    const Tensor count = empty(out.sizes(), out.dtype());
    fill_with(count, include_self ? 1 : 0);
    scatter_by(Reduction::Sum, count, count, dim, index, number_source(index, 1, out.dtype()));
    const Tensor divisor = fn::clamp(count, Scalar(1), IValue());
    copy_into(out, is_integral(out.dtype()) ? fn::div_mode(out, divisor, "floor") : fn::div(out, divisor));
}
// The gradient of a product's factor is the product of the others: the result over the factor; for a zero, the product
// is recomputed without it. Of several zeros in src at one index, each leaves out all, as in PyTorch.
std::pair<Tensor, Tensor> product_gradients(GradientContext& context) {
    using namespace arithmetic;
    static const OperatorHandle<> scatter_reduce_two("aten::scatter_reduce.two");
    const Tensor& grad = context.grad_output();
    const IValue& dim = context.value("dim");
    const Tensor index = context.argument("index");
    const IValue& include_self = context.value("include_self");
    const Tensor self = context.argument("self");
    const Tensor src = context.argument("src");
    const auto product = [&](const Tensor& start, const Tensor& factors) {
        return scatter_reduce_two(start, dim, index, factors, "prod", include_self);
    };
    const Tensor self_or_one = fn::masked_fill(self, fn::eq_scalar(self, Scalar(0)), Scalar(1));
    const Tensor self_grad = grad * product(self_or_one, src) / self_or_one;

    const Tensor is_zero = fn::eq_scalar(src, Scalar(0));
    const Tensor zeros = fn::scatter_add(fn::zeros_like(self), dim, index,
                                         fn::to_dtype(is_zero, static_cast<std::int64_t>(self.dtype())));
    const Tensor is_only_zero =
        fn::logical_and(is_zero, fn::eq_scalar(fn::gather(zeros, dim, index, false), Scalar(1)));
    const Tensor without = product(self, fn::masked_fill(src, is_only_zero, Scalar(1)));
    const Tensor src_grad =
        fn::where(is_only_zero, fn::gather(grad * without, dim, index, false),
                  fn::gather(grad * context.result(), dim, index, false) / fn::masked_fill(src, is_zero, Scalar(1)));
    return {self_grad, src_grad};
}
// Sums and means only need counts; extremes share the gradient among the elements that reach them.
void scatter_reduce_backward(GradientContext& context) {
    using namespace arithmetic;
    const Tensor& grad = context.grad_output();
    const IValue& dim = context.value("dim");
    const Tensor index = context.argument("index");
    const Reduction reduction = reduction_named(context.value("reduce").to_string());
    const bool include_self = context.value("include_self").to_bool();
    Tensor self_grad = grad;
    Tensor scaled_grad = grad;
    Tensor src_grad;
    if (reduction == Reduction::Mean) {
        const Tensor ones = fn::ones_like(grad);
        const Tensor start = include_self ? ones : fn::scatter_value(ones, dim, index, Scalar(0));
        const Tensor count =
            fn::clamp(fn::scatter_add(start, dim, index, fn::ones_like(context.argument("src"))), Scalar(1), IValue());
        self_grad = scaled_grad = grad / count;
    } else if (reduction == Reduction::Product) {
        std::tie(self_grad, src_grad) = product_gradients(context);
    } else if (reduction != Reduction::Sum) {
        const Tensor self = context.argument("self");
        const Tensor src = context.argument("src");
        const Tensor result = context.result();
        const std::int64_t dtype = static_cast<std::int64_t>(grad.dtype());
        const Tensor self_hits = fn::to_dtype(fn::eq(self, result), dtype);
        const Tensor src_hits = fn::to_dtype(fn::eq(src, fn::gather(result, dim, index, false)), dtype);
        const Tensor hits = fn::scatter_add(
            include_self ? self_hits : fn::scatter_value(self_hits, dim, index, Scalar(0)), dim, index, src_hits);
        const Tensor share = grad / fn::clamp(hits, Scalar(1), IValue());
        self_grad = share * self_hits;
        src_grad = src_hits * fn::gather(share, dim, index, false);
    }
    context.grad("self",
                 [&] { return include_self ? self_grad : fn::scatter_value(self_grad, dim, index, Scalar(0)); });
    context.grad("src", [&] { return src_grad.defined() ? src_grad : fn::gather(scaled_grad, dim, index, false); });
}

std::vector<Sample> gather_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), 1, random_indices(random, {3, 5}, 4), false}},
            {{random_tensor(random, {3, 4}, dtype), 0, random_indices(random, {2, 3}, 3), false}, "rows"}};
}
std::vector<Sample> scatter_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 4}, dtype), 1, tensor_of<std::int64_t>({3, 0, 1, 2}, {2, 2}),
              random_tensor(random, {2, 2}, dtype)}}};
}
std::vector<Sample> scatter_add_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 4}, dtype), 1, random_indices(random, {2, 6}, 4),
              random_tensor(random, {2, 6}, dtype)}}};
}
std::vector<Sample> scatter_value_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 4}, dtype), 1, random_indices(random, {2, 2}, 4), Scalar(1)}}};
}
std::vector<Sample> scatter_reduce_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    std::vector<Sample> samples;
    for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"}) {
        samples.push_back({{random_ladder(random, {2, 4}, dtype), 1, random_indices(random, {2, 6}, 4),
                            random_ladder(random, {2, 6}, dtype), reduce, true},
                           reduce});
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
     .summary = "out[i][j] = self[i][index[i][j]] for dim 1, and so for the others.",
     .infer = inferring<gather_meta>,
     .kernel = filling<gather>,
     .derivative = {gather_backward, {save_argument("index")}},
     .gradient = "self: grad added at index, else 0",
     .samples = gather_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured, .reads_by_index = true},
     .dtypes = {kWithUnsigned, "gather_expanded_index"}},
    {.schema = "aten::gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor",
     .summary = "The gradient of gather.",
     .composite = boxed<gather_backward_function>},
    {.schema = "aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
     .summary = "A copy in which out[i][index[i][j]] = src[i][j] for dim 1, and so for the others.",
     .infer = inferring<scatter_meta>,
     .kernel = filling<scatter<Reduction::Assign>>,
     .derivative = {scatter_backward, {save_argument("index")}},
     .gradient = "self: grad, 0 at index\nsrc: grad at index",
     .samples = scatter_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "src_out", .refusal = out_refusal::kStructured},
     .dtypes = {kWithUnsigned, "scatter_gather_tensor_cpu"}},
    {.schema = "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
     .summary = "A copy with the value at the indices along dim.",
     .infer = inferring<scatter_value_meta>,
     .kernel = filling<scatter_value>,
     .derivative = {scatter_value_backward, {save_argument("index")}, "ScatterBackward1"},
     .samples = scatter_value_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "value_out", .refusal = out_refusal::kStructured},
     .dtypes = {kWithUnsigned, "scatter_fill_cpu"}},
    {.schema = "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
     .summary = "A copy to which the source is added or multiplied at the indices along dim.",
     .infer = inferring<scatter_old_meta>,
     .kernel = filling<scatter_old>,
     .variants = kInPlace | kOut,
     .out = {.overload = "reduce_out"},
     .dtypes = {kWithUnsigned, "scatter_gather_tensor_cpu"}},
    {.schema = "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
     .summary = "A copy to which the value is added or multiplied at the indices along dim.",
     .infer = inferring<scatter_value_old_meta>,
     .kernel = filling<scatter_value_old>,
     .variants = kInPlace | kOut,
     .out = {.overload = "value_reduce_out"},
     .dtypes = {kWithUnsigned, "scatter_scalar_reduce"}},
    {.schema = "aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
     .summary = "A copy in which out[i][index[i][j]] += src[i][j] for dim 1, and so for the others.",
     .infer = inferring<scatter_meta>,
     .kernel = filling<scatter<Reduction::Sum>>,
     .derivative = {scatter_add_backward, {save_argument("index")}},
     .gradient = "self: grad\nsrc: grad at index",
     .samples = scatter_add_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cuda = Autocast::Widest},
     .dtypes = {kWithUnsigned, "scatter_gather_tensor_cpu"}},
    {.schema = "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, "
               "bool include_self=True) -> Tensor",
     .summary = "The sum, product, mean, maximum or minimum of what comes to each place.",
     .formula = "out[index[i]] = reduce of self[index[i]] and all src[i] that come there",
     .infer = inferring<scatter_reduce_meta>,
     .kernel = filling<scatter_reduce>,
     .derivative = {scatter_reduce_backward,
                    {save_argument("self"), save_argument("index"), save_argument("src"), save_result(0)}},
     .gradient = "self: grad; for prod times the others, for the mean by the count, for the extrema where it is the "
                 "one\n"
                 "src: grad[index[i]]; for prod times the others, for the mean by the count, for the extrema where "
                 "it is the one",
     .samples = scatter_reduce_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "two_out", .refusal = out_refusal::kStructured},
     .dtypes = {kWithUnsigned, "scatter_reduce_exclude_input_init"}},
};

}  // namespace

std::span<const OperatorRecord> gather_records() { return kRecords; }

}  // namespace loupe::indexing
