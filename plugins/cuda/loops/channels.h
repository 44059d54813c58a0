// SPDX-License-Identifier: Apache-2.0
#pragma once
// What batch and group normalisation do with the channels of pictures: sums over the pixels of each, and a scale and a
// shift applied to each. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense [batch, channels, pixels], or [batch, pixels, channels] when `last`. A key is a channel, or a channel of a
// sample when `per_sample` (not with `last`). Numbers a key are of the type that is computed in: float32, or float64
// for itself.
struct Channels {
    std::int64_t batch = 0;
    std::int64_t channels = 0;
    std::int64_t pixels = 0;
    bool last = false;
    bool per_sample = false;
    Element element = Element::Float32;

    LOUPE_HD std::int64_t keys() const { return per_sample ? batch * channels : channels; }
    LOUPE_HD std::int64_t elements() const { return per_sample ? pixels : batch * pixels; }  // of a key
    LOUPE_HD std::int64_t numel() const { return batch * channels * pixels; }
};

// Sums in parts: channel_parts() times keys() times 2 doubles. Without grad: of x - x0 and its square, x0 the channel's
// first element. With it: of grad and of grad (x - centre[key / width]).
std::int64_t channel_parts(const Channels& shape);
bool run_channel_sums(const Queue& queue, const Channels& shape, const void* grad, const void* x, const void* centre,
                      std::int64_t width, double* parts);

// A number a channel in memory, in any floating type; null: none.
struct Column {
    void* data = nullptr;
    Element element = Element::Float32;
};

struct BatchNormNumbers {
    Column weight, bias, running_mean, running_var, save_mean, save_invstd;
    double momentum = 0, eps = 0;
};
// Training: from the parts of the sums; keeps the moments and moves the running ones. Else from the running ones. Gives
// scale and shift a channel.
bool run_batch_norm_scales(const Queue& queue, const Channels& shape, const double* parts, const void* x,
                           const BatchNormNumbers& numbers, bool training, void* scale, void* shift);
// From the parts of the gradient's sums: grad_input = grad of_grad + x of_input + constant, and the parameters'.
bool run_batch_norm_gradients(const Queue& queue, const Channels& shape, const double* parts, const void* mean,
                              const void* invstd, Column weight, bool training, void* of_grad, void* of_input,
                              void* constant, Column grad_weight, Column grad_bias);
// 1 / sqrt(variance + eps)
bool run_inverse_deviation(const Queue& queue, const Channels& shape, Column variance, double eps, void* out);

// Moments of groups of `width` neighbouring channels of each sample, and scale and shift a key.
bool run_group_moments(const Queue& queue, const Channels& shape, std::int64_t width, double eps, const void* x,
                       Column weight, Column bias, Column mean, Column rstd, void* scale, void* shift);
bool run_group_gradients(const Queue& queue, const Channels& shape, std::int64_t width, const double* parts,
                         const void* mean, const void* rstd, Column weight, void* of_grad, void* of_input,
                         void* constant, Column grad_weight, Column grad_bias);

// y = x scale[key] + shift[key]
bool run_channel_scales(const Queue& queue, const Channels& shape, const void* x, const void* scale, const void* shift,
                        void* y);
// out = grad of_grad[key] + x of_input[key] + constant[key]
bool run_channel_gradients(const Queue& queue, const Channels& shape, const void* grad, const void* x,
                           const void* of_grad, const void* of_input, const void* constant, void* out);

}  // namespace loupe::cuda
