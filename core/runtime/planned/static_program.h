// SPDX-License-Identifier: Apache-2.0
#pragma once
// A captured run, prepared for replay: its kernels with their arguments bound, its buffers in one block of memory.
// Constant values are not recomputed, views are created once, and after two runs only results that the caller still
// holds are allocated.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/planned/program_capture.h"
#include "core/runtime/planned/program_plan.h"

namespace loupe::runtime {

// Describes the program without making it.
ProgramPlan plan_program(const Capture& capture);

class StaticProgram : public RefCounted {
  public:
    // The capture must be of real elements, and not refused.
    explicit StaticProgram(const Capture& capture);
    ~StaticProgram() override;

    // Are the attributes that the graph read unchanged?
    bool holds() const;
    // inputs: of the capture's shapes, with its numbers. False: a kernel kept planned memory, so the run must be
    // repeated unplanned and the program discarded. Throws the kernels' errors.
    bool run(std::span<const IValue> inputs, IValue* outputs);

    // Before the first run: tries every kernel that accepts a step's arguments, and selects the fastest. Returns the
    // backend of each step, empty where there is no choice.
    std::vector<std::string> tune(std::span<const IValue> inputs);
    // Before the first run: selects the kernels of these backends from tune(), where they accept the arguments.
    void prefer(const std::vector<std::string>& backends);

    // Final after two runs.
    const ProgramPlan& plan() const;
    // Storages that kernels allocated outside of the plan, in all runs.
    std::size_t unplanned() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace loupe::runtime
