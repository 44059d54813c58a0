// SPDX-License-Identifier: Apache-2.0
// Rarely called overloads, composed of common operators.

#include <algorithm>
#include <string_view>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorKind::Run, what);
}

const OperatorHandle<> kFloatPower("aten::float_power.Tensor_Tensor");
const OperatorHandle<> kFloatPowerScalar("aten::float_power.Tensor_Scalar");
const OperatorHandle<> kRoundDecimals("aten::round.decimals");
const OperatorHandle<> kFloorDivide("aten::floor_divide");
const OperatorHandle<> kRelu_("aten::relu_");
const OperatorHandle<fn::TwoTensors> kAminmax("aten::aminmax");
const OperatorHandle<> kRenorm_("aten::embedding_renorm_");
const OperatorHandle<> kViewDtype("aten::view.dtype");

// An operator of two tensors on a number and a tensor.
template <detail::OperatorName kName>
void number_first(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    const IValue both[] = {wrapped_number(arguments[0].to_scalar()), arguments[1]};
    call_operator(target, both, results);
}

Tensor float_power_of_number(const Scalar& base, const Tensor& exponent) {
    return kFloatPower(wrapped_number(base), exponent);
}
void check_float_power(const Tensor& self, ScalarType exponent) {
    const ScalarType needed =
        is_complex(self.dtype()) || is_complex(exponent) ? ScalarType::Complex128 : ScalarType::Float64;
    require(self.dtype() == needed, concat("the base given to float_power_ has dtype ", dtype_graph_name(self.dtype()),
                                           " but the operation's result requires dtype ", dtype_graph_name(needed)));
}
Tensor float_power_(const Tensor& self, const Tensor& exponent) {
    check_float_power(self, exponent.dtype());
    return fn::copy_(self, kFloatPower(self, exponent));
}
Tensor float_power_number_(const Tensor& self, const Scalar& exponent) {
    check_float_power(self, exponent.dtype());
    return fn::copy_(self, kFloatPowerScalar(self, exponent));
}
Tensor round_(const Tensor& self, std::int64_t decimals) { return fn::copy_(self, kRoundDecimals(self, decimals)); }
Tensor floor_divide_(const Tensor& self, const Tensor& other) { return fn::copy_(self, kFloorDivide(self, other)); }

Tensor add_relu(const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return fn::relu(fn::add(self, other, alpha));
}
Tensor add_relu_number(const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return fn::relu(fn::add_scalar(self, other, alpha));
}
Tensor add_relu_(const Tensor& self, const Tensor& other, const Scalar& alpha) {
    return kRelu_(fn::add_(self, other, alpha));
}
Tensor add_relu_number_(const Tensor& self, const Scalar& other, const Scalar& alpha) {
    return fn::copy_(self, add_relu_number(self, other, alpha));
}
Tensor addmm_activation(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha,
                        bool use_gelu) {
    const Tensor sum = fn::addmm(self, a, b, beta, alpha);
    return use_gelu ? fn::gelu(sum) : fn::relu(sum);
}
fn::TwoTensors aminmax(const Tensor& self) { return kAminmax(self); }
fn::TwoTensors aminmax_dim(const Tensor& self, std::int64_t dim, bool keepdim) { return kAminmax(self, dim, keepdim); }

void assert_nonzero(Arguments arguments, IValue*) {
    const Tensor self = arguments[0].to_tensor();
    require(self.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
    require(self.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    require(fn::is_nonzero(self), "Expected Tensor with single nonzero value, but got zero");
}
void assert_metadata(Arguments arguments, IValue*) {
    const Tensor a = arguments[0].to_tensor();
    const auto matches = [](const IValue& wanted, IntSpan have) {
        if (wanted.is_none()) return true;
        const Dims values = wanted.to_ints();
        return std::equal(values.begin(), values.end(), have.begin(), have.end());
    };
    require(matches(arguments[1], a.sizes()), "Tensor sizes mismatch!");
    require(matches(arguments[2], a.strides()), "Tensor strides mismatch!");
    require(arguments[3].is_none() || arguments[3].to_int() == static_cast<std::int64_t>(a.dtype()),
            "Tensor dtype mismatch!");
}

// The cast that autocast puts before an operator; on the CPU only.
Tensor to_full_precision(const Tensor& self, bool, bool cpu_enabled) {
    const bool narrow = self.dtype() == ScalarType::Float16 || self.dtype() == ScalarType::BFloat16;
    return cpu_enabled && narrow ? fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Float32)) : self;
}
Tensor to_reduced_precision(const Tensor& self, bool, bool cpu_enabled, ScalarType, ScalarType cpu_dtype) {
    return cpu_enabled && self.dtype() == ScalarType::Float32 ? fn::to_dtype(self, static_cast<std::int64_t>(cpu_dtype))
                                                              : self;
}

