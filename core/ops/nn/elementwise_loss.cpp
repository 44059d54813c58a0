// SPDX-License-Identifier: Apache-2.0
// Losses element by element: mse, smooth_l1, huber, soft_margin, binary cross entropy, and composed ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/layout.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/loss_kernels.h"
#include "core/ops/nn/simd.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/scalar_range.h"

namespace loupe {
namespace {

using namespace nn_ops;

double parameter_of(const IValue& value) { return value.is_none() ? 0 : value.to_double(); }
// The loss's parameter, where the schema has one: after (self, target, reduction), at out='s position in others.
double parameter_in(Arguments arguments, std::size_t index) {
    return arguments.size() > index && !arguments[index].is_tensor() ? parameter_of(arguments[index]) : 0;
}

bool is_unreduced(const IValue& reduction) { return static_cast<Reduction>(reduction.to_int()) == Reduction::None; }

template <typename Loss>
void infer_loss(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor target = arguments[1].to_tensor();
    const double k = parameter_in(arguments, 3);
    if constexpr (std::is_same_v<Loss, SmoothL1>)
        require(k >= 0, "smooth_l1_loss does not support negative values for beta.");
    if constexpr (std::is_same_v<Loss, Huber>)
        require(k > 0, "huber_loss does not support non-positive values for delta.");
    const ScalarType dtype = promote_types(self.dtype(), target.dtype());
    if constexpr (std::is_same_v<Loss, SoftMargin>) {
        require(
            self.dtype() != ScalarType::Bool,
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead.");
        require(!is_integral(self.dtype()), "result type Float can't be cast to the desired output type ",
                dtype_graph_name(self.dtype()));
    }
    const bool is_known = is_floating(dtype) || (std::is_same_v<Loss, SoftMargin> && is_complex(dtype));
    require(is_known, "\"", Loss::kName, "\" not implemented for '", dtype_graph_name(dtype), "'");
    TensorMeta meta = elementwise_meta(arguments.first(2), dtype);
    if (!is_unreduced(arguments[2])) meta = {{}, dtype, self.device()};
    outputs.push_back(std::move(meta));
}

bool same_order(const Tensor& a, const Tensor& b) {
    return std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end()) &&
           std::equal(a.strides().begin(), a.strides().end(), b.strides().begin(), b.strides().end());
}

// Both sides in one shape, type and order of elements, without gaps.
struct Pair {
    Tensor x;
    Tensor target;

