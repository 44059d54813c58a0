// SPDX-License-Identifier: Apache-2.0
#pragma once
// The computation of a fusion group for one element: steps of the loop engine, in order, each rounded to its dtype as
// the unfused operator rounds its result. Without shapes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernels/row_loop.h"

namespace loupe::runtime {

// Rows: a loop over rows (RowLoop). Also: a further result of the Rows step before it.
enum class LoopFamily : std::uint8_t { Unary, Test, Activation, Binary, Compare, Ternary, Where, Convert, Rows, Also };

// Which of the pointwise kernels it is: `op` is the family's enumerator (UnaryOp, ...; 0 for Where and Convert).
struct LoopKind {
    LoopFamily family = LoopFamily::Convert;
    std::uint8_t op = 0;
    ScalarType as = ScalarType::Float32;  // the type of the kernel's arithmetic; of Where, a type of that size
    std::uint8_t params = 0;              // number of parameters

    std::string name() const;  // "Mul"
};
// False for a kernel that is none of the pointwise operators'.
bool find_loop_kind(ElementwiseKernel kernel, LoopKind& kind);
// "Sum", "Norm2"; empty for an unknown one.
std::string reduction_name(const Reduction* reduction);

// An operand of a kernel: a value of the expression or a number, converted to a dtype.
struct FusedOperand {
    bool is_number = false;
    std::uint32_t value = 0;             // inputs first, then the results of the steps
    std::array<std::byte, 16> number{};  // an element of type `as`
    ScalarType as = ScalarType::Float32;
};

// A row loop as a step.
struct FusedRowLoop {
    std::string name;  // "Softmax", "Sum"
    RowKernel kernel = nullptr;
    const Reduction* reduction = nullptr;
    std::vector<double> numbers;
    std::int64_t reduced = 1;  // how many dimensions are a row
    std::size_t outputs = 1;   // the step itself, then Also steps
    std::size_t sums = 0;      // the last outputs: sums over all rows, one per column
    bool keeps = true;         // a reduction's result has the reduced dimensions, as 1

    RowParams params() const { return {reduction, numbers.data()}; }
};

// The shape of a value in an expression of rows: an element per column of each row, one per row, one per column.
// Results per column are sums over the rows, to which kernels add.
enum class RowShape : std::uint8_t { Elements, PerRow, Columns };

struct FusedStep {
    LoopKind kind;
    ElementwiseKernel kernel = nullptr;  // null for Convert
    std::vector<Scalar> params;
    std::vector<FusedOperand> inputs;
    ScalarType result_as = ScalarType::Float32;  // the type that the kernel writes
    ScalarType dtype = ScalarType::Float32;      // the type that the result is rounded to
    std::shared_ptr<const FusedRowLoop> rows;    // of Rows
};

struct FusedExpression {
    std::vector<ScalarType> inputs;
    std::vector<FusedStep> steps;
    std::vector<std::uint32_t> outputs;
    std::vector<RowShape> shapes;  // of the values of an expression of rows; empty: elements only

    bool is_of_rows() const { return !shapes.empty(); }
    ScalarType dtype_of(std::uint32_t value) const {
        return value < inputs.size() ? inputs[value] : steps[value - inputs.size()].dtype;
    }
    // One line per value: equal for expressions with the same computation.
    //     %0: float32
    //     %1: float32 = Mul(%0, 2)
    //     return %1
    // In an expression of rows values have a mark: "%1: float32 per row = Sum rows(%0)", "%2: float32 columns".
    std::string str() const;
};

// A number of the dtype as unique text: "2", "0.5", "nan", "true".
std::string number_text(const std::byte* element, ScalarType dtype);

}  // namespace loupe::runtime
