// SPDX-License-Identifier: Apache-2.0
// Changes of values by hand: made between two operators, and recorded as an event.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/recorder.h"
#include "core/record/reduce_tensor.h"

namespace loupe::session {

// Of one that was ordered for this run before it began: the run must have come here as the one it was ordered in.
void Recorder::make_changes(EventId behind) {
    // A change is an event too: one behind it may follow.
    for (std::size_t i = 0; i < options_.changes.size(); ++i) {
        const ValueChange change = options_.changes[i];
        if (change.behind != behind) continue;
        const Tensor t = tensors_.to_change(change.value);
        if (!t.defined())
            throw Error(ErrorKind::Run,
                        concat("value ", change.value, ", which is to be changed behind #", behind,
                               ", is not there in this run"),
                        {.hint = "undo the change: the run has become another one"});
        behind = make_change(change, t);
    }
}

std::string Recorder::why_not_changed(const ValueChange& change) const {
    if (change.value == 0 || change.value > recording()->value_count()) return "this value is of a run that is gone";
    const Value& value = recording()->value(change.value);
    if (value.producer == 0)
        return "it was there before the run: inputs are changed in Inputs, weights by loading or training";
    if (!options_.values) return "the run keeps no elements";
    // Kept by reference as long as nothing has overwritten it.
    const Tensor kept = store_.find(change.value);
    const bool is_live = kept.defined() && kept.storage()->id() == value.storage_id;
    if (!is_live) return "it was overwritten, or is not in memory any more";
    for (std::size_t i = recording()->allocation_count(); i-- > 0;) {
        const Allocation block = recording()->allocation(i);
        if (block.storage_id != value.storage_id) continue;
        return block.freed == 0 ? std::string()
                                : concat("the program let go of it at #", block.freed, ": nothing reads it any more");
    }
    return {};
}

EventId Recorder::change(ValueChange change) {
    catch_up();
    if (const std::string why = why_not_changed(change); !why.empty())
        throw Error(ErrorKind::Usage, why, {.hint = "change it where it is made, or in a new run"});
    change.behind = writer_.next_event() - 1;
    const EventId id = make_change(change, store_.find(change.value));
    options_.changes.push_back(std::move(change));
    return id;
}

EventId Recorder::make_change(const ValueChange& change, const Tensor& t) {
    const ObserverScope unobserved(nullptr);
    Tensor now;
    if (change.formula == kUndo) {
        const auto before = before_change_.find(recording()->value(change.value).producer);
        if (before == before_change_.end()) throw Error(ErrorKind::Usage, "no change made this value");
        now = before->second;
    } else {
        now = changed_elements(t, change);
    }
    const std::string slice = change.formula == kUndo ? std::string() : change.slice;
    const EventId id = writer_.next_event();
    before_change_[id] = changed_elements(t, {.slice = {}, .formula = "x"});
    store_.protect(t.storage()->id());
    overwrite(t, slice, now);
    tensors_.forget_memory(t.storage()->id());
    // Where the event before it stands.
    const Event& at = recording()->event(id - 1);
    Event event;
    event.op = writer_.intern(kChangeOperator);
    event.phase = at.phase;
    event.scope = at.scope;
    event.source_file = at.source_file;
    event.source_line = at.source_line;
    event.graph_node = at.graph_node;
    event.depth = at.depth;
    event.frame = at.frame;
    if (!change.slice.empty()) event.arguments.push_back(concat("slice=", change.slice));
    event.arguments.push_back(concat("formula=", change.formula));
    event.inputs = {change.value};
    event.memory_before = event.memory_after = event.memory_peak = memory_.current_bytes();
    event.start = clock_.now();
    const ValueId made = tensors_.add_made(t, id, recording()->value(change.value).name, 0);
    if (made != 0) event.outputs.push_back(made);
    note_statistics(event);
    if (event.has_nan || event.has_inf) event.not_finite = NotFinite::Made;
    publish(std::move(event));
    return id;
}

}  // namespace loupe::session
