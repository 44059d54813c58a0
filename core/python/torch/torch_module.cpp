// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_module.h"
#include "core/autograd/program_tracer.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/base/strings.h"
#include "core/dispatch/registry.h"
#include "core/nn/default_device.h"
#include "core/nn/layer.h"
#include "core/ops/numbers/warnings.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/layout_objects.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_classes.h"
#include "core/python/torch/torch_cuda.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_data_loader.h"
#include "core/python/torch/torch_devices.h"
#include "core/python/torch/torch_distributed.h"
#include "core/python/torch/torch_functional.h"
#include "core/python/torch/torch_graphs.h"
#include "core/python/torch/torch_limits.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_ops.h"
#include "core/python/torch/torch_print.h"
#include "core/python/torch/torch_signatures.h"
#include "core/python/torch/torch_tensor_methods.h"
#include "core/tensor/device_interface.h"

namespace loupe::python {
namespace {

using Body = NativeCallable::Body;

// A tensor made of numbers goes to the default device, one made of a tensor stays where that is.
Tensor on_wanted_device(const Tensor& t, const IValue& wanted, bool is_there) {
    const Device device = !wanted.is_none() ? device_of(wanted) : is_there ? t.device() : nn::default_device();
    if (device == t.device()) return t;
    require_device(device);
    CallArguments to{{device}, {}};
    return call_tensor_method(t, "to", to)->to_tensor();
}

IValue tensor(CallArguments arguments) {
    const BoundArguments given(arguments, "tensor",
                               {"data", "*", "dtype=", "device=", "requires_grad=", "pin_memory="});
    std::optional<ScalarType> dtype;
    if (given.has(1) && !given[1].is_none()) {
        dtype = dtype_of(given[1]);
        if (!dtype) {
            throw_type_error(concat("tensor(): argument 'dtype' must be torch.dtype, not ", torch_type_name(given[1])));
        }
    }
    const bool is_there = given[0].is_tensor();
    Tensor out = on_wanted_device(tensor_from_data(given[0], dtype), given.has(2) ? given[2] : IValue(), is_there);
    if (given.truth_or(4, false)) {
        CallArguments none;
        out = call_tensor_method(out, "pin_memory", none)->to_tensor();
    }
    if (given.truth_or(3, false)) require_gradient(out);
    notify_python_use(PythonUse::Constructor, out);
    return out;
}

IValue as_tensor(CallArguments arguments) {
    const BoundArguments given(arguments, "as_tensor", {"data", "dtype=", "device="});
    const auto dtype = given.has(1) ? dtype_of(given[1]) : std::nullopt;
    const IValue device = given.has(2) ? given[2] : IValue();
    const auto array = tensor_of_array(given[0]);
    if (!given[0].is_tensor() && !array) return on_wanted_device(tensor_from_data(given[0], dtype), device, false);
    const Tensor data = on_wanted_device(array ? *array : given[0].to_tensor(), device, true);
    return dtype ? to_dtype(data, *dtype) : data;
}

// Makes a sparse tensor by the operator of that name: lists in the place of indices, `indices` of them, and of values
// become tensors.
IValue make_sparse_tensor(const char* function, std::size_t indices, CallArguments arguments) {
    const auto made = [](IValue& value, std::optional<ScalarType> dtype) {
        if (value.is_list() || value.is_tuple()) value = tensor_from_data(value, dtype);
    };
    for (std::size_t i = 0; i < std::min(indices + 1, arguments.positional.size()); ++i)
        made(arguments.positional[i], i < indices ? std::optional(ScalarType::Int64) : std::nullopt);
    for (auto& [name, value] : arguments.keywords) {
        if (name.ends_with("indices")) made(value, ScalarType::Int64);
        if (name == "values") made(value, std::nullopt);
    }
    return call_function(function, std::move(arguments));
}
IValue sparse_coo_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_coo_tensor", 1, std::move(arguments));
}
IValue sparse_csr_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_csr_tensor", 2, std::move(arguments));
}
IValue sparse_csc_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_csc_tensor", 2, std::move(arguments));
}
IValue sparse_bsr_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_bsr_tensor", 2, std::move(arguments));
}
IValue sparse_bsc_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_bsc_tensor", 2, std::move(arguments));
}
IValue sparse_compressed_tensor(CallArguments arguments) {
    return make_sparse_tensor("sparse_compressed_tensor", 2, std::move(arguments));
}