    Pair(const Tensor& self, const Tensor& other, ScalarType dtype) {
        if (self.dtype() == dtype && other.dtype() == dtype && same_order(self, other) &&
            self.is_non_overlapping_and_dense()) {
            x = self;
            target = other;
            return;
        }
        const Dims sizes = broadcast_shapes(self.sizes(), other.sizes());
        x = packed_as(expanded(self, span_of(sizes)), dtype);
        target = packed_as(expanded(other, span_of(sizes)), dtype);
    }
};

template <typename Loss, typename T>
LOUPE_INLINE inline double sum_of_part(const T* x, const T* t, std::int64_t n, double k) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += Loss::value(static_cast<double>(x[i]), static_cast<double>(t[i]), k);
    return sum;
}
// In parts of one size, so that the sum does not depend on the number of threads.
template <typename Loss, typename T>
double sum_of_losses(const T* x, const T* t, std::int64_t n, double k) {
    constexpr std::int64_t kPart = 16384;
    std::vector<double> parts(static_cast<std::size_t>((n + kPart - 1) / kPart));
    parallel_for(0, static_cast<std::int64_t>(parts.size()), 2, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) {
            const T *a = x + p * kPart, *b = t + p * kPart;
            const std::int64_t count = std::min(n - p * kPart, kPart);
            with_best_instructions(
                [&]() LOUPE_INLINE { parts[static_cast<std::size_t>(p)] = sum_of_part<Loss>(a, b, count, k); });
        }
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

// soft_margin_loss of complex numbers, and of 16-bit ones, which are rounded after each step as PyTorch does.
bool is_stepwise(ScalarType dtype) { return dtype != ScalarType::Float32 && dtype != ScalarType::Float64; }
void soft_margin_steps(const Tensor& out, const Tensor& self, const Tensor& target, Reduction reduction) {
    const GradModeScope no_grad(false);
    const Tensor loss = fn::log(fn::add_scalar(fn::exp(fn::mul(fn::neg(self), target)), Scalar(1), Scalar(1)));
    fn::copy_(out, reduction == Reduction::None ? loss : reduction == Reduction::Mean ? fn::mean(loss) : fn::sum(loss));
}
void soft_margin_slope_steps(const Tensor& out, const Tensor& grad, const Tensor& self, const Tensor& target,
                             double scale) {
    const GradModeScope no_grad(false);
    const Tensor z = fn::exp(fn::mul(fn::neg(target), self));
    const Tensor slope =
        fn::div(fn::mul_scalar(fn::mul(target, z), Scalar(-scale)), fn::add_scalar(z, Scalar(1), Scalar(1)));
    fn::copy_(out, fn::mul(slope, grad));
}

template <typename Loss>
void run_loss(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if (std::is_same_v<Loss, SoftMargin> && is_stepwise(out.dtype())) {
        return soft_margin_steps(out, arguments[0].to_tensor(), arguments[1].to_tensor(),
                                 static_cast<Reduction>(arguments[2].to_int()));
    }
    const double k = parameter_in(arguments, 3);
    const auto reduction = static_cast<Reduction>(arguments[2].to_int());
    const Tensor self = arguments[0].to_tensor(), target = arguments[1].to_tensor();
    visit_floating(out.dtype(), Loss::kName, [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kAs = scalar_type_of<T>;
        if (reduction == Reduction::None) {
            const std::array<LoopOperand, 3> operands{LoopOperand(out, kAs), LoopOperand(self, kAs),
                                                      LoopOperand(target, kAs)};
            return run_elementwise(loss_kernel(Loss::kOp, kAs), &k, operands);
        }
        if (!out.device().is_cpu()) {
            const GradModeScope no_grad(false);
            const Tensor each = empty(span_of(broadcast_shapes(self.sizes(), target.sizes())), kAs, out.device());
            const std::array<LoopOperand, 3> operands{LoopOperand(each, kAs), LoopOperand(self, kAs),
                                                      LoopOperand(target, kAs)};
            run_elementwise(loss_kernel(Loss::kOp, kAs), &k, operands);
            return copy_into(out, reduction == Reduction::Mean ? fn::mean(each) : fn::sum(each));
        }
        const Pair pair(self, target, kAs);
        const std::int64_t n = pair.x.numel();
        double sum = sum_of_losses<Loss>(pair.x.data<T>(), pair.target.data<T>(), n, k);
        if (reduction == Reduction::Mean) sum /= static_cast<double>(n);
        convert_into(out, scalar_tensor(Scalar(sum), kAs));
    });
}

// (grad_output, self, target, reduction[, parameter])
template <typename Loss>
constexpr bool kTakesIntegers = std::is_same_v<Loss, Mse> || std::is_same_v<Loss, SmoothL1>;
template <typename Loss>
void infer_loss_backward(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = promote_types(arguments[1].to_tensor().dtype(), arguments[2].to_tensor().dtype());
    const bool is_integer = is_integral(dtype) && dtype != ScalarType::Bool;
    const bool is_taken = is_floating(dtype) || (kTakesIntegers<Loss> && is_integer) ||
                          (std::is_same_v<Loss, SoftMargin> && is_complex(dtype));
    require(is_taken, "\"", Loss::kBackward, "\" not implemented for '", dtype_graph_name(dtype), "'");
    const std::array<IValue, 3> operands{arguments[1], arguments[2], arguments[0]};
    outputs.push_back(elementwise_meta(operands, dtype));
}

// The gradient of integers: all is one of them, the factor 1 / n too, and products wrap.
template <typename Loss, typename T>
T integer_slope(T x, T target, T grad, T beta, T share) {
    using Wide = std::make_unsigned_t<std::common_type_t<T, int>>;
    const auto times = [](auto a, auto b) { return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b)); };
    const T difference = static_cast<T>(static_cast<Wide>(x) - static_cast<Wide>(target));
    if constexpr (std::is_same_v<Loss, Mse>) {
        return times(times(share, difference), grad);
    } else {
        const T least = static_cast<T>(Wide{0} - static_cast<Wide>(beta));
        if (difference <= least) return times(static_cast<T>(Wide{0} - static_cast<Wide>(share)), grad);
        if (difference >= beta || beta == 0) return times(share, grad);
        return static_cast<T>(times(times(share, difference), grad) / beta);
    }
}
template <typename Loss>
void run_integer_backward(const Tensor& out, Arguments arguments) {
    const auto packed = [&](std::size_t i) {
        return packed_as(expanded(on_host(arguments[i].to_tensor()), out.sizes()), out.dtype());
    };
    const Tensor grad = packed(0), self = packed(1), target = packed(2);
    const bool is_mean = static_cast<Reduction>(arguments[3].to_int()) == Reduction::Mean;
    const double factor = std::is_same_v<Loss, Mse> ? 2.0 : 1.0;
    const double share = is_mean ? factor / static_cast<double>(self.numel()) : factor;
    const double beta = parameter_in(arguments, 4);
    if (!std::is_same_v<Loss, Mse>) require_fits(Scalar(beta), out.dtype());
    const Tensor result = empty(out.sizes(), out.dtype());
    visit_dtypes<kIntegralDtypes & kCommonDtypes>(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::is_same_v<T, bool>) {
            for (std::int64_t i = 0; i < result.numel(); ++i)
                result.data<T>()[i] = integer_slope<Loss, T>(self.data<T>()[i], target.data<T>()[i], grad.data<T>()[i],
                                                             static_cast<T>(beta), static_cast<T>(share));
        }
    });
    copy_into(out, on_device(result, out.device()));
}

