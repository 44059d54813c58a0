// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_objects.h"

#include <array>
#include <cstring>
#include <map>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/nn/default_device.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/error.h"
#include "core/python/torch/require_device.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/quantizer.h"

namespace loupe::python {
namespace {

constexpr std::int64_t kQuantizedNumbers[] = {12, 13, 14};  // qint8, quint8, qint32

constexpr std::array<std::string_view, 4> kMemoryFormats = {"contiguous_format", "preserve_format", "channels_last",
                                                            "channels_last_3d"};

ClassPtr make_class(std::string name, ClassObject::New make) {
    auto out = make_ptr<ClassObject>(std::move(name), "torch", std::vector<ClassPtr>{});
    out->set_builtin(std::move(make));
    return out;
}

ClassObject::New not_makeable(std::string name) {
    return [name = std::move(name)](ClassObject&, CallArguments&) -> ClassObject::Made {
        throw_type_error(concat("cannot create 'torch.", name, "' instances"));
    };
}

thread_local ScalarType current_default_dtype = ScalarType::Float32;
thread_local std::vector<Device> devices_around;  // of the blocks that are open

// How PyTorch lays out the state of its generator.
struct StateLayout {
    std::uint64_t seed;
    std::int32_t left;
    std::int32_t seeded;
    std::uint64_t next;
    std::uint64_t words[TwisterState::kWords];
    double normal_x;
    double normal_y;
    double normal_rho;
    std::int32_t normal_is_valid;
    std::int32_t padding;
    float next_float;
    std::int32_t next_float_is_valid;
};
static_assert(sizeof(StateLayout) == 5056);

ClassObject::Made new_generator(ClassObject&, CallArguments& arguments) {
    const BoundArguments given(arguments, "Generator", {"device="});
    return {IValue::other(make_ptr<GeneratorObject>(make_generator(given.has(0) ? device_of(given[0]) : Device{}))),
            true};
}

GeneratorObject& generator_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<GeneratorObject>(arguments.positional.front())) return *self;
    }
    throw_type_error("descriptor requires a 'torch._C.Generator' object");
}

void define_generator(ClassObject& cls) {
    cls.define("manual_seed", [](CallArguments arguments) {
        GeneratorObject& self = generator_self(arguments);
        if (arguments.positional.size() != 2) throw_type_error("manual_seed() takes exactly one argument");
        self.generator().set_seed(seed_of(arguments.positional[1]));
        return arguments.positional[0];
    });
    cls.define("initial_seed", [](CallArguments arguments) {
        return integer_of_unsigned(generator_self(arguments).generator().seed());
    });
    cls.define("seed", [](CallArguments arguments) {
        Generator& generator = generator_self(arguments).generator();
        generator.set_seed(generator.draw_seed() >> 1);
        return IValue(static_cast<std::int64_t>(generator.seed()));
    });
    cls.define("get_state",
               [](CallArguments arguments) { return IValue(generator_state(generator_self(arguments).generator())); });
    cls.define("set_state", [](CallArguments arguments) {
        GeneratorObject& self = generator_self(arguments);
        if (arguments.positional.size() != 2) throw_type_error("set_state() takes exactly one argument");
        set_generator_state(self.generator(), arguments.positional[1].to_tensor());
        return arguments.positional[0];
    });
    cls.define("clone_state", [](CallArguments arguments) {
        const Generator& from = generator_self(arguments).generator();
        const Ptr<Generator> copy = make_generator(from.device());
        copy->set_state(from.state());
        return IValue::other(make_ptr<GeneratorObject>(copy));
    });
    cls.define_property("device", [](const IValue& self) {
        const auto* object = object_as<GeneratorObject>(self);
        return IValue(object != nullptr ? object->generator().device() : Device{});
    });
}

ClassObject::Made new_device(ClassObject&, CallArguments& arguments) {
    const BoundArguments given(arguments, "device", {"type", "index="});
    Device device = device_of(given[0]);
    if (given.has(1)) device.index = static_cast<std::int8_t>(to_index(given[1]));
    return {device, true};
}

}  // namespace

