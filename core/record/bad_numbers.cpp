// SPDX-License-Identifier: Apache-2.0
#include "core/record/bad_numbers.h"

#include <algorithm>

#include "core/dispatch/dispatch.h"
#include "core/ops/notes.h"
#include "core/record/call_tensors.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"

namespace loupe::session {
namespace {

bool is_elementwise(const Operator& op) {
    return op.family == "pointwise" && op.variant == OperatorVariant::Functional;
}

}  // namespace

// Inf in buffers and in constants of the program are meant, and -Inf in its inputs: masks are given so.
void BadNumbers::note_given(ValueId id, const Tensor& t, Category category) {
    if (id == 0 || category == Category::Parameter) return;
    const auto& statistics = recording_.value(id).statistics;
    if (!statistics || !statistics->has_nan_or_inf()) return;
    const bool is_meant = statistics->nan_count == 0 && (category != Category::Input || !holds_positive_infinity(t));
    if (is_meant) meant_.insert(id);
    Written& written = written_bad_[t.storage()->id()];
    (is_meant ? written.has_constant : written.has_other) = true;
}

void BadNumbers::note_read(ValueId id, EventId producer, std::uint64_t storage) {
    if (producer == 0) return;
    const auto bad = written_bad_.find(storage);
    if (bad == written_bad_.end() || !bad->second.has_constant || bad->second.has_other) return;
    const auto& statistics = recording_.value(id).statistics;
    if (statistics && statistics->nan_count == 0) meant_.insert(id);
}

void BadNumbers::note_made(const std::vector<ValueId>& outputs, NotFinite kind, EventId by) {
    if (kind == NotFinite::Meant) meant_.insert(outputs.begin(), outputs.end());
    if (kind == NotFinite::None) return;
    for (const ValueId id : outputs) {
        if (id == 0 || !is_bad(recording_.value(id))) continue;
        Written& written = written_bad_[recording_.value(id).storage_id];
        written.by = by;
        (kind == NotFinite::Meant ? written.has_constant : written.has_other) = true;
    }
}

EventId BadNumbers::producer_of(std::uint64_t storage, EventId last_writer) const {
    const auto bad = written_bad_.find(storage);
    const bool is_other = bad != written_bad_.end() && bad->second.by != 0 && last_writer != 0 &&
                          recording_.event(last_writer).not_finite == NotFinite::None;
    return is_other ? bad->second.by : last_writer;
}

Holding BadNumbers::holding_of(ValueId id) const {
    Holding held;
    const auto& statistics = recording_.value(id).statistics;
    if (!statistics) return held;
    held.has_nan = statistics->nan_count > 0;
    held.has_inf = statistics->inf_count > 0;
    held.is_meant = !held.has_inf || meant_.contains(id);
    return held;
}

BadNumbers::Call BadNumbers::kept_call(const Operator* op, const Event& event) const {
    const auto kept = [this](const std::vector<ValueId>& values) {
        TensorList tensors;
        for (const ValueId id : values) tensors.push_back(store_.find(id));
        const bool is_whole = std::ranges::all_of(tensors, [](const Tensor& t) { return t.defined(); });
        return is_whole ? tensors : TensorList();
    };
    return {op, kept(event.inputs), kept(event.outputs)};
}

NotFinite BadNumbers::kind_of(const Call& call, const Event& event, const std::vector<ValueId>& saved) const {
    NumberFlow flow;
    for (const ValueId id : event.outputs) flow.out.add(holding_of(id));
    for (const ValueId id : event.inputs) flow.in.add(holding_of(id));
    for (const ValueId id : saved) flow.in.add(holding_of(id));
    flow.has_infinite_constant = names_constant(event, "inf");
    flow.has_nan_constant = names_constant(event, "nan");
    if (call.op == nullptr) return classify(flow);
    if (leaves_uninitialised(*call.op)) return NotFinite::Meant;
    const bool is_one = is_elementwise(*call.op) && event.outputs.size() == 1 && call.outputs.size() == 1;
    if (!flow.in.is_finite() && is_one && !call.inputs.empty())
        flow.elements = element_flow(call.inputs, call.outputs[0]);
    return classify(flow);
}

std::vector<double> BadNumbers::read_by(const Call& call, const Event& event) const {
    const bool is_backward = event.phase == RunPhase::Backward;
    const Event* forward = is_backward && event.peer != 0 ? &recording_.event(event.peer) : nullptr;
    const Operator* op = forward != nullptr ? find_operator(forward->op, forward->overload) : call.op;
    if (op == nullptr || !is_elementwise(*op)) return {};
    if (!is_backward)
        return call.outputs.size() == 1 && !call.inputs.empty() ? elements_behind_bad(call.inputs, call.outputs[0])
                                                                : std::vector<double>();
    if (forward == nullptr || forward->outputs.size() != 1) return {};
    TensorList read;
    for (const ValueId id : forward->inputs) read.push_back(store_.find(id));
    for (const Tensor& t : call.outputs) {
        const Shape& whole = recording_.value(forward->outputs.front()).shape;
        const bool is_whole = std::equal(whole.begin(), whole.end(), t.sizes().begin(), t.sizes().end());
        if (is_whole && !is_all_finite(t)) return elements_behind_bad(read, t);
    }
    return {};
}

}  // namespace loupe::session
