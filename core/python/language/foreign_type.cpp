// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/foreign_type.h"

#include <array>

#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

class OpaqueType final : public ForeignType {
  public:
    ClassPtr class_of(const IValue&) const override { return builtin_classes().object; }
};

std::array<const ForeignType*, static_cast<std::size_t>(IValue::Tag::Other)>& registered() {
    static const OpaqueType opaque;
    static auto types = [] {
        std::array<const ForeignType*, static_cast<std::size_t>(IValue::Tag::Other)> all{};
        all.fill(&opaque);
        return all;
    }();
    return types;
}

}  // namespace

void register_foreign_type(IValue::Tag tag, const ForeignType& type) {
    registered()[static_cast<std::size_t>(tag)] = &type;
}

const ForeignType& foreign_type(const IValue& value) { return *registered()[static_cast<std::size_t>(value.tag())]; }

std::optional<IValue> ForeignType::attribute(const IValue& object, std::string_view name) const {
    return find_class_attribute(object, name);
}

std::string ForeignType::repr(const IValue& object) const { return python_repr(object); }

std::optional<IValue> foreign_binary(OperatorKind op, const IValue& a, const IValue& b) {
    if (is_foreign(a)) {
        if (auto result = foreign_type(a).binary(op, a, b)) return result;
    }
    if (is_foreign(b) && b.tag() != a.tag()) return foreign_type(b).binary(op, a, b);
    return std::nullopt;
}

std::optional<IValue> given_attribute(const IValue& object, std::string_view name) {
    const Evaluator* evaluator = Evaluator::current();
    if (evaluator == nullptr) return std::nullopt;
    const auto& all = evaluator->state().given_attributes;
    const auto given = all.find(object.object_pointer());
    const IValue* value = given == all.end() ? nullptr : given->second.attributes.find(name);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

void set_given_attribute(const IValue& object, std::string_view name, IValue value) {
    auto& given = Evaluator::current()->state().given_attributes[object.object_pointer()];
    given.object = object;
    given.attributes.set(name, std::move(value));
}

}  // namespace loupe::python
