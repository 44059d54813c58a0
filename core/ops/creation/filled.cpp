// SPDX-License-Identifier: Apache-2.0
// empty, zeros, ones, full, scalar_tensor; the _like and new_ forms.

#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/kernels/layout.h"
#include "core/ops/creation/creation.h"
#include "core/ops/creation/family.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/scalar_range.h"

namespace loupe {

using namespace creation;

Options creation::options_of(Arguments arguments, std::size_t first, ScalarType default_dtype, Device default_device) {
    Options options{default_dtype, default_device};
    if (const auto dtype = detail::Unbox<std::optional<ScalarType>>::from(arguments[first])) options.dtype = *dtype;
    if (!arguments[first + 2].is_none()) options.device = arguments[first + 2].to_device();
    return options;
}

ScalarType creation::default_dtype_of(const Scalar& value) {
    switch (value.kind()) {
        case Scalar::Kind::Bool:
            return ScalarType::Bool;
        case Scalar::Kind::Int:
            return ScalarType::Int64;
        case Scalar::Kind::Double:
            return kDefaultDtype;
        case Scalar::Kind::Complex:
            break;
    }
    return kDefaultComplexDtype;
}

namespace {

constexpr std::int64_t kContiguous = 0;
constexpr std::int64_t kChannelsLast = 2;
constexpr std::int64_t kChannelsLast3d = 3;

void leave(Arguments, IValue*) {}
template <int kValue>
void fill_constant(Arguments, IValue* results) {
    fill_with(results[0].to_tensor(), Scalar(kValue));
}
template <std::size_t kArgument>
void fill_argument(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    require_fits(arguments[kArgument].to_scalar(), out.dtype(), out.numel() == 1);
    fill_with(out, arguments[kArgument].to_scalar());
}

void put(MetaList& outputs, const Dims& sizes, const Options& options, const Dims& strides = {}) {
    checked_numel(span_of(sizes));
    TensorMeta meta{{}, options.dtype, options.device};
    meta.sizes.assign(sizes.begin(), sizes.end());
    meta.strides.assign(strides.begin(), strides.end());
    outputs.push_back(std::move(meta));
}

// (size, dtype, layout, device, pin_memory)
void infer_sized(Arguments arguments, MetaList& outputs) {
    put(outputs, arguments[0].to_ints(), options_of(arguments, 1, kDefaultDtype));
}
void infer_zeros(Arguments arguments, MetaList& outputs) {
    const Dims sizes = arguments[0].to_ints();
    const bool fits = std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0; });
    if (!fits && !is_older_torch()) throw Error(ErrorKind::Run, "zeros: Dimension size must be non-negative.");
    infer_sized(arguments, outputs);
}
void infer_full(Arguments arguments, MetaList& outputs) {
    put(outputs, arguments[0].to_ints(), options_of(arguments, 2, default_dtype_of(arguments[1].to_scalar())));
}
void infer_scalar_tensor(Arguments arguments, MetaList& outputs) {
    put(outputs, {}, options_of(arguments, 1, kDefaultDtype));
}

Dims last_channels(IntSpan sizes, std::int64_t format) {
    if (format != kChannelsLast && format != kChannelsLast3d) return {};
    const std::size_t rank = format == kChannelsLast ? 4 : 5;
    require(sizes.size() == rank, "required rank ", rank, " tensor to use channels_last", rank == 5 ? "_3d" : "",
            " format");
    Dims strides(rank);
    std::int64_t stride = 1;
    const auto place = [&](std::size_t d) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    };
    place(1);
    for (std::size_t d = rank - 1; d >= 2; --d) place(d);
    place(0);
    return strides;
}
void infer_empty(Arguments arguments, MetaList& outputs) {
    const Dims sizes = arguments[0].to_ints();
    const std::int64_t format = arguments[5].is_none() ? kContiguous : arguments[5].to_int();
    put(outputs, sizes, options_of(arguments, 1, kDefaultDtype), last_channels(span_of(sizes), format));
}
void put_strided(MetaList& outputs, const Dims& sizes, const Options& options, const Dims& strides) {
    require(sizes.size() == strides.size(), "dimensionality of sizes (", sizes.size(),
            ") must match dimensionality of strides (", strides.size(), ")");
    put(outputs, sizes, options, strides);
}
void infer_strided(Arguments arguments, MetaList& outputs) {
    put_strided(outputs, arguments[0].to_ints(), options_of(arguments, 2, kDefaultDtype), arguments[1].to_ints());
}

