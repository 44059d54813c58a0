// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a tracer of a program asks of the program besides its operators: where it continues with Python values, and
// which tensors its numbers come from. Without a tracer the cost is one predictable branch.

#include <cstddef>
#include <cstdint>

#include "core/autograd/observer.h"

namespace loupe {

// Use of a tensor that no operator records: the program continues with Python values.
enum class PythonUse : std::uint8_t {
    Boolean,
    Integer,
    Float,
    Index,
    Number,
    List,
    Length,
    Iteration,
    Shape,
    Constructor
};

// Where an operator takes the number in a tensor.
struct NumberTie {
    const Operator* op = nullptr;  // null: any that takes the list, until a tie without a number ends it
    std::size_t argument = 0;
    int element = -1;
    enum class As : std::uint8_t { Int, Float, Number } as = As::Int;
    Tensor number;
    Dims list = {};  // without op: the list's elements
};

class ProgramTracer {
  public:
    // Called by the evaluator of a model source.
    virtual void on_python_use(PythonUse use, const Tensor& t) = 0;
    // The size of a dimension, or the number of elements, as a 0-dim int64 tensor that stays tied to the tensor, so
    // that a program that computes with sizes can be traced. Undefined: the program uses the number.
    virtual Tensor tied_size(const Tensor& t, std::int64_t dim) = 0;
    virtual Tensor tied_numel(const Tensor& t) = 0;
    // The next operator's argument is the number in this tensor (element: of a list; -1: the whole argument). False:
    // not tied.
    virtual bool tie_number(const NumberTie& tie) = 0;
    virtual bool ties_numbers() const = 0;

  protected:
    ~ProgramTracer() = default;
};

// The tracer of a direct call from a program; null for nested calls and without a trace.
inline ProgramTracer* program_tracer() {
    return detail::thread_is_nested_call ? nullptr : detail::thread_watchers.tracer;
}

inline void notify_python_use(PythonUse use, const Tensor& t) {
    if (ProgramTracer* tracer = program_tracer()) tracer->on_python_use(use, t);
}
// Undefined when sizes are not tied.
inline Tensor tied_size(const Tensor& t, std::int64_t dim) {
    ProgramTracer* tracer = program_tracer();
    return tracer != nullptr ? tracer->tied_size(t, dim) : Tensor();
}
inline Tensor tied_numel(const Tensor& t) {
    ProgramTracer* tracer = program_tracer();
    return tracer != nullptr ? tracer->tied_numel(t) : Tensor();
}
// Sizes are tensors then.
inline bool ties_numbers() {
    const ProgramTracer* tracer = program_tracer();
    return tracer != nullptr && tracer->ties_numbers();
}
inline bool tie_number(const NumberTie& tie) {
    ProgramTracer* tracer = program_tracer();
    return tracer != nullptr && tracer->tie_number(tie);
}

}  // namespace loupe