template <typename Loss>
void run_loss_backward(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if constexpr (kTakesIntegers<Loss>) {
        if (is_integral(out.dtype())) return run_integer_backward<Loss>(out, arguments);
    }
    const auto operand = [&](std::size_t i, ScalarType as) { return LoopOperand(*arguments[i].tensor_impl(), as); };
    const bool mean = static_cast<Reduction>(arguments[3].to_int()) == Reduction::Mean;
    const std::array<double, 2> params{parameter_in(arguments, 4),
                                       mean ? 1.0 / static_cast<double>(arguments[1].tensor_impl()->numel) : 1.0};
    if (std::is_same_v<Loss, SoftMargin> && is_stepwise(out.dtype())) {
        return soft_margin_slope_steps(out, arguments[0].to_tensor(), arguments[1].to_tensor(),
                                       arguments[2].to_tensor(), params[1]);
    }
    visit_floating(out.dtype(), Loss::kName, [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kAs = scalar_type_of<T>;
        const std::array<LoopOperand, 4> operands{LoopOperand(out, kAs), operand(1, kAs), operand(2, kAs),
                                                  operand(0, kAs)};
        run_elementwise(loss_slope_kernel(Loss::kOp, kAs), params.data(), operands);
    });
}

// The loss's second derivative at the saved arguments, as a constant where the losses are at most quadratic by pieces.
template <typename Loss>
Tensor curvature_at(const Tensor& self, const Tensor& target, double k) {
    if constexpr (std::is_same_v<Loss, SoftMargin>) {
        const Tensor share = fn::sigmoid(fn::neg(fn::mul(self, target)));
        return fn::mul(fn::mul(target, target), fn::mul(share, fn::rsub_scalar(share, Scalar(1.0))));
    } else {
        const Pair pair(on_host(self), on_host(target), ScalarType::Float64);
        Tensor out = empty(pair.x.sizes(), ScalarType::Float64);
        for (std::int64_t i = 0; i < out.numel(); ++i) {
            out.data<double>()[i] = Loss::curvature(pair.x.data<double>()[i], pair.target.data<double>()[i], k);
        }
        return on_device(packed_as(out, promote_types(self.dtype(), target.dtype())), self.device());
    }
}

template <typename Loss>
const OperatorHandle<>& backward_handle() {
    if constexpr (std::is_same_v<Loss, Mse>)
        return fn::mse_loss_backward;
    else if constexpr (std::is_same_v<Loss, SmoothL1>)
        return fn::smooth_l1_loss_backward;
    else if constexpr (std::is_same_v<Loss, Huber>)
        return fn::huber_loss_backward;
    else
        return fn::soft_margin_loss_backward;
}
template <typename Loss>
inline constexpr bool kHasParameter = std::is_same_v<Loss, SmoothL1> || std::is_same_v<Loss, Huber>;

template <typename Loss>
Tensor call_backward(const Tensor& g, const Tensor& self, const Tensor& target, const IValue& reduction,
                     const IValue& k) {
    if constexpr (kHasParameter<Loss>)
        return backward_handle<Loss>()(g, self, target, reduction, k);
    else
        return backward_handle<Loss>()(g, self, target, reduction);
}

template <typename Loss>
void loss_gradient(GradientContext& c) {
    if (!c.needs("self") && !c.needs("target")) return;
    IValue k;
    if constexpr (kHasParameter<Loss>) k = c.value(3);  // beta, delta
    const Tensor grad =
        call_backward<Loss>(c.grad_output(), c.argument("self"), c.argument("target"), c.value("reduction"), k);
    c.grad("self", [&] { return grad; });
    if (c.needs("target")) {
        require(!(std::is_same_v<Loss, SoftMargin>), "the derivative for 'target' is not implemented");
        c.set_grad("target", fn::neg(grad));
    }
}

