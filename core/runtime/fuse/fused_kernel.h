// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a backend of fusion makes of an expression.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/runtime/fuse/fused_expression.h"

namespace loupe::runtime {

// What can be shown of a kernel.
struct FusedKernelText {
    std::string backend;
    std::string expression;
    std::string program;   // of the interpreter of expressions; empty for compiled kernels
    std::string ir;        // of the compiler; empty without one
    std::string assembly;  // of the machine
    double compile_seconds = 0;
    bool from_disk = false;
};

class FusedKernel : public RefCounted {
  public:
    // arrays: outputs, then inputs, of n elements without gaps, of the expression's dtypes; of an input that was compiled
    // as one number, that number. Outputs do not overlap inputs. Called by several threads.
    virtual void run(std::byte* const* arrays, std::int64_t n) const = 0;
    // Of an expression of rows. arrays: the first row's; strides: bytes from row to row. A row's elements lie side by side.
    virtual void run_rows(std::byte* const* arrays, const std::int64_t* strides, std::int64_t rows, std::int64_t n) const = 0;
    // Must rows follow each other without gaps, but for columns?
    virtual bool wants_packed_rows() const { return false; }
    virtual FusedKernelText text() const = 0;
};

struct FuserBackend {
    std::string name;  // "llvm"
    // is_number: for each input of the expression, whether it is one number for all of an array. Null, and the reason in
    // words, when the backend does not take it.
    Ptr<const FusedKernel> (*compile)(const FusedExpression& expression, const std::vector<bool>& is_number, std::string* why) = nullptr;
};

}  // namespace loupe::runtime
