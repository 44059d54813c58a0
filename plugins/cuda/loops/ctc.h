// SPDX-License-Identifier: Apache-2.0
#pragma once
// Connectionist temporal classification: sums over the alignments of a target, in logarithms. Includes nothing of the
// engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// log_probs [steps, batch, labels], dense, float or double. Labels of a sample stand from starts[sample] on; the places
// of its path are blank, label 0, blank, label 1, ..., blank.
struct CtcShape {
    Element element = Element::Float32;
    std::int64_t steps = 0, batch = 0, labels = 0, width = 1, blank = 0;  // width: 2 longest target + 1
    const std::int64_t* targets = nullptr;
    const std::int64_t* starts = nullptr;
    const std::int64_t* input_lengths = nullptr;
    const std::int64_t* target_lengths = nullptr;
    Fault* fault = nullptr;
};

// alpha [batch, steps, width]: the logarithm of the probability of all ways to have read up to a place after a step;
// losses [batch].
void run_ctc(const Queue& queue, const CtcShape& shape, const void* log_probs, void* alpha, void* losses);
// beta: room as alpha has. out [steps, batch, labels]. grad, losses [batch]. Samples of infinite loss get 0 with
// `zero_infinity`.
void run_ctc_gradient(const Queue& queue, const CtcShape& shape, bool zero_infinity, const void* grad,
                      const void* log_probs, const void* losses, const void* alpha, void* beta, void* out);

}  // namespace loupe::cuda
