// SPDX-License-Identifier: Apache-2.0
// ctc_loss: Graves et al., "Connectionist Temporal Classification". Sums over all alignments of a target, in
// logarithms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/kernels/integer_math.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<fn::TwoTensors> kCtc("aten::_ctc_loss");
const OperatorHandle<> kCtcBackward("aten::_ctc_loss_backward");
const OperatorHandle<> kCtcBackwardTensor("aten::_ctc_loss_backward.Tensor");

std::string_view checking() {
    return is_older_torch() ? " (while checking arguments for ctc_loss_cpu)"
                            : " (while checking arguments for ctc_loss_allocate_outputs)";
}

// The sizes of a call, and where each sample's target starts.
struct Alignment {
    std::int64_t steps;
    std::int64_t batch;
    std::int64_t labels;
    std::int64_t blank;
    Dims input_lengths;
    Dims target_lengths;
    std::vector<std::int64_t> targets;
    std::vector<std::int64_t> starts;
    std::int64_t longest = 0;

    std::int64_t width() const { return 2 * longest + 1; }
    // Label s of blank, t0, blank, t1, ..., blank.
    std::int64_t label(std::int64_t sample, std::int64_t s) const {
        if (s % 2 == 0) return blank;
        return targets[static_cast<std::size_t>(starts[static_cast<std::size_t>(sample)] + s / 2)];
    }
    bool skips(std::int64_t sample, std::int64_t s) const {
        return s >= 2 && s % 2 == 1 && label(sample, s) != label(sample, s - 2);
    }
};

// Where targets start: one after the other, or a row each.
void place_targets(Alignment& a, const Tensor& targets) {
    std::int64_t total = 0;
    for (const std::int64_t length : a.target_lengths) {
        require(length >= 0, "Expected target_lengths to have value at least 0, but got value ", length, checking());
        a.starts.push_back(total);
        total = checked_sum(total, length);
        a.longest = std::max(a.longest, length);
    }
    if (targets.dim() == 1) {
        require(targets.size(0) == total, "Expected tensor to have size ", total, " at dimension 0, but got size ",
                targets.size(0), " for argument #2 'targets'", checking());
        return;
    }
    require(targets.size(0) == a.batch, "Expected tensor to have size ", a.batch, " at dimension 0, but got size ",
            targets.size(0), " for argument #2 'targets'", checking());
    require(targets.size(1) >= a.longest, "Expected tensor to have size at least ", a.longest,
            " at dimension 1, but got size ", targets.size(1), " for argument #2 'targets'", checking());
    for (std::int64_t i = 0; i < a.batch; ++i) a.starts[static_cast<std::size_t>(i)] = i * targets.size(1);
}

Alignment check_ctc(const Tensor& log_probs, const Tensor& targets, const Dims& input_lengths,
                    const Dims& target_lengths, std::int64_t blank) {
    require(log_probs.dtype() == ScalarType::Float32 || log_probs.dtype() == ScalarType::Float64,
            "\"ctc_loss_cpu\" not implemented for '", dtype_graph_name(log_probs.dtype()), "'");
    require(targets.dtype() == ScalarType::Int64 || targets.dtype() == ScalarType::Int32,
            "Expected tensor for argument #2 'targets' to have scalar type Int; but got torch.",
            dtype_graph_name(targets.dtype()), "Tensor instead", checking());
    require(log_probs.dim() == 3, "Expected 3-dimensional tensor, but got ", log_probs.dim(),
            "-dimensional tensor for argument #1 'log_probs'", checking());
    require(targets.dim() == 1 || targets.dim() == 2, "Expected 1 to 2 dimensions, but got ", targets.dim(),
            "-dimensional tensor for argument #2 'targets'", checking());
    Alignment a{log_probs.size(0), log_probs.size(1), log_probs.size(2), blank, input_lengths, target_lengths, {}, {}};
    require(blank >= 0 && blank < a.labels, "blank must be in label range");
    require(static_cast<std::int64_t>(input_lengths.size()) == a.batch, "input_lengths must be of size batch_size");
    require(static_cast<std::int64_t>(target_lengths.size()) == a.batch, "target_lengths must be of size batch_size");
    place_targets(a, targets);
    for (const std::int64_t length : input_lengths) {
        require(length <= a.steps, "Expected input_lengths to have value at most ", a.steps, ", but got value ", length,
                checking());
        require(length >= 0, "Expected input_lengths to have value at least 0, but got value ", length, checking());
    }
    require(a.steps > 0, "start (0) + length (1) exceeds dimension size (0).");
    a.targets = indexing::index_values(targets);
    for (std::int64_t i = 0; i < a.batch; ++i) {
        for (std::int64_t s = 0; s < target_lengths[static_cast<std::size_t>(i)]; ++s) {
            const std::int64_t label = a.label(i, 2 * s + 1);
            require(label >= 0 && label < a.labels, "ctc_loss: target ", label, " is not a label; there are ",
                    a.labels);
        }
    }
    return a;
}