IValue is_tensor(CallArguments arguments) {
    check_positional(arguments, "is_tensor", 1, 1);
    return arguments.positional[0].is_tensor();
}

// Shares the array's memory.
IValue from_numpy(CallArguments arguments) {
    check_positional(arguments, "from_numpy", 1, 1);
    const auto array = tensor_of_array(arguments.positional[0]);
    if (!array) throw_type_error(concat("expected np.ndarray (got ", type_name(arguments.positional[0]), ")"));
    return *array;
}

ScalarType dtype_argument(const IValue& value, std::string_view function, std::string_view name, int place) {
    const auto dtype = dtype_of(value);
    if (dtype) return *dtype;
    throw_type_error(concat(function, "(): argument '", name, "' (position ", place, ") must be torch.dtype, not ",
                            torch_type_name(value)));
}

// A copy of the bytes: a program changes bytes through no tensor.
IValue frombuffer(CallArguments arguments) {
    const BoundArguments given(arguments, "frombuffer",
                               {"buffer", "*", "dtype", "count=", "offset=", "requires_grad="});
    const auto* bytes = object_as<BytesObject>(given[0]);
    if (bytes == nullptr) throw_value_error("object does not implement Python buffer protocol.");
    const ScalarType dtype = dtype_argument(given[1], "frombuffer", "dtype", 2);
    const std::int64_t offset = given.int_or(3, 0);
    const std::int64_t size = element_size(dtype);
    const auto length = static_cast<std::int64_t>(bytes->data.size());
    if (length == 0) throw_value_error("both buffer length (0) and count (-1) must not be 0");
    if (offset < 0 || offset >= length)
        throw_value_error(concat("offset (", offset, " bytes) must be non-negative and no greater than buffer length (",
                                 length, " bytes) minus 1"));
    std::int64_t count = given.int_or(2, -1);
    if (count < 0) {
        if ((length - offset) % size != 0)
            throw_value_error(concat("buffer length (", length - offset, " bytes) after offset (", offset,
                                     " bytes) must be a multiple of element size (", size, ")"));
        count = (length - offset) / size;
    }
    if (count > (length - offset) / size)
        throw_value_error(concat("requested buffer length (", count, " * ", size, " bytes) after offset (", offset,
                                 " bytes) must not be greater than actual buffer length (", length, " bytes)"));
    const Tensor out = empty(std::array<std::int64_t, 1>{count}, dtype);
    std::memcpy(out.address(), bytes->data.data() + offset, static_cast<std::size_t>(count * size));
    return out;
}

IValue set_printoptions(CallArguments arguments) {
    const BoundArguments given(arguments, "set_printoptions",
                               {"precision=", "threshold=", "edgeitems=", "linewidth=", "profile=", "sci_mode="});
    PrintOptions& options = print_options();
    if (given.has(4) && !given[4].is_none()) {
        const std::string profile = str(given[4]);
        options = PrintOptions{};
        if (profile == "short") options.precision = 2, options.edgeitems = 2;
        if (profile == "full") options.threshold = std::numeric_limits<double>::infinity();
    }
    const auto is_given = [&](std::size_t i) { return given.has(i) && !given[i].is_none(); };
    if (is_given(0)) options.precision = static_cast<int>(to_index(given[0]));
    if (is_given(1)) options.threshold = to_float(given[1]);
    if (is_given(2)) options.edgeitems = to_index(given[2]);
    if (is_given(3)) options.linewidth = static_cast<int>(to_index(given[3]));
    options.sci_mode = is_given(5) ? std::optional<bool>(truth(given[5])) : std::nullopt;
    return {};
}

