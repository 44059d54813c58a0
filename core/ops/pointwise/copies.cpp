// SPDX-License-Identifier: Apache-2.0
// copy_, clone, contiguous, conversions (to and its overloads), fill_, zero_.

#include <cstring>

#include "core/autograd/observer.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/late_copies.h"
#include "core/tensor/pinned.h"
#include "core/tensor/scalar_range.h"

namespace loupe {
namespace {

using namespace pointwise;
using G = GradientContext;

// Numbers of torch.memory_format in graphs.
constexpr std::int64_t kContiguous = 0;
constexpr std::int64_t kPreserve = 1;
constexpr std::int64_t kChannelsLast = 2;
constexpr std::int64_t kChannelsLast3d = 3;

Dims channels_last_strides(IntSpan sizes, std::size_t rank) {
    require(sizes.size() == rank, "required rank ", rank, " tensor to use channels_last", rank == 5 ? "_3d" : "",
            " format");
    Dims strides(rank);
    std::int64_t stride = 1;
    const auto put = [&](std::size_t d) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    };
    put(1);
    for (std::size_t d = rank - 1; d >= 2; --d) put(d);
    put(0);
    return strides;
}

TensorMeta formatted_meta(const Tensor& self, ScalarType dtype, const IValue& format) {
    const std::int64_t number = format.is_none() ? kPreserve : format.to_int();
    if (number == kPreserve) return same_meta(self, dtype);
    TensorMeta meta{to_dims(self.sizes()), dtype, self.device()};
    if (number == kChannelsLast) meta.strides = channels_last_strides(self.sizes(), 4);
    if (number == kChannelsLast3d) meta.strides = channels_last_strides(self.sizes(), 5);
    return meta;
}
bool has_format(const Tensor& t, const IValue& format) {
    const std::int64_t number = format.is_none() ? kPreserve : format.to_int();
    if (number == kContiguous) return t.is_contiguous();
    if (number == kPreserve) return true;
    require(t.dim() == (number == kChannelsLast ? 4 : 5), "required rank ", number == kChannelsLast ? 4 : 5,
            " tensor to use channels_last", number == kChannelsLast ? "" : "_3d", " format");
    return t.is_channels_last();
}

void pass_gradient(G& c) { c.set_grad("self", c.grad_output()); }

// What comes to the host is there at once where the run is watched: its numbers are looked at.
bool may_be_late(bool non_blocking, Device to) {
    return non_blocking && !(to.is_cpu() && execution_observer() != nullptr);
}

// copy_(self, src, non_blocking)
Tensor copy_in_place(const Tensor& self, const Tensor& src, bool non_blocking) {
    if (self.is_same(src)) return self;
    const Dims shape = broadcast_shapes(self.sizes(), src.sizes());
    require(shape == to_dims(self.sizes()),
            "The expanded size of the tensor must match the existing size.  Target sizes: ",
            shape_list_text(self.sizes()), ".  Tensor sizes: ", shape_list_text(src.sizes()));
    const LateCopyScope late(may_be_late(non_blocking, self.device()));
    copy_into(self, src);
    return self;
}
Tensor copy_number(const Tensor& self, const Scalar& value) {
    fill_with(self, value);
    return self;
}

void infer_clone(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    outputs.push_back(formatted_meta(self, self.dtype(), arguments[1]));
}
void copy_first(Arguments arguments, IValue* results) { copy_into(results[0].to_tensor(), arguments[0].to_tensor()); }

// _to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format)
void infer_to_copy(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    const ScalarType dtype = detail::Unbox<std::optional<ScalarType>>::from(arguments[1]).value_or(self.dtype());
    TensorMeta meta = formatted_meta(self, dtype, arguments[6]);
    if (!arguments[3].is_none()) meta.device = arguments[3].to_device();
    outputs.push_back(std::move(meta));
}

void copy_to(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const LateCopyScope late(may_be_late(arguments[5].is_bool() && arguments[5].to_bool(), out.device()));
    copy_into(out, arguments[0].to_tensor());
}

bool same_device(const IValue& device, const Tensor& self) {
    return device.is_none() || device.to_device() == self.device();
}
Tensor convert(const Tensor& self, const IValue& dtype, const IValue& device, bool non_blocking, bool copy,
               const IValue& format) {
    const bool same_type = dtype.is_none() || dtype.to_int() == static_cast<std::int64_t>(self.dtype());
    if (!copy && same_type && same_device(device, self) && has_format(self, format)) return self;
    // As PyTorch: what goes to the host beside its work goes to pinned memory.
    const bool is_late_to_host =
        non_blocking && !self.device().is_cpu() && !device.is_none() && device.to_device().is_cpu();
    const PinnedMemoryScope pinned(is_late_to_host ? pinning_devices(self.device().type) : nullptr);
    return fn::to_copy(self, dtype, IValue(), device, IValue(), non_blocking, format);
}
Tensor to_dtype(const Tensor& self, const IValue& dtype, bool non_blocking, bool copy, const IValue& format) {
    return convert(self, dtype, IValue(), non_blocking, copy, format);
}
Tensor to_device(const Tensor& self, const IValue& device, const IValue& dtype, bool non_blocking, bool copy,
                 const IValue& format) {
    return convert(self, dtype, device, non_blocking, copy, format);
}
Tensor to_dtype_layout(const Tensor& self, const IValue& dtype, const IValue&, const IValue& device, const IValue&,
                       bool non_blocking, bool copy, const IValue& format) {
    return convert(self, dtype, device, non_blocking, copy, format);
}
Tensor to_other(const Tensor& self, const Tensor& other, bool non_blocking, bool copy, const IValue& format) {
    return convert(self, static_cast<std::int64_t>(other.dtype()), other.device(), non_blocking, copy, format);
}
Tensor to_prim_device(const Tensor& self, const IValue& device, const IValue& dtype, bool non_blocking, bool copy) {
    return convert(self, dtype, device, non_blocking, copy, IValue());
}
Tensor to_prim_dtype(const Tensor& self, const IValue& dtype, bool non_blocking, bool copy) {
    return convert(self, dtype, IValue(), non_blocking, copy, IValue());
}
Tensor to_prim_other(const Tensor& self, bool, bool copy) {
    return convert(self, IValue(), IValue(), false, copy, IValue());
}
Tensor type_as(const Tensor& self, const Tensor& other) { return to_other(self, other, false, false, IValue()); }
Tensor cpu(const Tensor& self) { return convert(self, IValue(), Device{}, false, false, IValue()); }
Tensor chalf(const Tensor& self, const IValue& format) {
    return convert(self, static_cast<std::int64_t>(ScalarType::Complex32), IValue(), false, false, format);
}

// The devices that `device` names, or the first that memory is pinned for.
DeviceInterface& pinning_devices_of(const IValue& device) {
    std::optional<DeviceType> type;
    if (!device.is_none()) type = device.to_device().type;
    DeviceInterface* const devices = pinning_devices(type);
    // As PyTorch says where there is no driver.
    require(
        devices != nullptr,
        "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
        "http://www.nvidia.com/Download/index.aspx");
    return *devices;
}
Tensor pinned_copy(const Tensor& self, const IValue& device) {
    require(self.device().is_cpu(), "cannot pin 'torch.", dtype_name(self.dtype()),
            "' only dense CPU tensors can be pinned");
    const PinnedMemoryScope pinned(&pinning_devices_of(device));
    const Tensor out = empty_strided(self.sizes(), self.strides(), self.dtype(), Device{});
    copy_into(out, self);
    return out;
}
Tensor pin_memory(const Tensor& self, const IValue& device) {
    static const OperatorHandle<> copy("aten::_pin_memory");
    return is_pinned(self) ? self : copy(self, device);
}
Tensor contiguous(const Tensor& self, const IValue& format) {
    return has_format(self, format) ? self : fn::clone(self, format);
}

void zero_gradient(G& c) { c.set_grad("self", fn::zeros_like(c.grad_output())); }
Tensor fill_number(const Tensor& self, const Scalar& value) {
    require_fits(value, self.dtype(), self.numel() == 1);
    fill_with(self, value);
    return self;
}
Tensor fill_tensor(const Tensor& self, const Tensor& value) {
    require(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
            " dimensions.");
    copy_into(self, value);
    return self;
}
Tensor zero_in_place(const Tensor& self) {
    if (self.is_contiguous() && self.bytes() < 65536 && self.is_host_memory())
        std::memset(self.raw_data(), 0, self.bytes());
    else
        fill_with(self, Scalar(0));
    return self;
}
void fill_tensor_backward(G& c) {
    c.grad("self", [&] { return fn::zeros_like(c.grad_output()); });
    c.grad("value", [&] { return c.grad_output(); });
}
TensorMeta infer_fill(const Tensor& self, const Scalar&) { return same_meta(self, self.dtype()); }
TensorMeta infer_fill_with_tensor(const Tensor& self, const Tensor& value) {
    require(value.dim() == 0, "fill only supports 0-dimension value tensor but got tensor with ", value.dim(),
            " dimensions.");
    return same_meta(self, self.dtype());
}
void fill(const Tensor& out, const Tensor&, const Scalar& value) {
    require_fits(value, out.dtype(), out.numel() == 1);
    fill_with(out, value);
}
void fill_with_tensor(const Tensor& out, const Tensor&, const Tensor& value) { copy_into(out, value); }
Tensor zero(const Tensor& self) { return fn::zeros_like(self); }

std::vector<Sample> clone_samples(Random& random, ScalarType dtype) {
    return with_arguments(unary_samples(random, dtype), {IValue()});
}
std::vector<Sample> conversion_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const ScalarType to :
         {ScalarType::Float32, ScalarType::Float64, ScalarType::Int32, ScalarType::Bool, ScalarType::BFloat16}) {
        const IValue number(static_cast<std::int64_t>(to));
        for (Sample& s :
             with_arguments(real_samples(random, dtype), {number, IValue(), IValue(), IValue(), false, IValue()})) {
            samples.push_back(std::move(s));
        }
    }
    return samples;
}