Tensor dim_arange(const Tensor& like, std::int64_t dim) { return fn::arange(Scalar(like.size(dim))); }
// 1: some elements share a memory location; 0: none do; 2: undecided.
std::int64_t internal_overlap(const Tensor& self) {
    if (self.is_non_overlapping_and_dense()) return 0;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
        if (self.size(d) > 1 && self.stride(d) == 0) return 1;
    }
    return 2;
}
bool is_zero_tensor(const Tensor&) { return false; }
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
    return kRenorm_(fn::clone(self), indices, max_norm, norm_type);
}
Tensor copied(const Tensor& self, const Tensor& src, bool) { return fn::copy_(fn::clone(fn::detach(self)), src); }
Tensor resized(const Tensor& self, const Dims& size, const IValue& format) {
    static const OperatorHandle<> resize_("aten::resize_");
    return resize_(fn::clone(self), size, format);
}
Tensor resized_as(const Tensor& self, const Tensor& other, const IValue& format) {
    return resized(self, to_dims(other.sizes()), format);
}
Tensor set_to_nothing(const Tensor& self) { return empty(span_of(Dims{0}), self.dtype(), self.device()); }
Tensor set_to(const Tensor&, const Tensor& source) { return fn::clone(source); }
Tensor view_copy_dtype(const Tensor& self, std::int64_t dtype) { return fn::clone(kViewDtype(self, dtype)); }

// Conversions between tensors of integers and lists.
Tensor list_to_tensor(const Dims& values) {
    const Tensor out = empty(span_of(Dims{static_cast<std::int64_t>(values.size())}), ScalarType::Int32);
    std::transform(values.begin(), values.end(), out.data<std::int32_t>(),
                   [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    return out;
}
Dims tensor_to_list(const Tensor& self) {
    const Tensor flat = fn::contiguous(fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Int64)), 0);
    return {flat.data<std::int64_t>(), flat.data<std::int64_t>() + flat.numel()};
}
bool equal_lists(const TensorList& a, const TensorList& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!fn::is_nonzero(fn::eq(a[i], b[i]))) return false;
    }
    return true;
}
bool unequal_lists(const TensorList& a, const TensorList& b) { return !equal_lists(a, b); }

// The in-place operator of that name, not recorded: what torch.nn.init calls in compiled code.
template <detail::OperatorName kName>
void unrecorded(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    std::vector<IValue> all(arguments.begin(), arguments.end());
    detail::fill_default_arguments(target, all);
    const GradModeScope off(false);
    call_operator(target, all, results);
}

// An operator without the argument `names`, which must be None: dimensions have no names here.
template <detail::OperatorName kName, std::size_t kNames>
void unnamed(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    if (!arguments[kNames].is_none())
        throw Error(ErrorKind::Unsupported, "tensors with named dimensions are not supported");
    std::vector<IValue> all;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i != kNames) all.push_back(arguments[i]);
    }
    call_operator(target, all, results);
}

void deprecated_convolution(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw("aten::_convolution");
    std::vector<IValue> all(arguments.begin(), arguments.end());
    all.emplace_back(true);  // allow_tf32
    call_operator(target, all, results);
}
void given_back(Arguments arguments, IValue* results) { std::copy(arguments.begin(), arguments.end(), results); }

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

