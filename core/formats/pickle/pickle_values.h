// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pickled values as IValues: numbers, texts, tensors, lists, tuples, dicts, devices, dtypes, and objects of a file's
// classes.

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/pickle/pickle_reader.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "core/value/ivalue.h"

namespace loupe {

class ValueBuilder;

// Extension points of a builder.
class PickledClasses {
  public:
    virtual ~PickledClasses() = default;
    // A Reduce or Object whose callable the builder does not know: an instance, an enum value.
    // Throws Error (Unsupported) for unknown names.
    virtual IValue make(const PickleNode& node, ValueBuilder& builder) = 0;
    // The type of a tag: "List[Tuple[int, int]]".
    virtual TypePtr parse_type(std::string_view annotation) = 0;

    // Whether lists and dicts get the common type of their elements; else Any, and they may contain themselves.
    virtual bool is_typed() const { return true; }

    // A name as a value. Refused by default.
    virtual IValue make_global(const std::string& name);

    // Values without an IValue type. By default a dtype is its number, a size a tuple, an ordered dict a dict, a
    // parameter a tensor; bytes and sets are refused.
    virtual IValue make_dtype(ScalarType dtype);
    virtual IValue make_size(IValue sizes);
    virtual IValue make_ordered_dict(Ptr<DictObject> dict, const PickleNode* state, ValueBuilder& builder);
    // A tensor that replaces one of an unsupported layout. path: of names, "model.0.weight". Refused by default.
    virtual IValue make_stand_in(const RebuiltTensor& rebuilt, const std::string& path);
    // A tensor of a subclass. Refused by default, by the class's name.
    virtual IValue make_subclass(const std::string& name, const Tensor& tensor);
    // "torch.strided". Refused by default.
    virtual IValue make_layout(const std::string& name);
    virtual IValue make_parameter(const Tensor& tensor, bool requires_grad);
    virtual IValue make_bytes(std::string bytes);
    virtual IValue make_set(std::vector<IValue> values);
    virtual IValue make_frozen_set(std::vector<IValue> values) { return make_set(std::move(values)); }
};

// Without classes: their names are refused, "refers to 'os.system'".
class NoClasses : public PickledClasses {
  public:
    IValue make(const PickleNode& node, ValueBuilder& builder) override;
    TypePtr parse_type(std::string_view annotation) override;
};

class ValueBuilder {
  public:
    // Both must outlive the builder.
    ValueBuilder(StorageSource& storages, PickledClasses& classes) : storages_(storages), classes_(classes) {}

    // Equal nodes give the same object. With a type the value is converted (a list gets its element type, a tuple its
    // name) and checked. Throws Error (File) for values that do not fit, contain themselves, nest too deep or unfold
    // to too many; Error (Unsupported) for values that no IValue holds.
    IValue build(const PickleNode& node, const TypePtr& type = nullptr);
    // For PickledClasses: the value of a node whose parts are still to be built, which may refer to it.
    void announce(const PickleNode& node, const IValue& value);

  private:
    IValue build_new(const PickleNode& node, const TypePtr& type);
    IValue build_call(const PickleNode& node, const TypePtr& type);
    IValue build_tensor(const RebuiltTensor& rebuilt, bool is_parameter);
    IValue build_subclass(const PickleNode::Elements& args);
    std::optional<IValue> build_python_call(const PickleNode& node, std::string_view name);
    IValue build_set(const PickleNode::Elements& elements);
    IValue build_list(const PickleNode::Elements& elements, TypePtr element_type);
    IValue build_untyped(const PickleNode& node);
    IValue build_tuple(const PickleNode::Elements& elements, const TypePtr& type);
    IValue build_dict(const PickleNode::Elements& items, const TypePtr& type);
    void unfold(std::uint64_t parts);

    struct Built {
        IValue value;
        std::uint64_t parts = 0;  // number of values in it, shared ones counted each time
        bool done = false;
    };

    StorageSource& storages_;
    PickledClasses& classes_;
    std::unordered_map<PickleRef, Built> built_;
    std::uint64_t parts_ = 0;        // of the current value
    std::vector<std::string> path_;  // keys that lead to it
    int depth_ = 0;
};

}  // namespace loupe