template <typename T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

template <typename T>
T log_add(T a, T b, T c = kNever<T>) {
    const T most = std::max({a, b, c});
    if (most == kNever<T>) return most;
    return std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most)) + most;
}

// alpha[t, s]: the logarithm of the probability of all ways to have read labels up to s after step t.
template <typename T>
T forward_sample(const Alignment& a, std::int64_t sample, const T* log_probs, T* alpha) {
    const std::int64_t steps = a.input_lengths[static_cast<std::size_t>(sample)];
    const std::int64_t length = 2 * a.target_lengths[static_cast<std::size_t>(sample)] + 1;
    const auto at = [&](std::int64_t t, std::int64_t s) {
        return log_probs[(t * a.batch + sample) * a.labels + a.label(sample, s)];
    };
    alpha[0] = at(0, 0);
    if (length > 1) alpha[1] = at(0, 1);
    for (std::int64_t t = 1; t < steps; ++t) {
        const T* before = alpha + (t - 1) * a.width();
        for (std::int64_t s = 0; s < length; ++s) {
            const T sum =
                log_add(before[s], s > 0 ? before[s - 1] : kNever<T>, a.skips(sample, s) ? before[s - 2] : kNever<T>);
            alpha[t * a.width() + s] = sum + at(t, s);
        }
    }
    if (steps == 0) return length == 1 ? T(0) : std::numeric_limits<T>::infinity();
    const T* last = alpha + (steps - 1) * a.width();
    return -log_add(last[length - 1], length > 1 ? last[length - 2] : kNever<T>);
}

fn::TwoTensors ctc_loss_of(const Tensor& log_probs, const Tensor& targets, const Dims& input_lengths,
                           const Dims& target_lengths, std::int64_t blank, bool) {
    const Alignment a = check_ctc(log_probs, targets, input_lengths, target_lengths, blank);
    const Tensor losses = empty(std::array{a.batch}, log_probs.dtype());
    const Tensor alphas = empty(std::array{a.batch, a.steps, a.width()}, log_probs.dtype());
    visit_floating(log_probs.dtype(), "ctc_loss_cpu", [&]<typename T>(std::type_identity<T>) {
        const Tensor probs = packed(log_probs);
        std::fill_n(alphas.data<T>(), alphas.numel(), kNever<T>);
        parallel_for(0, a.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                losses.data<T>()[i] = forward_sample(a, i, probs.data<T>(), alphas.data<T>() + i * a.steps * a.width());
            }
        });
    });
    return {losses, alphas};
}

// ---- backward

template <typename T>
struct BackwardSample {
    const T* log_probs;
    const T* alpha;
    T loss;
    T grad;
    T* out;
};

// The same from the end: beta[s], of one step at a time. Joins alpha and beta for each label and step.
template <typename T>
void backward_sample(const Alignment& a, std::int64_t sample, const BackwardSample<T>& c) {
    const std::int64_t steps = a.input_lengths[static_cast<std::size_t>(sample)];
    const std::int64_t length = 2 * a.target_lengths[static_cast<std::size_t>(sample)] + 1;
    std::vector<T> beta(static_cast<std::size_t>(length), kNever<T>);
    std::vector<T> after(static_cast<std::size_t>(length), kNever<T>);
    std::vector<T> joined(static_cast<std::size_t>(a.labels));
    for (std::int64_t t = steps; t-- > 0;) {
        const T* row = c.log_probs + (t * a.batch + sample) * a.labels;
        std::fill(joined.begin(), joined.end(), kNever<T>);
        for (std::int64_t s = 0; s < length; ++s) {
            const auto get = [&](std::int64_t k) {
                return k < length ? after[static_cast<std::size_t>(k)] : kNever<T>;
            };
            const std::int64_t label = a.label(sample, s);
            const bool skips = s + 2 < length && a.skips(sample, s + 2);
            T sum = t == steps - 1 ? (s >= length - 2 ? T(0) : kNever<T>)
                                   : log_add(get(s), get(s + 1), skips ? get(s + 2) : kNever<T>);
            beta[static_cast<std::size_t>(s)] = sum + row[label];
            T& both = joined[static_cast<std::size_t>(label)];
            both = log_add(both, c.alpha[t * a.width() + s] + beta[static_cast<std::size_t>(s)]);
        }
        std::swap(beta, after);
        T* to = c.out + (t * a.batch + sample) * a.labels;
        for (std::int64_t k = 0; k < a.labels; ++k) {
            to[k] = (std::exp(row[k]) - std::exp(joined[static_cast<std::size_t>(k)] + c.loss - row[k])) * c.grad;
        }
    }
}