IValue manual_seed(CallArguments arguments) {
    const BoundArguments given(arguments, "manual_seed", {"seed"});
    // Whatever int() takes.
    seed_generators(seed_of(
        call(get_attribute(Evaluator::current()->import_module("builtins"), "int"), std::vector<IValue>{given[0]})));
    return IValue::other(make_ptr<GeneratorObject>(nullptr));
}
IValue seed(CallArguments) {
    seed_generators(default_generator().draw_seed() >> 1);
    return static_cast<std::int64_t>(default_generator().seed());
}
IValue initial_seed(CallArguments) { return integer_of_unsigned(default_generator().seed()); }
IValue get_rng_state(CallArguments) { return generator_state(default_generator()); }
IValue set_rng_state(CallArguments arguments) {
    const BoundArguments given(arguments, "set_rng_state", {"new_state"});
    set_generator_state(default_generator(), given[0].to_tensor());
    return {};
}

void require_floating(ScalarType dtype) {
    if (!is_floating(dtype)) {
        throw_type_error("only floating-point types are supported as the default type");
    }
}
IValue get_default_dtype(CallArguments) { return dtype_object(default_dtype()); }
IValue set_default_dtype_of(CallArguments arguments) {
    const BoundArguments given(arguments, "set_default_dtype", {"d"});
    const auto dtype = dtype_of(given[0]);
    if (!dtype) throw_type_error("invalid dtype object: only floating-point types are supported as the default type");
    require_floating(*dtype);
    set_default_dtype(*dtype);
    return {};
}
IValue set_default_tensor_type(CallArguments arguments) {
    const BoundArguments given(arguments, "set_default_tensor_type", {"t"});
    const auto* cls = object_as<ClassObject>(given[0]);
    const auto dtype = dtype_of_tensor_type(cls != nullptr ? "torch." + cls->name() : str(given[0]));
    if (!dtype) throw_type_error("invalid type object");
    require_floating(*dtype);
    set_default_dtype(*dtype);
    return {};
}

IValue promote_types_of(CallArguments arguments) {
    const BoundArguments given(arguments, "promote_types", {"type1", "type2"});
    return dtype_object(promote_types(dtype_argument(given[0], "promote_types", "type1", 1),
                                      dtype_argument(given[1], "promote_types", "type2", 2)));
}
IValue can_cast_of(CallArguments arguments) {
    const BoundArguments given(arguments, "can_cast", {"from_", "to"});
    return can_cast(dtype_argument(given[0], "can_cast", "from_", 1), dtype_argument(given[1], "can_cast", "to", 2));
}
IValue numel(CallArguments arguments) {
    const BoundArguments given(arguments, "numel", {"input"});
    if (!given[0].is_tensor()) {
        throw_type_error(
            concat("numel(): argument 'input' (position 1) must be Tensor, not ", torch_type_name(given[0])));
    }
    return given[0].to_tensor().numel();
}
IValue type_name_of(CallArguments arguments) {
    check_positional(arguments, "typename", 1, 1);
    const IValue& value = arguments.positional[0];
    return value.is_tensor() ? tensor_type_text(value.to_tensor()) : type_name(value);
}

IValue nothing(CallArguments) { return {}; }
IValue answer_false(CallArguments) { return false; }
IValue answer_true(CallArguments) { return true; }
IValue one(CallArguments) { return std::int64_t{1}; }

// Of a module that is written in Python.
IValue call_of_module(const char* module, const char* name, CallArguments arguments) {
    return call(get_attribute(Evaluator::current()->import_module(module), name), std::move(arguments));
}

// Its modules are Python's, so it is written there.
IValue compile(CallArguments arguments) {
    return call(get_attribute(Evaluator::current()->import_module("torch._dynamo.eval_frame"), "compile"),
                std::move(arguments));
}

IValue set_default_device(CallArguments arguments) {
    const BoundArguments given(arguments, "set_default_device", {"device"});
    const Device device = given[0].is_none() ? Device{} : device_of(given[0]);
    check_makes_on(device);
    nn::set_default_device(device);
    return {};
}
IValue get_default_device(CallArguments) { return nn::default_device(); }

