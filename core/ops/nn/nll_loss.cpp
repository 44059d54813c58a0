// SPDX-License-Identifier: Apache-2.0
// nll_loss, over classes and over pixels of classes, and cross_entropy_loss, which uses it.
#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

// self [N, C, P] (P pixels; 1 for nll_loss), target [N, P]; a plain [C] is one sample.
struct Shape {
    std::int64_t batch = 1;
    std::int64_t classes = 1;
    std::int64_t pixels = 1;
};

void check_weight(const Tensor& weight, std::int64_t classes) {
    require(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
            "weight tensor should be defined either for all ", classes,
            " classes or no classes but got weight tensor of shape: ",
            weight.defined() ? shape_list_text(weight.sizes()) : "");
}

// PyTorch takes uint8 too where there are no pixels; nll_loss makes it int64.
void check_target_dtype(const Tensor& target) {
    const ScalarType dtype = target.dtype();
    require(dtype == ScalarType::Int64 || dtype == ScalarType::UInt8,
            "expected target dtype to be Long or Byte, but got ", dtype_graph_name(dtype));
    require(dtype == ScalarType::Int64, "expected scalar type Long but found Byte");
}

Shape check_nll(const Tensor& self, const Tensor& target, const Tensor& weight) {
    require(self.dim() > 0 && self.dim() <= 2, "input tensor should be 1D or 2D");
    require(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
    check_target_dtype(target);
    // One sample's target may be a vector of one since PyTorch 2.
    const bool is_vector = !is_older_torch() && self.dim() == 1 && target.dim() == 1;
    if (is_vector && target.size(0) != 1)
        fail_with_value(concat("For 1D input, 1D target must have size 1, but got target size: ", target.size(0)));
    const bool is_one = self.dim() == 1 && (target.dim() == 0 || is_vector);
    require(is_one || self.size(0) == target.size(0), "size mismatch (got input: ", shape_list_text(self.sizes()),
            ", target: ", shape_list_text(target.sizes()), ")");
    const Shape shape{self.dim() == 2 ? self.size(0) : 1, self.size(-1), 1};
    check_weight(weight, shape.classes);
    return shape;
}

Shape check_nll2d(const Tensor& self, const Tensor& target, const Tensor& weight) {
    require(target.dim() == 3,
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: ", target.dim());
    require(self.dim() == 4,
            "only batches of spatial inputs supported (4D tensors), but got input of dimension: ", self.dim());
    check_target_dtype(target);
    require(self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
            "size mismatch (got input: ", shape_list_text(self.sizes()),
            " , target: ", shape_list_text(target.sizes()));
    const Shape shape{self.size(0), self.size(1), self.size(2) * self.size(3)};
    check_weight(weight, shape.classes);
    return shape;
}

void check_class(std::int64_t t, std::int64_t classes) {
    require(t >= 0 && t < classes, "Target ", t, " is out of bounds.");
}

void forward(const Shape& s, const Tensor& out, const Tensor& total, const Tensor& self, const Tensor& target,
             const Tensor& weight, std::int64_t reduction, std::int64_t ignore) {
    visit_floating(self.dtype(), "nll_loss_out_frame", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor classes = packed(target);
        const Tensor weights = packed_as(weight, scalar_type_of<T>);
        const std::int64_t* t = classes.data<std::int64_t>();
        const bool keep = static_cast<Reduction>(reduction) == Reduction::None;
        const Tensor each = keep ? empty(out.sizes(), scalar_type_of<T>) : Tensor();
        double sum = 0;
        double weight_sum = 0;
        for (std::int64_t i = 0; i < s.batch * s.pixels; ++i) {
            if (t[i] == ignore) {
                if (keep) each.data<T>()[i] = 0;
                continue;
            }
            check_class(t[i], s.classes);
            const T w = weights.defined() ? weights.data<T>()[t[i]] : T(1);
            const T loss = -x.data<T>()[(i / s.pixels * s.classes + t[i]) * s.pixels + i % s.pixels] * w;
            if (keep) each.data<T>()[i] = loss;
            sum += static_cast<double>(loss);
            weight_sum += static_cast<double>(w);
        }
        if (static_cast<Reduction>(reduction) == Reduction::Mean) sum /= weight_sum;
        convert_into(out, keep ? each : scalar_tensor(Scalar(sum), scalar_type_of<T>));
        convert_into(total, scalar_tensor(Scalar(keep ? 0.0 : weight_sum), scalar_type_of<T>));
    });
}

void backward(const Shape& s, const Tensor& out, const Tensor& grad_output, const Tensor& target, const Tensor& weight,
              std::int64_t reduction, std::int64_t ignore, const Tensor& total) {
    visit_floating(grad_output.dtype(), "nll_loss_backward_out_frame", [&]<typename T>(std::type_identity<T>) {
        const Tensor g = packed_as(grad_output, scalar_type_of<T>);
        const Tensor classes = packed(target);
        const Tensor weights = packed_as(weight, scalar_type_of<T>);
        const std::int64_t* t = classes.data<std::int64_t>();
        const bool keep = static_cast<Reduction>(reduction) == Reduction::None;
        const bool mean = static_cast<Reduction>(reduction) == Reduction::Mean;
        const Tensor sum = mean ? packed_as(total, scalar_type_of<T>) : Tensor();
        const T divisor = mean ? sum.data<T>()[0] : T(1);
        const Tensor to = out.dtype() == scalar_type_of<T> ? buffer_for(out) : empty(out.sizes(), scalar_type_of<T>);
        fill_zero(to);
        for (std::int64_t i = 0; i < s.batch * s.pixels; ++i) {
            if (t[i] == ignore) continue;
            check_class(t[i], s.classes);
            const T w = weights.defined() ? weights.data<T>()[t[i]] : T(1);
            to.data<T>()[(i / s.pixels * s.classes + t[i]) * s.pixels + i % s.pixels] =
                -w * g.data<T>()[keep ? i : 0] / divisor;
        }
        if (!to.is_same(out)) convert_into(out, to);
    });
}

using Check = Shape (*)(const Tensor&, const Tensor&, const Tensor&);

template <Check check>
MetaList infer_forward(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                       std::int64_t) {
    check(self, target, weight);
    require(is_floating(self.dtype()), "\"nll_loss_out_frame\" not implemented for '", dtype_graph_name(self.dtype()),
            "'");
    const bool keep = static_cast<Reduction>(reduction) == Reduction::None;
    return {TensorMeta{keep ? to_dims(target.sizes()) : Dims{}, self.dtype(), self.device()},
            TensorMeta{{}, self.dtype(), self.device()}};
}
template <Check check>
void forward_kernel(const Tensor& out, const Tensor& total, const Tensor& self, const Tensor& target,
                    const Tensor& weight, std::int64_t reduction, std::int64_t ignore) {
    forward(check(self, target, weight), out, total, self, target, weight, reduction, ignore);
}
template <Check check>
TensorMeta infer_backward(const Tensor&, const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t,
                          std::int64_t, const Tensor&) {
    check(self, target, weight);
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}
template <Check check>
void backward_kernel(const Tensor& out, const Tensor& grad_output, const Tensor& self, const Tensor& target,
                     const Tensor& weight, std::int64_t reduction, std::int64_t ignore, const Tensor& total) {
    backward(check(self, target, weight), out, grad_output, target, weight, reduction, ignore, total);
}

void nll_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::nll_loss_backward(c.grad_output(), c.argument("self"), c.argument("target"), c.argument("weight"),
                                     c.value("reduction"), c.value("ignore_index"), c.result(1));
    });
}
void nll2d_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::nll_loss2d_backward(c.grad_output(), c.argument("self"), c.argument("target"), c.argument("weight"),
                                       c.value("reduction"), c.value("ignore_index"), c.result(1));
    });
}
void nll_double_gradient(GradientContext& c) {
    c.grad("grad_output", [&] {
        return fn::nll_loss(c.grad_output(), c.argument("target"), c.argument("weight"), c.value("reduction"),
                            c.value("ignore_index"));
    });
}
void nll2d_double_gradient(GradientContext& c) {
    c.grad("grad_output", [&] {
        return fn::nll_loss2d(c.grad_output(), c.argument("target"), c.argument("weight"), c.value("reduction"),
                              c.value("ignore_index"));
    });
}

Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                std::int64_t ignore) {
    const bool is_wide = target.dtype() != ScalarType::UInt8;
    const Tensor classes = is_wide ? target : fn::to_dtype(target, static_cast<std::int64_t>(ScalarType::Int64));
    return std::get<0>(fn::nll_loss_forward(self, classes, weight, reduction, ignore));
}
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                  std::int64_t ignore) {
    return std::get<0>(fn::nll_loss2d_forward(self, target, weight, reduction, ignore));
}