Tensor ctc_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& targets, const Dims& input_lengths,
                    const Dims& target_lengths, const Tensor& losses, const Tensor& alphas, std::int64_t blank,
                    bool zero_infinity) {
    const Alignment a = check_ctc(log_probs, targets, input_lengths, target_lengths, blank);
    const Tensor out = zeros(log_probs.sizes(), log_probs.dtype());
    visit_floating(log_probs.dtype(), "ctc_loss_backward_cpu", [&]<typename T>(std::type_identity<T>) {
        const Tensor probs = packed(log_probs);
        const Tensor g = packed_as(expanded(grad, losses.sizes()), scalar_type_of<T>);
        const Tensor loss = packed(losses);
        const Tensor alpha = packed(alphas);
        parallel_for(0, a.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const T own = loss.data<T>()[i];
                if (zero_infinity && own == std::numeric_limits<T>::infinity()) continue;
                backward_sample<T>(
                    a, i,
                    {probs.data<T>(), alpha.data<T>() + i * a.steps * a.width(), own, g.data<T>()[i], out.data<T>()});
            }
        });
    });
    return out;
}

Dims lengths_of(const Tensor& lengths, const char* name) {
    require(is_integral(lengths.dtype()), name, " must be integral");
    const Tensor values = packed_as(on_host(lengths), ScalarType::Int64);
    return Dims(values.data<std::int64_t>(), values.data<std::int64_t>() + values.numel());
}

fn::TwoTensors ctc_loss_of_tensors(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                                   const Tensor& target_lengths, std::int64_t blank, bool zero_infinity) {
    return ctc_loss_of(log_probs, targets, lengths_of(input_lengths, "input_lengths"),
                       lengths_of(target_lengths, "target_lengths"), blank, zero_infinity);
}
Tensor ctc_backward_of_tensors(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                               const Tensor& input_lengths, const Tensor& target_lengths, const Tensor& losses,
                               const Tensor& alphas, std::int64_t blank, bool zero_infinity) {
    return ctc_backward(grad, log_probs, targets, lengths_of(input_lengths, "input_lengths"),
                        lengths_of(target_lengths, "target_lengths"), losses, alphas, blank, zero_infinity);
}

void ctc_gradient(GradientContext& c) {
    if (!c.grad_output(0).defined()) return;
    c.grad("log_probs", [&] {
        return kCtcBackward(c.grad_output(0), c.argument("log_probs"), c.argument("targets"), c.value("input_lengths"),
                            c.value("target_lengths"), c.result(0), c.result(1), c.value("blank"),
                            c.value("zero_infinity"));
    });
}
void ctc_gradient_of_tensors(GradientContext& c) {
    if (!c.grad_output(0).defined()) return;
    c.grad("log_probs", [&] {
        return kCtcBackwardTensor(c.grad_output(0), c.argument("log_probs"), c.argument("targets"),
                                  c.argument("input_lengths"), c.argument("target_lengths"), c.result(0), c.result(1),
                                  c.value("blank"), c.value("zero_infinity"));
    });
}

// ---- calls

Tensor reduced_ctc(Tensor losses, const Dims& target_lengths, bool is_batched, std::int64_t reduction,
                   bool zero_infinity) {
    if (zero_infinity) {
        losses = fn::where(fn::eq_scalar(losses, Scalar(std::numeric_limits<double>::infinity())),
                           fn::zeros_like(losses), losses);
    }
    switch (static_cast<Reduction>(reduction)) {
        case Reduction::Mean: {
            const Tensor lengths = tensor_of<std::int64_t>(
                span_of(target_lengths), std::array{static_cast<std::int64_t>(target_lengths.size())});
            const Tensor divisors =
                fn::clamp(fn::to_dtype(lengths, static_cast<std::int64_t>(losses.dtype())), Scalar(1), IValue());
            return fn::mean(fn::div(losses, on_device(divisors, losses.device())));
        }
        case Reduction::Sum:
            return fn::sum(losses);
        default:
            return is_batched ? losses : fn::squeeze(losses, 0);
    }
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Dims& input_lengths, const Dims& target_lengths,
                std::int64_t blank, std::int64_t reduction, bool zero_infinity) {
    const bool is_batched = log_probs.dim() == 3;
    const Tensor probs = is_batched ? log_probs : fn::unsqueeze(log_probs, 1);
    const Tensor losses = std::get<0>(kCtc(probs, targets, input_lengths, target_lengths, blank, zero_infinity));
    return reduced_ctc(losses, target_lengths, is_batched, reduction, zero_infinity);
}
Tensor ctc_loss_lengths_in_tensors(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                                   const Tensor& target_lengths, std::int64_t blank, std::int64_t reduction,
                                   bool zero_infinity) {
    return ctc_loss(log_probs, targets, lengths_of(input_lengths, "input_lengths"),
                    lengths_of(target_lengths, "target_lengths"), blank, reduction, zero_infinity);
}

