// SPDX-License-Identifier: Apache-2.0
#pragma once
// An edit of a source whose program is under way. What changed is found function by function, in tokens: comments,
// docstrings and moved lines do not count. The objects of the program stay; its functions run the edited text.
//
// An edit can take effect when nothing that it changes has run before, but in frames that are live: these begin again.
// What is made when a module is loaded (classes, their bases, values that are computed) is not made again; new
// functions, methods, classes and imports are added, and constants take their new value when nothing has read them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/source.h"
#include "core/python/language/call_record.h"
#include "core/python/language/evaluator.h"

namespace loupe::python {

class SourceParts;

class SourceEdit {
  public:
    // file: as the program's sources call it. Throws script::CompileError for text that is no Python, Error (Usage)
    // when the program has no source of that name.
    SourceEdit(Evaluator& evaluator, const std::string& file, std::string text);
    ~SourceEdit();
    SourceEdit(const SourceEdit&) = delete;
    SourceEdit& operator=(const SourceEdit&) = delete;

    struct Verdict {
        std::string why_not;               // one line: why the run cannot go on with it; empty: it can
        ir::SourceRange place;             // of why_not, in the edited text
        std::vector<std::string> changed;  // "Net.forward": what is other or new
        // The frame that begins again; none: no live frame runs what changed.
        std::optional<RunCalls::Call> restarts;
        std::string function;        // its name
        ir::SourceRange takes_hold;  // that function, else the first change, in the edited text
    };
    Verdict judge(const RunCalls& calls) const;
    // The program runs the edited text from now on. After judge() found nothing against it, and with no frame under
    // way. Throws what added statements throw.
    void apply();

    const std::shared_ptr<const ir::Source>& source() const;

  private:
    struct Change;
    std::vector<Change> changes() const;
    ir::SourceRange place_of_hold(const Verdict& verdict, const std::vector<Change>& all) const;
    void make_new_parts();

    Evaluator& evaluator_;
    Ptr<Unit> before_;
    Ptr<Unit> now_;
    std::unique_ptr<SourceParts> was_;
    std::unique_ptr<SourceParts> is_;
};

}  // namespace loupe::python
