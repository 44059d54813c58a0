// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records every elementwise loop of a thread, for the fuser.

#include <span>

#include "core/base/scoped_value.h"
#include "core/kernels/loop_operand.h"

namespace loupe {

struct RowLoop;

class LoopRecorder {
  public:
    virtual ~LoopRecorder() = default;
    // Before run_elementwise runs.
    virtual void on_loop(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                         std::size_t outputs) = 0;
    // Before a loop over rows (see row_loop.h).
    virtual void on_rows(const RowLoop& loop, std::span<const LoopOperand> operands, std::size_t outputs) = 0;
    // Before elements are copied with conversion.
    virtual void on_copy(const Tensor& to, const Tensor& from) = 0;
    // Are loops only recorded? Then they do not run, and memory is neither read nor written.
    virtual bool is_dry() const { return false; }
};

namespace detail {
extern thread_local LoopRecorder* thread_loop_recorder;
}

class LoopRecorderScope final : ScopedValue<LoopRecorder*> {
  public:
    explicit LoopRecorderScope(LoopRecorder* recorder) : ScopedValue(detail::thread_loop_recorder, recorder) {}
};

}  // namespace loupe
