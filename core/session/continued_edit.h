// SPDX-License-Identifier: Apache-2.0
#pragma once
// An edit with which a run is to continue, and what became of it: values only. See source_edits.h.

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"
#include "core/study/reference.h"

namespace loupe::session {

struct EditedText {
    std::string file;  // as SourceFile::name
    std::string text;
};
auto fields(Like<EditedText> auto& it) { return std::tie(it.file, it.text); }

struct EditRequest {
    std::vector<EditedText> texts = {};
    bool only_checks = false;  // nothing is done
    bool pins = false;         // the old run becomes a reference
    // Takes an edit back: the old run is made again, whatever ran. It parks behind this event, or, of 0, ends as it
    // did.
    bool is_undo = false;
    EventId parked_behind = 0;
};
auto fields(Like<EditRequest> auto& it) {
    return std::tie(it.texts, it.only_checks, it.pins, it.is_undo, it.parked_behind);
}

struct ContinuedEdit {
    std::string error;                 // one line: why it does not continue; nothing has changed then
    SourcePlace place;                 // of the error, in the edited text
    bool may_restart = false;          // running again from the start would do
    std::vector<std::string> changed;  // "Net.forward"
    EventId from = 0;                  // the first event that is not the old run's
    std::string function;              // whose frame begins again; empty: none does
    PinnedReference before;            // the old run, pinned; id 0: it was not
};
auto fields(Like<ContinuedEdit> auto& it) {
    return std::tie(it.error, it.place, it.may_restart, it.changed, it.from, it.function, it.before);
}

}  // namespace loupe::session
