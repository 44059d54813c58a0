// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba 2014), AMSGrad (Reddi et al. 2018), AdamW (Loshchilov and Hutter 2017).

#include <cmath>

#include "core/optim/elementwise.h"
#include "core/optim/optimizer_list.h"

namespace loupe::optim {
namespace {

struct Constants {
    double sign, first, second, coupled_decay, shrink, root, eps, step_size;
};

template <bool kMaximum>
void run(const Tensor& parameter, const Tensor& gradient, DictObject& state, const Constants& c) {
    const auto body = [c]<typename T>(T& p, T g, T& m, T& v, T& greatest) {
        g *= static_cast<T>(c.sign);
        if (c.coupled_decay != 0) g += static_cast<T>(c.coupled_decay) * p;
        p *= static_cast<T>(c.shrink);
        m = m * static_cast<T>(c.first) + static_cast<T>(1 - c.first) * g;
        v = v * static_cast<T>(c.second) + static_cast<T>(1 - c.second) * g * g;
        if constexpr (kMaximum) greatest = choose(greatest > v || greatest != greatest, greatest, v);
        const T size = kMaximum ? greatest : v;
        p += static_cast<T>(-c.step_size) * m / (square_root(size) / static_cast<T>(c.root) + static_cast<T>(c.eps));
    };
    const Tensor mean = zero_state(state, "exp_avg", parameter);
    const Tensor square = zero_state(state, "exp_avg_sq", parameter);
    if constexpr (kMaximum) {
        update_elements<3>(parameter, gradient, {mean, square, zero_state(state, "max_exp_avg_sq", parameter)}, body);
    } else {
        update_elements<2>(parameter, gradient, {mean, square}, [body]<typename T>(T& p, T g, T& m, T& v) {
            T none{};
            body(p, g, m, v, none);
        });
    }
}

template <bool kDecoupled>
void update(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) {
    const double step = next_step(state);
    const double lr = group.number("lr"), decay = group.number("weight_decay");
    const double first = group.number("betas", 0), second = group.number("betas", 1);
    const Constants c{.sign = group.flag("maximize") ? -1.0 : 1.0,
                      .first = first,
                      .second = second,
                      .coupled_decay = kDecoupled ? 0 : decay,
                      .shrink = kDecoupled ? 1 - lr * decay : 1,
                      .root = std::sqrt(1 - std::pow(second, step)),
                      .eps = group.number("eps"),
                      .step_size = lr / (1 - std::pow(first, step))};
    if (group.flag("amsgrad"))
        run<true>(parameter, gradient, state, c);
    else
        run<false>(parameter, gradient, state, c);
}

const OptimizerRecord kRecords[] = {
    {
        .name = "Adam",
        .summary = "Steps by the mean of the gradient over the root of its mean square (Kingma and Ba 2014).",
        .constructor =
            "Adam(Any params, Scalar lr=0.001, Any betas=None, Scalar eps=1e-08, Scalar weight_decay=0, bool "
            "amsgrad=False, *, "
            "bool? foreach=None, bool maximize=False, bool capturable=False, bool differentiable=False, bool "
            "fused=False) "
            "-> Any",
        .complete = complete_moments,
        .update = update<false>,
        .sparse_hint = ", please consider SparseAdam instead",
    },
    {
        .name = "AdamW",
        .summary = "Adam whose weight decay is apart from the gradient (Loshchilov and Hutter 2017).",
        .constructor =
            "AdamW(Any params, Scalar lr=0.001, Any betas=None, Scalar eps=1e-08, Scalar weight_decay=0.01, bool "
            "amsgrad=False, *, "
            "bool maximize=False, bool? foreach=None, bool capturable=False) -> Any",
        .complete = complete_moments,
        .update = update<true>,
    },
};

}  // namespace

std::span<const OptimizerRecord> adam_records() { return kRecords; }

}  // namespace loupe::optim
