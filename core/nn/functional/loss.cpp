// SPDX-License-Identifier: Apache-2.0
// Losses. The operators take the reduction as a number; here it is a name, and the older arguments size_average and
// reduce decide it when they are given.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/autograd/program_tracer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/functional.h"
#include "core/nn/functional/operator_call.h"
#include "core/nn/module.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::functional {
namespace {

using namespace arithmetic;

const OperatorHandle<> op_bce("aten::binary_cross_entropy");
const OperatorHandle<> op_bce_logits("aten::binary_cross_entropy_with_logits");
const OperatorHandle<> op_cosine_embedding("aten::cosine_embedding_loss");
const OperatorHandle<> op_cross_entropy("aten::cross_entropy_loss");
const OperatorHandle<> op_ctc("aten::ctc_loss.Tensor");
const OperatorHandle<> op_ctc_lists("aten::ctc_loss.IntList");
const OperatorHandle<> op_hinge("aten::hinge_embedding_loss");
const OperatorHandle<> op_huber("aten::huber_loss");
const OperatorHandle<> op_kl_div("aten::kl_div");
const OperatorHandle<> op_clamp_{"aten::clamp_"};
const OperatorHandle<> op_l1("aten::l1_loss");
const OperatorHandle<> op_log_sigmoid("aten::log_sigmoid");
const OperatorHandle<> op_margin_ranking("aten::margin_ranking_loss");
const OperatorHandle<> op_mse("aten::mse_loss");
const OperatorHandle<> op_multi_margin("aten::multi_margin_loss");
const OperatorHandle<> op_multilabel_margin("aten::multilabel_margin_loss");
const OperatorHandle<> op_poisson("aten::poisson_nll_loss");
const OperatorHandle<> op_smooth_l1("aten::smooth_l1_loss");
const OperatorHandle<> op_soft_margin("aten::soft_margin_loss");
const OperatorHandle<> op_triplet("aten::triplet_margin_loss");
const OperatorHandle<> op_pairwise("aten::pairwise_distance");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// The three arguments that decide the reduction.
std::int64_t chosen(const IValue& size_average, const IValue& reduce, std::string_view reduction) {
    if (!size_average.is_none() || !reduce.is_none()) reduction = legacy_reduction(size_average, reduce);
    return reduction_number(reduction);
}

Tensor reduced(const Tensor& t, std::int64_t reduction) {
    if (reduction == 1) return fn::mean(t, IValue());
    return reduction == 2 ? fn::sum(t, IValue()) : t;
}

bool same_sizes(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.sizes(), b.sizes()); }

std::string size_text(const Tensor& t) { return concat("torch.Size(", shape_list_text(t.sizes()), ")"); }

// Broadcasting between input and target is mostly a mistake.
void warn_of_sizes(const Tensor& input, const Tensor& target) {
    if (same_sizes(input, target)) return;
    warn(concat(
        "Using a target size (", size_text(target), ") that is different to the input size (", size_text(input),
        "). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size."));
}

Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, const IValue& size_average,
                     std::int64_t ignore_index, const IValue& reduce, std::string_view reduction,
                     double label_smoothing) {
    return op_cross_entropy(input, target, weight, chosen(size_average, reduce, reduction), ignore_index,
                            label_smoothing);
}
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, const IValue& size_average,
                std::int64_t ignore_index, const IValue& reduce, std::string_view reduction) {
    return fn::nll_loss_nd(input, target, weight, chosen(size_average, reduce, reduction), ignore_index);
}
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        const IValue& size_average, double eps, const IValue& reduce, std::string_view reduction) {
    return op_poisson(input, target, log_input, full, eps, chosen(size_average, reduce, reduction));
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full, double eps,
                         std::string_view reduction) {
    Tensor variance = var;
    if (!same_sizes(var, input)) {
        const auto sizes = input.sizes();
        const auto n = static_cast<std::size_t>(input.dim());
        const auto given = var.sizes();
        const bool lacks_last = n > 0 && std::ranges::equal(sizes.first(n - 1), given);
        const bool last_is_one = n > 0 && given.size() == n && given[n - 1] == 1 &&
                                 std::ranges::equal(sizes.first(n - 1), given.first(n - 1));
        if (!lacks_last && !last_is_one) run_error("var is of incorrect size");
        if (lacks_last) variance = fn::unsqueeze(var, -1);
    }
    const std::int64_t number = reduction_number(reduction);
    if (fn::is_nonzero(fn::any(fn::lt_scalar(var, Scalar(0))))) run_error("var has negative entry/entries");
    if (is_integral(var.dtype())) op_clamp_(fn::clone(var), Scalar(eps), IValue());  // which refuses them
    // The clamp is for stability and is no part of the derivative.
    const Tensor clamped = fn::add(
        variance, fn::detach(fn::sub(fn::clamp(variance, Scalar(eps), IValue()), variance, Scalar(1))), Scalar(1));
    Tensor loss = Scalar(0.5) * (fn::log(clamped) + fn::square(input - target) / clamped);
    if (full) loss = loss + Scalar(0.5 * std::log(2 * std::numbers::pi));
    return reduced(loss, number);
}