#define LOUPE_OPTIONS "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr OperatorRecord kRecords[] = {
    composite("aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_and of a number.",
              number_first<"aten::bitwise_and.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_or of a number.",
              number_first<"aten::bitwise_or.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "bitwise_xor of a number.",
              number_first<"aten::bitwise_xor.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "A number shifted left.",
              number_first<"aten::bitwise_left_shift.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", "A number shifted right.",
              number_first<"aten::bitwise_right_shift.Tensor">)
        .with_out({.overload = "Scalar_Tensor_out"}),
    composite("aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", "Power in double precision.",
              boxed<float_power_of_number>)
        .with_out({.overload = "Scalar_out"}),
    composite("aten::float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)", "float_power in place.",
              boxed<float_power_number_>),
    composite("aten::float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)", "float_power in place.",
              boxed<float_power_>),
    composite("aten::round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)", "round in place.",
              boxed<round_>),
    composite("aten::floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "floor_divide in place.",
              boxed<floor_divide_>)
        .with_python({.takes_numbers = true}),
    composite("aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "relu of a sum.",
              boxed<add_relu>)
        .with_out({}),
    composite("aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "relu of a sum.",
              boxed<add_relu_number>)
        .with_out({.overload = "Scalar_out"}),
    composite("aten::_add_relu_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
              "relu of a sum, in place.", boxed<add_relu_>),
    composite("aten::_add_relu_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)",
              "relu of a sum, in place.", boxed<add_relu_number_>),
    composite("aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool "
              "use_gelu=False) -> Tensor",
              "relu or gelu of addmm.", boxed<addmm_activation>)
        .with_out({}),
    composite("aten::_aminmax(Tensor self) -> (Tensor, Tensor)", "Least and greatest element.", boxed<aminmax>)
        .with_out({}),
    composite("aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)",
              "Least and greatest elements along a dimension.", boxed<aminmax_dim>)
        .with_out({.overload = "dim_out"}),
    composite("aten::_assert_async(Tensor self) -> ()", "Fails for zero.", assert_nonzero),
    composite(
        "aten::_assert_tensor_metadata(Tensor a, int[]? size=None, int[]? stride=None, ScalarType? dtype=None) -> ()",
        "Fails for other metadata.", assert_metadata),
    composite("aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)",
              "float32 for 16-bit types under autocast.", boxed<to_full_precision>),
    composite("aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType "
              "cuda_dtype, ScalarType "
              "cpu_dtype) -> Tensor(a)",
              "A 16-bit type for float32 under autocast.", boxed<to_reduced_precision>),
    composite("aten::_conj_copy(Tensor self) -> Tensor", "A conjugated copy.", forward<"aten::conj_physical">)
        .with_out({}),
    composite("aten::_conj_physical(Tensor self) -> Tensor", "The same as conj_physical.",
              forward<"aten::conj_physical">)
        .with_out({}),
    composite("aten::_neg_view_copy(Tensor self) -> Tensor", "A negated copy.", forward<"aten::neg">).with_out({}),
    composite("aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
              "int[] dilation, bool "
              "transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled) "
              "-> Tensor",
              "The convolution of older model files.", deprecated_convolution)
        .with_autocast({.cpu = Autocast::Lower, .cuda = Autocast::Lower}),
    composite("aten::_dim_arange(Tensor like, int dim) -> Tensor", "Indices of a dimension.", boxed<dim_arange>),
    composite("aten::_efficientzerotensor(int[] size, *, " LOUPE_OPTIONS ") -> Tensor", "The same as zeros.",
              forward<"aten::zeros">),
    composite("aten::_is_zerotensor(Tensor self) -> bool", "Is it zeros without memory? No tensor is.",
              boxed<is_zero_tensor>),
    composite("aten::_debug_has_internal_overlap(Tensor self) -> int",
              "Do elements share memory? 0 no, 1 yes, 2 hard to say.", boxed<internal_overlap>),
    composite("aten::_logcumsumexp(Tensor self, int dim) -> Tensor", "The same as logcumsumexp.",
              forward<"aten::logcumsumexp">)
        .with_out({}),
    composite("aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
              "The same as diagonal.", forward<"aten::diagonal">),
    composite("aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
              "embedding_renorm_ on a copy.", boxed<embedding_renorm>)
        .with_out({}),
    composite("aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
              "src in the shape and dtype of self.", boxed<copied>)
        .with_out({}),
    composite("aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor",
              "resize_ on a copy.", boxed<resized>)
        .with_out({}),
    composite("aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
              "resize_as_ on a copy.", boxed<resized_as>)
        .with_out({}),
    composite("aten::set(Tensor self) -> Tensor", "A tensor without elements.", boxed<set_to_nothing>).with_out({}),
    composite("aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor", "A copy of source.", boxed<set_to>)
        .with_out({.overload = "source_Tensor_out"}),
    composite("aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", "A copy of the view that view gives.",
              boxed<view_copy_dtype>)
        .with_out({.overload = "dtype_out"}),
    composite("aten::_list_to_tensor(int[] self) -> Tensor", "A tensor of int32.", boxed<list_to_tensor>),
    composite("aten::_tensor_to_list(Tensor self) -> int[]", "The elements as int.", boxed<tensor_to_list>),
    composite("aten::_to_cpu(Tensor[] tensors) -> Tensor[]", "The tensors on the CPU.", given_back),
    composite("aten::eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool", "Are tensors of one element equal, each to each?",
              boxed<equal_lists>),
    composite("aten::ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool", "Is some tensor of one element another?",
              boxed<unequal_lists>),
    composite("aten::_no_grad_uniform_(Tensor(a!) tensor, float a, float b) -> Tensor(a!)", "uniform_, not recorded.",
              unrecorded<"aten::uniform_">),
    composite("aten::_no_grad_normal_(Tensor(a!) tensor, float mean, float std) -> Tensor(a!)",
              "normal_, not recorded.", unrecorded<"aten::normal_">),
    composite("aten::_no_grad_fill_(Tensor(a!) tensor, float val) -> Tensor(a!)", "fill_, not recorded.",
              unrecorded<"aten::fill_.Scalar">),
    composite("aten::_no_grad_zero_(Tensor(a!) tensor) -> Tensor(a!)", "zero_, not recorded.",
              unrecorded<"aten::zero_">),
    composite(
        "aten::_no_grad_embedding_renorm_(Tensor weight, Tensor input, float max_norm, float norm_type) -> Tensor",
        "embedding_renorm_, not recorded.", unrecorded<"aten::embedding_renorm_">),
    composite("aten::_pack_sequence(Tensor output, Tensor batch_sizes, Tensor? sorted_indices, Tensor? "
              "unsorted_indices) -> (Tensor, Tensor, "
              "Tensor?, Tensor?)",
              "The parts of a packed sequence.", given_back),
    composite("aten::_scaled_dot_product_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? "
              "attn_mask=None, float "
              "dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
              "The same as _scaled_dot_product_attention.", forward<"aten::_scaled_dot_product_attention">),
    composite("aten::zeros.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor", "The same as zeros.",
              unnamed<"aten::zeros", 1>),
    composite("aten::ones.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor", "The same as ones.",
              unnamed<"aten::ones", 1>),
    composite("aten::full.names(int[] size, Scalar fill_value, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
              "The same as full.", unnamed<"aten::full", 2>),
    composite("aten::empty.names(int[] size, *, str[]? names, " LOUPE_OPTIONS
              ", MemoryFormat? memory_format=None) -> Tensor",
              "The same as empty.", unnamed<"aten::empty.memory_format", 1>),
    {.schema = "aten::rand.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
     .summary = "The same as rand.",
     .composite = unnamed<"aten::rand", 1>,
     .is_random = true},
    {.schema = "aten::randn.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
     .summary = "The same as randn.",
     .composite = unnamed<"aten::randn", 1>,
     .is_random = true},
};

#undef LOUPE_OPTIONS

}  // namespace

std::span<const OperatorRecord> less_known_records() { return kRecords; }

}  // namespace loupe::composed
