// SPDX-License-Identifier: Apache-2.0
// arange, range, linspace, logspace, eye.

#include <cmath>

#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/kernels/integer_math.h"
#include "core/ops/creation/creation.h"
#include "core/ops/creation/family.h"

namespace loupe {
namespace {

using namespace creation;

struct Range {
    Scalar start, end, step;
};
Range range_of(Arguments arguments, std::size_t numbers) {
    if (numbers == 1) return {0, arguments[0].to_scalar(), 1};
    return {arguments[0].to_scalar(), arguments[1].to_scalar(), numbers == 3 ? arguments[2].to_scalar() : Scalar(1)};
}

std::int64_t arange_length(const Range& range, ScalarType dtype) {
    const double start = range.start.to_double(), end = range.end.to_double(), step = range.step.to_double();
    require(step != 0, "step must be nonzero");
    require(std::isfinite(start) && std::isfinite(end), "unsupported range: ", start, " -> ", end);
    require((step > 0 && end >= start) || (step < 0 && end <= start),
            is_older_torch() ? "upper bound and larger bound inconsistent with step sign"
                             : "upper bound and lower bound inconsistent with step sign");
    double length = 0;
    if (dtype == ScalarType::Int64) {
        const std::int64_t step_sign = step > 0 ? 1 : -1;
        const std::int64_t distance = checked_sum(range.end.to_int(), wrapping_product(range.start.to_int(), -1));
        const auto span = static_cast<double>(checked_sum(distance, checked_sum(range.step.to_int(), -step_sign)));
        length = std::trunc(span / static_cast<double>(range.step.to_int()));
    } else {
        length = std::ceil((end - start) / step);
    }
    require(length >= 0 && length <= 9.0e15, "invalid size, possible overflow?");
    return static_cast<std::int64_t>(length);
}

template <std::size_t kNumbers>
void infer_arange(Arguments arguments, MetaList& outputs) {
    const Range range = range_of(arguments, kNumbers);
    const bool integral = range.start.is_integral() && range.end.is_integral() && range.step.is_integral();
    const Options options = options_of(arguments, kNumbers, integral ? ScalarType::Int64 : kDefaultDtype);
    outputs.push_back({{arange_length(range, options.dtype)}, options.dtype, options.device});
}

template <std::size_t kNumbers>
void infer_range(Arguments arguments, MetaList& outputs) {
    const Range range = range_of(arguments, kNumbers);
    const Options options = options_of(arguments, kNumbers, kDefaultDtype);
    arange_length(range, ScalarType::Float64);
    const double length = std::floor((range.end.to_double() - range.start.to_double()) / range.step.to_double()) + 1;
    outputs.push_back({{static_cast<std::int64_t>(length)}, options.dtype, options.device});
}

// start + i step, in int64 or double.
template <std::size_t kNumbers>
void fill_range(Arguments arguments, IValue* results) {
    const Range range = range_of(arguments, kNumbers);
    const Tensor out = results[0].to_tensor();
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
        const Wide start = range.start.to<Wide>();
        const Wide step = range.step.to<Wide>();
        T* to = out.data<T>();
        parallel_for(0, out.numel(), kElementwiseGrain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) to[i] = Scalar(start + step * static_cast<Wide>(i)).to<T>();
        });
    });
}

// (start, end, steps, [base,] dtype, ...)
template <std::size_t kFirst>
void infer_linspace(Arguments arguments, MetaList& outputs) {
    const std::int64_t steps = arguments[2].to_int();
    require(steps >= 0, "number of steps must be non-negative");
    const bool complex = arguments[0].to_scalar().is_complex() || arguments[1].to_scalar().is_complex();
    const Options options = options_of(arguments, kFirst, complex ? kDefaultComplexDtype : kDefaultDtype);
    outputs.push_back({{steps}, options.dtype, options.device});
}

// From both ends to the middle, so that the ends are exact. The step has the result's precision, as in PyTorch.
template <typename T, typename Put>
void evenly_spaced(const Scalar& first, const Scalar& last, std::int64_t steps, Put&& put) {
    using Step = std::conditional_t<
        std::is_integral_v<T>, double,
        std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float,
                           std::conditional_t<std::is_same_v<T, ComplexHalf>, std::complex<float>, T>>>;
    const Step start = Scalar(first).to<Step>();
    const Step end = Scalar(last).to<Step>();
    if (steps == 1) {
        put(std::int64_t{0}, start);
        return;
    }
    const Step step = (end - start) / static_cast<decltype(std::abs(Step()))>(steps - 1);
    for (std::int64_t i = 0; i < steps; ++i) {
        using Real = decltype(std::abs(Step()));
        put(i, i < steps / 2 ? start + step * static_cast<Real>(i) : end - step * static_cast<Real>(steps - 1 - i));
    }
}