// Any number of pixel dimensions, gathered into two.
Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                   std::int64_t ignore) {
    require(self.dim() > 0, "Expected 1 or more dimensions (got ", self.dim(), ")");
    require(self.dim() == 1 || self.size(0) == (target.dim() == 0 ? 1 : target.size(0)), "Expected input batch_size (",
            self.size(0), ") to match target batch_size (", target.dim() == 0 ? 1 : target.size(0), ").");
    if (self.dim() <= 2) return nll_loss(self, target, weight, reduction, ignore);
    if (self.dim() == 4) return nll_loss2d(self, target, weight, reduction, ignore);
    const std::int64_t batch = self.size(0);
    const Dims pixels(self.sizes().begin() + 2, self.sizes().end());
    Dims expected{batch};
    expected.insert(expected.end(), pixels.begin(), pixels.end());
    require(std::equal(expected.begin(), expected.end(), target.sizes().begin(), target.sizes().end()),
            "Expected target size ", shape_list_text(span_of(expected)), ", got ", shape_list_text(target.sizes()));
    const std::int64_t rest = self.numel() == 0 ? 0 : -1;
    const Tensor flat = fn::reshape(fn::contiguous(self), Dims{batch, self.size(1), 1, rest});
    const Tensor loss =
        nll_loss2d(flat, fn::reshape(fn::contiguous(target), Dims{batch, 1, rest}), weight, reduction, ignore);
    return static_cast<Reduction>(reduction) == Reduction::None ? fn::view(loss, expected) : loss;
}