ClassPtr dtype_class() {
    static const ClassPtr cls = make_class("dtype", not_makeable("dtype"));
    return cls;
}
ClassPtr layout_class() {
    static const ClassPtr cls = make_class("layout", not_makeable("layout"));
    return cls;
}
ClassPtr memory_format_class() {
    static const ClassPtr cls = make_class("memory_format", not_makeable("memory_format"));
    return cls;
}
ClassPtr generator_class() {
    static const ClassPtr cls = [] {
        ClassPtr out = make_class("Generator", new_generator);
        define_generator(*out);
        return out;
    }();
    return cls;
}
void check_makes_on(const Device& device) {
    const DeviceInterface* const devices = device_interface(device.type);
    if (device.is_cpu() || (devices != nullptr && device.index < devices->count())) return;
    if (device.type == DeviceType::Cuda) require_device(device);
    throw_error("NotImplementedError", concat("tensors of a source are made on the CPU, not on ", device_name(device),
                                              ": leave the device out"));
}

ClassPtr device_class() {
    static const ClassPtr cls = [] {
        ClassPtr out = make_class("device", new_device);
        // with torch.device("cuda"): tensors and layers are made there.
        out->define("__enter__", [](CallArguments arguments) {
            const Device device = device_of(arguments.positional.at(0));
            check_makes_on(device);
            devices_around.push_back(nn::default_device());
            nn::set_default_device(device);
            return arguments.positional[0];
        });
        out->define("__exit__", [](CallArguments) {
            if (devices_around.empty()) return IValue();
            nn::set_default_device(devices_around.back());
            devices_around.pop_back();
            return IValue();
        });
        return out;
    }();
    return cls;
}
DtypeObject::DtypeObject(ScalarType scalar_type) : Instance(dtype_class()), dtype(scalar_type) {}

std::optional<IValue> DtypeObject::find_attribute(std::string_view name) {
    if (name == "is_floating_point") return IValue(is_floating(dtype));
    if (name == "is_complex") return IValue(is_complex(dtype));
    if (name == "is_signed") return IValue(!is_unsigned(dtype));
    if (name == "itemsize") return IValue(element_size(dtype));
    if (name == "to_complex" || name == "to_real") {
        const bool is_real = name == "to_real";
        return IValue::other(make_ptr<NativeCallable>(std::string(name), [is_real, own = dtype](CallArguments) {
            return dtype_object(is_real ? to_real_type(own) : to_complex_type(own));
        }));
    }
    return Instance::find_attribute(name);
}

bool DtypeObject::is_equal(const IValue& other) const {
    const auto* dtype_of_other = object_as<DtypeObject>(other);
    return dtype_of_other != nullptr && dtype_of_other->dtype == dtype;
}

std::string DtypeObject::repr() { return concat("torch.", dtype_name(dtype)); }

GeneratorObject::GeneratorObject(Ptr<Generator> own) : Instance(generator_class()), own_(std::move(own)) {}
Generator& GeneratorObject::generator() const { return own_ ? *own_ : default_generator(Device{}); }

IValue dtype_object(ScalarType dtype) {
    static const std::vector<IValue> objects = [] {
        std::vector<IValue> out;
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) \
    out.push_back(IValue::other(make_ptr<DtypeObject>(ScalarType::name)));
        LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
        return out;
    }();
    return objects[dtype_index(dtype)];
}

IValue dtype_object_of(std::int64_t number) {
    if (const auto dtype = dtype_from_number(number)) return dtype_object(*dtype);
    static const std::map<std::int64_t, IValue> quantized = [] {
        std::map<std::int64_t, IValue> out;
        for (const std::int64_t each : kQuantizedNumbers) {
            std::string name(quantized_type(each)->name);
            out[each] = IValue::other(make_ptr<ConstantObject>(dtype_class(), std::move(name), each));
        }
        return out;
    }();
    const auto found = quantized.find(number);
    return found == quantized.end() ? IValue() : found->second;
}

std::optional<std::int64_t> dtype_number_of(const IValue& value) {
    if (const auto dtype = dtype_of(value)) return static_cast<std::int64_t>(*dtype);
    const auto* constant = object_as<ConstantObject>(value);
    return constant != nullptr && constant->cls() == dtype_class() ? std::optional(constant->number) : std::nullopt;
}

