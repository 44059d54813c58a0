// SPDX-License-Identifier: Apache-2.0
// multi_margin_loss and multilabel_margin_loss: hinges between the classes of each sample.
#include <algorithm>

#include "core/dispatch/out_refusals.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<> kMultiMarginBackward("aten::multi_margin_loss_backward");
const OperatorHandle<fn::TwoTensors> kMultilabelForward("aten::multilabel_margin_loss_forward");
const OperatorHandle<> kMultilabelBackward("aten::multilabel_margin_loss_backward");

// Samples and their classes; a vector is one sample.
struct Batch {
    std::int64_t samples;
    std::int64_t classes;

    explicit Batch(const Tensor& self)
        : samples(self.dim() < 2 ? 1 : self.size(0)), classes(self.dim() == 0 ? 1 : self.size(-1)) {
        const bool fits = self.dim() <= 2 && (self.dim() == 0 || self.size(-1) != 0);
        require(fits, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
                shape_list_text(self.sizes()));
    }
};

void check_types(const Tensor& self, const Tensor& target, const char* name) {
    require(self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64, "\"", name,
            "\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    require(target.dtype() == ScalarType::Int64, "expected scalar type Long but found ",
            dtype_graph_name(target.dtype()));
}

bool is_reduced(std::int64_t reduction) { return static_cast<Reduction>(reduction) != Reduction::None; }

// The factor from the loss's gradient to a sample's hinges.
template <typename T>
T sample_gradient(const T* grad, std::int64_t sample, const Batch& batch, std::int64_t reduction) {
    if (!is_reduced(reduction)) return grad[sample];
    return static_cast<Reduction>(reduction) == Reduction::Mean ? grad[0] / static_cast<T>(batch.samples) : grad[0];
}

template <typename T>
void write_losses(const Tensor& out, const std::vector<T>& losses, std::int64_t reduction) {
    const Tensor y = buffer_for(out);
    if (is_reduced(reduction)) {
        if (y.numel() == 0) return;
        T sum = 0;
        for (const T loss : losses) sum += loss;
        y.data<T>()[0] =
            static_cast<Reduction>(reduction) == Reduction::Mean ? sum / static_cast<T>(losses.size()) : sum;
    } else {
        std::copy_n(losses.begin(), std::min<std::size_t>(losses.size(), static_cast<std::size_t>(y.numel())),
                    y.data<T>());
    }
    put_back(out, y);
}

// ---- one right class a sample

Batch check_multi_margin(const Tensor& self, const Tensor& target, const Scalar& p, const Tensor& weight) {
    require(p.to_double() == 1 || p.to_double() == 2, "only p == 1 and p == 2 supported");
    const Batch batch(self);
    require(target.dim() <= 1 && target.numel() == batch.samples,
            "inconsistent target size, got: ", shape_list_text(target.sizes()));
    check_types(self, target, "multi_margin_loss_cpu_kernel");
    if (weight.defined()) {
        require(weight.dtype() == self.dtype(), "expected scalar type ", dtype_graph_name(self.dtype()), " but found ",
                dtype_graph_name(weight.dtype()));
        require(weight.numel() == batch.classes, "inconsistent weight size, expected ", batch.classes, " but got ",
                shape_list_text(weight.sizes()));
    }
    return batch;
}

TensorMeta infer_multi_margin(const Tensor& self, const Tensor& target, const Scalar& p, const Scalar&,
                              const Tensor& weight, std::int64_t reduction) {
    const Batch batch = check_multi_margin(self, target, p, weight);
    Dims sizes;
    if (!is_reduced(reduction) && target.dim() > 0) sizes.push_back(batch.samples);
    if (batch.samples == 0) sizes = Dims{0};
    return {sizes, self.dtype(), self.device()};
}

std::int64_t class_of(const std::int64_t* target, std::int64_t sample, const Batch& batch) {
    require(target[sample] >= 0 && target[sample] < batch.classes, "target out of range");
    return target[sample];
}

