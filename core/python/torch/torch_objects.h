// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects of torch that are no tensors: torch.float32, torch.strided, torch.channels_last, torch.Generator().

#include "core/ops/random/generator.h"
#include "core/python/language/class.h"
#include "core/python/language/operations.h"
#include "core/python/torch/torch_tuples.h"

namespace loupe::python {

// torch.float32. One object a dtype.
class DtypeObject final : public Instance {
  public:
    explicit DtypeObject(ScalarType scalar_type);
    const ScalarType dtype;
    std::optional<IValue> find_attribute(std::string_view name) override;
    bool equals(const IValue& other) override { return is_equal(other); }
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override { return static_cast<std::size_t>(dtype) + 1; }
    std::string repr() override;
    void clear_references() override {}
};

// torch.strided and torch.preserve_format, which operators know by number.
class ConstantObject final : public Instance {
  public:
    ConstantObject(ClassPtr cls, std::string constant_name, std::int64_t constant)
        : Instance(std::move(cls)), name(std::move(constant_name)), number(constant) {}
    const std::string name;
    const std::int64_t number;
    std::string repr() override { return "torch." + name; }
    void clear_references() override {}
};

class GeneratorObject final : public Instance {
  public:
    explicit GeneratorObject(Ptr<loupe::Generator> own);  // null: torch.default_generator
    loupe::Generator& generator() const;
    IValue argument() const { return own_ ? IValue::other(own_) : IValue(); }  // as operators take it
    std::string repr() override { return "<torch._C.Generator object>"; }
    void clear_references() override {}

  private:
    Ptr<loupe::Generator> own_;
};

ClassPtr dtype_class();
ClassPtr layout_class();
ClassPtr memory_format_class();
ClassPtr generator_class();
ClassPtr device_class();

IValue dtype_object(ScalarType dtype);
// The dtype of a number in a graph: torch.qint8 too, which is a constant of the class. None for one that is not known.
IValue dtype_object_of(std::int64_t number);
// Of a dtype that may be a quantised one.
std::optional<std::int64_t> dtype_number_of(const IValue& value);
// torch.float32, or Python's float, int, bool: nullopt for any other value.
std::optional<ScalarType> dtype_of(const IValue& value);
IValue layout_object();                              // torch.strided
IValue sparse_layout_object();                       // torch.sparse_coo
IValue memory_format_object(std::string_view name);  // "contiguous_format"
// The constants of that name ("float", "half", "strided", "channels_last"); nullopt when there is none.
std::optional<IValue> find_constant(std::string_view name);

// "cuda:1", a device, a number of a GPU. Throws RuntimeError with PyTorch's message.
Device device_of(const IValue& value);
// Throws NotImplementedError for a device that a source makes no tensors on.
void check_makes_on(const Device& device);

// What torch's messages call the value's type: "Tensor", "torch.dtype", "NoneType".
std::string torch_type_name(const IValue& value);

// torch.get_default_dtype.
// What manual_seed takes: 64 bits, with or without sign. Throws RuntimeError "Overflow when unpacking long".
std::uint64_t seed_of(const IValue& value);

ScalarType default_dtype();
void set_default_dtype(ScalarType dtype);

// torch.get_rng_state in PyTorch's layout: [5056] bytes.
Tensor generator_state(const loupe::Generator& generator);
Tensor generator_state(const GeneratorState& state);
// Of the CPU's kind, or of a device's. Throws as torch does for other tensors.
GeneratorState generator_state_in(const Tensor& state, bool is_of_cpu);
void set_generator_state(loupe::Generator& generator, const Tensor& state);
// States of the devices' generators by the device's name; None without any. Devices that are not there are passed over.
IValue device_states_value(const RandomState& state);
void read_device_states(const IValue& value, RandomState& state);

}  // namespace loupe::python
