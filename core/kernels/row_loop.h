// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops behind operators on rows (softmax, normalisation, reductions along the last dimensions), for the fuser.

#include <span>
#include <vector>

#include "core/kernels/loop_recorder.h"
#include "core/kernels/reduction.h"

namespace loupe {

struct RowParams {
    const Reduction* reduction = nullptr;  // of reduce_rows
    const double* numbers = nullptr;       // parameters of the operator
};
// arrays: outputs, then inputs, of the operands' types `as`; strides: bytes from row to row, 0 where all rows read the
// same. An array has n elements a row, or one. An output may be an input's array. Outputs that are sums over the
// rows have n elements, which are added to.
using RowKernel = void (*)(const RowParams& params, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                           std::int64_t n);

struct RowLoop {
    const char* name;  // "Softmax"; with the types of the operands it identifies the kernel
    RowKernel kernel;
    std::int64_t reduced = 1;  // how many dimensions, the last ones, are a row
    std::vector<double> numbers;
    const Reduction* reduction = nullptr;
    std::size_t sums = 0;  // how many outputs, the last ones, are sums over the rows: of a row's dimensions
};
// Rows that have sums are split into so many parts, part i from i * rows / parts on; the parts' sums are added in
// order.
std::int64_t row_parts(std::int64_t rows, std::int64_t n);

// Notifies this thread's recorder of a row loop, not of loops inside it. Outputs first; the first input has rows of all
// dimensions, the others broadcast to it.
class RowLoopScope {
  public:
    RowLoopScope(const RowLoop& loop, std::span<const LoopOperand> operands, std::size_t outputs)
        : is_dry_(detail::thread_loop_recorder != nullptr && detail::thread_loop_recorder->is_dry()),
          scope_(record(loop, operands, outputs)) {}
    // The loop is only recorded: it is not to run.
    bool is_dry() const { return is_dry_; }

  private:
    static LoopRecorder* record(const RowLoop& loop, std::span<const LoopOperand> operands, std::size_t outputs) {
        if (detail::thread_loop_recorder != nullptr) [[unlikely]]
            detail::thread_loop_recorder->on_rows(loop, operands, outputs);
        return nullptr;
    }
    bool is_dry_;
    LoopRecorderScope scope_;
};

// The RowKernel of a reduction: params.numbers are the reduction's own, after the length of the pieces that it takes a
// row in (0: whole rows).
void reduce_rows(const RowParams& params, void* const* arrays, const std::int64_t* strides, std::int64_t rows,
                 std::int64_t n);

}  // namespace loupe