void multi_margin_loss(const Tensor& out, const Tensor& self, const Tensor& target, const Scalar& p,
                       const Scalar& margin, const Tensor& weight, std::int64_t reduction) {
    const Batch batch = check_multi_margin(self, target, p, weight);
    const Tensor classes = packed(target);
    visit_floating(self.dtype(), "multi_margin_loss", [&]<typename T>(std::type_identity<T>) {
        const Tensor values = packed(self);
        const Tensor weights = packed(weight);
        const T edge = static_cast<T>(margin.to_double());
        std::vector<T> losses(static_cast<std::size_t>(batch.samples));
        for (std::int64_t i = 0; i < batch.samples; ++i) {
            const T* x = values.data<T>() + i * batch.classes;
            const std::int64_t right = class_of(classes.data<std::int64_t>(), i, batch);
            T sum = 0;
            for (std::int64_t d = 0; d < batch.classes; ++d) {
                const T gap = edge - x[right] + x[d];
                if (d == right || gap <= 0) continue;
                T hinge = p.to_double() == 1 ? gap : gap * gap;
                if (weights.defined()) hinge *= weights.data<T>()[right];
                sum += hinge;
            }
            losses[static_cast<std::size_t>(i)] = sum / static_cast<T>(batch.classes);
        }
        write_losses(out, losses, reduction);
    });
}

TensorMeta infer_multi_margin_backward(const Tensor&, const Tensor& self, const Tensor& target, const Scalar& p,
                                       const Scalar&, const Tensor& weight, std::int64_t) {
    check_multi_margin(self, target, p, weight);
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}

void multi_margin_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Tensor& target,
                           const Scalar& p, const Scalar& margin, const Tensor& weight, std::int64_t reduction) {
    const Batch batch = check_multi_margin(self, target, p, weight);
    const Tensor classes = packed(target);
    visit_floating(self.dtype(), "multi_margin_loss_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor values = packed(self);
        const Tensor weights = packed(weight);
        const Tensor grads = packed_as(grad, scalar_type_of<T>);
        const Tensor y = buffer_for(out);
        const T edge = static_cast<T>(margin.to_double());
        for (std::int64_t i = 0; i < batch.samples; ++i) {
            const T* x = values.data<T>() + i * batch.classes;
            T* to = y.data<T>() + i * batch.classes;
            const std::int64_t right = class_of(classes.data<std::int64_t>(), i, batch);
            T scale = sample_gradient(grads.data<T>(), i, batch, reduction) / static_cast<T>(batch.classes);
            if (weights.defined()) scale *= weights.data<T>()[right];
            T sum = 0;
            for (std::int64_t d = 0; d < batch.classes; ++d) {
                const T gap = edge - x[right] + x[d];
                to[d] = d == right || gap <= 0 ? T(0) : (p.to_double() == 1 ? scale : 2 * gap * scale);
                sum += to[d];
            }
            to[right] = -sum;
        }
        put_back(out, y);
    });
}

void multi_margin_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return kMultiMarginBackward(c.grad_output(), c.argument("self"), c.argument("target"), c.value("p"),
                                    c.value("margin"), c.argument("weight"), c.value("reduction"));
    });
}

// ---- several right classes a sample: those before the first -1

Batch check_multilabel(const Tensor& self, const Tensor& target, const char* name) {
    const Batch batch(self);
    const bool same = self.dim() < 2 ? target.dim() <= 1 && target.numel() == batch.classes
                                     : std::equal(self.sizes().begin(), self.sizes().end(), target.sizes().begin(),
                                                  target.sizes().end());
    require(same, "inconsistent size ", shape_list_text(target.sizes()), " for argument #2 'target'");
    check_types(self, target, name);
    return batch;
}

