// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_tuples.h"

#include <map>
#include <mutex>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

const TypePtr& size_type() {
    static const TypePtr type = types::named_tuple("torch.Size", {}, {});
    return type;
}

// The evaluator that runs learns which class tuples of the type have.
void announce(const TypePtr& type, const ClassPtr& cls) {
    if (Evaluator* evaluator = Evaluator::current()) evaluator->state().tuple_classes[type.get()] = cls.get();
}

std::vector<IValue>& elements_of(const IValue& tuple) { return tuple.to_tuple().elements; }

IValue size_of(std::vector<IValue> elements) {
    announce(size_type(), size_class());
    return make_ptr<TupleObject>(std::move(elements), size_type());
}
IValue plain_tuple(const IValue& size) { return make_tuple(elements_of(size)); }

ClassObject::Made new_size(ClassObject&, CallArguments& arguments) {
    check_positional(arguments, "Size", 0, 1);
    std::vector<IValue> sizes;
    if (!arguments.positional.empty()) {
        for (const IValue& size : to_vector(arguments.positional[0]))
            sizes.push_back(size.is_tensor() ? size : IValue(to_index(size)));
    }
    return {size_of(std::move(sizes)), true};
}

// A tuple's operation whose result is a Size again.
template <OperatorKind Kind>
IValue size_operator(CallArguments arguments) {
    check_positional(arguments, "operator", 2, 2);
    const IValue& other = arguments.positional[1];
    return size_of(
        elements_of(binary(Kind, plain_tuple(arguments.positional[0]), is_size(other) ? plain_tuple(other) : other)));
}

IValue size_item(CallArguments arguments) {
    check_positional(arguments, "__getitem__", 2, 2);
    const IValue found = get_item(plain_tuple(arguments.positional[0]), arguments.positional[1]);
    return found.is_tuple() ? size_of(elements_of(found)) : found;
}

IValue size_text(CallArguments arguments) {
    return IValue(concat("torch.Size(", repr(make_list(elements_of(arguments.positional.at(0)))), ")"));
}

IValue size_numel(CallArguments arguments) {
    IValue product = 1;
    for (const IValue& size : elements_of(arguments.positional.at(0)))
        product = binary(OperatorKind::Mul, product, size);
    return product;
}

// values=tensor(...),
// indices=tensor(...)
IValue results_text(CallArguments arguments) {
    const TupleObject& tuple = arguments.positional.at(0).to_tuple();
    const auto& fields = tuple.type->as<TupleType>()->fields();
    std::string out = tuple.type->name() + "(";
    for (std::size_t i = 0; i < fields.size(); ++i) {
        out += concat(i > 0 ? ",\n" : "\n", fields[i], "=", repr(tuple.elements[i]));
    }
    return out + ")";
}

struct ResultsClass {
    TypePtr type;
    ClassPtr cls;
};

ResultsClass make_results_class(std::string_view function, const std::vector<Argument>& returns) {
    ResultsClass out;
    std::vector<std::string> fields;
    std::vector<TypePtr> types;
    for (const Argument& each : returns) {
        fields.push_back(each.name);
        types.push_back(each.type);
    }
    out.type = types::named_tuple(concat("torch.return_types.", function), fields, std::move(types));
    out.cls = make_ptr<ClassObject>(std::string(function), "torch.return_types",
                                    std::vector<ClassPtr>{builtin_classes().tuple});
    out.cls->set_builtin(nullptr);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        out.cls->define_property(fields[i], [i](const IValue& self) { return elements_of(self)[i]; });
    }
    out.cls->define("__repr__", results_text);
    return out;
}

}  // namespace

ClassPtr size_class() {
    static const ClassPtr cls = [] {
        const auto out = make_ptr<ClassObject>("Size", "torch", std::vector<ClassPtr>{builtin_classes().tuple});
        out->set_builtin(new_size);
        out->define("numel", size_numel);
        out->define("__repr__", size_text);
        out->define("__getitem__", size_item);
        out->define("__add__", size_operator<OperatorKind::Add>);
        out->define("__mul__", size_operator<OperatorKind::Mul>);
        return ClassPtr(out);
    }();
    return cls;
}

IValue make_size(IntSpan sizes) {
    std::vector<IValue> elements;
    elements.reserve(sizes.size());
    for (const std::int64_t size : sizes) elements.emplace_back(size);
    return size_of(std::move(elements));
}

IValue make_size(std::vector<IValue> sizes) { return size_of(std::move(sizes)); }

bool is_size(const IValue& value) { return value.is_tuple() && value.to_tuple().type == size_type(); }

IValue named_results(std::string_view function, const std::vector<Argument>& returns, std::vector<IValue> results) {
    for (const Argument& each : returns) {
        if (each.name.empty()) return make_tuple(std::move(results));
    }
    static std::mutex mutex;
    static std::map<std::string, ResultsClass, std::less<>> classes;
    const std::scoped_lock lock(mutex);
    auto found = classes.find(function);
    if (found == classes.end())
        found = classes.emplace(std::string(function), make_results_class(function, returns)).first;
    announce(found->second.type, found->second.cls);
    return make_ptr<TupleObject>(std::move(results), found->second.type);
}

}  // namespace loupe::python
