// SPDX-License-Identifier: Apache-2.0
// The steps of optimisers over lists of tensors, each in one pass over the elements
// (ATen/native/cuda/fused_adam_utils.cuh and beside it), and what GradScaler does with lists. On a device each is one
// kernel.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/lanes.h"
#include "core/kernels/list_runs.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// The lists of a call, and numbers that may be tensors on the device.
class FusedStep {
  public:
    FusedStep(Arguments arguments, std::size_t lists, const IValue& scale, const IValue& found) {
        for (std::size_t i = 0; i < lists; ++i) lists_.push_back(arguments[i].to_tensors());
        if (scale.is_tensor()) scale_ = scale.to_tensor();
        if (found.is_tensor()) found_ = found.to_tensor();
    }

    std::size_t count() const { return lists_[0].size(); }
    const TensorList& list(std::size_t i) const { return lists_[i]; }
    // A tensor of one element, the same for all entries; a number otherwise.
    void share(const IValue& value) {
        if (value.is_tensor()) shared_.push_back(value.to_tensor());
    }
    // `write(recorder, T())` writes the formula over tensors 0, 1, ... that stand for the lists `used`, with the
    // scalars of an entry first: one of `steps`, where there are some, then the gradients' scale, then what is shared.
    template <typename Write>
    void run(const std::vector<std::size_t>& used, const TensorList& steps, const Write& write) const {
        if (count() == 0) return;
        const bool is_double = lists_[0][0].dtype() == ScalarType::Float64;
        const int scalars = (steps.empty() ? 0 : 1) + (scale_.defined() ? 1 : 0) + static_cast<int>(shared_.size());
        ListRecorder recorder(static_cast<int>(used.size()), scalars);
        if (is_double)
            write(recorder, double());
        else
            write(recorder, float());
        ListCall call;
        call.program = recorder.finish();
        call.in_double = is_double;
        call.skip = found_;
        std::vector<DenseEntry> entries;
        for (std::size_t i = 0; i < count(); ++i) {
            TensorList tensors, all_scalars;
            for (const std::size_t list : used) tensors.push_back(element_of(lists_[list], i));
            check_dtypes(tensors);
            if (!steps.empty()) all_scalars.push_back(element_of(steps, i));
            if (scale_.defined()) all_scalars.push_back(scale_);
            all_scalars.insert(all_scalars.end(), shared_.begin(), shared_.end());
            // A step that is counted on the host goes along.
            for (Tensor& t : all_scalars) t = beside(t, tensors[0]);
            entries.emplace_back(tensors);
            call.entries.push_back({entries.back().tensors(), recorder.numbers(), all_scalars});
        }
        run_lists(call);
        for (const DenseEntry& entry : entries) entry.put_back(call.program);
    }
    bool has_scale() const { return scale_.defined(); }

  private:
    Tensor element_of(const TensorList& list, std::size_t i) const {
        if (list.size() != count()) {
            throw Error(ErrorKind::Run, concat("Tensor lists must have the same number of tensors, got ", count(),
                                               " and ", list.size()));
        }
        return list[i];
    }
    static void check_dtypes(const TensorList& tensors) {
        for (const Tensor& t : tensors) {
            if (t.defined() && t.dtype() == tensors[0].dtype() && (is_floating(t.dtype()) || is_complex(t.dtype())))
                continue;
            throw Error(ErrorKind::Run,
                        "params, grads, and states must have same dtype, device, and layout, and be "
                        "floating point");
        }
    }
    static Tensor beside(const Tensor& number, const Tensor& t);

    std::vector<TensorList> lists_;
    TensorList shared_;
    Tensor scale_, found_;
};

Tensor FusedStep::beside(const Tensor& number, const Tensor& t) {
    if (number.device() == t.device()) return number;
    const Tensor copy = empty(number.sizes(), number.dtype(), t.device());
    copy_into(copy, number);
    return copy;
}

// g, divided by the scale of the gradients, which is written back then; negated where the loss is maximised.
template <typename T>
Lanes<T> gradient_of(ListRecorder& recorder, const FusedStep& step, int scale, bool maximize) {
    Lanes<T> g(recorder, 1);
    if (step.has_scale()) {
        g = g / Lanes<T>(recorder, recorder.scalar(scale));
        recorder.write(1, g.operand_of(recorder));
    }
    return maximize ? -g : g;
}

