// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running part of a program to see whether it works: nothing of it is printed, its time is limited, and how far it came
// is known.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"

namespace loupe::python {

struct Trial {
    IValue value;  // of the work
    bool succeeded = false;
    bool ran_out_of_time = false;
    std::string error;                // "TypeError: ..."
    std::string place;                // where it failed or its time ended: "net.py:12"; empty: outside of statements
    std::vector<TraceEntry> trace;    // innermost first
    std::size_t statements = 0;       // of Python, that were begun
    bool is_missing_library = false;  // what is needed is not here: other values do not help
};

// Throws Error (Cancelled) where the user stops it, nothing else.
Trial try_out(Evaluator& evaluator, const std::function<IValue()>& work, std::chrono::milliseconds limit);

}  // namespace loupe::python