template <bool kIsInteger>
std::vector<Sample> copied_number_samples(Random& random, ScalarType dtype) {
    return with_arguments(unary_samples(random, dtype), {kIsInteger ? IValue(2) : IValue(2.5)});
}
std::vector<Sample> copied_tensor_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {3}, dtype), false}, "broadcast"}};
}
std::vector<Sample> fill_samples(Random& random, ScalarType dtype) {
    return with_arguments(unary_samples(random, dtype), {Scalar(2.0)});
}
std::vector<Sample> fill_tensor_samples(Random& random, ScalarType dtype) {
    return with_arguments(unary_samples(random, dtype), {random_tensor(random, IntSpan(), dtype)});
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kToNotFinite[] = {
    {In::Forward, When::Always, 0, "a number that its new dtype does not hold",
     "cast to bfloat16 or float32, or scale it down before"},
};

constexpr OperatorRecord kCopies[] = {
    {.schema = "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
     .summary = "Overwrites self with src, converted and broadcast.",
     .formula = "self = src",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<copy_in_place>,
     .derivative = {[](G& c) {
         c.grad("self", [&] { return fn::zeros_like(c.grad_output()); });
         c.grad("src", [&] { return c.grad_output(); });
     }},
     .gradient = "self: 0\nsrc: grad, in src's dtype",
     .samples = copied_tensor_samples,
     .placement = Placement::Anywhere,
     .sparse = {.run = on_sparse::copy},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::copy_.int(Tensor(a!) self, int other) -> Tensor(a!)",
     .summary = "Overwrites self with a number.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<copy_number>,
     .derivative = {zero_gradient},
     .samples = copied_number_samples<true>,
     .placement = Placement::Anywhere},
    {.schema = "aten::copy_.float(Tensor(a!) self, float other) -> Tensor(a!)",
     .summary = "Overwrites self with a number.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<copy_number>,
     .derivative = {zero_gradient},
     .samples = copied_number_samples<false>,
     .placement = Placement::Anywhere},
    {.schema = "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
     .summary = "A copy, by default in the same memory order.",
     .formula = "self",
     .infer = infer_clone,
     .kernel = FillingKernel{&copy_first},
     .derivative = {pass_gradient},
     .gradient = "self: grad",
     .samples = clone_samples,
     .variants = kOut,
     .placement = Placement::Anywhere,
     .sparse = {.run = on_sparse::clone},
     .dtypes = {kAnyDtype}},
    composite("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
              "self when it is in that memory order, else a copy.", boxed<contiguous>)
        .with_sparse({.run = on_sparse::itself})
        .with_formula("self")
        .with_gradient("self: grad"),
    {.schema = "aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
     .summary = "Sets every element to a number.",
     .formula = "self = value",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<fill_number>,
     .derivative = {zero_gradient},
     .gradient = "self: 0\nvalue: sum of grad",
     .samples = fill_samples,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)",
     .summary = "Sets every element to the value of a 0-dimensional tensor.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<fill_tensor>,
     .derivative = {fill_tensor_backward},
     .samples = fill_tensor_samples,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::zero_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Sets every element to 0.",
     .formula = "self = 0",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<zero_in_place>,
     .derivative = {zero_gradient},
     .gradient = "self: 0",
     .samples = unary_samples,
     .placement = Placement::Anywhere,
     .sparse = {.run = on_sparse::zero},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::fill.Scalar(Tensor self, Scalar value) -> Tensor",
     .summary = "A number in self's shape.",
     .formula = "value",
     .infer = inferring<infer_fill>,
     .kernel = filling<fill>,
     .derivative = {zero_gradient, {}, "FillBackward0"},
     .gradient = "self: 0",
     .samples = fill_samples,
     .variants = kOut,
     .out = {.overload = "Scalar_out"},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
     .summary = "A value in self's shape.",
     .formula = "value",
     .infer = inferring<infer_fill_with_tensor>,
     .kernel = filling<fill_with_tensor>,
     .derivative = {fill_tensor_backward, {}, "FillBackward1"},
     .gradient = "self: 0\nvalue: sum of grad",
     .samples = fill_tensor_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .dtypes = {kAnyDtype}},
    composite("aten::zero(Tensor self) -> Tensor", "Zeros in self's shape.", boxed<zero>)
        .with_out({})
        .with_formula("0")
        .with_gradient("self: 0"),
};