// ---- cross entropy

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

Tensor class_shape(const Tensor& weight, const Tensor& self, std::int64_t class_dim) {
    Dims shape(static_cast<std::size_t>(self.dim()), 1);
    shape[static_cast<std::size_t>(class_dim)] = weight.numel();
    return fn::view(weight, shape);
}

// The target is a distribution over classes.
Tensor cross_entropy_of_probabilities(const Tensor& self, const Tensor& target, const Tensor& weight,
                                      std::int64_t reduction, double smoothing) {
    require(is_floating(target.dtype()), "Expected floating point type for target with class probabilities, got ",
            dtype_graph_name(target.dtype()));
    const std::int64_t class_dim = self.dim() == 1 ? 0 : 1;
    const auto classes = static_cast<double>(self.size(class_dim));
    check_weight(weight, self.size(class_dim));
    const Tensor log_p = fn::log_softmax(self, class_dim, IValue());
    const Tensor wanted =
        smoothing > 0 ? fn::add_scalar(fn::mul_scalar(target, Scalar(1 - smoothing)), Scalar(smoothing / classes))
                      : target;
    Tensor terms = fn::mul(log_p, wanted);
    if (weight.defined()) terms = fn::mul(terms, class_shape(weight, self, class_dim));
    if (static_cast<Reduction>(reduction) == Reduction::None)
        return fn::neg(fn::sum_dim(terms, Dims{class_dim}, false));
    const Tensor total = fn::neg(fn::sum(terms));
    if (static_cast<Reduction>(reduction) == Reduction::Sum) return total;
    return fn::div_scalar(total, Scalar(static_cast<double>(self.numel()) / classes));
}