template <typename Loss>
void loss_double_gradient(GradientContext& c) {
    const Tensor& gg = c.grad_output();
    IValue k;
    if constexpr (kHasParameter<Loss>) k = c.value(4);  // beta, delta
    c.grad("grad_output", [&] {
        const Tensor slope = call_backward<Loss>(fn::ones_like(c.argument("grad_output")), c.argument("self"),
                                                 c.argument("target"), c.value("reduction"), k);
        return fn::mul(slope, gg);  // summed to grad_output's shape
    });
    if (!c.needs("self") && !c.needs("target")) return;
    require(!(std::is_same_v<Loss, SoftMargin> && c.needs("target")), "the derivative for 'target' is not implemented");
    Tensor second = fn::mul(fn::mul(gg, c.argument("grad_output")),
                            curvature_at<Loss>(c.argument("self"), c.argument("target"), parameter_of(k)));
    if (static_cast<Reduction>(c.value("reduction").to_int()) == Reduction::Mean)
        second = fn::div_scalar(second, Scalar(static_cast<double>(gg.numel())));
    c.grad("self", [&] { return second; });
    c.grad("target", [&] { return fn::neg(second); });
}

template <typename Loss>
std::vector<Sample> loss_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype)) return {};  // PyTorch's gradient is not that of a complex function
    if (std::is_same_v<Loss, SoftMargin> && is_integral(dtype) && dtype != ScalarType::Bool) return {};  // refused
    std::vector<Sample> samples;
    for (const std::int64_t reduction : {0, 1, 2}) {
        Sample sample{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3, 4}, dtype), reduction}};
        if (kHasParameter<Loss>) sample.arguments.emplace_back(0.7);
        samples.push_back(std::move(sample));
    }
    return samples;
}

template <typename Loss>
std::vector<Sample> loss_backward_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = loss_samples<Loss>(random, dtype);
    for (Sample& sample : samples) {
        const bool is_reduced = sample.arguments[2].to_int() != 0;
        const Tensor grad = is_reduced ? random_tensor(random, IntSpan(), dtype) : random_tensor(random, {3, 4}, dtype);
        sample.arguments.insert(sample.arguments.begin(), grad);
    }
    return samples;
}

// ---- binary cross entropy

Tensor reduced(const Tensor& loss, std::int64_t reduction) {
    switch (static_cast<Reduction>(reduction)) {
        case Reduction::Mean:
            return fn::mean(loss);
        case Reduction::Sum:
            return fn::sum(loss);
        default:
            return loss;
    }
}
Tensor weighted(const Tensor& loss, const Tensor& weight) { return weight.defined() ? fn::mul(loss, weight) : loss; }
// g as it reaches each element of a loss that was reduced.
Tensor scaled(const Tensor& grad, std::int64_t reduction, std::int64_t count) {
    return static_cast<Reduction>(reduction) == Reduction::Mean
               ? fn::div_scalar(grad, Scalar(static_cast<double>(count)))
               : grad;
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction) {
    require(std::equal(self.sizes().begin(), self.sizes().end(), target.sizes().begin(), target.sizes().end()),
            "input and target sizes differ: ", shape_list_text(self.sizes()), " and ", shape_list_text(target.sizes()));
    if (self.device().is_cpu()) {  // a device's kernel says it beside the host
        const Tensor values = packed_as(self, ScalarType::Float64);
        const double* p = values.data<double>();
        require(std::all_of(p, p + values.numel(), [](double v) { return v >= 0 && v <= 1; }),
                "all elements of input should be between 0 and 1");
    }
    const Tensor log_p = fn::clamp(fn::log(self), Scalar(-100.0), IValue());
    const Tensor log_q = fn::clamp(fn::log1p(fn::neg(self)), Scalar(-100.0), IValue());
    const Tensor loss = fn::sub(fn::mul(fn::sub_scalar(target, Scalar(1.0)), log_q), fn::mul(target, log_p));
    return reduced(weighted(loss, weight), reduction);
}

Tensor binary_cross_entropy_backward(const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
                                     std::int64_t reduction) {
    const Tensor spread = fn::clamp(fn::mul(fn::rsub_scalar(self, Scalar(1.0)), self), Scalar(1e-12), IValue());
    const Tensor slope = fn::div(fn::sub(self, target), spread);
    return scaled(fn::mul(weighted(slope, weight), grad), reduction, self.numel());
}

