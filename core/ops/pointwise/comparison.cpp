// SPDX-License-Identifier: Apache-2.0
// Comparisons, and logic on truth values and on bits.

#include "core/dispatch/forward.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace pointwise;

constexpr OperatorRecord comparison(std::string_view schema, std::string_view summary, InferFunction infer,
                                    Kernel kernel, SamplesFunction samples, std::string_view out_overload) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer,
            .kernel = kernel,
            .samples = samples,
            .variants = kInPlace | kOut,
            .out = {.overload = out_overload},
            .is_gradient_stop = true};
}
constexpr OperatorRecord alias(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite};
}

void infer_bits(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    require(is_integral(outputs[0].dtype), "not implemented for '", dtype_graph_name(outputs[0].dtype), "'");
}
void infer_shift(Arguments arguments, MetaList& outputs) {
    infer_bits(arguments, outputs);
    require(outputs[0].dtype != ScalarType::Bool, "not implemented for 'Bool'");
}
void infer_not(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    require(is_integral(dtype), "not implemented for '", dtype_graph_name(dtype), "'");
    infer_same(arguments, outputs);
}
void not_kernel(Arguments arguments, IValue* results) {
    if (arguments[0].tensor_impl()->dtype == ScalarType::Bool)
        run_test(TestOp::LogicalNot, arguments, results);
    else
        run_unary(UnaryOp::BitwiseNot, arguments, results);
}
std::vector<Sample> shift_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : integer_binary_samples(random, dtype);
}

constexpr OperatorRecord bits(std::string_view schema, std::string_view summary, Kernel kernel,
                              std::string_view out_overload, SamplesFunction samples,
                              InferFunction infer = infer_bits) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer,
            .kernel = kernel,
            .samples = samples,
            .variants = kInPlace | kOut,
            .out = {.overload = out_overload}};
}