Tensor smoothed_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                              std::int64_t ignore, double smoothing) {
    const std::int64_t class_dim = self.dim() == 1 ? 0 : 1;
    const Tensor log_p = fn::log_softmax(self, class_dim, IValue());
    const Tensor nll = fn::nll_loss_nd(log_p, target, weight, reduction, ignore);
    const Tensor weighted = weight.defined() ? fn::mul(log_p, class_shape(weight, self, class_dim)) : log_p;
    const Tensor ignored = fn::eq_scalar(target, Scalar(ignore));
    const Tensor smooth = fn::masked_fill(fn::neg(fn::sum_dim(weighted, Dims{class_dim}, false)), ignored, Scalar(0.0));
    Tensor smooth_loss;
    if (static_cast<Reduction>(reduction) != Reduction::Mean) {
        smooth_loss = reduced(smooth, reduction);
    } else if (weight.defined()) {
        const Tensor chosen = fn::masked_fill(target, ignored, Scalar(std::int64_t{0}));
        const Tensor weights =
            fn::view(fn::index_select(weight, std::int64_t{0}, fn::flatten(chosen, std::int64_t{0}, std::int64_t{-1})),
                     to_dims(target.sizes()));
        smooth_loss = fn::div(fn::sum(smooth), fn::sum(fn::masked_fill(weights, ignored, Scalar(0.0))));
    } else {
        const Tensor kept = fn::sum(fn::logical_not(ignored));
        smooth_loss = fn::div(fn::sum(smooth), kept);
    }
    const double share = smoothing / static_cast<double>(self.size(class_dim));
    return fn::add(fn::mul_scalar(nll, Scalar(1 - smoothing)), fn::mul_scalar(smooth_loss, Scalar(share)));
}

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight, std::int64_t reduction,
                          std::int64_t ignore, double smoothing) {
    require(smoothing >= 0.0 && smoothing <= 1.0, "label_smoothing must be between 0.0 and 1.0. Got: ", smoothing);
    const auto same =
        std::equal(self.sizes().begin(), self.sizes().end(), target.sizes().begin(), target.sizes().end());
    if (same) {
        require(ignore < 0, "ignore_index is not supported for floating point target");
        return cross_entropy_of_probabilities(self, target, weight, reduction, smoothing);
    }
    if (smoothing > 0) return smoothed_cross_entropy(self, target, weight, reduction, ignore, smoothing);
    return fn::nll_loss_nd(fn::log_softmax(self, std::int64_t{self.dim() == 1 ? 0 : 1}, IValue()), target, weight,
                           reduction, ignore);
}

// ---- samples

std::vector<Sample> nll_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({4, 3}), random_indices(random, {4}, 3), IValue(), 1, -100}},
            {{t({4, 3}), random_indices(random, {4}, 3), t({3}), 0, 1}, "weights, ignored class"},
            {{t({4, 3}), random_indices(random, {4}, 3), IValue(), 2, -100}, "sum"}};
}
std::vector<Sample> nll2d_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3, 2, 2}, dtype), random_indices(random, {2, 2, 2}, 3), IValue(), 1, -100}}};
}
std::vector<Sample> cross_entropy_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({4, 3}), random_indices(random, {4}, 3), IValue(), 1, -100, 0.0}},
            {{t({4, 3}), random_indices(random, {4}, 3), t({3}), 1, 2, 0.1}, "smoothed, weights"},
            {{t({4, 3}), t({4, 3}), IValue(), 1, -100, 0.1}, "probabilities"},
            {{t({2, 3, 5}), random_indices(random, {2, 5}, 3), IValue(), 2, -100, 0.0}, "sequence"}};
}

constexpr std::string_view kFormula = "loss = -weight[target] self[target]";

#define LOUPE_NLL_ARGUMENTS "Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100"
#define LOUPE_NLL_FORWARD_ARGUMENTS "Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index"
#define LOUPE_NLL_BACKWARD_ARGUMENTS                                                                           \
    "Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, Tensor " \
    "total_weight"

constexpr std::string_view kNegative = "self: -grad weight[target] at the target, else 0";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
using Makes = NotFiniteNote::Makes;
constexpr std::string_view kSmallLogits =
    "bring the logits down: normalise what they are computed from, or lower the learning rate";
