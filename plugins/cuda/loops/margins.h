// SPDX-License-Identifier: Apache-2.0
#pragma once
// Margin losses over classes: rows of dense elements, float32 or float64. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

struct MarginShape {
    Element element = Element::Float32;
    std::int64_t samples = 0, classes = 0;
    bool is_square = false;  // of the hinge
    double margin = 1;
    double share = 1;       // a factor of the gradient
    bool has_each = false;  // a gradient a sample, else one for all
    Fault* fault = nullptr;
};

// One right class a sample: losses [samples]. weight may be null.
void run_multi_margin(const Queue& queue, const MarginShape& shape, const void* x, const std::int64_t* target,
                      const void* weight, void* losses);
void run_multi_margin_slope(const Queue& queue, const MarginShape& shape, const void* grad, const void* x,
                            const std::int64_t* target, const void* weight, void* out);
// Several: target [samples, classes], those before the first -1. marks [samples, classes] is 0 and becomes 1 at them.
void run_multilabel_margin(const Queue& queue, const MarginShape& shape, const void* x, const std::int64_t* target,
                           void* marks, void* losses);
void run_multilabel_margin_slope(const Queue& queue, const MarginShape& shape, const void* grad, const void* x,
                                 const std::int64_t* target, const void* marks, void* out);

}  // namespace loupe::cuda