constexpr OperatorRecord kComparisons[] = {
    comparison("aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", "Whether self equals other, element by element.",
               infer_equal, compare<CompareOp::Eq>, binary_samples, "Tensor_out")
        .with_dtypes({kAnyDtype})
        .with_formula("self = other"),
    comparison("aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", "Whether self equals other, element by element.",
               infer_equal, compare<CompareOp::Eq>, scalar_samples, "Scalar_out")
        .with_dtypes({kAnyDtype}),
    comparison("aten::ne.Tensor(Tensor self, Tensor other) -> Tensor",
               "Whether self differs from other, element by element.", infer_equal, compare<CompareOp::Ne>,
               binary_samples, "Tensor_out")
        .with_dtypes({kAnyDtype})
        .with_formula("self != other"),
    comparison("aten::ne.Scalar(Tensor self, Scalar other) -> Tensor",
               "Whether self differs from other, element by element.", infer_equal, compare<CompareOp::Ne>,
               scalar_samples, "Scalar_out")
        .with_dtypes({kAnyDtype}),
    comparison("aten::lt.Tensor(Tensor self, Tensor other) -> Tensor",
               "Whether self is less than other, element by element.", infer_compare, compare<CompareOp::Lt>,
               real_binary_samples, "Tensor_out")
        .with_formula("self < other"),
    comparison("aten::lt.Scalar(Tensor self, Scalar other) -> Tensor",
               "Whether self is less than other, element by element.", infer_compare, compare<CompareOp::Lt>,
               real_scalar_samples, "Scalar_out"),
    comparison("aten::le.Tensor(Tensor self, Tensor other) -> Tensor",
               "Whether self is at most other, element by element.", infer_compare, compare<CompareOp::Le>,
               real_binary_samples, "Tensor_out")
        .with_formula("self <= other"),
    comparison("aten::le.Scalar(Tensor self, Scalar other) -> Tensor",
               "Whether self is at most other, element by element.", infer_compare, compare<CompareOp::Le>,
               real_scalar_samples, "Scalar_out"),
    comparison("aten::gt.Tensor(Tensor self, Tensor other) -> Tensor",
               "Whether self is greater than other, element by element.", infer_compare, compare<CompareOp::Gt>,
               real_binary_samples, "Tensor_out")
        .with_formula("self > other"),
    comparison("aten::gt.Scalar(Tensor self, Scalar other) -> Tensor",
               "Whether self is greater than other, element by element.", infer_compare, compare<CompareOp::Gt>,
               real_scalar_samples, "Scalar_out"),
    comparison("aten::ge.Tensor(Tensor self, Tensor other) -> Tensor",
               "Whether self is at least other, element by element.", infer_compare, compare<CompareOp::Ge>,
               real_binary_samples, "Tensor_out")
        .with_formula("self >= other"),
    comparison("aten::ge.Scalar(Tensor self, Scalar other) -> Tensor",
               "Whether self is at least other, element by element.", infer_compare, compare<CompareOp::Ge>,
               real_scalar_samples, "Scalar_out"),
    comparison("aten::logical_and(Tensor self, Tensor other) -> Tensor", "Are both nonzero?", infer_equal,
               compare<CompareOp::LogicalAnd>, binary_samples, "out")
        .with_formula("self != 0 and other != 0"),
    comparison("aten::logical_or(Tensor self, Tensor other) -> Tensor", "Is either nonzero?", infer_equal,
               compare<CompareOp::LogicalOr>, binary_samples, "out")
        .with_formula("self != 0 or other != 0"),
    comparison("aten::logical_xor(Tensor self, Tensor other) -> Tensor", "Is exactly one nonzero?", infer_equal,
               compare<CompareOp::LogicalXor>, binary_samples, "out")
        .with_formula("(self != 0) != (other != 0)"),
    alias("aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor", "The same as ne.", forward<"aten::ne.Tensor">)
        .with_out({.overload = "Tensor_out"}),
    alias("aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor", "The same as ne.", forward<"aten::ne.Scalar">)
        .with_out({.overload = "Scalar_out"}),
    alias("aten::less.Tensor(Tensor self, Tensor other) -> Tensor", "The same as lt.", forward<"aten::lt.Tensor">)
        .with_out({.overload = "Tensor_out"}),
    alias("aten::less.Scalar(Tensor self, Scalar other) -> Tensor", "The same as lt.", forward<"aten::lt.Scalar">)
        .with_out({.overload = "Scalar_out"}),
    alias("aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor", "The same as le.", forward<"aten::le.Tensor">)
        .with_out({.overload = "Tensor_out"}),
    alias("aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor", "The same as le.", forward<"aten::le.Scalar">)
        .with_out({.overload = "Scalar_out"}),
    alias("aten::greater.Tensor(Tensor self, Tensor other) -> Tensor", "The same as gt.", forward<"aten::gt.Tensor">)
        .with_out({.overload = "Tensor_out"}),
    alias("aten::greater.Scalar(Tensor self, Scalar other) -> Tensor", "The same as gt.", forward<"aten::gt.Scalar">)
        .with_out({.overload = "Scalar_out"}),
    alias("aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor", "The same as ge.",
          forward<"aten::ge.Tensor">)
        .with_out({.overload = "Tensor_out"}),
    alias("aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor", "The same as ge.",
          forward<"aten::ge.Scalar">)
        .with_out({.overload = "Scalar_out"}),
};

