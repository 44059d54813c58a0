// SPDX-License-Identifier: Apache-2.0
#pragma once
// Instructions for one element. In registers, 16-bit floating numbers are floats that are rounded already, integers
// 64 bits wide, truth values one bit.

#include <llvm/IR/IRBuilder.h>

#include "core/runtime/fuse/fused_expression.h"

namespace loupe::llvm_fuser {

using Builder = llvm::IRBuilder<>;

class StepGenerator {
  public:
    StepGenerator(Builder& builder, bool has_fma) : b_(builder), has_fma_(has_fma) {}

    llvm::Type* memory_type(ScalarType dtype) const;
    llvm::Type* register_type(ScalarType dtype) const;
    llvm::Value* from_memory(llvm::Value* element, ScalarType dtype) const;
    llvm::Value* to_memory(llvm::Value* element, ScalarType dtype) const;
    // Of the engine's conversions, those between numbers of which floating ones do not become integers.
    llvm::Value* convert(llvm::Value* element, ScalarType from, ScalarType to) const;
    llvm::Constant* number(const std::byte* element, ScalarType dtype) const;

    // inputs: in the types of the step's operands. The result is in the kernel's: step.result_as.
    llvm::Value* step(const runtime::FusedStep& step, const std::vector<llvm::Value*>& inputs) const;

  private:
    llvm::Value* unary(const runtime::FusedStep& step, const std::vector<llvm::Value*>& x) const;
    llvm::Value* binary(const runtime::FusedStep& step, const std::vector<llvm::Value*>& x) const;
    llvm::Value* compare(const runtime::FusedStep& step, const std::vector<llvm::Value*>& x) const;
    llvm::Value* activation(const runtime::FusedStep& step, const std::vector<llvm::Value*>& x) const;
    llvm::Value* ternary(const runtime::FusedStep& step, const std::vector<llvm::Value*>& x) const;
    llvm::Value* param(const runtime::FusedStep& step, std::size_t i) const;
    llvm::Value* multiply_add(llvm::Value* a, llvm::Value* b, llvm::Value* c) const;
    llvm::Value* call(llvm::Intrinsic::ID function, llvm::Value* x) const;
    llvm::Value* pick(llvm::Value* condition, llvm::Value* yes, llvm::Value* no) const {
        return b_.CreateSelect(condition, yes, no);
    }
    llvm::Value* is_nan(llvm::Value* x) const { return b_.CreateFCmpUNO(x, x); }
    llvm::Value* round_to_bfloat16(llvm::Value* x) const;

    Builder& b_;
    bool has_fma_;
};

}  // namespace loupe::llvm_fuser
