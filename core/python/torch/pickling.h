// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects of a program in pickles: how each is taken apart (Python's __reduce_ex__) and made again.

#include <unordered_set>

#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/nn/module.h"
#include "core/python/language/class.h"

namespace loupe::python {

// Writes what a program can hold beside plain values: classes and functions by their names, instances, modules,
// optimisers. Throws PythonError where Python raises ("Can't pickle local object 'f.<locals>.g'").
class PythonPickler final : public OtherValues {
  public:
    bool write(const IValue& value, CheckpointPickler& pickler) override;
    bool is_ordered(const DictObject& dict, IValue& state) override;

  private:
    bool write_plain(const IValue& value, CheckpointPickler& pickler);
    bool write_instance(const IValue& value, CheckpointPickler& pickler);
    void write_reduced(const IValue& value, const IValue& reduced, CheckpointPickler& pickler);
    bool write_uninitialized(const IValue& value, CheckpointPickler& pickler);
    void note_uninitialized(const nn::Module& module);

    std::vector<IValue> kept_;  // what was made for the pickle alone: its address must not be used again
    std::unordered_set<const TensorImpl*> uninitialized_;
};

// Makes the values of a file with the classes and functions that the program has; nothing else is called.
class PythonUnpickler final : public NoClasses {
  public:
    bool is_typed() const override { return false; }
    IValue make(const PickleNode& node, ValueBuilder& builder) override;
    IValue make_global(const std::string& name) override;
    IValue make_dtype(ScalarType dtype) override;
    IValue make_size(IValue sizes) override;
    IValue make_parameter(const Tensor& tensor, bool requires_grad) override;
    IValue make_layout(const std::string& name) override;
    IValue make_bytes(std::string bytes) override;
    IValue make_set(std::vector<IValue> values) override;
    IValue make_frozen_set(std::vector<IValue> values) override;
    IValue make_ordered_dict(Ptr<DictObject> dict, const PickleNode* state, ValueBuilder& builder) override;
    void set_state(const IValue& object, const IValue& state);

  private:
    IValue make_new(const PickleNode& node, ValueBuilder& builder);
    IValue make_call(const PickleNode& node, const std::string& name, ValueBuilder& builder);
    void fill(const IValue& object, const PickleNode& node, ValueBuilder& builder);
    void restore_module(nn::Module& module, const DictObject& state);

    std::unordered_set<const TensorImpl*> uninitialized_;
};

// Python's __setstate__ of the object, or what stands in its place.
void set_object_state(const IValue& object, const IValue& state);

// The class or function of that name: "__main__.Net", "torch.nn.modules.linear.Linear". Throws PythonError as Python
// does when there is none.
IValue find_pickled_name(std::string_view name);

// What an optimiser's or a scheduler's pickle holds; and such an object from it. nullopt: the object is neither.
std::optional<IValue> optimizer_state_to_pickle(const IValue& object);
bool set_optimizer_state(const IValue& object, const IValue& state);
std::optional<IValue> scheduler_state_to_pickle(const IValue& object);
bool set_scheduler_state(const IValue& object, const IValue& state);

}  // namespace loupe::python
