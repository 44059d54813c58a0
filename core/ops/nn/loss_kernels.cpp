// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/loss_kernels.h"

namespace loupe::nn_ops {
namespace {

// params: k.
template <typename Loss, typename T>
void value_kernel(const void* params, void* const* arrays, std::int64_t n) {
    const double k = *static_cast<const double*>(params);
    T* out = static_cast<T*>(arrays[0]);
    const T *x = static_cast<const T*>(arrays[1]), *t = static_cast<const T*>(arrays[2]);
    with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i)
            out[i] = static_cast<T>(Loss::value(static_cast<double>(x[i]), static_cast<double>(t[i]), k));
    });
}
// params: k and the factor of the gradient.
template <typename Loss, typename T>
void slope_kernel(const void* params, void* const* arrays, std::int64_t n) {
    const double k = static_cast<const double*>(params)[0], scale = static_cast<const double*>(params)[1];
    T* out = static_cast<T*>(arrays[0]);
    const T *x = static_cast<const T*>(arrays[1]), *t = static_cast<const T*>(arrays[2]),
            *g = static_cast<const T*>(arrays[3]);
    with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
            out[i] = static_cast<T>(Loss::slope(static_cast<double>(x[i]), static_cast<double>(t[i]), k) * scale *
                                    static_cast<double>(g[i]));
        }
    });
}

template <typename Visit>
ElementwiseKernel visit_loss(LossOp op, ScalarType as, Visit&& visit) {
    const auto with = [&]<typename Loss>(Loss) -> ElementwiseKernel {
        if (as == ScalarType::Float32) return visit(Loss{}, float());
        return as == ScalarType::Float64 ? visit(Loss{}, double()) : nullptr;
    };
    switch (op) {
        case LossOp::Mse:
            return with(Mse{});
        case LossOp::SmoothL1:
            return with(SmoothL1{});
        case LossOp::Huber:
            return with(Huber{});
        case LossOp::SoftMargin:
            return with(SoftMargin{});
    }
    return nullptr;
}

}  // namespace

ElementwiseKernel loss_kernel(LossOp op, ScalarType as) {
    return visit_loss(op, as,
                      []<typename Loss, typename T>(Loss, T) -> ElementwiseKernel { return value_kernel<Loss, T>; });
}
ElementwiseKernel loss_slope_kernel(LossOp op, ScalarType as) {
    return visit_loss(op, as,
                      []<typename Loss, typename T>(Loss, T) -> ElementwiseKernel { return slope_kernel<Loss, T>; });
}

}  // namespace loupe::nn_ops
