// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/call_record.h"

#include "core/autograd/observer.h"

namespace loupe::python {

// --- a run ---

void RunCalls::enter(const Frame& frame) {
    ExecutionObserver* recorder = execution_observer();
    if (recorder == nullptr || frame.unit.is_library) return;
    failed_.clear();
    const Call call{&frame.code, count_++, recorder->current_event(), &frame};
    first_.try_emplace(&frame.code, call);
    stack_.push_back(call);
}

void RunCalls::leave(const Frame& frame, bool is_unwinding) {
    if (stack_.empty() || stack_.back().frame != &frame) return;
    if (!is_unwinding)
        failed_.clear();
    else if (failed_.empty())
        failed_ = stack_;
    stack_.pop_back();
}

const RunCalls::Call* RunCalls::first_of(const Code& code) const {
    const auto found = first_.find(&code);
    return found == first_.end() ? nullptr : &found->second;
}

// --- a model that is made ---

void BuildCalls::enter(const Frame& frame) {
    if (trial_ != nullptr || frame.unit.is_library) return;
    if (frame.code.kind == ScopeKind::Function && frame.code.name == "forward") {
        trial_ = &frame;
        return;
    }
    called_.insert(&frame.code);
}

void BuildCalls::leave(const Frame& frame, bool /*is_unwinding*/) {
    if (trial_ == &frame) trial_ = nullptr;
}

}  // namespace loupe::python