std::optional<ScalarType> dtype_of(const IValue& value) {
    if (const auto* object = object_as<DtypeObject>(value)) return object->dtype;
    const auto* cls = object_as<ClassObject>(value);
    if (cls == nullptr || cls->module() != "builtins") return std::nullopt;
    if (cls->name() == "float") return ScalarType::Float64;
    if (cls->name() == "int") return ScalarType::Int64;
    if (cls->name() == "bool") return ScalarType::Bool;
    return std::nullopt;
}

IValue memory_format_object(std::string_view name) {
    static const std::vector<IValue> objects = [] {
        std::vector<IValue> out;
        for (std::size_t i = 0; i < kMemoryFormats.size(); ++i) {
            out.push_back(IValue::other(make_ptr<ConstantObject>(memory_format_class(), std::string(kMemoryFormats[i]),
                                                                 static_cast<std::int64_t>(i))));
        }
        return out;
    }();
    const auto found = std::find(kMemoryFormats.begin(), kMemoryFormats.end(), name);
    return objects[static_cast<std::size_t>(found - kMemoryFormats.begin())];
}

std::optional<IValue> find_constant(std::string_view name) {
    if (const auto dtype = dtype_from_name(name)) return dtype_object(*dtype);
    if (name == "chalf") return dtype_object(ScalarType::Complex32);  // in TorchScript a function alone
    for (const std::int64_t number : kQuantizedNumbers) {
        if (quantized_type(number)->name == name) return dtype_object_of(number);
    }
    if (std::find(kMemoryFormats.begin(), kMemoryFormats.end(), name) != kMemoryFormats.end()) {
        return memory_format_object(name);
    }
    return std::nullopt;
}

namespace {

// In PyTorch's words where the text is none of its devices; that it has no place here where it is.
[[noreturn]] void refuse_device(const std::string& text) {
    constexpr std::string_view kTypes[] = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl", "opencl",
                                           "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",    "lazy",
                                           "vulkan", "mps",  "meta", "hpu",  "mtia"};
    const bool is_older = is_older_torch();
    const auto invalid = [&] { throw_error("RuntimeError", concat("Invalid device string: '", text, "'")); };
    if (text.empty()) throw_error("RuntimeError", "Device string must not be empty");
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto colon = text.find(':');
    const std::string type = text.substr(0, colon);
    if (type.empty() || !std::all_of(type.begin(), type.end(), is_letter)) invalid();
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
        throw_error("RuntimeError",
                    concat("Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, ",
                           is_older ? "ort" : "maia", ", xla, lazy, vulkan, mps, meta, hpu, ", is_older ? "" : "mtia, ",
                           "privateuseone device type at start of device string: ", type));
    }
    const std::string index = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool is_number =
        !index.empty() && std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (colon != std::string::npos && (!is_number || (index.size() > 1 && index[0] == '0'))) invalid();
    throw_error("RuntimeError", concat("device '", text, "' is not available here; tensors are made on cpu and cuda"));
}

}  // namespace

Device device_of(const IValue& value) {
    if (value.is_device()) return value.to_device();
    if (value.is_int()) return Device{DeviceType::Cuda, static_cast<std::int8_t>(value.to_int())};
    if (!value.is_string()) {
        throw_type_error(concat("device(): argument 'type' must be str, not ", torch_type_name(value)));
    }
    const std::string& text = value.to_string();
    try {
        return parse_device(text);
    } catch (const Error&) {
        refuse_device(text);
    }
}

std::string torch_type_name(const IValue& value) {
    if (value.is_device()) return "torch.device";
    if (is_size(value)) return "torch.Size";
    if (object_as<DtypeObject>(value) != nullptr) return "torch.dtype";
    if (object_as<GeneratorObject>(value) != nullptr) return "torch._C.Generator";
    if (const auto* constant = object_as<ConstantObject>(value)) return "torch." + constant->cls()->name();
    if (value.is_tuple() && value.to_tuple().type != nullptr) return value.to_tuple().type->name();
    return type_name(value);
}

std::uint64_t seed_of(const IValue& value) {
    if (!is_big_integer(value)) return static_cast<std::uint64_t>(to_index(value));
    const auto seed = integer_to_unsigned(value);
    if (!seed) throw_error("RuntimeError", "Overflow when unpacking long");
    return *seed;
}

