// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/tail_replay.h"

#include <algorithm>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

TensorList tensors_in(std::span<const IValue> values) {
    TensorList all;
    for (const IValue& value : values)
        visit_tensors(value, [&](const Tensor& t) {
            if (t.defined()) all.push_back(t);
        });
    return all;
}

}  // namespace

void TailReplay::begin(const Tensor& from) {
    from_ = from;
    steps_.clear();
    is_open_ = false;
}

void TailReplay::before_operator(const OperatorCall& call) {
    is_open_ = has_begun() && call.phase == Phase::Forward;
    if (!is_open_) return;
    steps_.push_back({call.op, std::string(call.name), {call.inputs.begin(), call.inputs.end()}, {}});
}

void TailReplay::after_operator(const OperatorCall& call) {
    if (!std::exchange(is_open_, false)) return;
    steps_.back().outputs = tensors_in(call.outputs);
}

Tensor TailReplay::replay(const Tensor& instead, const Tensor& result) const {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    std::unordered_map<const TensorImpl*, Tensor> made{{from_.impl(), fn::clone(instead)}};
    for (const Step& step : steps_) {
        check_cancelled();
        const TensorList read = tensors_in(step.inputs);
        const bool depends = std::ranges::any_of(read, [&](const Tensor& t) { return made.contains(t.impl()); });
        if (!depends || step.outputs.empty()) continue;
        if (step.op == nullptr)
            throw Error(ErrorKind::Unsupported,
                        concat("behind the last layer stands ", step.name, ", which cannot be computed again alone"));
        std::vector<IValue> arguments;
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            const bool is_written = ((step.op->written_arguments | step.op->written_elements) >> i & 1) != 0;
            arguments.push_back(copy_with_tensors(step.inputs[i], [&](const Tensor& t) {
                const auto found = t.defined() ? made.find(t.impl()) : made.end();
                if (found != made.end()) return found->second;
                if (is_written)
                    throw Error(ErrorKind::Unsupported, concat("behind the last layer ", step.name,
                                                               " writes into a tensor that was there before"));
                return t;
            }));
        }
        std::vector<IValue> results(std::max<std::size_t>(1, step.op->result_count()));
        call_operator(*step.op, arguments, results.data());
        results.resize(step.op->result_count());
        const TensorList outputs = tensors_in(results);
        for (std::size_t i = 0; i < std::min(outputs.size(), step.outputs.size()); ++i)
            made[step.outputs[i].impl()] = outputs[i];
    }
    const auto found = made.find(result.impl());
    if (found == made.end()) throw Error(ErrorKind::Run, "the scores are not made of the last layer's output");
    return found->second;
}

}  // namespace loupe::session
