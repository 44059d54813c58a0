// SPDX-License-Identifier: Apache-2.0
#include "core/study/embedding_probe.h"

#include <utility>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/kept_history.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

bool holds(const Tensor& indices, const std::vector<std::int64_t>& ids) {
    if (!indices.defined() || indices.numel() != std::ssize(ids) || !is_integral(indices.dtype())) return false;
    bool is_same = true;
    std::size_t at = 0;
    const Tensor wide = fn::to_dtype(indices, static_cast<std::int64_t>(ScalarType::Int64));
    walk_elements<std::int64_t>(wide, true, [&](const std::int64_t* elements, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) is_same = is_same && elements[i] == ids[at++];
    });
    return is_same;
}

}  // namespace

void EmbeddingProbe::before_operator(const OperatorCall& call) {
    const ObserverScope unobserved(nullptr);
    is_met_ = !looked_up_.defined() && !ids_.empty() && is_look_up(call);
    if (!is_met_) return;
    // Its result then has a history: what is written into it in place is followed.
    table_ = call.inputs[0].to_tensor();
    const bool can_learn = is_differentiable(table_.dtype()) && is_leaf(table_) && !requires_grad(table_);
    if (can_learn && is_parameter(table_)) set_requires_grad(table_, true);
}

void EmbeddingProbe::after_operator(const OperatorCall& call) {
    if (!std::exchange(is_met_, false) || call.outputs.empty() || !call.outputs[0].is_tensor()) return;
    const ObserverScope unobserved(nullptr);
    const Tensor& made = call.outputs[0].to_tensor();
    if (replacement_.defined()) {
        if (replacement_.numel() != made.numel())
            throw Error(ErrorKind::Internal,
                        concat("an embedding of ", describe(made), " cannot become ", describe(replacement_)));
        const GradModeScope no_grad(false);
        fn::copy_(
            detach(made),
            fn::reshape(replacement_, IValue(std::vector<std::int64_t>(made.sizes().begin(), made.sizes().end()))));
    }
    if (!requires_grad(made)) set_requires_grad(made, true);
    value_ = fn::clone(detach(made));
    looked_up_ = kept_history(made);
}

bool EmbeddingProbe::is_look_up(const OperatorCall& call) const {
    return call.phase == Phase::Forward && call.name == "aten::embedding" && call.inputs.size() >= 2 &&
           call.inputs[0].is_tensor() && call.inputs[1].is_tensor() && holds(call.inputs[1].to_tensor(), ids_);
}

}  // namespace loupe::session
