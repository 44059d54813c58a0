// SPDX-License-Identifier: Apache-2.0
// Operators that are others by another name: those that PyTorch's decompositions leave in exported programs, products
// in another dtype, and assertions that give a token.

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/integer_math.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// Calls the operator of that name with the first `kCount` arguments.
template <const char* kName, std::size_t kCount>
void forward(Arguments arguments, IValue* results) {
    static const Operator* const op = find_operator(kName);
    std::vector<IValue> own(arguments.begin(), arguments.begin() + kCount);
    detail::fill_default_arguments(*op, own);
    call_operator(*op, own, results);
}

constexpr char kIndex[] = "aten::index.Tensor";
constexpr char kIndexPut[] = "aten::index_put";

// The weight is already in a shape that broadcasts.
Tensor prelu_kernel(const Tensor& self, const Tensor& weight) {
    return fn::where(fn::gt_scalar(self, Scalar(0)), self, fn::mul(weight, self));
}
fn::TwoTensors prelu_kernel_backward(const Tensor& grad, const Tensor& self, const Tensor& weight) {
    const Tensor is_positive = fn::gt_scalar(self, Scalar(0));
    return {fn::where(is_positive, grad, fn::mul(weight, grad)),
            fn::where_scalar_self(is_positive, Scalar(0), fn::mul(self, grad))};
}

Tensor squeeze_copy_dims(const Tensor& self, const Dims& dims) {
    static const OperatorHandle<> squeeze("aten::squeeze.dims");
    return fn::clone(squeeze(self, dims), IValue());
}

// Dense, its dimensions in that order in memory, the slowest first.
void empty_permuted(Arguments arguments, IValue* results) {
    static const OperatorHandle<> empty_strided("aten::empty_strided");
    const Dims sizes = arguments[0].to_ints(), order = arguments[1].to_ints();
    Dims strides(sizes.size(), 0);
    std::int64_t stride = 1;
    if (order.size() != sizes.size())
        throw Error(ErrorKind::Run, "Number of dimensions in size does not match the length of the physical_layout");
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<std::size_t>(order[i]);
        if (order[i] < 0 || d >= sizes.size() || strides[d] != 0)
            throw Error(ErrorKind::Run, "Dimensions of the physical_layout must be those of size, each once");
        strides[d] = stride;
        stride *= std::max<std::int64_t>(sizes[d], 1);
    }
    results[0] = IValue(empty_strided(sizes, strides, arguments[2], arguments[3], arguments[4], arguments[5]));
}

Tensor is_all_true(const Tensor& self) { return fn::all(self); }
Tensor is_any_true(const Tensor& self) { return fn::any(self); }

void assert_async(Arguments arguments, IValue*) {
    if (!item(arguments[0].to_tensor()).to_bool()) throw Error(ErrorKind::Run, arguments[1].to_string());
}

Tensor masked_scatter_backward(const Tensor& grad_output, const Tensor& mask, const Dims& sizes) {
    std::int64_t numel = 1;
    for (const std::int64_t size : sizes) numel = checked_product(numel, size);
    const Tensor chosen = fn::masked_select(grad_output, mask);
    const std::int64_t missing = numel - chosen.numel();
    const Tensor filled = missing > 0 ? fn::cat(TensorList{chosen, fn::new_zeros(chosen, Dims{missing})}, 0) : chosen;
    return fn::reshape(fn::narrow(filled, 0, 0, numel), sizes);
}

Tensor to(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, static_cast<std::int64_t>(dtype)); }
Tensor mm_dtype(const Tensor& self, const Tensor& mat2, ScalarType dtype) {
    return fn::mm(to(self, dtype), to(mat2, dtype));
}
Tensor bmm_dtype(const Tensor& self, const Tensor& mat2, ScalarType dtype) {
    return fn::bmm(to(self, dtype), to(mat2, dtype));
}
Tensor addmm_dtype(const Tensor& self, const Tensor& mat1, const Tensor& mat2, ScalarType dtype, const Scalar& beta,
                   const Scalar& alpha) {
    return fn::addmm(to(self, dtype), to(mat1, dtype), to(mat2, dtype), beta, alpha);
}
Tensor baddbmm_dtype(const Tensor& self, const Tensor& batch1, const Tensor& batch2, ScalarType dtype,
                     const Scalar& beta, const Scalar& alpha) {
    return fn::baddbmm(to(self, dtype), to(batch1, dtype), to(batch2, dtype), beta, alpha);
}

constexpr std::string_view kInDtype = "The product in another dtype than that of its arguments.";

constexpr OperatorRecord kRecords[] = {
    composite("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", "Elements by indices.",
              forward<kIndex, 2>),
    composite("aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor",
              "A copy with values at indices.", forward<kIndexPut, 4>),
    composite("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
              "self where it is above 0, else weight times self.", boxed<prelu_kernel>),
    composite("aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
              "The gradients of _prelu_kernel, of the weight for each element.", boxed<prelu_kernel_backward>),
    composite("aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor",
              "A copy without these dimensions, where their size is 1.", boxed<squeeze_copy_dims>),
    composite("aten::empty_permuted(int[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, "
              "Device? device=None, bool? pin_memory=None) -> Tensor",
              "Memory that nothing has written, its dimensions in a given order.", empty_permuted),
    composite("aten::_is_all_true(Tensor self) -> Tensor", "Are all elements true?", boxed<is_all_true>),
    composite("aten::_is_any_true(Tensor self) -> Tensor", "Is some element true?", boxed<is_any_true>),
    composite("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", "Fails for zero and False.", assert_async)
        .with_placement(Placement::Host),
    composite("aten::masked_scatter_backward(Tensor grad_output, Tensor mask, int[] sizes) -> Tensor",
              "The gradient of masked_scatter's source.", boxed<masked_scatter_backward>),
    composite("aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", kInDtype, boxed<mm_dtype>),
    composite("aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", kInDtype, boxed<bmm_dtype>),
    composite("aten::addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar "
              "alpha=1) -> Tensor",
              kInDtype, boxed<addmm_dtype>),
    composite("aten::baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, "
              "Scalar alpha=1) -> Tensor",
              kInDtype, boxed<baddbmm_dtype>),
};

}  // namespace

std::span<const OperatorRecord> renamed_call_records() { return kRecords; }

}  // namespace loupe::composed