template <typename T, typename V>
T rounded_in(V value) {
    if constexpr (std::is_same_v<T, V>)
        return value;
    else if constexpr (std::is_same_v<T, ComplexHalf>)
        return T(value);
    else
        return Scalar(static_cast<double>(value)).to<T>();
}

void fill_linspace(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = out.data<T>();
        evenly_spaced<T>(arguments[0].to_scalar(), arguments[1].to_scalar(), out.numel(),
                         [&](std::int64_t i, auto value) { to[i] = rounded_in<T>(value); });
    });
}
void fill_logspace(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const double base = arguments[3].to_double();
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = out.data<T>();
        evenly_spaced<T>(arguments[0].to_scalar(), arguments[1].to_scalar(), out.numel(),
                         [&](std::int64_t i, auto value) {
                             using V = decltype(value);
                             to[i] = rounded_in<T>(std::pow(Scalar(base).to<V>(), value));
                         });
    });
}

template <std::size_t kNumbers>
void infer_eye(Arguments arguments, MetaList& outputs) {
    const std::int64_t n = arguments[0].to_int();
    const std::int64_t m = kNumbers == 2 ? arguments[1].to_int() : n;
    require(n >= 0, "n must be greater or equal to 0, got ", n);
    require(m >= 0, "m must be greater or equal to 0, got ", m);
    const Options options = options_of(arguments, kNumbers, kDefaultDtype);
    outputs.push_back({{n, m}, options.dtype, options.device});
}
void fill_eye(Arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    fill_with(out, Scalar(0));
    const std::int64_t n = std::min(out.size(0), out.size(1));
    const Dims sizes{n};
    const Dims strides{out.stride(0) + out.stride(1)};
    if (n > 0) fill_with(out.view_as_strided(span_of(sizes), span_of(strides), out.storage_offset()), Scalar(1));
}

constexpr OperatorRecord made(std::string_view schema, std::string_view summary, InferFunction infer,
                              KernelFunction kernel, SamplesFunction samples = nullptr) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer,
            .kernel = FillingKernel{kernel},
            .samples = samples,
            .is_gradient_stop = true};
}
std::vector<Sample> arange_samples(Random&, ScalarType dtype) {
    if (dtype == ScalarType::Bool || is_complex(dtype)) return {};
    const auto number = static_cast<std::int64_t>(dtype);
    return {{{5, number, IValue(), IValue(), IValue()}, {}}, {{0, number, IValue(), IValue(), IValue()}, "empty"}};
}
std::vector<Sample> linspace_samples(Random&, ScalarType dtype) {
    if (dtype == ScalarType::Bool) return {};
    return {{{-1, 7, 5, static_cast<std::int64_t>(dtype), IValue(), IValue(), IValue()}, {}}};
}

constexpr OperatorRecord kRecords[] = {
    made("aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "Numbers from 0 up to end, without it.", infer_arange<1>, &fill_range<1>, arange_samples)
        .with_python({.keeps_integers = true}),
    made("aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None) -> Tensor",
         "Numbers from start up to end, without it.", infer_arange<2>, &fill_range<2>)
        .with_python({.keeps_integers = true}),
    made("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         "Numbers from start by step up to end, without it.", infer_arange<3>, &fill_range<3>)
        .with_python({.keeps_integers = true}),
    made("aten::range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
         "bool? "
         "pin_memory=None) -> Tensor",
         "Numbers from start to end, with it.", infer_range<2>, &fill_range<2>),
    made("aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, "
         "Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         "Numbers from start by step to end, with it.", infer_range<3>, &fill_range<3>),
    made("aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, "
         "bool? pin_memory=None) -> Tensor",
         "Evenly spaced numbers from start to end, with both.", infer_linspace<3>, &fill_linspace, linspace_samples),
    made("aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         "Powers of base, evenly spaced exponents.", infer_linspace<4>, &fill_logspace),
    made("aten::eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
         "-> Tensor",
         "Identity matrix.", infer_eye<1>, &fill_eye),
    made("aten::eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> "
         "Tensor",
         "Ones on the diagonal.", infer_eye<2>, &fill_eye),
};

}  // namespace

std::span<const OperatorRecord> creation::range_records() { return kRecords; }

}  // namespace loupe