// Of products on a device; on the CPU they are made in full precision whatever it is.
std::string& matmul_precision() {
    static thread_local std::string precision = "highest";
    return precision;
}
IValue get_matmul_precision(CallArguments) {
    // It may have been set without a word of PyTorch.
    const bool is_rounded = device_math().products_in_tf32;
    if (is_rounded != (matmul_precision() != "highest")) matmul_precision() = is_rounded ? "high" : "highest";
    return IValue(matmul_precision());
}
IValue set_matmul_precision(CallArguments arguments) {
    const BoundArguments given(arguments, "set_float32_matmul_precision", {"precision"});
    const std::string wanted = str(given[0]);
    if (wanted != "highest" && wanted != "high" && wanted != "medium") {
        warn(concat(wanted,
                    " is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call "
                    "has no effect."));
        return {};
    }
    matmul_precision() = wanted;
    DeviceMathSettings settings = device_math();
    settings.products_in_tf32 = wanted != "highest";
    set_device_math(settings);
    return {};
}

IValue as_tensor_of_array(CallArguments arguments) {
    return as_tensor({std::vector<IValue>{arguments.positional.at(0)}, {}});
}
IValue asarray(CallArguments arguments) {
    const BoundArguments given(arguments, "asarray", {"obj", "*", "dtype=", "device=", "copy=", "requires_grad="});
    CallArguments inner{{given[0]}, {}};
    if (given.has(1)) inner.keywords.emplace_back("dtype", given[1]);
    if (given.has(2)) inner.keywords.emplace_back("device", given[2]);
    IValue made = as_tensor(std::move(inner));
    if (given.truth_or(3, false)) made = fn::clone(made.to_tensor());
    if (given.truth_or(4, false)) require_gradient(made.to_tensor());
    return made;
}
// All algorithms are deterministic here; whether one that is not would warn is kept for those who ask.
bool& deterministic_warns() {
    static thread_local bool warns = false;
    return warns;
}
IValue use_deterministic_algorithms(CallArguments arguments) {
    const BoundArguments given(arguments, "use_deterministic_algorithms", {"mode", "*", "warn_only="});
    deterministic_warns() = truth(given[0]) && given.truth_or(1, false);
    return {};
}

void define_operators(PythonModule& module) {
    std::set<std::string_view> seen;
    for (const Operator* op : all_operators()) {
        std::string_view name = op->schema.name;
        if (!name.starts_with("aten::") || !seen.insert(name).second) continue;
        name.remove_prefix(6);
        if (name.starts_with("__") || name.starts_with("linalg_") || name.starts_with("fft_") ||
            name.starts_with("special_")) {
            continue;
        }
        module.define(std::string(name), operator_function(name, name));
    }
}

