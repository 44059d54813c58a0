// SPDX-License-Identifier: Apache-2.0
#include "core/study/compare_ahead.h"

#include <algorithm>

#include "core/base/error.h"

namespace loupe::session {
namespace {

// How many events the reference may have beyond what the run has, before nothing is guessed any more.
constexpr EventId kMostSkipped = 32;

bool may_be(const Event& own, const TensorList& made, const Event& other, const Recording& recording) {
    const bool is_alike = own.phase == other.phase && own.op == other.op && own.overload == other.overload &&
                          own.scope == other.scope && other.outputs.size() == made.size();
    for (std::size_t i = 0; is_alike && i < made.size(); ++i) {
        if (!made[i].defined() || other.outputs[i] == 0) continue;
        if (!std::ranges::equal(made[i].sizes(), recording.value(other.outputs[i]).shape)) return false;
    }
    return is_alike;
}

}  // namespace

AheadComparison::AheadComparison(const ComparedRun& reference, const CompareOptions& options)
    : recording_(reference.recording), elements_(reference.elements), rtol_(options.rtol), atol_(options.atol) {}

const Event* AheadComparison::guess(const Event& event, const TensorList& made) {
    const auto recording = recording_.lock();
    if (recording == nullptr) return nullptr;
    const auto last = static_cast<EventId>(std::min<std::size_t>(recording->event_count(), next_ + kMostSkipped));
    for (EventId id = next_; id <= last; ++id) {
        const Event& other = recording->event(id);
        if (!may_be(event, made, other, *recording)) continue;
        next_ = id + 1;
        return &other;
    }
    return nullptr;
}

void AheadComparison::take(const Event& event, const TensorList& made) {
    if (!elements_) return;
    const Event* other = guess(event, made);
    for (std::size_t i = 0; other != nullptr && i < std::min(made.size(), event.outputs.size()); ++i) {
        if (made[i].defined() && event.outputs[i] != 0 && other->outputs[i] != 0)
            measure(event.outputs[i], other->outputs[i], made[i]);
    }
}

// Of rows alone: what must be copied first is read twice anyway.
void AheadComparison::measure(ValueId here, ValueId there, const Tensor& made) {
    const auto found = known_.find(here);
    if ((found != known_.end() && found->second.there == there) || !made.device().is_cpu() || !made.is_contiguous())
        return;
    try {
        const Tensor expected = elements_(there);
        const bool is_row = expected.defined() && expected.device().is_cpu() && expected.is_contiguous() &&
                            expected.dtype() == made.dtype() && expected.numel() == made.numel();
        if (!is_row) return;
        const Tolerance usual = tolerance_of(made.dtype(), expected.dtype());
        known_[here] = {there,
                        measure_difference(made, expected, {rtol_.value_or(usual.rtol), atol_.value_or(usual.atol)})};
    } catch (const Error&) {  // the comparison behind the run says why
    }
}

const Difference* AheadComparison::find(const ComparedRun& reference, const CompareOptions& options, ValueId here,
                                        ValueId there) const {
    if (recording_.lock() != reference.recording || options.rtol != rtol_ || options.atol != atol_) return nullptr;
    const auto found = known_.find(here);
    return found != known_.end() && found->second.there == there ? &found->second.difference : nullptr;
}

}  // namespace loupe::session
