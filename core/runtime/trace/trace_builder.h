// SPDX-License-Identifier: Apache-2.0
#pragma once
// Script modules from a traced run: a method for every call of a module. Outer values that a call uses become its
// inputs, its values that are used outside become its results.

#include <memory>

#include "core/runtime/trace/trace_recorder.h"

namespace loupe::runtime {

// The module, types, methods and warnings; the recorder has finished. root: null for a function, which gets the name.
// One module's methods, one after the other, in one unit.
class TraceBuilder {
  public:
    TraceBuilder();
    ~TraceBuilder();
    // method: "forward" when it is empty.
    Trace add(const TraceRecorder& recorder, const nn::ModulePtr& root, const std::string& name,
              const std::string& method = {});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

Trace build_trace(const TraceRecorder& recorder, const nn::ModulePtr& root, const std::string& name);

}  // namespace loupe::runtime
