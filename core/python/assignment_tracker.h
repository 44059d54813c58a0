// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which names the statements of functions under way have given values, reported with the statement that comes next.

#include <unordered_map>
#include <vector>

#include "core/formats/eager_model.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/frame.h"

namespace loupe::python {

class AssignmentTracker {
  public:
    // The statement that is about to run, and what the one before it in the same call assigned.
    EagerModel::Statement next(const StatementPlace& place);

  private:
    struct Call {
        const Frame* frame;
        std::size_t depth;
        const script::Stmt* last = nullptr;
        // Loops by the first statement of their bodies: their targets have another value each time it runs.
        std::unordered_map<const script::Stmt*, const script::For*> loops;
    };
    Call& call_of(const StatementPlace& place, bool is_first);

    std::vector<Call> calls_;
};

}  // namespace loupe::python
