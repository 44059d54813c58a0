// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/hostile_call.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/dispatch/dispatch.h"

namespace loupe::fuzz {
namespace {

void send_backward(const std::vector<IValue>& results) {
    TensorList roots, cotangents;
    for (const IValue& result : results) {
        visit_tensors(result, [&](const Tensor& t) {
            if (!t.defined() || !requires_grad(t)) return;
            roots.push_back(t);
            cotangents.push_back(gradient_arithmetic().ones_like(t));
        });
    }
    if (!roots.empty()) backward(roots, cotangents);
}

}  // namespace

void call_and_send_backward(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    operator_cost(op, arguments, {results.data(), op.result_count()});
    send_backward(results);
}

}  // namespace loupe::fuzz