Tensor kl_div(const Tensor& input, const Tensor& target, const IValue& size_average, const IValue& reduce,
              std::string_view reduction, bool log_target) {
    const bool is_legacy = !size_average.is_none() || !reduce.is_none();
    if (!is_legacy && reduction == "batchmean") {
        const Tensor sum = op_kl_div(input, target, 2, log_target);
        return input.dim() == 0 ? sum : fn::div(sum, wrapped_number(Scalar(input.size(0))));
    }
    if (!is_legacy && reduction == "mean") {
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch "
            "size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' "
            "in the next major "
            "release.");
    }
    return op_kl_div(input, target, chosen(size_average, reduce, reduction), log_target);
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, const IValue& size_average,
                            const IValue& reduce, std::string_view reduction) {
    if (!same_sizes(input, target)) {
        run_error(concat("Using a target size (", size_text(target), ") that is different to the input size (",
                         size_text(input), ") is deprecated. Please ensure they have the same size."));
    }
    if (target.dtype() != input.dtype()) {
        run_error(concat("Found dtype ", dtype_graph_name(target.dtype()), " but expected ",
                         dtype_graph_name(input.dtype())));
    }
    Tensor scale = weight;
    if (weight.defined()) {
        scale = fn::expand(weight, broadcast_shapes(target.sizes(), weight.sizes()), false);
    }
    return op_bce(input, target, scale, chosen(size_average, reduce, reduction));
}
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        const IValue& size_average, const IValue& reduce, std::string_view reduction,
                                        const Tensor& pos_weight) {
    if (!same_sizes(input, target)) {
        run_error(
            concat("Target size (", size_text(target), ") must be the same as input size (", size_text(input), ")"));
    }
    return op_bce_logits(input, target, weight, pos_weight, chosen(size_average, reduce, reduction));
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const IValue& size_average, const IValue& reduce,
               std::string_view reduction) {
    warn_of_sizes(input, target);
    return op_l1(input, target, chosen(size_average, reduce, reduction));
}
Tensor mse_loss(const Tensor& input, const Tensor& target, const IValue& size_average, const IValue& reduce,
                std::string_view reduction) {
    warn_of_sizes(input, target);
    return op_mse(input, target, chosen(size_average, reduce, reduction));
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const IValue& size_average, const IValue& reduce,
                      std::string_view reduction, double beta) {
    warn_of_sizes(input, target);
    return op_smooth_l1(input, target, chosen(size_average, reduce, reduction), beta);
}
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double delta) {
    warn_of_sizes(input, target);
    return op_huber(input, target, reduction_number(reduction), delta);
}
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, const IValue& size_average, const IValue& reduce,
                        std::string_view reduction) {
    return op_soft_margin(input, target, chosen(size_average, reduce, reduction));
}
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, const IValue& size_average,
                              const IValue& reduce, std::string_view reduction) {
    return op_multilabel_margin(input, target, chosen(size_average, reduce, reduction));
}
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin, const IValue& size_average,
                            const IValue& reduce, std::string_view reduction) {
    return op_hinge(input, target, margin, chosen(size_average, reduce, reduction));
}
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           const IValue& size_average, const IValue& reduce, std::string_view reduction) {
    if (input1.dim() != input2.dim() || input1.dim() != target.dim()) {
        run_error(concat("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ",
                         size_text(input1), ", input2: ", size_text(input2), ", target: ", size_text(target), " "));
    }
    return op_margin_ranking(input1, input2, target, margin, chosen(size_average, reduce, reduction));
}
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             const IValue& size_average, const IValue& reduce, std::string_view reduction) {
    if (target.dim() > 1) run_error("0D or 1D target tensor expected, multi-target not supported");
    return op_cosine_embedding(input1, input2, target, margin, chosen(size_average, reduce, reduction));
}
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const Scalar& p, const Scalar& margin,
                         const Tensor& weight, const IValue& size_average, const IValue& reduce,
                         std::string_view reduction) {
    if (!p.equals(1) && !p.equals(2)) run_error("only p == 1 and p == 2 supported");
    if (weight.defined() && weight.dim() != 1) run_error("weight must be one-dimensional");
    return op_multi_margin(input, target, p, margin, weight, chosen(size_average, reduce, reduction));
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   const IValue& size_average, const IValue& reduce, std::string_view reduction) {
    const std::int64_t number = chosen(size_average, reduce, reduction);
    // In Python's order of evaluation, as in a trace.
    const Tensor present = target * op_log_sigmoid(input);
    const Tensor is_absent = Scalar(1) - target;
    Tensor loss = -(present + is_absent * op_log_sigmoid(-input));
    if (weight.defined()) loss = loss * weight;
    const Tensor classes = tied_size(input, input.dim() - 1);  // where the run is recorded
    loss = fn::sum_dim(loss, Dims{input.dim() - 1}, false, IValue());
    loss = classes.defined() ? loss / classes : loss / Scalar(input.size(input.dim() - 1));
    return reduced(loss, number);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin,
                           double p, double eps, bool swap, const IValue& size_average, const IValue& reduce,
                           std::string_view reduction) {
    return op_triplet(anchor, positive, negative, margin, p, eps, swap, chosen(size_average, reduce, reduction));
}

