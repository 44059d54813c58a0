// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/types.h"

#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {
namespace {

constexpr int kDeepest = 64;

TypePtr type_within(const proto::TypeProto& type, int depth) {
    if (depth > kDeepest) return types::any();
    if (type.has_tensor_type()) {
        const bool is_text = type.tensor_type().elem_type() == proto::TensorProto::STRING;
        return is_text ? types::list(types::string()) : types::tensor();
    }
    if (type.has_sparse_tensor_type()) return types::tensor();
    if (type.has_sequence_type()) return types::list(type_within(type.sequence_type().elem_type(), depth + 1));
    if (type.has_optional_type()) return types::optional(type_within(type.optional_type().elem_type(), depth + 1));
    return types::any();
}

}  // namespace

TypePtr type_of(const proto::TypeProto& type) { return type_within(type, 0); }

TypePtr refined_type_of(const proto::TypeProto& type) {
    if (!type.has_tensor_type()) return type_of(type);
    const proto::TypeProto::Tensor& tensor = type.tensor_type();
    const DataType* elements = find_data_type(tensor.elem_type());
    if (elements == nullptr) return type_of(type);
    const auto refined = make_ptr<TensorType>();
    refined->dtype = elements->held;
    if (tensor.has_shape()) {
        refined->sizes.emplace();
        for (const auto& dim : tensor.shape().dim()) {
            const bool is_fixed = dim.has_dim_value() && dim.dim_value() >= 0;
            refined->sizes->push_back(is_fixed ? std::optional(dim.dim_value()) : std::nullopt);
        }
    }
    return refined;
}

std::optional<exported::InputRule> input_rule(const std::string& name, const proto::TypeProto& type) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
    exported::InputRule rule;
    rule.name = name;
    rule.sizes.emplace();
    int unnamed = 0;
    for (const auto& dim : type.tensor_type().shape().dim()) {
        exported::SymbolExpression size;
        if (dim.has_dim_value() && dim.dim_value() >= 0) {
            size.number = dim.dim_value();
        } else {
            size.kind = exported::SymbolExpression::Kind::Symbol;
            size.name = dim.dim_param().empty() ? name + "?" + std::to_string(unnamed++) : dim.dim_param();
        }
        rule.sizes->push_back(std::move(size));
    }
    return rule;
}

}  // namespace loupe::onnx