void define_own_functions(PythonModule& module) {
    const std::pair<const char*, IValue (*)(CallArguments)> functions[] = {
        {"tensor", tensor},
        {"as_tensor", as_tensor},
        {"asarray", asarray},
        {"is_tensor", is_tensor},
        {"sparse_coo_tensor", sparse_coo_tensor},
        {"sparse_csr_tensor", sparse_csr_tensor},
        {"sparse_csc_tensor", sparse_csc_tensor},
        {"sparse_bsr_tensor", sparse_bsr_tensor},
        {"sparse_bsc_tensor", sparse_bsc_tensor},
        {"sparse_compressed_tensor", sparse_compressed_tensor},
        {"is_storage", answer_false},
        {"from_numpy", from_numpy},
        {"frombuffer", frombuffer},
        {"set_printoptions", set_printoptions},
        {"manual_seed", manual_seed},
        {"seed", seed},
        {"initial_seed", initial_seed},
        {"get_rng_state", get_rng_state},
        {"set_rng_state", set_rng_state},
        {"get_default_dtype", get_default_dtype},
        {"set_default_dtype", set_default_dtype_of},
        {"set_default_tensor_type", set_default_tensor_type},
        {"promote_types", promote_types_of},
        {"can_cast", can_cast_of},
        {"numel", numel},
        {"typename", type_name_of},
        {"finfo", make_finfo},
        {"iinfo", make_iinfo},
        {"use_deterministic_algorithms", use_deterministic_algorithms},
        {"are_deterministic_algorithms_enabled", answer_true},
        {"set_num_threads", nothing},
        {"get_num_threads", one},
        {"set_float32_matmul_precision", set_matmul_precision},
        {"set_warn_always", nothing},
        {"is_anomaly_enabled", [](CallArguments) { return IValue(is_anomaly_enabled()); }},
        {"get_float32_matmul_precision", get_matmul_precision},
        {"Stream", [](CallArguments a) { return call_of_module("torch._streams", "Stream", std::move(a)); }},
        {"Event", [](CallArguments a) { return call_of_module("torch._streams", "Event", std::move(a)); }},
        {"set_default_device", set_default_device},
        {"get_default_device", get_default_device},
        {"compile", compile},
        {"vmap", [](CallArguments a) { return call_of_module("torch.func", "vmap", std::move(a)); }},
        {"from_dlpack", as_tensor_of_array},
        {"get_num_interop_threads", one},
        {"set_num_interop_threads", nothing},
        {"is_deterministic_algorithms_warn_only_enabled", [](CallArguments) { return IValue(deterministic_warns()); }},
        {"cond", [](CallArguments a) { return call_of_module("torch._higher_order_ops", "cond", std::move(a)); }},
    };
    for (const auto& [name, function] : functions) module.define(name, Body(function));
    for (const FunctionalEntry& entry : functional_entries())
        module.define(std::string(entry.name), with_override(std::string(entry.name), entry.call));
}

void define_constants(PythonModule& module) {
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) module.define(text, dtype_object(ScalarType::name));
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
    for (const char* name : {"float",
                             "double",
                             "half",
                             "short",
                             "int",
                             "long",
                             "chalf",
                             "cfloat",
                             "cdouble",
                             "qint8",
                             "quint8",
                             "qint32",
                             "strided",
                             "sparse_coo",
                             "sparse_csr",
                             "sparse_csc",
                             "sparse_bsr",
                             "sparse_bsc",
                             "jagged",
                             "contiguous_format",
                             "preserve_format",
                             "channels_last",
                             "channels_last_3d"}) {
        const auto layout = find_layout(name);
        module.define(name, layout ? *layout : *find_constant(name));
    }
    for (const char* name : {"FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor",
                             "ShortTensor", "CharTensor", "ByteTensor", "BoolTensor"}) {
        module.define(name, *find_tensor_type(name));
    }
    module.define("Tensor", IValue::other(tensor_class()));
    module.define("Size", IValue::other(size_class()));
    module.define("device", IValue::other(device_class()));
    module.define("dtype", IValue::other(dtype_class()));
    module.define("layout", IValue::other(layout_class()));
    module.define("memory_format", IValue::other(memory_format_class()));
    module.define("Generator", IValue::other(generator_class()));
    module.define("default_generator", IValue::other(make_ptr<GeneratorObject>(nullptr)));
    module.define("pi", IValue(3.14159265358979323846));
    module.define("e", IValue(2.71828182845904523536));
    module.define("inf", IValue(std::numeric_limits<double>::infinity()));
    module.define("nan", IValue(std::nan("")));
    module.define("newaxis", IValue());
    for (const char* name : {"SymInt", "SymFloat", "SymBool", "sym_int", "sym_float", "sym_max", "sym_min", "sym_not",
                             "sym_sum", "sym_ite", "unravel_index", "_check", "_check_value"})
        module.define_from(name, "torch._symbols");
    module.define("__version__",
                  call(get_attribute(Evaluator::current()->import_module("torch.torch_version"), "TorchVersion"),
                       std::vector<IValue>{IValue(is_older_torch() ? "1.13.1" : "2.15.0")}));
}