void binary_cross_entropy_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::binary_cross_entropy_backward(c.grad_output(), c.argument("self"), c.argument("target"),
                                                 c.argument("weight"), c.value("reduction"));
    });
    c.grad("target", [&] {
        const Tensor x = c.argument("self");
        const Tensor odds = fn::sub(fn::log1p(fn::neg(x)), fn::log(x));
        return scaled(fn::mul(weighted(odds, c.argument("weight")), c.grad_output()), c.value("reduction").to_int(),
                      x.numel());
    });
}
void binary_cross_entropy_double_gradient(GradientContext& c) {
    const Tensor x = c.argument("self");
    const Tensor target = c.argument("target");
    const std::int64_t reduction = c.value("reduction").to_int();
    const Tensor gg = weighted(c.grad_output(), c.argument("weight"));
    const Tensor spread = fn::mul(fn::rsub_scalar(x, Scalar(1.0)), x);
    c.grad("grad_output",
           [&] { return scaled(fn::mul(gg, fn::div(fn::sub(x, target), spread)), reduction, x.numel()); });
    c.grad("self", [&] {
        // d/dx (x - t) / (x - x^2) = (x^2 - 2 x t + t) / (x - x^2)^2
        const Tensor top = fn::add(fn::sub(fn::mul(x, x), fn::mul_scalar(fn::mul(x, target), Scalar(2.0))), target);
        return scaled(fn::mul(fn::mul(gg, c.argument("grad_output")), fn::div(top, fn::mul(spread, spread))), reduction,
                      x.numel());
    });
    c.grad("target", [&] {
        return scaled(fn::neg(fn::div(fn::mul(gg, c.argument("grad_output")), spread)), reduction, x.numel());
    });
}

// log(1 + exp(-|x|)) + max(-x, 0) is log(1 + exp(-x)) without overflow.
Tensor softplus_of_negative(const Tensor& x) {
    return fn::add(fn::log1p(fn::exp(fn::neg(fn::abs(x)))), fn::clamp(fn::neg(x), Scalar(0.0), IValue()));
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, std::int64_t reduction) {
    broadcast_shapes(target.sizes(), self.sizes());
    const Tensor rest = fn::mul(fn::rsub_scalar(target, Scalar(1.0)), self);
    Tensor tail = softplus_of_negative(self);
    if (pos_weight.defined()) {
        const Tensor positive = fn::mul(fn::sub_scalar(pos_weight, Scalar(1.0)), target);
        tail = fn::mul(tail, fn::add_scalar(positive, Scalar(1.0)));
    }
    return reduced(weighted(fn::add(rest, tail), weight), reduction);
}

void with_logits_gradient(GradientContext& c) {
    const Tensor x = c.argument("self");
    const Tensor target = c.argument("target");
    const Tensor weight = c.argument("weight");
    const Tensor pos_weight = c.argument("pos_weight");
    const std::int64_t reduction = c.value("reduction").to_int();
    const auto finish = [&](const Tensor& slope) {
        return scaled(fn::mul(weighted(slope, weight), c.grad_output()), reduction, x.numel());
    };
    c.grad("self", [&] {
        if (!pos_weight.defined()) return finish(fn::sub(fn::sigmoid(x), target));
        const Tensor t = fn::mul(pos_weight, target);
        const Tensor total = fn::rsub_scalar(fn::sub(target, t), Scalar(1.0));
        return finish(fn::sub(fn::mul(total, fn::sigmoid(x)), t));
    });
    c.grad("target", [&] {
        if (!pos_weight.defined()) return finish(fn::neg(x));
        return finish(fn::sub(fn::mul(fn::sub_scalar(pos_weight, Scalar(1.0)), softplus_of_negative(x)), x));
    });
}

std::vector<Sample> probability_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const std::int64_t reduction : {0, 1, 2}) {
        const Tensor x = fn::sigmoid(random_tensor(random, {3, 4}, dtype));
        const Tensor t = fn::sigmoid(random_tensor(random, {3, 4}, dtype));
        samples.push_back({{x, t, reduction == 1 ? IValue(random_tensor(random, {4}, dtype)) : IValue(), reduction}});
    }
    return samples;
}
std::vector<Sample> logits_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 4}), fn::sigmoid(t({3, 4})), IValue(), IValue(), 1}},
            {{t({3, 4}), fn::sigmoid(t({3, 4})), t({4}), fn::sigmoid(t({4})), 2}, "weights"}};
}

// ---- written with operators

Tensor l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
    return reduced(fn::abs(fn::sub(self, target)), reduction);
}

