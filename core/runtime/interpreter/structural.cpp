// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/interpreter/structural.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/missing_operator.h"
#include "core/runtime/interpreter/print.h"

namespace loupe::runtime {
namespace {

using ir::Symbol;
namespace prim = ir::prim;

std::size_t input_count(const StructuralCall& call) { return call.instruction.input_count; }

std::vector<IValue> take_inputs(const StructuralCall& call, std::size_t from = 0) {
    return {std::make_move_iterator(call.inputs + from), std::make_move_iterator(call.inputs + input_count(call))};
}

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void tuple_construct(const StructuralCall& call) {
    const TypePtr& type = call.node.output()->type();
    const bool is_named = type->kind() == TypeKind::Tuple && !type->name().empty();
    call.outputs[0] = make_ptr<TupleObject>(take_inputs(call), is_named ? type : nullptr);
}

void tuple_unpack(const StructuralCall& call) {
    const auto& elements = call.inputs[0].to_tuple().elements;
    if (elements.size() != call.instruction.output_count) {
        fail(concat("Expected a tuple of ", call.instruction.output_count, " elements but found ", elements.size()));
    }
    std::copy(elements.begin(), elements.end(), call.outputs);
}

void tuple_index(const StructuralCall& call) {
    const auto& elements = call.inputs[0].to_tuple().elements;
    const auto size = static_cast<std::int64_t>(elements.size());
    std::int64_t index = call.inputs[1].to_int();
    if (index < 0) index += size;
    if (index < 0 || index >= size) fail("tuple index out of range");
    call.outputs[0] = elements[static_cast<std::size_t>(index)];
}

void tuple_slice(const StructuralCall& call) {
    static const Symbol kBegin = Symbol::intern("beg");
    static const Symbol kEnd = Symbol::intern("end");
    const auto& elements = call.inputs[0].to_tuple().elements;
    const auto size = static_cast<std::int64_t>(elements.size());
    const std::int64_t begin = std::clamp<std::int64_t>(call.node.i(kBegin), 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(call.node.i(kEnd), begin, size);
    call.outputs[0] = make_ptr<TupleObject>(std::vector<IValue>(elements.begin() + begin, elements.begin() + end));
}

void list_construct(const StructuralCall& call) {
    const TypePtr& type = call.node.output()->type();
    const TypePtr& element = type->kind() == TypeKind::List ? type->element() : types::any();
    call.outputs[0] = make_ptr<ListObject>(element, take_inputs(call));
}

void list_unpack(const StructuralCall& call) {
    const auto& elements = call.inputs[0].to_list().elements;
    if (elements.size() != call.instruction.output_count) {
        fail(concat("Expected ", call.instruction.output_count, " elements in a list but found ", elements.size()));
    }
    std::copy(elements.begin(), elements.end(), call.outputs);
}

void dict_construct(const StructuralCall& call) {
    const TypePtr& type = call.node.output()->type();
    auto dict = make_ptr<DictObject>(type->contained().at(0), type->contained().at(1));
    for (std::size_t i = 0; i + 1 < input_count(call); i += 2) {
        dict->set(std::move(call.inputs[i]), std::move(call.inputs[i + 1]));
    }
    call.outputs[0] = std::move(dict);
}

void create_object(const StructuralCall& call) {
    const auto* type = call.node.output()->type()->as<ClassType>();
    if (type == nullptr) fail(concat("cannot create an object of ", call.node.output()->type()->str()));
    call.outputs[0] = make_ptr<Object>(Ptr<ClassType>(const_cast<ClassType*>(type)));
}

void is_instance_of(const StructuralCall& call) {
    const auto& candidates = call.node.tys(ir::attr::types);
    call.outputs[0] = std::any_of(candidates.begin(), candidates.end(),
                                  [&](const TypePtr& type) { return is_instance(call.inputs[0], *type); });
}

void pass_on(const StructuralCall& call) { call.outputs[0] = std::move(call.inputs[0]); }

void unwrap_optional(const StructuralCall& call) {
    if (call.inputs[0].is_none()) fail("Unwrapping null optional");
    pass_on(call);
}

void uninitialized(const StructuralCall& call) { call.outputs[0] = IValue(); }

void print(const StructuralCall& call) {
    std::string line;
    for (std::size_t i = 0; i < input_count(call); ++i) line += concat(i == 0 ? "" : " ", python_str(call.inputs[i]));
    print_text(line + "\n");
}

void raise_exception(const StructuralCall& call) {
    const std::string& message = call.inputs[0].to_string();
    if (input_count(call) < 2 || call.inputs[1].is_none()) fail(message);
    fail(concat(call.inputs[1].to_string(), ": ", message));
}

void enum_name(const StructuralCall& call) { call.outputs[0] = call.inputs[0].to_enum().name; }

void enum_value(const StructuralCall& call) { call.outputs[0] = call.inputs[0].to_enum().value; }

void wait(const StructuralCall& call) { call.outputs[0] = call.inputs[0].to_future().value; }

void has_attribute(const StructuralCall& call) {
    const std::string& name = call.node.s(ir::attr::name);
    call.outputs[0] = call.inputs[0].to_object()->type()->find_attribute(name).has_value();
}

// A module list or dict by a dynamic index; children are its module attributes in order.
void container_index(const StructuralCall& call) {
    const Ptr<Object> container = call.inputs[0].to_object();
    const IValue& key = call.inputs[1];
    if (key.is_string()) {
        call.outputs[0] = container->attribute(key.to_string());
        return;
    }
    std::vector<std::size_t> slots;
    const auto& attributes = container->type()->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        if (attributes[i].kind == AttributeKind::Module) slots.push_back(i);
    }
    const auto size = static_cast<std::int64_t>(slots.size());
    const std::int64_t index = key.to_int() < 0 ? key.to_int() + size : key.to_int();
    if (index < 0 || index >= size)
        fail(concat("Index ", key.to_int(), " out of range for ", container->type()->name()));
    call.outputs[0] = container->slot(slots[static_cast<std::size_t>(index)]);
}

IValue number_of(const Scalar& value) {
    switch (value.kind()) {
        case Scalar::Kind::Bool:
            return IValue(value.to_bool());
        case Scalar::Kind::Int:
            return IValue(value.to_int());
        case Scalar::Kind::Complex:
            return IValue(value.to_complex());
        default:
            return IValue(value.to_double());
    }
}

IValue nested_list(const Tensor& t, std::size_t dim, std::int64_t offset, const TypePtr& type) {
    if (dim == t.sizes().size()) {
        return number_of(item(t.view_as_strided(IntSpan(), IntSpan(), offset)));
    }
    std::vector<IValue> elements;
    for (std::int64_t i = 0; i < t.sizes()[dim]; ++i) {
        elements.push_back(nested_list(t, dim + 1, offset + i * t.strides()[dim], type->element()));
    }
    return IValue(make_ptr<ListObject>(type->element(), std::move(elements)));
}

// tensor.tolist() into the annotated type: inputs are the tensor, the number of dimensions and of the element type.
void to_list(const StructuralCall& call) {
    const Tensor t = call.inputs[0].to_tensor();
    const TypePtr& type = call.node.output()->type();
    std::int64_t depth = 0;
    const Type* innermost = type.get();
    for (; innermost->kind() == TypeKind::List; innermost = innermost->element().get()) ++depth;
    if (depth != t.dim()) {
        fail("Output annotation list dimension and runtime tensor dimension must match for tolist()");
    }
    const IValue result = nested_list(t, 0, t.storage_offset(), type);
    const IValue* first = &result;
    while (first->is_list() && !first->to_list().elements.empty()) first = &first->to_list().elements[0];
    if (!first->is_list() && !is_instance(*first, *innermost)) {
        fail("Output annotation element type and runtime tensor element type must match for tolist()");
    }
    call.outputs[0] = result;
}

}  // namespace

void missing_operator(const StructuralCall& call) {
    throw Error(ErrorKind::Unsupported, concat("unsupported operator ", ir::missing_schema(call.node)));
}

StructuralFunction find_structural(Symbol kind) {
    static const std::unordered_map<Symbol, StructuralFunction> kFunctions = {
        {prim::TupleConstruct, tuple_construct},
        {prim::TupleUnpack, tuple_unpack},
        {prim::TupleIndex, tuple_index},
        {prim::TupleSlice, tuple_slice},
        {prim::ListConstruct, list_construct},
        {prim::ListUnpack, list_unpack},
        {prim::DictConstruct, dict_construct},
        {prim::CreateObject, create_object},
        {prim::isinstance, is_instance_of},
        {prim::unchecked_cast, pass_on},
        {prim::annotate, pass_on},
        {prim::unchecked_unwrap_optional, unwrap_optional},
        {Symbol::intern("aten::_unwrap_optional"), unwrap_optional},
        {prim::Uninitialized, uninitialized},
        {prim::Print, print},
        {prim::RaiseException, raise_exception},
        {prim::EnumName, enum_name},
        {prim::EnumValue, enum_value},
        {Symbol::intern("aten::wait"), wait},
        {prim::HasAttr, has_attribute},
        {prim::ModuleContainerIndex, container_index},
        {prim::tolist, to_list},
    };
    const auto found = kFunctions.find(kind);
    return found == kFunctions.end() ? nullptr : found->second;
}

}  // namespace loupe::runtime
