// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/elements.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename S>
struct FrexpBody {
    const S* x;
    S* mantissa;
    std::int32_t* exponent;
    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const T value = static_cast<T>(x[i]);
        int power = 0;
        const bool is_finite = value - value == T(0);
        mantissa[i] = stored<S>(is_finite ? std::frexp(value, &power) : value);
        exponent[i] = power;
    }
};

struct ShareBody {
    Element element;
    const char* x;
    std::int64_t count;
    Fault* fault;
    LOUPE_HD void operator()(std::int64_t i) const {
        const auto value = load<double>(x + i * size_of(element), element);
        if (!(value >= 0 && value <= 1)) report(fault, FaultKind::Share, i, count);
    }
};

}  // namespace

bool run_frexp(const Queue& queue, Element element, const void* x, void* mantissa, std::int32_t* exponent,
               std::int64_t count) {
    return visit_floating(element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, count, FrexpBody<S>{static_cast<const S*>(x), static_cast<S*>(mantissa), exponent});
    });
}
void run_share_check(const Queue& queue, Element element, const void* x, std::int64_t count, Fault* fault) {
    launch(queue, count, ShareBody{element, static_cast<const char*>(x), count, fault});
}

}  // namespace loupe::cuda
