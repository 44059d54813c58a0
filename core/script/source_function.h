// SPDX-License-Identifier: Apache-2.0
#pragma once
// A function that the front end implements in TorchScript and inlines for calls.

#include <mutex>
#include <span>
#include <string>

#include "core/ir/compilation_unit.h"
#include "core/script/builder.h"
#include "core/value/schema.h"

namespace loupe::script {

class SourceFunction {
  public:
    // schema: as an operator's, "aten::add(float a, Tensor b) -> Tensor"; body: statements, indented by two blanks.
    SourceFunction(std::string_view schema, std::string_view body);

    const FunctionSchema& schema() const { return schema_; }
    // Copies the body to the insertion point, with the range of the call, and returns its result. Compiles at the
    // first call; safe from any thread.
    ir::Value* insert(Builder& builder, std::span<ir::Value* const> inputs, Range range) const;

  private:
    const ir::Graph& graph() const;
    std::string source() const;

    FunctionSchema schema_;
    std::string_view body_;
    mutable std::once_flag once_;
    mutable Ptr<ir::CompilationUnit> unit_;
    mutable Ptr<ir::Graph> graph_;
};

}  // namespace loupe::script