// (self, [value,] dtype, layout, device, pin_memory, memory_format)
template <std::size_t kFirst>
void infer_like(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    const Options options = options_of(arguments, kFirst, self.dtype(), self.device());
    const IValue& format = arguments[kFirst + 4];
    TensorMeta meta = same_meta(self, options.dtype);
    if (!format.is_none() && format.to_int() == kContiguous)
        meta.strides = {};
    else if (!format.is_none()) {
        Dims strides = last_channels(self.sizes(), format.to_int());
        if (!strides.empty()) meta.strides = std::move(strides);
    }
    meta.device = options.device;
    outputs.push_back(std::move(meta));
}
// (self, size, [value,] dtype, layout, device, pin_memory)
template <std::size_t kFirst>
void infer_new(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    put(outputs, arguments[1].to_ints(), options_of(arguments, kFirst, self.dtype(), self.device()));
}
void infer_new_strided(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    put_strided(outputs, arguments[1].to_ints(), options_of(arguments, 3, self.dtype(), self.device()),
                arguments[2].to_ints());
}

std::vector<Sample> sized_samples(Random&, ScalarType dtype) {
    const IValue sizes{Dims{2, 3}};
    return {{{sizes, static_cast<std::int64_t>(dtype), IValue(), IValue(), IValue()}, {}},
            {{Dims{}, IValue(), IValue(), IValue(), IValue()}, {}}};
}
std::vector<Sample> full_samples(Random&, ScalarType dtype) {
    return {{{Dims{2, 3}, 1, static_cast<std::int64_t>(dtype), IValue(), IValue(), IValue()}, {}}};
}

constexpr OperatorRecord made(std::string_view schema, std::string_view summary, InferFunction infer,
                              KernelFunction kernel, SamplesFunction samples = nullptr) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer,
            .kernel = FillingKernel{kernel},
            .samples = samples,
            .is_gradient_stop = true};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kEmptyLikeNotFinite[] = {
    {In::Forward, When::Unwritten, 0, "memory that nothing has written yet",
     "write all of it before it is read, or use torch.zeros_like"},
};
constexpr NotFiniteNote kNewEmptyNotFinite[] = {
    {In::Forward, When::Unwritten, 0, "memory that nothing has written yet",
     "write all of it before it is read, or use new_zeros"},
};

constexpr OperatorRecord kFilled[] = {
    made("aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         "A tensor with elements not set.", infer_empty, &leave)
        .with_dtypes({kAnyDtype})
        .with_state(),
    made("aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, "
         "bool? pin_memory=None) -> Tensor",
         "A tensor with given strides, elements not set.", infer_strided, &leave)
        .with_dtypes({kAnyDtype})
        .with_state(),
    made("aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> "
         "Tensor",
         "A tensor full of zeros.", infer_zeros, &fill_constant<0>, sized_samples)
        .with_dtypes({kAnyDtype}),
    made("aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> "
         "Tensor",
         "A tensor full of ones.", infer_sized, &fill_constant<1>, sized_samples)
        .with_dtypes({kAnyDtype}),
    made("aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None) -> Tensor",
         "A number everywhere.", infer_full, &fill_argument<1>, full_samples)
        .with_dtypes({kAnyDtype})
        .with_python({.keeps_integers = true}),
    made("aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "A number as a 0-dimensional tensor.", infer_scalar_tensor, &fill_argument<0>)
        .with_dtypes({kAnyDtype}),
};

constexpr OperatorRecord kLike[] = {
    made("aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None, "
         "MemoryFormat? memory_format=None) -> Tensor",
         "As self, elements not set.", infer_like<1>, &leave)
        .with_state()
        .with_not_finite(kEmptyLikeNotFinite),
    made("aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None, "
         "MemoryFormat? memory_format=None) -> Tensor",
         "Zeros in self's shape.", infer_like<1>, &fill_constant<0>)
        .with_dtypes({kAnyDtype})
        .with_sparse({.run = on_sparse::empty_like}),
    made("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None, "
         "MemoryFormat? memory_format=None) -> Tensor",
         "Ones in self's shape.", infer_like<1>, &fill_constant<1>)
        .with_dtypes({kAnyDtype}),
    made("aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, "
         "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         "A number in self's shape.", infer_like<2>, &fill_argument<1>)
        .with_dtypes({kWithUnsigned}),
    made("aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None) -> Tensor",
         "Of self's dtype, elements not set.", infer_new<2>, &leave)
        .with_dtypes({kAnyDtype})
        .with_state()
        .with_not_finite(kNewEmptyNotFinite),
    made("aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         "Of self's dtype with given strides, elements not set.", infer_new_strided, &leave)
        .with_dtypes({kAnyDtype})
        .with_state(),
    made("aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None) -> Tensor",
         "Zeros of self's dtype.", infer_new<2>, &fill_constant<0>)
        .with_dtypes({kAnyDtype}),
    made("aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
         "device=None, bool? "
         "pin_memory=None) -> Tensor",
         "Ones of self's dtype.", infer_new<2>, &fill_constant<1>)
        .with_dtypes({kAnyDtype}),
    made("aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? "
         "device=None, bool? pin_memory=None) -> Tensor",
         "A number everywhere, of self's dtype.", infer_new<3>, &fill_argument<2>)
        .with_dtypes({kAnyDtype}),
};

}  // namespace

std::span<const OperatorRecord> creation::filled_records() { return kFilled; }
std::span<const OperatorRecord> creation::like_records() { return kLike; }

}  // namespace loupe