ScalarType default_dtype() { return current_default_dtype; }
void set_default_dtype(ScalarType dtype) { current_default_dtype = dtype; }

namespace {

Tensor bytes_tensor(const void* from, std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    Tensor out = empty({&size, 1}, ScalarType::UInt8);
    std::memcpy(out.raw_data(), from, bytes);
    return out;
}

StateLayout layout_of(const TwisterState& state) {
    StateLayout layout{};
    layout.seed = state.seed;
    layout.seeded = 1;
    const bool is_fresh = state.next == TwisterState::kWords;
    layout.left = is_fresh ? 1 : static_cast<std::int32_t>(TwisterState::kWords - state.next + 1);
    layout.next = is_fresh ? 0 : state.next;
    std::copy(state.words.begin(), state.words.end(), layout.words);
    layout.normal_y = state.spare_normal.value_or(0);
    layout.normal_is_valid = state.spare_normal ? 1 : 0;
    return layout;
}

TwisterState state_in(const StateLayout& layout) {
    if (layout.left < 1 || layout.left > static_cast<std::int32_t>(TwisterState::kWords) + 1) {
        throw_error("RuntimeError", "Invalid mt19937 state");
    }
    TwisterState state;
    for (std::size_t i = 0; i < TwisterState::kWords; ++i) state.words[i] = static_cast<std::uint32_t>(layout.words[i]);
    state.next = TwisterState::kWords - static_cast<std::size_t>(layout.left) + 1;
    state.seed = layout.seed;
    if (layout.normal_is_valid != 0) state.spare_normal = layout.normal_y;
    return state;
}

void require_bytes(const Tensor& tensor) {
    if (!tensor.defined() || tensor.dtype() != ScalarType::UInt8 || !tensor.is_contiguous() || !tensor.is_host_memory())
        throw_type_error("RNG state must be a torch.ByteTensor");
}

}  // namespace

Tensor generator_state(const GeneratorState& state) {
    if (const auto* twister = std::get_if<TwisterState>(&state)) {
        const StateLayout layout = layout_of(*twister);
        return bytes_tensor(&layout, sizeof layout);
    }
    const auto& counter = std::get<PhiloxState>(state);
    const std::uint64_t layout[] = {counter.seed, counter.offset};
    return bytes_tensor(layout, sizeof layout);
}

GeneratorState generator_state_in(const Tensor& tensor, bool is_of_cpu) {
    require_bytes(tensor);
    std::uint64_t counter[2] = {};
    if (!is_of_cpu) {
        if (tensor.numel() != static_cast<std::int64_t>(sizeof counter))
            throw_error("RuntimeError", "RNG state is wrong size");
        std::memcpy(counter, tensor.raw_data(), sizeof counter);
        return PhiloxState{counter[0], counter[1]};
    }
    if (tensor.numel() != static_cast<std::int64_t>(sizeof(StateLayout))) {
        throw_error("RuntimeError", concat("Expected a CPUGeneratorImplState of size ", sizeof(StateLayout),
                                           " but found the input RNG state size to be ", tensor.numel()));
    }
    StateLayout layout;
    std::memcpy(&layout, tensor.raw_data(), sizeof layout);
    return state_in(layout);
}

Tensor generator_state(const Generator& generator) { return generator_state(generator.state()); }
void set_generator_state(Generator& generator, const Tensor& tensor) {
    generator.set_state(generator_state_in(tensor, std::holds_alternative<TwisterState>(generator.state())));
}

IValue device_states_value(const RandomState& state) {
    if (state.devices.empty()) return {};
    auto dict = make_ptr<DictObject>(types::any(), types::any());
    for (const auto& [device, own] : state.devices) dict->set(IValue(device_name(device)), generator_state(own));
    return dict;
}

void read_device_states(const IValue& value, RandomState& state) {
    if (!value.is_dict()) return;
    for (const auto& [name, own] : value.to_dict().entries()) {
        if (!name.is_string() || !own.is_tensor()) continue;
        try {
            state.devices.emplace_back(parse_device(name.to_string()), generator_state_in(own.to_tensor(), false));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Usage) throw;  // a device that this process does not have
        }
    }
}

}  // namespace loupe::python
