// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/passes/rewriter.h"

#include "core/autograd/variable.h"

#include "core/dispatch/registry.h"
#include "core/passes/graph_tools.h"
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {

namespace prim = ir::prim;

std::optional<IValue> Rewriter::attribute_of(const ir::Value* value) const {
    const ir::Node* node = value->node();
    if (module_ != nullptr && !graph_.inputs().empty() && value == graph_.inputs()[0]) return IValue(module_);
    if (node->kind() != prim::GetAttr) return std::nullopt;
    const auto owner = attribute_of(node->input(0));
    if (!owner || !owner->is_object()) return std::nullopt;
    return owner->to_object()->attribute(node->s(ir::attr::name));
}

std::optional<Tensor> Rewriter::tensor_of(const ir::Value* value) const {
    if (auto constant = passes::constant_tensor(value)) return constant;
    const auto attribute = attribute_of(value);
    return attribute && attribute->is_tensor() ? std::optional(attribute->to_tensor()) : std::nullopt;
}

std::optional<std::int64_t> Rewriter::rank_of(const ir::Value* value) const {
    if (const auto tensor = tensor_of(value)) return tensor->dim();
    const auto* type = value->type()->as<TensorType>();
    if (type == nullptr || !type->sizes) return std::nullopt;
    return static_cast<std::int64_t>(type->sizes->size());
}

std::optional<std::int64_t> Rewriter::size_of(const ir::Value* value, std::int64_t dim) const {
    const auto rank = rank_of(value);
    if (!rank || dim >= *rank || dim < -*rank) return std::nullopt;
    const auto d = static_cast<std::size_t>(dim < 0 ? dim + *rank : dim);
    if (const auto tensor = tensor_of(value)) return tensor->sizes()[d];
    const auto size = (*value->type()->as<TensorType>()->sizes)[d];
    return size && *size >= 0 ? size : std::nullopt;
}

std::optional<ScalarType> Rewriter::dtype_of(const ir::Value* value) const {
    if (const auto tensor = tensor_of(value)) return tensor->dtype();
    const auto* type = value->type()->as<TensorType>();
    return type != nullptr ? type->dtype : std::nullopt;
}

std::optional<double> Rewriter::number_of(const ir::Value* value) const {
    if (const auto number = passes::constant_number(value)) return number;
    const auto tensor = tensor_of(value);
    if (!tensor || !tensor->defined() || tensor->numel() != 1 || is_complex(tensor->dtype())) return std::nullopt;
    if (requires_grad(*tensor)) return std::nullopt;  // training changes it
    return item(*tensor).to_double();
}

std::optional<Dims> Rewriter::whole_numbers(const ir::Value* value) const {
    if (value == nullptr) return std::nullopt;
    if (const auto tensor = passes::constant_tensor(value)) {
        if (!tensor->defined() || tensor->dim() > 1 || !is_integral(tensor->dtype())) return std::nullopt;
        return onnx::whole_numbers(*tensor);
    }
    const auto constant = ir::constant_of(value);
    if (!constant || !constant->is_list()) return std::nullopt;
    Dims out;
    for (const IValue& each : constant->to_list().elements) {
        if (!each.is_int()) return std::nullopt;
        out.push_back(each.to_int());
    }
    return out;
}
std::optional<Dims> Rewriter::whole_numbers(const ir::Node* node, std::string_view argument) const {
    return whole_numbers(node->named_input(argument));
}

std::optional<std::int64_t> Rewriter::whole_number(const ir::Node* node, std::string_view argument) {
    const ir::Value* value = node->named_input(argument);
    return value != nullptr ? passes::constant_int(value) : std::nullopt;
}

std::string Rewriter::text(const ir::Node* node, std::string_view argument) {
    const auto constant = passes::constant_input(node, argument);
    return constant && constant->is_string() ? constant->to_string() : std::string();
}

bool Rewriter::is_none(const ir::Node* node, std::string_view argument) {
    const ir::Value* value = node->named_input(argument);
    return value == nullptr || ir::is_none_constant(value);
}

ir::Value* Rewriter::none() const { return graph_.insert_constant(IValue(), types::optional(types::tensor())); }

ir::Value* Rewriter::number_list(const Values& values) const {
    Dims constants;
    for (const ir::Value* value : values) {
        const auto number = passes::constant_int(value);
        if (!number) break;
        constants.push_back(*number);
    }
    if (constants.size() == values.size()) return numbers(constants);
    ir::Node* list = graph_.insert(graph_.create(prim::ListConstruct, values));
    return list->output()->set_type(types::list(types::integer()));
}

ir::Value* Rewriter::call(const char* name, Values inputs) const {
    const Operator* op = find_operator(name);
    if (op == nullptr) throw Error(ErrorKind::Internal, concat("no operator ", name));
    const auto& formals = op->schema.arguments;
    for (std::size_t i = inputs.size(); i < formals.size(); ++i) {
        const bool is_tensor =
            formals[i].type->kind() == TypeKind::Optional && formals[i].type->element()->kind() == TypeKind::Tensor;
        inputs.push_back(is_tensor ? none() : graph_.insert_constant(*formals[i].default_value, formals[i].type));
    }
    ir::Node* node = graph_.insert(graph_.create(ir::Symbol::intern(op->schema.name), inputs));
    node->set_op(op);
    return node->output()->set_type(op->schema.returns[0].type);
}

}  // namespace loupe::onnx
