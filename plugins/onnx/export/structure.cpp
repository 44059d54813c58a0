// SPDX-License-Identifier: Apache-2.0
// Nodes of the program that are no operators on tensors: constants, attributes, containers.
#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/passes/constant_propagation.h"
#include "plugins/onnx/export/control_flow.h"
#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {

namespace prim = ir::prim;

Operand& Exporter::at(const ir::Value* value) {
    const auto found = values_.find(value);
    if (found == values_.end()) unsupported("a value that the model takes from an object");
    return found->second;
}

void Exporter::visit_block(const ir::Block& block) {
    for (const ir::Node* node : block.nodes()) {
        try {
            visit(*node);
        } catch (Error& error) {
            const std::string name = node->op() != nullptr ? node->op()->full_name : node->kind().str();
            error.add_context({.op = name, .scope = node->scope(), .source = node->range().short_text()});
            throw;
        }
    }
}

void Exporter::visit(const ir::Node& node) {
    if (node.kind() == prim::Constant) {
        if (const auto value = ir::constant_of(node.output())) set(node.output(), known_operand(*value));
        return;
    }
    builder_.set_place(node.scope(), scopes_.metadata_of(node));
    if (node.kind() == prim::If || node.kind() == prim::Loop) return ControlFlow(*this).visit(node);
    if (visit_attribute(node) || visit_structure(node) || visit_container(node)) return;
    visit_operator(node);
}

bool Exporter::visit_attribute(const ir::Node& node) {
    if (node.kind() != prim::GetAttr && node.kind() != prim::SetAttr) return false;
    const auto owner = objects_.find(node.input(0));
    if (owner == objects_.end()) unsupported("an attribute of an object that is made while the model runs");
    const std::pair<const Object*, std::string> key{owner->second.get(), node.s(ir::attr::name)};
    if (node.kind() == prim::SetAttr) {
        attributes_[key] = at(node.input(1));  // the file holds what it was before
        return true;
    }
    if (const auto known = attributes_.find(key); known != attributes_.end()) {
        set(node.output(), known->second);
        return true;
    }
    const IValue& value = owner->second->attribute(key.second);
    if (value.is_object()) {
        objects_[node.output()] = value.to_object();
        return true;
    }
    set(node.output(), attributes_[key] = known_operand(value));
    return true;
}

bool Exporter::visit_structure(const ir::Node& node) {
    const ir::Symbol kind = node.kind();
    if (kind == prim::unchecked_cast || kind == prim::unchecked_unwrap_optional || kind == prim::annotate ||
        kind == prim::data) {
        if (const auto object = objects_.find(node.input(0)); object != objects_.end())
            objects_[node.output()] = object->second;
        else
            set(node.output(), at(node.input(0)));
        return true;
    }
    if (kind == prim::Print || kind.str() == "aten::warn" || kind.str() == "aten::_assert_tensor_metadata" ||
        kind.str() == "aten::_assert_scalar" || kind.str() == "aten::_assert_async" || kind == prim::Enter ||
        kind == prim::Exit || kind.str().starts_with("aten::sym_constrain_range"))
        return true;
    if (kind.str() == "aten::set_grad_enabled" || kind.str() == "aten::_set_grad_enabled") return true;
    if (kind.str() == "aten::_enter_autocast" || kind.str() == "aten::_exit_autocast")
        unsupported("a region with autocast, whose casts are made while it runs");
    if (kind == prim::Uninitialized) {
        set(node.output(), constant_operand(IValue()));
        return true;
    }
    if (kind == prim::RaiseException) unsupported("the model always raises an exception here");
    if (kind == prim::isinstance) {
        const auto example = example_of(at(node.input(0)), 0);
        if (!example) unsupported("a question for the type of a value that is not known");
        const auto& types = node.tys(ir::attr::types);
        const auto fits = [&](const TypePtr& type) { return is_instance(*example, *type); };
        set(node.output(), constant_operand(IValue(std::any_of(types.begin(), types.end(), fits))));
        return true;
    }
    if (kind == prim::device) {
        set(node.output(), constant_operand(IValue(Device())));
        return true;
    }
    return visit_identity_test(node);
}

bool Exporter::visit_identity_test(const ir::Node& node) {
    const std::string& name = node.kind().str();
    const bool is_same = name == "aten::__is__";
    if (!is_same && name != "aten::__isnot__") return false;
    const Operand& a = at(node.input(0));
    const Operand& b = at(node.input(1));
    if (!a.is_none() && !b.is_none()) return false;
    set(node.output(), constant_operand(IValue((a.is_none() && b.is_none()) == is_same)));
    return true;
}

bool Exporter::visit_container(const ir::Node& node) {
    const ir::Symbol kind = node.kind();
    const auto inputs = [&] {
        Operands all;
        for (const ir::Value* input : node.inputs()) all.push_back(at(input));
        return all;
    };
    if (kind == prim::ListConstruct) {
        set(node.output(), list_operand(inputs(), node.output()->type()->element()));
        return true;
    }
    if (kind == prim::TupleConstruct) {
        set(node.output(), list_operand(inputs(), nullptr, Operand::Kind::Tuple));
        return true;
    }
    if (kind == prim::DictConstruct) {
        Operand dict = list_operand({}, node.output()->type()->contained()[1], Operand::Kind::Dict);
        const Operands all = inputs();
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
            if (all[i].kind != Operand::Kind::Constant) unsupported("a dict whose keys are computed");
            dict.list->keys.push_back(all[i].constant);
            dict.list->elements.push_back(all[i + 1]);
        }
        set(node.output(), std::move(dict));
        return true;
    }
    if (kind == prim::TupleUnpack || kind == prim::ListUnpack) {
        const Operand whole = at(node.input(0));
        if (!whole.is_list() || whole.list->sequence || whole.list->elements.size() != node.outputs().size())
            unsupported("a list whose length is not known");
        set_results(node, whole.list->elements);
        return true;
    }
    if (kind == prim::TupleIndex || kind == prim::TupleSlice) {
        const Operand& whole = at(node.input(0));
        if (kind == prim::TupleSlice || at(node.input(1)).kind != Operand::Kind::Constant || !whole.is_list())
            unsupported("a part of a tuple that is chosen while the model runs");
        const auto size = static_cast<std::int64_t>(whole.list->elements.size());
        const std::int64_t index = wrap_dim(at(node.input(1)).constant.to_int(), size);
        set(node.output(), Operand(whole.list->elements[static_cast<std::size_t>(index)]));
        return true;
    }
    return visit_list_operator(node);
}

void Exporter::visit_operator(const ir::Node& node) {
    const bool is_text = !node.outputs().empty() && node.output(0)->type()->kind() == TypeKind::String;
    Operands arguments;
    for (const ir::Value* input : node.inputs()) {
        if (is_text && !values_.contains(input)) {
            set(node.output(), constant_operand(IValue("")));
            return;
        }
        arguments.push_back(at(input));
    }
    const Operator* op = node.op();
    if (is_text) {
        // Of messages: they go with the exceptions and warnings, which ONNX has none of.
        std::vector<IValue> known;
        for (const Operand& each : arguments) {
            if (each.kind == Operand::Kind::Constant) known.push_back(each.constant);
        }
        if (known.size() != arguments.size() || op == nullptr) {
            set(node.output(), constant_operand(IValue("")));
            return;
        }
    }
    if (op == nullptr) unsupported(concat("there is no operator ", node.kind().str()));
    const Operands results = execute(*op, std::move(arguments));
    set_results(node, results);
}

}  // namespace loupe::onnx_export