Tensor kl_div(const Tensor& self, const Tensor& target, std::int64_t reduction, bool log_target) {
    for (const Tensor& each : {self, target}) {
        require(!is_complex(each.dtype()), "kl_div: Complex inputs not supported.");
        require(!is_integral(each.dtype()), "kl_div: Integral inputs not supported.");
    }
    if (log_target) return reduced(fn::mul(fn::exp(target), fn::sub(target, self)), reduction);
    return reduced(fn::sub(fn::xlogy(target, target), fn::mul(target, self)), reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin, std::int64_t reduction) {
    const Tensor nothing = fn::zeros_like(self);
    // The margin is rounded to the dtype before the difference.
    const Tensor beyond =
        fn::clamp(fn::sub(fn::full_like(self, Scalar(margin)), self), Scalar(std::int64_t{0}), IValue());
    const Tensor margin_part = fn::where(fn::ne_scalar(target, Scalar(std::int64_t{1})), beyond, nothing);
    const Tensor own_part = fn::where(fn::ne_scalar(target, Scalar(std::int64_t{-1})), self, nothing);
    return reduced(fn::add(margin_part, own_part), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           std::int64_t reduction) {
    const Tensor gap = fn::mul(fn::neg(target), fn::sub(input1, input2));
    return reduced(fn::clamp(fn::add_scalar(gap, Scalar(margin)), Scalar(0.0), IValue()), reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        std::int64_t reduction) {
    Tensor loss = log_input ? fn::sub(fn::exp(input), fn::mul(target, input))
                            : fn::sub(input, fn::mul(target, fn::log(fn::add_scalar(input, Scalar(eps)))));
    if (full) {
        const Tensor log_t = fn::log(target);
        const Tensor stirling =
            fn::add(fn::sub(fn::mul(target, log_t), target),
                    fn::mul_scalar(fn::log(fn::mul_scalar(target, Scalar(2 * 3.14159265358979323846))), Scalar(0.5)));
        loss = fn::add(loss, fn::masked_fill(stirling, fn::le_scalar(target, Scalar(std::int64_t{1})), Scalar(0.0)));
    }
    return reduced(loss, reduction);
}

// In 1.13: the dot product over the product of the norms, each at least eps.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, std::int64_t dim, double eps) {
    const ScalarType common = promote_types(x1.dtype(), x2.dtype());
    require(is_floating(common), "expected common dtype to be floating point, yet common dtype is ",
            dtype_graph_name(common));
    const Dims sizes = broadcast_shapes(x1.sizes(), x2.sizes());
    const Tensor a = fn::expand(x1, sizes);
    const Tensor b = fn::expand(x2, sizes);
    const auto normalized = [&](const Tensor& x) {
        const Tensor norm =
            fn::clamp(fn::vector_norm(x, Scalar(2.0), Dims{dim}, true, IValue()), Scalar(eps), IValue());
        return fn::div(x, norm);
    };
    return fn::sum_dim(fn::mul(normalized(a), normalized(b)), Dims{dim}, false);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
    const Tensor gap = fn::add_scalar(fn::sub(x1, x2), Scalar(eps));
    return fn::vector_norm(gap, Scalar(p), Dims{-1}, keepdim, IValue());
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             std::int64_t reduction) {
    constexpr double kEpsilon = 1e-12;
    const std::int64_t dim = target.dim() == 0 ? 0 : 1;
    const auto square = [&](const Tensor& x) {
        return fn::add_scalar(fn::sum_dim(fn::mul(x, x), Dims{dim}, false), Scalar(kEpsilon));
    };
    const Tensor dot = fn::sum_dim(fn::mul(input1, input2), Dims{dim}, false);
    const Tensor cosine = fn::div(dot, fn::sqrt(fn::mul(square(input1), square(input2))));
    const Tensor nothing = fn::zeros_like(cosine);
    const Tensor near =
        fn::where(fn::eq_scalar(target, Scalar(std::int64_t{1})), fn::rsub_scalar(cosine, Scalar(1.0)), nothing);
    const Tensor beyond = fn::clamp(fn::sub_scalar(cosine, Scalar(margin)), Scalar(0.0), IValue());
    const Tensor far = fn::where(fn::eq_scalar(target, Scalar(std::int64_t{-1})), beyond, nothing);
    return reduced(fn::add(near, far), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, std::int64_t reduction) {
    const Tensor near = pairwise_distance(anchor, positive, p, eps, false);
    Tensor far = pairwise_distance(anchor, negative, p, eps, false);
    if (swap) far = fn::minimum(far, pairwise_distance(positive, negative, p, eps, false));
    return reduced(fn::clamp(fn::add_scalar(fn::sub(near, far), Scalar(margin)), Scalar(0.0), IValue()), reduction);
}

template <typename Loss>
constexpr OperatorRecord loss(std::string_view schema, std::string_view summary, std::string_view node_name) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer_loss<Loss>,
            .kernel = FillingKernel{run_loss<Loss>},
            .derivative = {loss_gradient<Loss>, {save_argument("self"), save_argument("target")}, node_name},
            .samples = loss_samples<Loss>,
            .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32}};
}
template <typename Loss>
constexpr OperatorRecord loss_backward(std::string_view schema, std::string_view summary, std::string_view node_name) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer_loss_backward<Loss>,
            .kernel = FillingKernel{run_loss_backward<Loss>},
            .derivative = {loss_double_gradient<Loss>,
                           {save_argument("grad_output"), save_argument("self"), save_argument("target")},
                           node_name},
            .samples = loss_backward_samples<Loss>};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kKlDivNotFinite[] = {
    {In::Either, When::Infinite, 0, "kl_div of an input that is -Inf", "give it log_softmax of finite logits"},
};
constexpr NotFiniteNote kBinaryCrossEntropyNotFinite[] = {
    {In::Either, When::Always, 0, "binary_cross_entropy of a number outside [0, 1]",
     "give logits to binary_cross_entropy_with_logits"},
};

