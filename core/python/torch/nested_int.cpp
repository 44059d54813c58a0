// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/nested_int.h"

#include "core/python/language/class.h"
#include "core/python/language/operations.h"
#include "core/tensor/jagged.h"
#include "core/value/index_value.h"

namespace loupe::python {
namespace {

class NestedIntObject final : public Instance, public IndexValue {
  public:
    NestedIntObject(ClassPtr cls, std::int64_t coded) : Instance(std::move(cls)), size(coded) {}
    const std::int64_t size;
    std::string repr() override { return size_text(size); }
    bool equals(const IValue& other) override { return is_equal(other); }
    bool is_equal(const IValue& other) const override {
        const auto* found = object_as<NestedIntObject>(other);
        return found != nullptr && found->size == size;
    }
    std::size_t hash() const override { return static_cast<std::size_t>(size); }
    void clear_references() override {}
    std::int64_t index() const override { return size; }
};

ClassPtr nested_int_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("SymInt", "torch", std::vector<ClassPtr>{});
        out->set_builtin(nullptr);
        out->define("__index__", [](CallArguments arguments) {
            return IValue(object_as<NestedIntObject>(arguments.positional.at(0))->size);
        });
        out->define("__eq__", [](CallArguments arguments) {
            return IValue(object_as<NestedIntObject>(arguments.positional.at(0))->is_equal(arguments.positional.at(1)));
        });
        return out;
    }();
    return cls;
}

}  // namespace

IValue size_object(std::int64_t size) {
    return is_ragged_size(size) ? IValue::other(make_ptr<NestedIntObject>(nested_int_class(), size)) : IValue(size);
}

}  // namespace loupe::python
