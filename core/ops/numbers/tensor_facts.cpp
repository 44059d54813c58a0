// SPDX-License-Identifier: Apache-2.0
// Metadata of a tensor: shape, dtype, device, autograd.

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/ops/numbers/family.h"
#include "core/tensor/nested.h"
#include "core/tensor/pinned.h"

namespace loupe::numbers {
namespace {

const TensorImpl& impl_of(const IValue& value) {
    if (value.is_tensor()) return *value.tensor_impl();
    throw Error(ErrorKind::Run, concat("expected Tensor, got ", value_type_name(value)));
}

void dim(Arguments arguments, IValue* results) {
    results[0] = IValue(static_cast<std::int64_t>(impl_of(arguments[0]).sizes.size()));
}
void numel(Arguments arguments, IValue* results) { results[0] = IValue(impl_of(arguments[0]).numel); }
// A nested tensor of the strided layout has no list of sizes.
void refuse_strided_nested(const IValue& value, std::string_view part) {
    if (!value.is_tensor() || !is_strided_nested(value.to_tensor())) return;
    throw Error(ErrorKind::Run,
                concat("Internal error: NestedTensorImpl doesn't support ", part, ". Please file an issue."));
}
void sizes(Arguments arguments, IValue* results) {
    refuse_strided_nested(arguments[0], "sizes");
    results[0] = IValue(impl_of(arguments[0]).sizes);
}
void strides(Arguments arguments, IValue* results) {
    refuse_strided_nested(arguments[0], "strides");
    results[0] = IValue(impl_of(arguments[0]).strides);
}
std::size_t checked_dim(const TensorImpl& impl, std::int64_t d) {
    if (impl.sizes.empty()) {
        throw Error(ErrorKind::Run, concat("Dimension specified as ", d, " but tensor has no dimensions"));
    }
    return static_cast<std::size_t>(wrap_dim(d, static_cast<std::int64_t>(impl.sizes.size())));
}
void size_of(Arguments arguments, IValue* results) {
    if (arguments[0].is_tensor() && is_strided_nested(arguments[0].to_tensor())) {
        results[0] = regular_size(arguments[0].to_tensor(), arguments[1].to_int());
        return;
    }
    const TensorImpl& impl = impl_of(arguments[0]);
    results[0] = IValue(impl.sizes[checked_dim(impl, arguments[1].to_int())]);
}
void stride_of(Arguments arguments, IValue* results) {
    const TensorImpl& impl = impl_of(arguments[0]);
    results[0] = IValue(impl.strides[checked_dim(impl, arguments[1].to_int())]);
}
void length(Arguments arguments, IValue* results) {
    const TensorImpl& impl = impl_of(arguments[0]);
    if (impl.sizes.empty()) throw Error(ErrorKind::Run, "len() of a 0-d tensor");
    results[0] = IValue(impl.sizes[0]);
}
void dtype(Arguments arguments, IValue* results) {
    results[0] = IValue(static_cast<std::int64_t>(impl_of(arguments[0]).dtype));
}
void device(Arguments arguments, IValue* results) { results[0] = IValue(impl_of(arguments[0]).storage->device()); }
template <DeviceType Type>
void is_on(Arguments arguments, IValue* results) {
    results[0] = IValue(impl_of(arguments[0]).storage->device().type == Type);
}
// Kinds of tensors that the engine does not have.
void never(Arguments, IValue* results) { results[0] = IValue(false); }
void strided_layout(Arguments, IValue* results) { results[0] = IValue(std::int64_t{0}); }
void needs_grad(Arguments arguments, IValue* results) {
    const TensorImpl& impl = impl_of(arguments[0]);
    results[0] = IValue(impl.autograd != nullptr && requires_grad(arguments[0].to_tensor()));
}
void is_floating_point(Arguments arguments, IValue* results) {
    results[0] = IValue(is_floating(impl_of(arguments[0]).dtype));
}
void is_complex_number(Arguments arguments, IValue* results) {
    results[0] = IValue(is_complex(impl_of(arguments[0]).dtype));
}
void is_contiguous(Arguments arguments, IValue* results) { results[0] = IValue(impl_of(arguments[0]).contiguous); }

// PyTorch's numbers: 0 contiguous, 1 preserve, 2 channels last, 3 channels last in 3-d.
bool is_contiguous_in(const Tensor& t, std::int64_t memory_format) {
    if (memory_format == 2) return t.dim() == 4 && t.is_channels_last();
    if (memory_format == 3) return t.dim() == 5 && t.is_channels_last();
    return t.is_contiguous();
}
bool has_pinned_memory(const Tensor& t, const IValue&) { return is_pinned(t); }
bool is_signed(const Tensor& t) { return t.dtype() != ScalarType::UInt8 && t.dtype() != ScalarType::Bool; }
bool same_size(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.sizes(), b.sizes()); }
bool is_set_to(const Tensor& a, const Tensor& b) {
    return a.storage() == b.storage() && a.storage_offset() == b.storage_offset() && same_size(a, b) &&
           std::ranges::equal(a.strides(), b.strides());
}
std::int64_t device_index(const Tensor& t) { return t.device().type == DeviceType::Cpu ? -1 : t.device().index; }
std::int64_t output_number(const Tensor& t) {
    const AutogradMeta* meta = autograd_meta(t);
    return meta == nullptr ? 0 : static_cast<std::int64_t>(meta->output);
}
void keep_grad(Arguments arguments, IValue*) { retain_grad(arguments[0].to_tensor()); }
void none(Arguments, IValue* results) { results[0] = IValue(); }
bool keeps_grad(const Tensor& t) {
    const AutogradMeta* meta = autograd_meta(t);
    return meta != nullptr && meta->retained != nullptr;
}

#define LOUPE_NEVER(name, what)                                                                  \
    {                                                                                            \
        .schema = name "(Tensor a) -> bool", .summary = what " Never, in this engine.",          \
        .results_from = ResultsFrom::Metadata, .kernel = never, .placement = Placement::Anywhere \
    }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::dim(Tensor self) -> int",
     .summary = "How many dimensions it has.",
     .results_from = ResultsFrom::Metadata,
     .kernel = dim,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true}},
    {.schema = "aten::numel(Tensor self) -> int",
     .summary = "How many elements it has.",
     .results_from = ResultsFrom::Metadata,
     .kernel = numel,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .python = {.result = PythonUse::Shape}},
    {.schema = "aten::sym_numel(Tensor self) -> SymInt",
     .summary = "How many elements it has.",
     .results_from = ResultsFrom::Metadata,
     .kernel = numel,
     .placement = Placement::Anywhere},
    {.schema = "aten::size(Tensor self) -> int[]",
     .summary = "Its sizes.",
     .results_from = ResultsFrom::Metadata,
     .kernel = sizes,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .python = {.result = PythonUse::Shape}},
    {.schema = "aten::sym_size(Tensor self) -> SymInt[]",
     .summary = "Its sizes.",
     .results_from = ResultsFrom::Metadata,
     .kernel = sizes,
     .placement = Placement::Anywhere},
    {.schema = "aten::size.int(Tensor self, int dim) -> int",
     .summary = "The size of dimension dim.",
     .results_from = ResultsFrom::Metadata,
     .kernel = size_of,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .python = {.result = PythonUse::Shape}},
    {.schema = "aten::sym_size.int(Tensor self, int dim) -> SymInt",
     .summary = "The size of dimension dim.",
     .results_from = ResultsFrom::Metadata,
     .kernel = size_of,
     .placement = Placement::Anywhere},
    {.schema = "aten::stride(Tensor self) -> int[]",
     .summary = "Its strides, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = strides,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Shape}},
    {.schema = "aten::sym_stride(Tensor self) -> SymInt[]",
     .summary = "Its strides, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = strides,
     .placement = Placement::Anywhere},
    {.schema = "aten::stride.int(Tensor self, int dim) -> int",
     .summary = "The stride of dimension dim, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = stride_of,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Shape}},
    {.schema = "aten::sym_stride.int(Tensor self, int dim) -> SymInt",
     .summary = "The stride of dimension dim, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = stride_of,
     .placement = Placement::Anywhere},
    {.schema = "aten::storage_offset(Tensor self) -> int",
     .summary = "Where in its storage the first element lies, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<[](const Tensor& t) { return t.storage_offset(); }>,
     .placement = Placement::Anywhere},
    {.schema = "aten::sym_storage_offset(Tensor self) -> SymInt",
     .summary = "Where in its storage the first element lies, in elements.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<[](const Tensor& t) { return t.storage_offset(); }>,
     .placement = Placement::Anywhere},
    {.schema = "aten::element_size(Tensor self) -> int",
     .summary = "Bytes of one element.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<[](const Tensor& t) { return t.element_size(); }>,
     .placement = Placement::Anywhere},
    {.schema = "aten::len.Tensor(Tensor t) -> int",
     .summary = "The size of the first dimension.",
     .results_from = ResultsFrom::Metadata,
     .kernel = length,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Length}},
    {.schema = "prim::dtype(Tensor a) -> int",
     .summary = "The number of its dtype.",
     .results_from = ResultsFrom::Metadata,
     .kernel = dtype,
     .placement = Placement::Anywhere},
    {.schema = "prim::device(Tensor a) -> Device",
     .summary = "The device it is on.",
     .results_from = ResultsFrom::Metadata,
     .kernel = device,
     .placement = Placement::Anywhere},
    {.schema = "prim::layout(Tensor a) -> Layout",
     .summary = "Always strided.",
     .results_from = ResultsFrom::Metadata,
     .kernel = strided_layout,
     .placement = Placement::Anywhere},
    {.schema = "prim::is_cuda(Tensor a) -> bool",
     .summary = "Is it on a CUDA device?",
     .results_from = ResultsFrom::Metadata,
     .kernel = is_on<DeviceType::Cuda>,
     .placement = Placement::Anywhere},
    {.schema = "prim::is_cpu(Tensor a) -> bool",
     .summary = "Is it on the CPU?",
     .results_from = ResultsFrom::Metadata,
     .kernel = is_on<DeviceType::Cpu>,
     .placement = Placement::Anywhere},
    LOUPE_NEVER("prim::is_ipu", "Is it on an IPU?"),
    LOUPE_NEVER("prim::is_meta", "Is it without elements?"),
    LOUPE_NEVER("prim::is_mkldnn", "Is it in oneDNN's own layout?"),
    LOUPE_NEVER("prim::is_mps", "Is it on an Apple GPU?"),
    LOUPE_NEVER("prim::is_nested", "Is it nested?"),
    LOUPE_NEVER("prim::is_ort", "Is it on an ORT device?"),
    LOUPE_NEVER("prim::is_quantized", "Is it quantized?"),
    LOUPE_NEVER("prim::is_sparse", "Is it sparse?"),
    LOUPE_NEVER("prim::is_sparse_csr", "Is it sparse by rows?"),
    LOUPE_NEVER("prim::is_vulkan", "Is it on a Vulkan device?"),
    LOUPE_NEVER("prim::is_xpu", "Is it on an XPU?"),
    {.schema = "aten::is_conj(Tensor self) -> bool",
     .summary = "Is conjugation put off? Never, in this engine.",
     .results_from = ResultsFrom::Metadata,
     .kernel = never,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_neg(Tensor self) -> bool",
     .summary = "Is negation put off? Never, in this engine.",
     .results_from = ResultsFrom::Metadata,
     .kernel = never,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_inference(Tensor self) -> bool",
     .summary = "Was it made in inference mode? Never, in this engine.",
     .results_from = ResultsFrom::Metadata,
     .kernel = never,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_pinned(Tensor self, Device? device=None) -> bool",
     .summary = "Is its memory pinned: does a device reach it by itself?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<has_pinned_memory>,
     .placement = Placement::Anywhere},
    {.schema = "prim::requires_grad(Tensor a) -> bool",
     .summary = "Does autograd follow it?",
     .results_from = ResultsFrom::Metadata,
     .kernel = needs_grad,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_leaf(Tensor self) -> bool",
     .summary = "Did the user make it, rather than a recorded operator?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<is_leaf>,
     .placement = Placement::Anywhere},
    {.schema = "prim::grad(Tensor a) -> Tensor(*)",
     .summary = "Its accumulated gradient, or None.",
     .kernel = boxed<grad_of>,
     .placement = Placement::Anywhere},
    {.schema = "aten::output_nr(Tensor self) -> int",
     .summary = "Which output of its node it is.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<output_number>,
     .placement = Placement::Anywhere},
    {.schema = "aten::retains_grad(Tensor self) -> bool",
     .summary = "Is the gradient of this non-leaf kept?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<keeps_grad>,
     .placement = Placement::Anywhere},
    {.schema = "aten::retain_grad(Tensor(a!) self) -> ()",
     .summary = "Keeps the gradient of this non-leaf.",
     .kernel = keep_grad,
     .placement = Placement::Anywhere},
    {.schema = "aten::_version(Tensor self) -> int",
     .summary = "How often it was written in place.",
     .kernel = boxed<[](const Tensor& t) { return static_cast<std::int64_t>(t.version()); }>,
     .placement = Placement::Anywhere},
    {.schema = "prim::name(Tensor a) -> str?",
     .summary = "Its name: None.",
     .kernel = none,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_floating_point(Tensor self) -> bool",
     .summary = "Are its elements floating point numbers?",
     .results_from = ResultsFrom::Metadata,
     .kernel = is_floating_point,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true}},
    {.schema = "aten::is_complex(Tensor self) -> bool",
     .summary = "Are its elements complex numbers?",
     .results_from = ResultsFrom::Metadata,
     .kernel = is_complex_number,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true}},
    {.schema = "aten::is_signed(Tensor self) -> bool",
     .summary = "Can elements be negative?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<is_signed>,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_contiguous(Tensor self) -> bool",
     .summary = "Do the elements lie row by row without gaps?",
     .results_from = ResultsFrom::Metadata,
     .kernel = is_contiguous,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool",
     .summary = "Do the elements lie in that order without gaps?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<is_contiguous_in>,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_strides_like_format(Tensor self, MemoryFormat memory_format) -> bool",
     .summary = "Are the strides in that order?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<is_contiguous_in>,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_non_overlapping_and_dense(Tensor self) -> bool",
     .summary = "Do the elements lie without gaps and without sharing, in any order?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<[](const Tensor& t) { return t.is_non_overlapping_and_dense(); }>,
     .placement = Placement::Anywhere},
    {.schema = "aten::is_same_size(Tensor self, Tensor other) -> bool",
     .summary = "Are the sizes equal?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<same_size>,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true}},
    {.schema = "aten::is_set_to(Tensor self, Tensor tensor) -> bool",
     .summary = "Do both see the same memory in the same way?",
     .kernel = boxed<is_set_to>,
     .placement = Placement::Anywhere},
    {.schema = "aten::get_device(Tensor self) -> int",
     .summary = "The number of the CUDA device; -1 on the CPU.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<device_index>,
     .placement = Placement::Anywhere},
};
#undef LOUPE_NEVER

}  // namespace

std::span<const OperatorRecord> tensor_fact_records() { return kRecords; }

}  // namespace loupe::numbers