Tensor distance_by(const IValue& function, const Tensor& a, const Tensor& b) {
    if (function.is_none()) return op_pairwise(a, b, 2.0, 1e-6, false);
    if (const ModulePtr module = as_module(function)) return module->call({a, b}).to_tensor();
    const auto callable = function.is_other() ? function.to_other_as<Callable>() : nullptr;
    if (!callable) run_error("distance_function is not callable");
    return callable->call({{a, b}, {}}).to_tensor();
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const IValue& distance, double margin, bool swap, std::string_view reduction) {
    const Tensor near = distance_by(distance, anchor, positive);
    Tensor far = distance_by(distance, anchor, negative);
    if (swap) far = fn::minimum(far, distance_by(distance, positive, negative));
    return reduced(fn::clamp(near - far + Scalar(margin), Scalar(0), IValue()), reduction_number(reduction));
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const IValue& input_lengths,
                const IValue& target_lengths, std::int64_t blank, std::string_view reduction, bool zero_infinity) {
    const std::int64_t number = reduction_number(reduction);
    if (input_lengths.is_tensor() && target_lengths.is_tensor()) {
        return op_ctc(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity);
    }
    return op_ctc_lists(log_probs, targets, input_lengths.to_ints(), target_lengths.to_ints(), blank, number,
                        zero_infinity);
}

