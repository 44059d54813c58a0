// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the records of this family: metadata, calls of the loop, samples.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/layout.h"
#include "core/ops/pointwise/kernels.h"

namespace loupe::pointwise {

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    throw Error(ErrorKind::Run, concat(parts...));
}
template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) fail(parts...);
}

// Metadata of functions of self, argument 0.
// Throws Error (Run) where a bound that is a number leaves no element of the dtype as it is, or is none of its numbers.
void require_clamp_range(const IValue& low, const IValue& high, ScalarType dtype);
// Throws Error (Run); the call says which kernel it is that lacks them.
void refuse_complex(ScalarType dtype);
void infer_same(Arguments arguments, MetaList& outputs);   // self's dtype
void infer_float(Arguments arguments, MetaList& outputs);  // integers become float32
void infer_bool(Arguments arguments, MetaList& outputs);
// The same, refusing complex numbers and, the second, all but floating types.
void infer_same_real(Arguments arguments, MetaList& outputs);
void infer_same_floating(Arguments arguments, MetaList& outputs);
void infer_float_real(Arguments arguments, MetaList& outputs);
// Of arguments 0 and 1, tensors or numbers; broadcast and promoted.
void infer_binary(Arguments arguments, MetaList& outputs);
void infer_binary_float(Arguments arguments, MetaList& outputs);
void infer_binary_real(Arguments arguments, MetaList& outputs);
void infer_compare(Arguments arguments, MetaList& outputs);  // bool; the order of complex numbers is refused
void infer_equal(Arguments arguments, MetaList& outputs);    // bool

// Runs a kernel: every input is converted to `as` (numbers and 0-dimensional tensors to `common` first). Throws Error
// (Run) for a null kernel: not implemented for the type.
void run(ElementwiseKernel kernel, const Tensor& out, ScalarType out_as, std::span<const IValue> inputs,
         ScalarType common, ScalarType as, const Scalar* params = nullptr, int cost = 1);

void run_unary(UnaryOp op, Arguments arguments, IValue* results, const Scalar* params = nullptr);
void run_test(TestOp op, Arguments arguments, IValue* results);
// inputs: how many leading arguments are tensors; params follow.
void run_activation(ActivationOp op, std::size_t inputs, Arguments arguments, IValue* results);
void run_binary(BinaryOp op, Arguments arguments, IValue* results, const Scalar* params = nullptr);
void run_compare(CompareOp op, Arguments arguments, IValue* results);

template <UnaryOp kOp>
void call_unary(Arguments arguments, IValue* results) {
    run_unary(kOp, arguments, results);
}
template <UnaryOp kOp>
inline constexpr FillingKernel unary{&call_unary<kOp>};

template <TestOp kOp>
void call_test(Arguments arguments, IValue* results) {
    run_test(kOp, arguments, results);
}
template <TestOp kOp>
inline constexpr FillingKernel test{&call_test<kOp>};

template <ActivationOp kOp, std::size_t kInputs>
void call_activation(Arguments arguments, IValue* results) {
    run_activation(kOp, kInputs, arguments, results);
}
template <ActivationOp kOp, std::size_t kInputs = 1>
inline constexpr FillingKernel activation{&call_activation<kOp, kInputs>};

template <BinaryOp kOp>
void call_binary(Arguments arguments, IValue* results) {
    run_binary(kOp, arguments, results);
}
template <BinaryOp kOp>
inline constexpr FillingKernel binary{&call_binary<kOp>};

template <CompareOp kOp>
void call_compare(Arguments arguments, IValue* results) {
    run_compare(kOp, arguments, results);
}
template <CompareOp kOp>
inline constexpr FillingKernel compare{&call_compare<kOp>};

// Samples of one tensor: any values, values apart from kinks, above 0, between -1 and 1, above 1; real only but for the
// first.
std::vector<Sample> unary_samples(Random& random, ScalarType dtype);
std::vector<Sample> real_samples(Random& random, ScalarType dtype);
std::vector<Sample> kink_samples(Random& random, ScalarType dtype);
std::vector<Sample> positive_samples(Random& random, ScalarType dtype);
std::vector<Sample> unit_samples(Random& random, ScalarType dtype);
std::vector<Sample> above_one_samples(Random& random, ScalarType dtype);
std::vector<Sample> integer_samples(Random& random, ScalarType dtype);
// Of two tensors, broadcast in some; the second apart from 0 for divisors; a number as the second.
std::vector<Sample> binary_samples(Random& random, ScalarType dtype);
std::vector<Sample> real_binary_samples(Random& random, ScalarType dtype);
std::vector<Sample> divisor_samples(Random& random, ScalarType dtype);
std::vector<Sample> real_divisor_samples(Random& random, ScalarType dtype);
std::vector<Sample> scalar_samples(Random& random, ScalarType dtype);
std::vector<Sample> real_scalar_samples(Random& random, ScalarType dtype);
std::vector<Sample> integer_binary_samples(Random& random, ScalarType dtype);
// Of the output's gradient and the input of an activation.
std::vector<Sample> backward_samples(Random& random, ScalarType dtype);
// The same with more arguments after each.
std::vector<Sample> with_arguments(std::vector<Sample> samples, std::initializer_list<IValue> more);

}  // namespace loupe::pointwise