constexpr OperatorRecord kRecords[] = {
    loss<Mse>("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
              "The squared difference to the target.", "MseLossBackward0")
        .with_out({})
        .with_formula("loss = (self - target)^2")
        .with_gradient("self: 2 grad (self - target)\ntarget: -2 grad (self - target)"),
    loss_backward<Mse>(
        "aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
        "Gradient of mse_loss.", "MseLossBackwardBackward0")
        .with_out({.overload = "grad_input", .names = "grad_input", .refusal = out_refusal::kFound})
        .with_formula("2 grad_output (self - target)")
        .with_gradient("grad_output: 2 grad (self - target)\nself: 2 grad grad_output\ntarget: -2 grad grad_output"),
    loss<SmoothL1>("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
                   "The difference to the target: squared where it is below beta, absolute beyond.",
                   "SmoothL1LossBackward0")
        .with_dtypes({.kernel = "smooth_l1_cpu"})
        .with_out({})
        .with_formula("loss = d^2 / (2 beta) if |d| < beta else |d| - beta / 2, d = self - target")
        .with_gradient("self: grad d / beta where |d| < beta, else grad sign(d)\ntarget: the same, negated"),
    loss_backward<SmoothL1>(
        "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> "
        "Tensor",
        "Gradient of smooth_l1_loss.", "SmoothL1LossBackwardBackward0")
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_formula("grad_output d / beta if |d| < beta else grad_output sign(d), d = self - target")
        .with_gradient("grad_output: grad d / beta where |d| < beta, else grad sign(d)\n"
                       "self: grad grad_output / beta where |d| < beta, else 0\n"
                       "target: the same, negated"),
    loss<Huber>("aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
                "The difference to the target: squared where it is below delta, delta times the absolute beyond.",
                "HuberLossBackward0")
        .with_dtypes({.kernel = "huber_cpu"})
        .with_out({})
        .with_formula("loss = d^2 / 2 if |d| < delta else delta (|d| - delta / 2), d = self - target")
        .with_gradient("self: grad d where |d| < delta, else grad delta sign(d)\ntarget: the same, negated"),
    loss_backward<Huber>(
        "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> "
        "Tensor",
        "Gradient of huber_loss.", "HuberLossBackwardBackward0")
        .with_out({.names = "grad_input", .refusal = out_refusal::kFound})
        .with_formula("grad_output d if |d| < delta else grad_output delta sign(d), d = self - target")
        .with_gradient("grad_output: grad d where |d| < delta, else grad delta sign(d)\n"
                       "self: grad grad_output where |d| < delta, else 0\n"
                       "target: the same, negated"),
    loss<SoftMargin>("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                     "log(1 + exp(-target self)).", "SoftMarginLossBackward0")
        .with_dtypes({.kernel = "neg_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("loss = ln(1 + exp(-target self))")
        .with_gradient("self: -grad target sigmoid(-target self)"),
    loss_backward<SoftMargin>(
        "aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor",
        "Gradient of soft_margin_loss.", "SoftMarginLossBackwardBackward0")
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_formula("-grad_output target sigmoid(-target self)")
        .with_gradient("grad_output: -grad target sigmoid(-target self)\n"
                       "self: grad grad_output target^2 s (1 - s), s = sigmoid(target self)"),
    {.schema = "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
     .summary = "Cross entropy of probabilities with targets between 0 and 1.",
     .formula = "loss = -weight (target log self + (1 - target) log(1 - self))",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<binary_cross_entropy>,
     .derivative = {binary_cross_entropy_gradient,
                    {save_argument("self"), save_argument("target"), save_argument("weight")}},
     .gradient = "self: grad weight (self - target) / (self (1 - self))\ntarget: grad weight (ln(1 - self) - ln(self))",
     .samples = probability_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kFound},
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Banned},
     .not_finite = kBinaryCrossEntropyNotFinite,
     .dtypes = {kCommonDtypes & kFloatingDtypes, "binary_cross_entropy"}},
    {
        .schema = "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
                  "weight=None, int "
                  "reduction=1) -> "
                  "Tensor",
        .summary = "Gradient of binary_cross_entropy.",
        .formula = "grad_output weight (self - target) / (self (1 - self))",
        .kernel = boxed<binary_cross_entropy_backward>,
        .derivative = {binary_cross_entropy_double_gradient,
                       {save_argument("grad_output"), save_argument("self"), save_argument("target"),
                        save_argument("weight")}},
        .gradient = "grad_output: grad weight (self - target) / (self (1 - self))\n"
                    "self: grad grad_output weight ((1 - target) / (1 - self)^2 + target / self^2)\n"
                    "target: -grad grad_output weight / (self (1 - self))",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {.schema = "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? "
               "pos_weight=None, int "
               "reduction=1) -> Tensor",
     .summary = "Cross entropy of sigmoid(self) with targets between 0 and 1.",
     .formula = "loss = -weight (pos_weight target log sigmoid(self) + (1 - target) log(1 - sigmoid(self)))",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<binary_cross_entropy_with_logits>,
     .derivative = {with_logits_gradient,
                    {save_argument("self"), save_argument("target"), save_argument("weight"),
                     save_argument("pos_weight")}},
     .gradient = "self: grad weight (sigmoid(self) (1 + (pos_weight - 1) target) - pos_weight target)\n"
                 "target: -grad weight (pos_weight ln(sigmoid(self)) - ln(1 - sigmoid(self)))",
     .samples = logits_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
     .dtypes = {kCommonDtypes & kFloatingDtypes, "log_sigmoid_cpu"}},
    {
        .schema = "aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
        .summary = "The absolute difference to the target.",
        .formula = "loss = |self - target|",
        .composite = boxed<l1_loss>,
        .gradient = "self: grad sign(self - target)\ntarget: -grad sign(self - target)",
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor",
        .summary = "Kullback-Leibler divergence of log-probabilities from a target distribution, element by element.",
        .formula = "loss = target (log target - self)",
        .composite = boxed<kl_div>,
        .gradient = "self: -grad target, -grad exp(target) with log_target\ntarget: grad (ln(target) + 1 - self)",
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
        .not_finite = kKlDivNotFinite,
    },
    {
        .schema = "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor",
        .summary = "self where the target is 1, max(0, margin - self) where it is -1.",
        .formula = "loss = self if target = 1 else max(0, margin - self)",
        .composite = boxed<hinge_embedding_loss>,
        .gradient = "self: grad where target = 1, -grad where self < margin",
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int "
                  "reduction=1) -> "
                  "Tensor",
        .summary = "max(0, -target (input1 - input2) + margin).",
        .formula = "loss = max(0, -target (input1 - input2) + margin)",
        .composite = boxed<margin_ranking_loss>,
        .gradient = "input1: -grad target where the loss is above 0\ninput2: grad target where the loss is above 0",
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int "
                  "reduction) -> "
                  "Tensor",
        .summary = "The negated log-likelihood of counts under a Poisson distribution.",
        .formula = "loss = exp(input) - target input; without log_input input - target ln(input + eps)",
        .composite = boxed<poisson_nll_loss>,
        .gradient = "input: grad (exp(input) - target)",
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
        .summary = "The cosine of the angle between vectors along a dimension.",
        .formula = "sum_i x1[i] x2[i] / max(|x1| |x2|, eps)",
        .composite = boxed<cosine_similarity>,
        .gradient = "x1: grad (x2 / (|x1| |x2|) - out x1 / |x1|^2)\nx2: grad (x1 / (|x1| |x2|) - out x2 / |x2|^2)",
        .autocast = {.cuda = Autocast::Float32},
    },
    {
        .schema = "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool "
                  "keepdim=False) -> Tensor",
        .summary = "The p-norm of the difference of vectors in the last dimension.",
        .formula = "sum(|x1 - x2 + eps|^p)^(1 / p)",
        .composite = boxed<pairwise_distance>,
        .gradient = "x1: grad d |d|^(p - 2) / out^(p - 1), d = x1 - x2 + eps\n"
                    "x2: -grad d |d|^(p - 2) / out^(p - 1), d = x1 - x2 + eps",
    },
    {
        .schema = "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int "
                  "reduction=1) -> "
                  "Tensor",
        .summary = "1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.",
        .formula = "loss = 1 - cos(input1, input2) if target = 1 else max(0, cos(input1, input2) - margin)",
        .composite = boxed<cosine_embedding_loss>,
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float "
                  "p=2., float "
                  "eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor",
        .summary = "max(0, distance to the positive - distance to the negative + margin).",
        .formula = "loss = max(0, |anchor - positive| - |anchor - negative| + margin)",
        .composite = boxed<triplet_margin_loss>,
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::elementwise_loss_records() { return kRecords; }

}  // namespace loupe