// self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
// maximize, grad_scale, found_inf
template <bool kDecoupled>
void adam(Arguments a, IValue*) {
    FusedStep step(a, 5, a[13], a[14]);
    step.share(a[6]);
    const double beta1 = a[7].to_scalar().to_double(), beta2 = a[8].to_scalar().to_double();
    const double decay = a[9].to_scalar().to_double(), eps = a[10].to_scalar().to_double();
    const bool keeps_greatest = a[11].to_bool(), maximize = a[12].to_bool();
    const int rate_at = step.has_scale() ? 2 : 1;
    const auto write = [&]<typename T>(ListRecorder& r, T) {
        const int one = r.number(1), count = r.scalar(0);
        const int rate = a[6].is_tensor() ? r.scalar(rate_at) : r.number(a[6].to_scalar().to_double());
        const auto correction = [&](double beta) {
            return r.prologue(ListOp::Sub, one, r.prologue(ListOp::Pow, r.number(beta), count));
        };
        const Lanes<T> size_of_step(r, r.prologue(ListOp::Div, rate, correction(beta1)));
        const Lanes<T> root(r, r.prologue(ListOp::Sqrt, correction(beta2)));
        Lanes<T> p(r, 0), g = gradient_of<T>(r, step, 1, maximize), m(r, 2), v(r, 3);
        if (decay != 0 && kDecoupled)
            p -= Lanes<T>(r, r.prologue(ListOp::Mul, rate, r.number(decay))) * p;
        else if (decay != 0)
            g += p * Lanes<T>(decay);
        m = Lanes<T>(beta1) * m + Lanes<T>(1 - beta1) * g;
        v = Lanes<T>(beta2) * v + Lanes<T>(1 - beta2) * g * g;
        Lanes<T> size = v;
        if (keeps_greatest) {
            size = Lanes<T>(r, r.step(ListOp::Maximum, 4, v.operand_of(r)));
            r.write(4, size.operand_of(r));
        }
        p -= size_of_step * m / (square_root(size) / root + Lanes<T>(eps));
        r.write(0, p.operand_of(r));
        r.write(2, m.operand_of(r));
        r.write(3, v.operand_of(r));
    };
    step.run(keeps_greatest ? std::vector<std::size_t>{0, 1, 2, 3, 4} : std::vector<std::size_t>{0, 1, 2, 3},
             a[5].to_tensors(), write);
}

// self, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step,
// grad_scale, found_inf
void sgd(Arguments a, IValue*) {
    FusedStep step(a, 3, a[10], a[11]);
    step.share(a[5]);
    const double decay = a[3].to_scalar().to_double(), momentum = a[4].to_scalar().to_double();
    const double dampening = a[6].to_scalar().to_double();
    const bool nesterov = a[7].to_bool(), maximize = a[8].to_bool(), is_first = a[9].to_bool();
    const auto write = [&]<typename T>(ListRecorder& r, T) {
        Lanes<T> p(r, 0), g = gradient_of<T>(r, step, 0, maximize);
        const Lanes<T> rate =
            a[5].is_tensor() ? Lanes<T>(r, r.scalar(step.has_scale() ? 1 : 0)) : Lanes<T>(a[5].to_scalar().to_double());
        if (decay != 0) g += Lanes<T>(decay) * p;
        if (momentum != 0) {
            Lanes<T> v(r, 2);
            v = is_first ? g : Lanes<T>(momentum) * v + Lanes<T>(1 - dampening) * g;
            r.write(2, v.operand_of(r));
            g = nesterov ? g + Lanes<T>(momentum) * v : v;
        }
        p -= rate * g;
        r.write(0, p.operand_of(r));
    };
    step.run(momentum != 0 ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0, 1}, {}, write);
}

// self, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf
void adagrad(Arguments a, IValue*) {
    FusedStep step(a, 3, a[9], a[10]);
    step.share(a[4]);
    const double rate_decay = a[5].to_scalar().to_double(), decay = a[6].to_scalar().to_double();
    const double eps = a[7].to_scalar().to_double();
    const bool maximize = a[8].to_bool();
    const auto write = [&]<typename T>(ListRecorder& r, T) {
        const int one = r.number(1);
        const int rate = a[4].is_tensor() ? r.scalar(step.has_scale() ? 2 : 1) : r.number(a[4].to_scalar().to_double());
        const int past = r.prologue(ListOp::Mul, r.prologue(ListOp::Sub, r.scalar(0), one), r.number(rate_decay));
        const Lanes<T> now(r, r.prologue(ListOp::Div, rate, r.prologue(ListOp::Add, one, past)));
        Lanes<T> p(r, 0), g = gradient_of<T>(r, step, 1, maximize), sum(r, 2);
        if (decay != 0) g += p * Lanes<T>(decay);
        sum += g * g;
        p -= now * g / (square_root(sum) + Lanes<T>(eps));
        r.write(0, p.operand_of(r));
        r.write(2, sum.operand_of(r));
    };
    step.run({0, 1, 2}, a[3].to_tensors(), write);
}

// self, found_inf, inv_scale
void unscale(Arguments a, IValue*) {
    const TensorList all = a[0].to_tensors();
    for (const bool in_double : {false, true}) {
        ListRecorder recorder(1, 1);
        recorder.write(0, recorder.step(ListOp::Mul, recorder.step(ListOp::FlagInfinite, 0), recorder.scalar(0)));
        ListCall call;
        call.program = recorder.finish();
        call.in_double = in_double;
        call.flag = a[1].to_tensor();
        std::vector<DenseEntry> entries;
        for (const Tensor& t : all) {
            if ((t.dtype() == ScalarType::Float64) != in_double) continue;
            entries.emplace_back(TensorList{t});
            call.entries.push_back({entries.back().tensors(), {}, {a[2].to_tensor()}});
        }
        run_lists(call);
        for (const DenseEntry& entry : entries) entry.put_back(call.program);
    }
}