constexpr NotFiniteNote kCrossEntropyLossNotFinite[] = {
    {In::Either, When::Infinite, 0, "cross_entropy of logits that are infinite",
     "mask logits with a large finite number, and keep the target's class unmasked"},
    {In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)",
     "skip batches without a target, or use reduction='sum' and divide by the count", Makes::Nan},
    {In::Forward, When::Always, 0, "a loss of numbers that leave the range of the dtype", kSmallLogits, Makes::Inf},
};
constexpr NotFiniteNote kNllLossNotFinite[] = {
    {In::Forward, When::Always, 0, "the mean over no targets (each is ignore_index or has weight 0)",
     "skip batches without a target, or use reduction='sum' and divide by the count", Makes::Nan},
    {In::Forward, When::Always, 0, "a loss of numbers that leave the range of the dtype", kSmallLogits, Makes::Inf},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::nll_loss_forward(" LOUPE_NLL_FORWARD_ARGUMENTS ") -> (Tensor output, Tensor total_weight)",
     .summary = "The negated log-probability of the target class, and the sum of the weights that counted.",
     .formula = kFormula,
     .infer = inferring<infer_forward<check_nll>>,
     .kernel = filling<forward_kernel<check_nll>, 2>,
     .derivative = {nll_gradient,
                    {save_argument("self"), save_argument("target"), save_argument("weight"), save_result(1)},
                    "NllLossBackward0"},
     .gradient = kNegative,
     .samples = nll_samples,
     .variants = kOut,
     .out = {.overload = "output", .names = "output total_weight", .refusal = out_refusal::kStructured},
     .constant_results = 0b10,
     .not_finite = kNllLossNotFinite,
     .dtypes = {.kernel = "nll_loss_out_frame"}},
    {
        .schema = "aten::nll_loss_backward(" LOUPE_NLL_BACKWARD_ARGUMENTS ") -> Tensor",
        .summary = "Gradient of nll_loss.",
        .formula = "-grad_output weight[target] at the target, else 0",
        .infer = inferring<infer_backward<check_nll>>,
        .kernel = filling<backward_kernel<check_nll>>,
        .derivative = {nll_double_gradient,
                       {save_argument("target"), save_argument("weight")},
                       "NllLossBackwardBackward0"},
        .gradient = "grad_output: -grad[target] weight[target]",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {.schema = "aten::nll_loss2d_forward(" LOUPE_NLL_FORWARD_ARGUMENTS ") -> (Tensor output, Tensor total_weight)",
     .summary = "The negated log-probability of each pixel's target class, and the sum of the weights that counted.",
     .formula = kFormula,
     .infer = inferring<infer_forward<check_nll2d>>,
     .kernel = filling<forward_kernel<check_nll2d>, 2>,
     .derivative = {nll2d_gradient,
                    {save_argument("self"), save_argument("target"), save_argument("weight"), save_result(1)},
                    "NllLoss2DBackward0"},
     .gradient = kNegative,
     .samples = nll2d_samples,
     .variants = kOut,
     .out = {.overload = "output", .names = "output total_weight", .refusal = out_refusal::kScalarType},
     .constant_results = 0b10,
     .dtypes = {.kernel = "nll_loss2d_forward_out_frame"}},
    {
        .schema = "aten::nll_loss2d_backward(" LOUPE_NLL_BACKWARD_ARGUMENTS ") -> Tensor",
        .summary = "Gradient of nll_loss2d.",
        .formula = "-grad_output weight[target] at the target, else 0",
        .infer = inferring<infer_backward<check_nll2d>>,
        .kernel = filling<backward_kernel<check_nll2d>>,
        .derivative = {nll2d_double_gradient,
                       {save_argument("target"), save_argument("weight")},
                       "NllLoss2DBackwardBackward0"},
        .gradient = "grad_output: -grad[target] weight[target]",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::nll_loss(" LOUPE_NLL_ARGUMENTS ") -> Tensor",
        .summary = "The negated log-probability of the target class.",
        .formula = kFormula,
        .composite = boxed<nll_loss>,
        .gradient = kNegative,
        .samples = nll_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kStructured},
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
        .not_finite = kNllLossNotFinite,
    },
    {
        .schema = "aten::nll_loss2d(" LOUPE_NLL_ARGUMENTS ") -> Tensor",
        .summary = "The negated log-probability of each pixel's target class.",
        .formula = kFormula,
        .composite = boxed<nll_loss2d>,
        .gradient = kNegative,
        .samples = nll2d_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kScalarType},
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
    {
        .schema = "aten::nll_loss_nd(" LOUPE_NLL_ARGUMENTS ") -> Tensor",
        .summary = "nll_loss with any number of pixel dimensions.",
        .formula = kFormula,
        .composite = boxed<nll_loss_nd>,
        .gradient = kNegative,
        .samples = nll_samples,
        .autocast = {.cpu = Autocast::Float32},  // of nll_loss, which PyTorch's calls
        .not_finite = kNllLossNotFinite,
    },
    {
        .schema = "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int "
                  "ignore_index=-100, "
                  "float label_smoothing=0.) -> Tensor",
        .summary = "nll_loss of log_softmax; the target is a class or a distribution over classes.",
        .formula = "loss = -weight[target] log softmax(self)[target]",
        .composite = boxed<cross_entropy_loss>,
        .gradient = "self: grad weight[target] (softmax(self) - onehot(target))",
        .samples = cross_entropy_samples,
        .autocast = {.cpu = Autocast::Float32},
        .not_finite = kCrossEntropyLossNotFinite,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::nll_loss_records() { return kRecords; }

}  // namespace loupe