#define LOUPE_REDUCTION "Any size_average=None, Any reduce=None, str reduction=\"mean\""
constexpr NativeFunction kRecords[] = {
    {"cross_entropy(Tensor input, Tensor target, Tensor? weight=None, Any size_average=None, int ignore_index=-100, "
     "Any reduce=None, "
     "str reduction=\"mean\", float label_smoothing=0.0) -> Tensor",
     "The negative log-likelihood of the target under softmax.", boxed<cross_entropy>},
    {"nll_loss(Tensor input, Tensor target, Tensor? weight=None, Any size_average=None, int ignore_index=-100, Any "
     "reduce=None, str "
     "reduction=\"mean\") -> Tensor",
     "The negative log-probability of the target.", boxed<nll_loss>},
    {"poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, Any size_average=None, float "
     "eps=1e-08, Any "
     "reduce=None, str reduction=\"mean\") -> Tensor",
     "The negative log-likelihood under a Poisson distribution.", boxed<poisson_nll_loss>},
    {"gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float eps=1e-06, str "
     "reduction=\"mean\") -> Tensor",
     "The negative log-likelihood under a normal distribution.", boxed<gaussian_nll_loss>},
    {"kl_div(Tensor input, Tensor target, " LOUPE_REDUCTION ", bool log_target=False) -> Tensor",
     "The Kullback-Leibler divergence from log-probabilities.", boxed<kl_div>},
    {"binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, " LOUPE_REDUCTION ") -> Tensor",
     "The negative log-likelihood of two classes.", boxed<binary_cross_entropy>},
    {"binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, " LOUPE_REDUCTION
     ", Tensor? pos_weight=None) -> Tensor",
     "binary_cross_entropy of the sigmoid.", boxed<binary_cross_entropy_with_logits>},
    {"l1_loss(Tensor input, Tensor target, " LOUPE_REDUCTION ") -> Tensor", "The absolute difference.", boxed<l1_loss>},
    {"mse_loss(Tensor input, Tensor target, " LOUPE_REDUCTION ") -> Tensor", "The squared difference.",
     boxed<mse_loss>},
    {"smooth_l1_loss(Tensor input, Tensor target, " LOUPE_REDUCTION ", float beta=1.0) -> Tensor",
     "Squared below beta, absolute above.", boxed<smooth_l1_loss>},
    {"huber_loss(Tensor input, Tensor target, str reduction=\"mean\", float delta=1.0) -> Tensor",
     "Squared below delta, delta times absolute above.", boxed<huber_loss>},
    {"soft_margin_loss(Tensor input, Tensor target, " LOUPE_REDUCTION ") -> Tensor", "log(1 + exp(-target * input)).",
     boxed<soft_margin_loss>},
    {"multilabel_margin_loss(Tensor input, Tensor target, " LOUPE_REDUCTION ") -> Tensor",
     "The hinge loss of several labels.", boxed<multilabel_margin_loss>},
    {"multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, " LOUPE_REDUCTION ") -> Tensor",
     "Binary cross entropy of several labels.", boxed<multilabel_soft_margin_loss>},
    {"hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, " LOUPE_REDUCTION ") -> Tensor",
     "Distances of like and unlike pairs.", boxed<hinge_embedding_loss>},
    {"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, " LOUPE_REDUCTION ") -> Tensor",
     "Whether the first shall rank above the second.", boxed<margin_ranking_loss>},
    {"cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, " LOUPE_REDUCTION
     ") -> Tensor",
     "The cosine of like and unlike pairs.", boxed<cosine_embedding_loss>},
    {"multi_margin_loss(Tensor input, Tensor target, Scalar p=1, Scalar margin=1.0, Tensor? "
     "weight=None, " LOUPE_REDUCTION ") -> Tensor",
     "The hinge loss of several classes.", boxed<multi_margin_loss>},
    {"triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float "
     "eps=1e-06, bool "
     "swap=False, " LOUPE_REDUCTION ") -> Tensor",
     "The anchor nearer to the positive than to the negative.", boxed<triplet_margin_loss>},
    {"triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative, *, Any "
     "distance_function=None, float "
     "margin=1.0, bool swap=False, str reduction=\"mean\") -> Tensor",
     "triplet_margin_loss with another distance.", boxed<triplet_margin_with_distance_loss>},
    {"ctc_loss(Tensor log_probs, Tensor targets, Any input_lengths, Any target_lengths, int blank=0, str "
     "reduction=\"mean\", bool "
     "zero_infinity=False) -> Tensor",
     "Connectionist temporal classification.", boxed<ctc_loss>},
};
#undef LOUPE_REDUCTION

}  // namespace

std::int64_t reduction_number(std::string_view reduction) {
    if (reduction == "none") return 0;
    if (reduction == "mean" || reduction == "elementwise_mean") return 1;
    if (reduction == "sum") return 2;
    run_error(concat(reduction, " is not a valid value for reduction"));
}

std::string_view legacy_reduction(const IValue& size_average, const IValue& reduce) {
    const auto is_set = [](const IValue& v) {
        return v.is_none() || (v.is_bool() ? v.to_bool() : v.to_scalar().to_bool());
    };
    const std::string_view reduction = !is_set(reduce) ? "none" : is_set(size_average) ? "mean" : "sum";
    warn(concat("size_average and reduce args will be deprecated, please use reduction='", reduction, "' instead."));
    return reduction;
}

FunctionFamily loss_records() { return kRecords; }

}  // namespace loupe::nn::functional