// self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval
void update_scale(Arguments a, IValue* results) {
    constexpr double kAboveFloat32 = 3.4028235677973366e38;  // rounds to infinity
    const Tensor scale = a[0].to_tensor();
    for (std::size_t i = 0; i < 3; ++i) {
        if (a[i].to_tensor().numel() != 1)
            throw Error(ErrorKind::Run, "current_scale, growth_tracker and found_inf must be 1-element tensors.");
    }
    ListRecorder r(3);
    const Lanes<double> now(r, 0), tracker(r, 1), found(r, 2);
    const double growth = a[3].to_scalar().to_double(), backoff = a[4].to_scalar().to_double();
    const Lanes<double> grown = now * Lanes<double>(growth), successes = tracker + Lanes<double>(1.0), none(0.0);
    const LaneMask failed = found > 0, waits = successes != Lanes<double>(static_cast<double>(a[5].to_int()));
    const Lanes<double> kept = choose(grown < Lanes<double>(kAboveFloat32), grown, now);
    const Lanes<double> next = choose(failed, now * Lanes<double>(backoff), choose(waits, now, kept));
    const Lanes<double> count = choose(failed, none, choose(waits, successes, none));
    r.write(0, next.operand_of(r));
    r.write(1, count.operand_of(r));
    ListCall call;
    call.program = r.finish();
    call.in_double = true;
    call.entries.push_back({{scale, a[1].to_tensor(), a[2].to_tensor()}, r.numbers(), {}});
    run_lists(call);
    results[0] = scale;
}

#define LOUPE_FUSED_ADAM(name, rate, kernel_of, what)                                                           \
    {                                                                                                           \
        .schema = "aten::" name                                                                                 \
                  "(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "   \
                  "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, " rate                                \
                  " lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, " \
                  "Tensor? grad_scale=None, Tensor? found_inf=None) -> ()",                                     \
        .summary = what, .kernel = kernel_of, .placement = Placement::Anywhere                                  \
    }
#define LOUPE_FUSED_SGD(name, rate)                                                                               \
    {                                                                                                             \
        .schema = "aten::" name                                                                                   \
                  "(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float "          \
                  "weight_decay, float momentum, " rate                                                           \
                  " lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? "              \
                  "grad_scale=None, Tensor? found_inf=None) -> ()",                                               \
        .summary = "A step of SGD for each parameter of a list.", .kernel = sgd, .placement = Placement::Anywhere \
    }
#define LOUPE_FUSED_ADAGRAD(name, steps, rate)                                                                   \
    {                                                                                                            \
        .schema = "aten::" name "(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, " steps        \
                  "[] state_steps, *, " rate                                                                     \
                  " lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, " \
                  "Tensor? found_inf=None) -> ()",                                                               \
        .summary = "A step of Adagrad for each parameter of a list.", .kernel = adagrad,                         \
        .placement = Placement::Anywhere                                                                         \
    }

constexpr const char* kAdam = "A step of Adam for each parameter of a list.";
constexpr const char* kAdamW = "A step of AdamW for each parameter of a list.";

constexpr OperatorRecord kRecords[] = {
    LOUPE_FUSED_ADAM("_fused_adam_", "float", adam<false>, kAdam),
    LOUPE_FUSED_ADAM("_fused_adam_.tensor_lr", "Tensor", adam<false>, kAdam),
    LOUPE_FUSED_ADAM("_fused_adamw_", "float", adam<true>, kAdamW),
    LOUPE_FUSED_ADAM("_fused_adamw_.tensor_lr", "Tensor", adam<true>, kAdamW),
    LOUPE_FUSED_SGD("_fused_sgd_", "float"),
    LOUPE_FUSED_SGD("_fused_sgd_.tensor_lr", "Tensor"),
    LOUPE_FUSED_ADAGRAD("_fused_adagrad_", "Tensor(d!)", "float"),
    LOUPE_FUSED_ADAGRAD("_fused_adagrad_.tensor_lr", "Tensor", "Tensor"),
    {.schema = "aten::_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor "
               "inv_scale) -> ()",
     .summary = "Multiplies gradients by 1/scale; found_inf becomes 1 where one is not finite.",
     .kernel = unscale,
     .placement = Placement::Anywhere},
    {.schema = "aten::_amp_update_scale_(Tensor(a!) self, Tensor(b!) growth_tracker, Tensor found_inf, float "
               "scale_growth_factor, float scale_backoff_factor, int growth_interval) -> Tensor(a!)",
     .summary = "The next scale of GradScaler: less after gradients that were not finite, more after many that were.",
     .kernel = update_scale,
     .placement = Placement::Anywhere},
};

#undef LOUPE_FUSED_ADAM
#undef LOUPE_FUSED_SGD
#undef LOUPE_FUSED_ADAGRAD

}  // namespace

std::span<const OperatorRecord> fused_step_records() { return kRecords; }

}  // namespace loupe::composed
