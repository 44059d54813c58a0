// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which steps of a capture are needed in each run, and the lifetimes of its buffers.

#include "core/runtime/planned/memory_plan.h"
#include "core/runtime/planned/program_capture.h"
#include "core/runtime/planned/program_plan.h"

namespace loupe::runtime {

struct ProgramLayout {
    enum class Place : std::uint8_t {
        Outside,  // inputs, constants, values computed from constants, unused values
        Arena,
        Result,    // returned to the caller
        InResult,  // in the memory of the result that takes it over
    };
    struct Buffer {
        Place place = Place::Outside;
        std::size_t first = 0;  // steps that are kept
        std::size_t last = 0;
        std::size_t takes_over = BufferLife::kNone;  // another buffer
    };
    std::vector<std::size_t> steps;  // of the capture
    std::vector<Buffer> buffers;     // as the capture's
};

// Live bytes of a buffer outside the block at a step: a result counts from the first buffer in its memory.
std::size_t result_bytes_at(const ProgramPlan& plan, const PlannedBuffer& buffer, std::size_t step);

ProgramLayout lay_out(const Capture& capture);

// The buffer of a tensor of the capture.
inline std::size_t buffer_of(const Capture& capture, const Tensor& t) {
    return capture.tensors[capture.places.at(t.impl())].buffer;
}

}  // namespace loupe::runtime
