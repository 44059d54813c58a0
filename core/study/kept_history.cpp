// SPDX-License-Identifier: Apache-2.0
#include "core/study/kept_history.h"

#include "core/autograd/variable.h"

namespace loupe::session {

Tensor kept_history(const Tensor& t) {
    if (is_leaf(t)) return t;
    Tensor kept = detach(t);
    AutogradMeta& meta = ensure_autograd_meta(kept);
    const Edge edge = gradient_edge(t);
    meta.grad_fn = edge.node;
    meta.output = edge.input;
    return kept;
}

}  // namespace loupe::session