void define_prefixed(PythonModule& module, std::string_view prefix) {
    std::set<std::string_view> seen;
    for (const Operator* op : all_operators()) {
        std::string_view name = op->schema.name;
        if (!name.starts_with("aten::")) continue;
        name.remove_prefix(6);
        if (!name.starts_with(prefix) || !seen.insert(name).second) continue;
        module.define(std::string(name.substr(prefix.size())), operator_function(name, name));
    }
}
void fill_linalg(PythonModule& module) { define_prefixed(module, "linalg_"); }
void fill_fft(PythonModule& module) { define_prefixed(module, "fft_"); }
void fill_special(PythonModule& module) { define_prefixed(module, "special_"); }
void fill_sparse(PythonModule& module) {
    module.define("sampled_addmm", operator_function("sparse_sampled_addmm", "sparse_sampled_addmm"));
    for (const char* name : {"mm", "addmm"}) module.define(name, operator_function(name, name));
}

// torch._assert(condition, message).
IValue assert_function(CallArguments arguments) {
    const BoundArguments given(arguments, "_assert", {"condition", "message"});
    if (!truth(given[0])) throw_error("AssertionError", str(given[1]));
    return {};
}

void fill_utils(PythonModule& module) { define_submodule(module, "checkpoint", "torch.utils.checkpoint"); }

}  // namespace

void fill_torch(PythonModule& module) {
    define_operators(module);
    define_own_functions(module);
    define_constants(module);
    define_grad_modes(module);
    define_autocast(module);
    fill_torch_io(module);
    define_safetensors(module);
    module.define("_assert", Body(assert_function));
    for (const char* name : {"OutOfMemoryError", "AcceleratorError"})
        module.define(name, IValue::other(exception_class(name)));
    module.define("ops", ops_module());
    for (const char* name : {"nn", "autograd", "linalg", "fft", "special", "sparse", "jit", "cuda", "cpu", "amp",
                             "backends", "utils", "random", "optim", "onnx"}) {
        define_submodule(module, name, concat("torch.", name));
    }
}

std::vector<ModuleRecord> torch_modules() {
    std::vector<ModuleRecord> records = {
        {"torch", fill_torch},
        {"torch.nn", fill_torch_nn},
        {"torch.nn.modules", fill_torch_nn},
        {"torch.nn.modules.utils", fill_nn_modules_utils},
        {"torch.nn.functional", fill_nn_functional},
        {"torch.nn.init", fill_nn_init},
        {"torch.nn.parameter", fill_nn_parameter},
        {"torch.nn.utils", fill_nn_utils},
        {"torch.nn.utils.rnn", fill_nn_utils_rnn},
        {"torch.nn.utils.parametrize", fill_parametrize},
        {"torch.nn.utils.parametrizations", fill_parametrizations},
        {"torch.nn.utils.prune", fill_prune},
        {"torch.nn.utils.fusion", fill_nn_fusion},
        {"torch.nn.utils.stateless", fill_nn_stateless},
        {"torch.autograd", fill_autograd_module},
        {"torch.autograd.graph", fill_autograd_graph},
        {"torch.amp", fill_amp},
        {"torch.cuda.amp", fill_cuda_amp},
        {"torch.cpu", fill_cpu},
        {"torch.cpu.amp", fill_cpu_amp},
        {"torch.linalg", fill_linalg},
        {"torch.fft", fill_fft},
        {"torch.special", fill_special},
        {"torch.sparse", fill_sparse},
        {"torch.optim", fill_torch_optim},
        {"torch.optim.lr_scheduler", fill_lr_scheduler},
        {"_torch_cuda", fill_cuda},
        {"_devices", fill_devices},
        {"_device_graphs", fill_device_graphs},
        {"torch.utils", fill_utils},
        {"torch.utils.checkpoint", fill_checkpoint},
        {"_torch_data", fill_torch_data},
        {"_c10d", fill_c10d},
        {"copy", fill_copy},
    };
    std::set<std::string_view> files;
    for (const nn::LayerRecord* layer : nn::layer_records()) {
        if (layer->module.starts_with("torch.nn.modules.") && files.insert(layer->module).second)
            records.push_back({layer->module, fill_nn_layer_file});
    }
    const auto in_python = torch_modules_in_python();
    records.insert(records.end(), in_python.begin(), in_python.end());
    return records;
}

}  // namespace loupe::python