MetaList infer_multilabel(const Tensor& self, const Tensor& target, std::int64_t reduction) {
    const Batch batch = check_multilabel(self, target, "multilabel_margin_loss_forward_out_frame");
    Dims sizes;
    if (!is_reduced(reduction) && target.dim() > 1) sizes.push_back(batch.samples);
    if (batch.samples == 0) sizes = Dims{0};
    return {{sizes, self.dtype(), self.device()}, {to_dims(target.sizes()), self.dtype(), self.device()}};
}

// Visits the pairs of a right and a wrong class: visit(right, wrong).
template <typename T, typename Visit>
void for_each_pair(const std::int64_t* target, const T* is_target, std::int64_t classes, Visit&& visit) {
    for (std::int64_t k = 0; k < classes && target[k] >= 0; ++k) {
        for (std::int64_t d = 0; d < classes; ++d) {
            if (is_target[d] == T(0)) visit(target[k], d);
        }
    }
}

void multilabel_forward(const Tensor& out, const Tensor& is_target, const Tensor& self, const Tensor& target,
                        std::int64_t reduction) {
    const Batch batch = check_multilabel(self, target, "multilabel_margin_loss_forward_out_frame");
    const Tensor labels = packed(target);
    const std::int64_t* at = labels.data<std::int64_t>();
    require(std::all_of(at, at + labels.numel(), [&](std::int64_t t) { return t >= -1 && t < batch.classes; }),
            "argument #2 'target' is out of range");
    visit_floating(self.dtype(), "multilabel_margin_loss", [&]<typename T>(std::type_identity<T>) {
        const Tensor values = packed(self);
        const Tensor marks = buffer_for(is_target);
        fill_zero(marks);
        std::vector<T> losses(static_cast<std::size_t>(batch.samples));
        for (std::int64_t i = 0; i < batch.samples; ++i) {
            const T* x = values.data<T>() + i * batch.classes;
            const std::int64_t* own = at + i * batch.classes;
            T* mark = marks.data<T>() + i * batch.classes;
            for (std::int64_t k = 0; k < batch.classes && own[k] >= 0; ++k) mark[own[k]] = 1;
            T sum = 0;
            for_each_pair(own, mark, batch.classes, [&](std::int64_t right, std::int64_t wrong) {
                sum += std::max(T(0), 1 - x[right] + x[wrong]);
            });
            losses[static_cast<std::size_t>(i)] = sum / static_cast<T>(batch.classes);
        }
        put_back(is_target, marks);
        write_losses(out, losses, reduction);
    });
}

TensorMeta infer_multilabel_backward(const Tensor&, const Tensor& self, const Tensor& target, std::int64_t,
                                     const Tensor& is_target) {
    check_multilabel(self, target, "multilabel_margin_loss_backward_out_frame");
    require(is_target.numel() == target.numel(), "inconsistent is_target size");
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}

void multilabel_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Tensor& target,
                         std::int64_t reduction, const Tensor& is_target) {
    const Batch batch = check_multilabel(self, target, "multilabel_margin_loss_backward_out_frame");
    const Tensor labels = packed(target);
    const std::int64_t* at = labels.data<std::int64_t>();
    require(std::all_of(at, at + labels.numel(), [&](std::int64_t t) { return t >= -1 && t < batch.classes; }),
            "argument #3 'target' is out of range");
    visit_floating(self.dtype(), "multilabel_margin_loss_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor values = packed(self);
        const Tensor marks = packed_as(is_target, scalar_type_of<T>);
        const Tensor grads = packed_as(grad, scalar_type_of<T>);
        const Tensor y = buffer_for(out);
        fill_zero(y);
        for (std::int64_t i = 0; i < batch.samples; ++i) {
            const T* x = values.data<T>() + i * batch.classes;
            T* to = y.data<T>() + i * batch.classes;
            const T scale = sample_gradient(grads.data<T>(), i, batch, reduction) / static_cast<T>(batch.classes);
            for_each_pair(at + i * batch.classes, marks.data<T>() + i * batch.classes, batch.classes,
                          [&](std::int64_t right, std::int64_t wrong) {
                              if (1 - x[right] + x[wrong] <= 0) return;
                              to[right] -= scale;
                              to[wrong] += scale;
                          });
        }
        put_back(out, y);
    });
}

