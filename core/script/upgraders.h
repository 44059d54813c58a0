// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with changed semantics: a file of an older version calls them by the old schema, and the call is replaced
// by a function with the old semantics.

#include <string_view>
#include <vector>

#include "core/script/source_function.h"

namespace loupe::script {

class Upgrader {
  public:
    Upgrader(std::string_view operator_name, std::int64_t since, std::string_view schema, std::string_view body)
        : operator_name_(operator_name), since_(since), function_(schema, body) {}

    // "aten::div.Tensor": the operator that took over the name.
    std::string_view operator_name() const { return operator_name_; }
    // The first operator version with the new meaning.
    std::int64_t since() const { return since_; }
    const FunctionSchema& old_schema() const { return function_.schema(); }
    ir::Value* insert(Builder& builder, std::span<ir::Value* const> inputs, Range range) const {
        return function_.insert(builder, inputs, range);
    }

  private:
    std::string_view operator_name_;
    std::int64_t since_;
    SourceFunction function_;
};

// The upgraders for calls of the name in a file of that operator version; empty for all names in current files.
std::vector<const Upgrader*> upgraders_for(std::string_view name, std::int64_t operator_version);
bool is_replaced(const std::vector<const Upgrader*>& upgraders, std::string_view full_name);

}  // namespace loupe::script