// Two sequences of log-probabilities and their targets.
template <bool kLengthsInTensors>
std::vector<Sample> ctc_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return {};
    const auto lengths = [](std::int64_t first, std::int64_t second) -> IValue {
        if (!kLengthsInTensors) return Dims{first, second};
        const Tensor t = empty(std::array<std::int64_t, 1>{2}, ScalarType::Int64);
        t.data<std::int64_t>()[0] = first;
        t.data<std::int64_t>()[1] = second;
        return t;
    };
    const Tensor log_probs = fn::log_softmax(random_tensor(random, {5, 2, 4}, dtype), std::int64_t{2}, IValue());
    const Tensor targets = fn::add_scalar(random_indices(random, {2, 2}, 3), Scalar(1), Scalar(1));
    return {{{log_probs, targets, lengths(5, 4), lengths(2, 1), 0, false}}};
}

constexpr std::string_view kSpellingGradient =
    "log_probs: grad (exp(log_probs) - (chance of passing the label at t, given the targets))";

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
         "bool zero_infinity=False) -> "
         "(Tensor, Tensor)",
     .summary =
         "-log of the probability that each sequence of log-probabilities spells its target, blanks and repetitions "
         "dropped; and the "
         "forward variables.",
     .formula = "-ln(sum over alignments of prod_t p_t), p_t = exp(log_probs[t, label])",
     .kernel = boxed<ctc_loss_of>,
     .derivative = {ctc_gradient,
                    {save_argument("log_probs"), save_argument("targets"), save_result(0), save_result(1)}},
     .gradient = kSpellingGradient,
     .samples = ctc_samples<false>,
     .variants = kOut,
     .constant_results = 0b10,
     .placement = Placement::Mixed,
     .dtypes = {.kernel = "ctc_loss_cpu"}},
    {.schema =
         "aten::_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
         "blank=0, bool "
         "zero_infinity=False) -> (Tensor, Tensor)",
     .summary = "The same as _ctc_loss, lengths in tensors.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<ctc_loss_of_tensors>,
     .derivative = {ctc_gradient_of_tensors,
                    {save_argument("log_probs"), save_argument("targets"), save_argument("input_lengths"),
                     save_argument("target_lengths"), save_result(0), save_result(1)},
                    "CtcLossBackward1"},
     .samples = ctc_samples<true>,
     .constant_results = 0b10,
     .placement = Placement::Mixed,
     .dtypes = {.kernel = "ctc_loss_cpu"}},
    {
        .schema = "aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] "
                  "target_lengths, Tensor "
                  "neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
        .summary = "Gradient of ctc_loss for the log-probabilities, with that of the log_softmax before it folded in.",
        .kernel = boxed<ctc_backward>,
        .variants = kOut,
        .placement = Placement::Mixed,
    },
    {
        .schema = "aten::_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor "
                  "input_lengths, Tensor "
                  "target_lengths, Tensor "
                  "neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
        .summary = "The same as _ctc_loss_backward, lengths in tensors.",
        .kernel = boxed<ctc_backward_of_tensors>,
        .placement = Placement::Mixed,
    },
    {
        .schema =
            "aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int "
            "blank=0, int reduction=1, bool "
            "zero_infinity=False) -> Tensor",
        .summary =
            "-log of the probability that sequences of log-probabilities spell their targets, blanks and repetitions "
            "dropped.",
        .formula = "-ln(sum over alignments of prod_t p_t), p_t = exp(log_probs[t, label])",
        .composite = boxed<ctc_loss>,
        .gradient = kSpellingGradient,
        .placement = Placement::Mixed,
        .autocast = {.cpu = Autocast::Float32},
    },
    {
        .schema =
            "aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
            "blank=0, int reduction=1, bool "
            "zero_infinity=False) -> Tensor",
        .summary =
            "-log of the probability that sequences of log-probabilities spell their targets, lengths in tensors.",
        .composite = boxed<ctc_loss_lengths_in_tensors>,
        .placement = Placement::Mixed,
        .autocast = {.cpu = Autocast::Float32},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::ctc_loss_records() { return kRecords; }

}  // namespace loupe
