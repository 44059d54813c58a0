// SPDX-License-Identifier: Apache-2.0
#pragma once
// A captured run, made ready to be repeated: its kernels with their arguments in place, its buffers in one block of
// memory. What follows from constants alone is computed no more, views are there from the start, and once it has run twice
// nothing is allocated but results that the caller still holds.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/planned/memory_plan.h"
#include "core/runtime/planned/program_capture.h"

namespace loupe::runtime {

// A buffer of the plan, to be shown.
struct PlannedBuffer {
    enum class Use : std::uint8_t { Value, Result, Scratch };  // results lie outside the block: they outlive the run
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    Use use = Use::Value;
    std::size_t bytes = 0;
    std::size_t offset = 0;       // in the block; of a result 0
    std::size_t first = 0;        // steps
    std::size_t last = 0;
    std::size_t takes_over = kNone;  // the buffer in whose memory it is written
};

struct ProgramStep {
    std::string name;                // "aten::convolution"
    std::string backend;             // "onednn"; empty while it is not known
    const ir::Node* node = nullptr;  // of the graph
    std::size_t live_bytes = 0;      // needed while it runs, results with them
};

struct ProgramPlan {
    std::vector<ProgramStep> steps;
    std::vector<PlannedBuffer> buffers;
    std::size_t arena_bytes = 0;    // of the block
    std::size_t result_bytes = 0;   // of what lies outside
    std::size_t total_bytes = 0;    // of all buffers side by side
    std::size_t peak_bytes = 0;     // most that is needed at any step, results with them
};

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
