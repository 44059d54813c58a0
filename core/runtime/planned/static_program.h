// SPDX-License-Identifier: Apache-2.0
#pragma once
// A captured run, made ready to be repeated: its kernels with their arguments in place, its buffers in one block of
// memory. What follows from constants alone is computed no more, views are there from the start, and once it has run twice
// nothing is allocated but results that the caller still holds.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/planned/program_capture.h"
#include "core/runtime/planned/program_plan.h"

namespace loupe::runtime {

// What the program would be, without making it.
ProgramPlan plan_program(const Capture& capture);

class StaticProgram : public RefCounted {
  public:
    // The capture must be one of real elements, and no refusal.
    explicit StaticProgram(const Capture& capture);
    ~StaticProgram() override;

    // Do the attributes that the graph read still hold what they held?
    bool holds() const;
    // inputs: of the capture's shapes, with its numbers. False: a kernel kept memory that was planned for others, and the
    // run must be done in another way; the program is of no more use. Throws what the kernels throw.
    bool run(std::span<const IValue> inputs, IValue* outputs);

    // Before the first run: tries every kernel that takes a step's arguments, and keeps to the fastest. Returns the backend of
    // each step, empty where there was nothing to choose.
    std::vector<std::string> tune(std::span<const IValue> inputs);
    // Before the first run: the kernels of these backends, where they take the arguments; as tune() told.
    void prefer(const std::vector<std::string>& backends);

    // Final after two runs.
    const ProgramPlan& plan() const;
    // Storages that kernels asked for and no plan foresaw, in all runs.
    std::size_t unplanned() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace loupe::runtime