constexpr OperatorRecord kConversions[] = {
    {.schema = "aten::_pin_memory(Tensor self, Device? device=None) -> Tensor",
     .summary = "A copy in memory of the host that a device reaches by itself.",
     .formula = "self",
     .kernel = boxed<pinned_copy>,
     .derivative = {pass_gradient},
     .gradient = "self: grad",
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    composite("aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
              "self in memory of the host that a device reaches by itself; self where it is.", boxed<pin_memory>)
        .with_formula("self")
        .with_gradient("self: grad"),
    {.schema = "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
     .summary = "A copy in another dtype, device or memory order.",
     .formula = "self",
     .infer = infer_to_copy,
     .kernel = FillingKernel{&copy_to},
     .derivative = {pass_gradient},
     .gradient = "self: grad, in self's dtype",
     .samples = conversion_samples,
     .placement = Placement::Anywhere,
     .sparse = {.run = on_sparse::values},
     .not_finite = kToNotFinite,
     .dtypes = {kAnyDtype}},
    composite(
        "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, "
        "MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converts to a device and dtype; self when nothing changes.", boxed<to_device>)
        .with_sparse({.run = on_sparse::values})
        .with_formula("self")
        .with_gradient("self: grad, in self's dtype")
        .with_not_finite(kToNotFinite),
    composite(
        "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
        "memory_format=None) -> Tensor(a)",
        "Converts to a dtype; self when nothing changes.", boxed<to_dtype>)
        .with_sparse({.run = on_sparse::values}),
    composite("aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? "
              "memory_format=None) -> Tensor(a)",
              "Converts to another tensor's dtype and device.", boxed<to_other>)
        .with_sparse({.run = on_sparse::values}),
    composite(
        "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
        "bool? "
        "pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
        "Converts what is given.", boxed<to_dtype_layout>)
        .with_sparse({.run = on_sparse::values}),
    composite("aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool non_blocking=False, bool "
              "copy=False) -> "
              "Tensor(b|a)",
              "Converts what is given.", boxed<to_prim_device>)
        .with_sparse({.run = on_sparse::values}),
    composite(
        "aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
        "Converts to a dtype if one is given.", boxed<to_prim_dtype>)
        .with_sparse({.run = on_sparse::values}),
    composite("aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
              "self, or a copy.", boxed<to_prim_other>)
        .with_sparse({.run = on_sparse::values}),
    composite("aten::type_as(Tensor self, Tensor other) -> Tensor", "Converts to another tensor's dtype.",
              boxed<type_as>)
        .with_formula("self")
        .with_gradient("self: grad, in self's dtype"),
    composite("aten::chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", "Converts to complex32.",
              boxed<chalf>)
        .with_formula("self")
        .with_gradient("self: grad, in self's dtype"),
    composite("aten::cpu(Tensor(a) self) -> Tensor(b|a)", "Moves a tensor to the CPU; itself when it is there.",
              boxed<cpu>)
        .with_formula("self")
        .with_gradient("self: grad"),
};

}  // namespace

std::span<const OperatorRecord> pointwise::copy_records() { return kCopies; }
std::span<const OperatorRecord> pointwise::conversion_records() { return kConversions; }

}  // namespace loupe
