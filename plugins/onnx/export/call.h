// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call of an operator as its rule sees it: arguments by their names in the schema.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {

class Call {
  public:
    Call(Exporter& exporter, const Operator& op, const Operands& arguments, const std::optional<FakeResults>& fakes)
        : b(exporter.builder()), op_(op), exporter_(exporter), arguments_(arguments), fakes_(fakes) {}

    Builder& b;

    const Operator& op() const { return op_; }
    std::string_view name() const { return op_.schema.name; }
    const Operands& arguments() const { return arguments_; }
    Exporter& exporter() { return exporter_; }

    // The argument, or None when the schema has none of the name.
    const Operand& operand(std::string_view name) const;
    bool has(std::string_view name) const { return !operand(name).is_none(); }

    // A tensor, or a number without dimensions. Absent for None.
    OnnxValue tensor(std::string_view name);
    OnnxValue value(std::string_view name, ScalarType dtype);
    OnnxValues tensors(std::string_view name);
    OnnxValues tensors(std::string_view name, ScalarType dtype);

    // Known values; throw Error (Unsupported) when they are computed by the model.
    bool is_known(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    double real(std::string_view name) const;
    bool flag(std::string_view name) const;
    std::string text(std::string_view name) const;
    Scalar scalar(std::string_view name) const;
    std::vector<std::int64_t> ints(std::string_view name) const;
    std::vector<std::int64_t> ints_or(std::string_view name, std::vector<std::int64_t> otherwise) const;
    std::optional<ScalarType> dtype(std::string_view name) const;
    // Integers that may be computed, as int64 of one dimension.
    OnnxValue dims(std::string_view name);

    // torch.result_type of the arguments.
    ScalarType common(std::initializer_list<std::string_view> names);
    // As the operator's infer says it; of the first argument when that is not known.
    ScalarType result_dtype(std::size_t result = 0);
    // The dtype of a floating result: that, or float32 for integers.
    ScalarType floating(std::string_view name);
    std::optional<Dims> result_sizes(std::size_t result = 0) const;
    // The sizes of a result whose sizes are an argument of the call, as int64 of one dimension.
    OnnxValue target_sizes(std::string_view name);

    [[noreturn]] void unsupported_argument(std::string_view name, std::string_view why) const;

  private:
    const IValue& known(std::string_view name) const;

    const Operator& op_;
    Exporter& exporter_;
    const Operands& arguments_;
    const std::optional<FakeResults>& fakes_;
};

}  // namespace loupe::onnx_export