void multilabel_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return kMultilabelBackward(c.grad_output(), c.argument("self"), c.argument("target"), c.value("reduction"),
                                   c.result(1));
    });
}

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
    return std::get<0>(kMultilabelForward(self, target, reduction));
}

std::vector<Sample> multi_margin_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Float32) return {};
    const Tensor target = tensor_of<std::int64_t>({2, 0, 3}, {3});
    return {{{random_ladder(random, {3, 4}, dtype), target, 1, 1.1, IValue(), 1}},
            {{random_ladder(random, {3, 4}, dtype), target, 1, 0.6, IValue(), 0}, "unreduced"}};
}
std::vector<Sample> multilabel_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Float32) return {};
    const Tensor x = fn::mul_scalar(random_ladder(random, {2, 4}, dtype), Scalar(0.9));
    const Tensor target = tensor_of<std::int64_t>({2, 0, -1, 1, 3, -1, -1, -1}, {2, 4});
    return {{{x, target, 1}}, {{x, target, 0}, "unreduced"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int "
         "reduction=1) -> Tensor",
     .summary = "How far other classes come within a margin of the right one.",
     .formula = "out[n] = sum_{c != t} weight[t] max(0, margin - self[n, t] + self[n, c])^p / C, t = target[n]",
     .infer = inferring<infer_multi_margin>,
     .kernel = filling<multi_margin_loss>,
     .derivative = {multi_margin_gradient, {save_argument("self"), save_argument("target"), save_argument("weight")}},
     .gradient = "self: grad p weight[t] max(0, margin - self[t] + self[c])^(p - 1) / C at c, the sum negated at t",
     .samples = multi_margin_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType},
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
     .dtypes = {.kernel = "multi_margin_loss_cpu_kernel"}},
    {
        .schema =
            "aten::multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, "
            "Tensor? weight=None, "
            "int reduction=1) -> Tensor",
        .summary = "Gradient of multi_margin_loss.",
        .formula = "grad_output p weight[t] max(0, margin - self[t] + self[c])^(p - 1) / C at c, the sum negated at t",
        .infer = inferring<infer_multi_margin_backward>,
        .kernel = filling<multi_margin_backward>,
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {.schema =
         "aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor "
         "is_target)",
     .summary = "How far wrong classes come within 1 of the right ones; marks the right ones.",
     .formula = "out[n] = sum_{t in target[n], c not in target[n]} max(0, 1 - self[n, t] + self[n, c]) / C",
     .infer = inferring<infer_multilabel>,
     .kernel = filling<multilabel_forward, 2>,
     .derivative = {multilabel_gradient,
                    {save_argument("self"), save_argument("target"), save_result(1)},
                    "MultilabelMarginLossBackward0"},
     .gradient = "self: grad / C at c, -grad / C at t for each pair with self[t] < 1 + self[c]",
     .variants = kOut,
     .out = {.overload = "output"},
     .constant_results = 0b10,
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "multilabel_margin_loss_forward_out_frame"}},
    {
        .schema = "aten::multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
                  "reduction, Tensor "
                  "is_target) -> Tensor",
        .summary = "Gradient of multilabel_margin_loss.",
        .formula = "grad_output / C at c, -grad_output / C at t for each pair with self[t] < 1 + self[c]",
        .infer = inferring<infer_multilabel_backward>,
        .kernel = filling<multilabel_backward>,
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
        .summary = "How far wrong classes come within 1 of the right ones.",
        .formula = "out[n] = sum_{t in target[n], c not in target[n]} max(0, 1 - self[n, t] + self[n, c]) / C",
        .composite = boxed<multilabel_margin_loss>,
        .gradient = "self: grad / C at c, -grad / C at t for each pair with self[t] < 1 + self[c]",
        .samples = multilabel_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kScalarType},
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::margin_loss_records() { return kRecords; }

}  // namespace loupe