constexpr OperatorRecord kBits[] = {
    {.schema = "aten::bitwise_not(Tensor self) -> Tensor",
     .summary = "All bits turned; for bool, not.",
     .formula = "~x",
     .infer = infer_not,
     .kernel = FillingKernel{&not_kernel},
     .samples = integer_samples,
     .variants = kInPlace | kOut},
    bits("aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", "Bits set in both.",
         binary<BinaryOp::BitwiseAnd>, "Tensor_out", integer_binary_samples)
        .with_dtypes({kWithUnsigned})
        .with_formula("self & other"),
    bits("aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", "Bits set in both.",
         binary<BinaryOp::BitwiseAnd>, "Scalar_out", nullptr)
        .with_dtypes({kWithUnsigned}),
    bits("aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", "Bits set in either.",
         binary<BinaryOp::BitwiseOr>, "Tensor_out", integer_binary_samples)
        .with_dtypes({kWithUnsigned})
        .with_formula("self | other"),
    bits("aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", "Bits set in either.",
         binary<BinaryOp::BitwiseOr>, "Scalar_out", nullptr)
        .with_dtypes({kWithUnsigned}),
    bits("aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", "Bits set in exactly one.",
         binary<BinaryOp::BitwiseXor>, "Tensor_out", integer_binary_samples)
        .with_dtypes({kWithUnsigned})
        .with_formula("self xor other"),
    bits("aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", "Bits set in exactly one.",
         binary<BinaryOp::BitwiseXor>, "Scalar_out", nullptr)
        .with_dtypes({kWithUnsigned}),
    bits("aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", "self shifted left.",
         binary<BinaryOp::ShiftLeft>, "Tensor_out", shift_samples, infer_shift)
        .with_dtypes({.kernel = "lshift_cpu"})
        .with_formula("self 2^other"),
    bits("aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", "self shifted left.",
         binary<BinaryOp::ShiftLeft>, "Tensor_Scalar_out", nullptr, infer_shift)
        .with_dtypes({.kernel = "lshift_cpu"}),
    bits("aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
         "self shifted right, keeping the sign.", binary<BinaryOp::ShiftRight>, "Tensor_out", shift_samples,
         infer_shift)
        .with_dtypes({.kernel = "rshift_cpu"})
        .with_formula("floor(self / 2^other)"),
    bits("aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
         "self shifted right, keeping the sign.", binary<BinaryOp::ShiftRight>, "Tensor_Scalar_out", nullptr,
         infer_shift)
        .with_dtypes({.kernel = "rshift_cpu"}),
    alias("aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", "Python's &: bits set in both.",
          forward<"aten::bitwise_and.Tensor">)
        .with_formula("self & other"),
    alias("aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor", "Python's &: bits set in both.",
          forward<"aten::bitwise_and.Scalar">),
    alias("aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor", "Python's |: bits set in either.",
          forward<"aten::bitwise_or.Tensor">)
        .with_formula("self | other"),
    alias("aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor", "Python's |: bits set in either.",
          forward<"aten::bitwise_or.Scalar">),
    alias("aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor", "Python's ^: bits set in exactly one.",
          forward<"aten::bitwise_xor.Tensor">)
        .with_formula("self xor other"),
    alias("aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor", "Python's ^: bits set in exactly one.",
          forward<"aten::bitwise_xor.Scalar">),
    alias("aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", "Python's <<: self shifted left.",
          forward<"aten::bitwise_left_shift.Tensor">)
        .with_out({.overload = "Tensor_out"})
        .with_formula("self 2^other"),
    alias("aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", "Python's <<: self shifted left.",
          forward<"aten::bitwise_left_shift.Tensor_Scalar">)
        .with_out({.overload = "Scalar_out"}),
    alias("aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor",
          "Python's >>: self shifted right, keeping the sign.", forward<"aten::bitwise_right_shift.Tensor">)
        .with_out({.overload = "Tensor_out"})
        .with_formula("floor(self / 2^other)"),
    alias("aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor",
          "Python's >>: self shifted right, keeping the sign.", forward<"aten::bitwise_right_shift.Tensor_Scalar">)
        .with_out({.overload = "Scalar_out"}),
};

}  // namespace

std::span<const OperatorRecord> pointwise::comparison_records() { return kComparisons; }
std::span<const OperatorRecord> pointwise::bitwise_records() { return kBits; }

}  // namespace loupe
