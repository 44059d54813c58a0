// SPDX-License-Identifier: Apache-2.0
#include "core/ops/pointwise/pointwise.h"

#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/tensor/scalar_range.h"

namespace loupe::pointwise {
namespace {

Tensor self_of(Arguments arguments) { return arguments[0].to_tensor(); }

ScalarType promoted(Arguments arguments) { return result_type(arguments[0], arguments[1]); }

bool is_zero_dimensional_of_other_type(const IValue& v, ScalarType common) {
    return v.is_tensor() && v.tensor_impl()->sizes.empty() && v.tensor_impl()->dtype != common;
}

// Bitwise operations on bools.
std::optional<CompareOp> logic_of_bits(BinaryOp op) {
    switch (op) {
        case BinaryOp::BitwiseAnd:
            return CompareOp::LogicalAnd;
        case BinaryOp::BitwiseOr:
            return CompareOp::LogicalOr;
        case BinaryOp::BitwiseXor:
            return CompareOp::LogicalXor;
        default:
            return std::nullopt;
    }
}

bool compares(BinaryOp op) {
    return op == BinaryOp::Maximum || op == BinaryOp::Minimum || op == BinaryOp::Fmax || op == BinaryOp::Fmin;
}

// Steps that threads are worth sooner for.
int cost_of(UnaryOp op) { return op >= UnaryOp::Exp ? 8 : 1; }

// The least and the greatest number of an integral dtype.
std::pair<double, double> integer_range(ScalarType dtype) {
    std::pair<double, double> out;
    visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>)
            out = {static_cast<double>(std::numeric_limits<T>::lowest()),
                   static_cast<double>(std::numeric_limits<T>::max())};
    });
    return out;
}

}  // namespace

void refuse_complex(ScalarType dtype) {
    require(!is_complex(dtype), "not implemented for '", dtype_graph_name(dtype), "'");
}

void require_clamp_range(const IValue& low, const IValue& high, ScalarType dtype) {
    if ((low.is_none() || low.is_tensor()) && (high.is_none() || high.is_tensor())) return;
    require(dtype != ScalarType::Bool, "\"",
            high.is_none()  ? "clamp_min"
            : low.is_none() ? "clamp_max"
                            : "clamp",
            "_scalar_cpu\" not implemented for 'Bool'");
    for (const IValue* bound : {&low, &high}) {
        if (bound->is_none() || bound->is_tensor()) continue;
        const Scalar value = bound->to_scalar();
        if (!is_integral(dtype)) {
            require_fits(value, dtype);
            continue;
        }
        const auto [least, most] = integer_range(dtype);
        const bool is_minimum = bound == &low;
        const double number = value.to_double();
        std::array<char, 32> shown{};
        std::snprintf(shown.data(), shown.size(), "%g", number);
        require(is_minimum ? number <= most : number >= least, "Clamp ", is_minimum ? "min" : "max", " value ",
                shown.data(), " is outside the representable range of ", dtype_graph_name(dtype));
    }
}

void infer_same(Arguments arguments, MetaList& outputs) { outputs.push_back(same_meta(self_of(arguments))); }

void infer_float(Arguments arguments, MetaList& outputs) {
    const Tensor self = self_of(arguments);
    outputs.push_back(same_meta(self, floating_type(self.dtype())));
}

void infer_bool(Arguments arguments, MetaList& outputs) {
    outputs.push_back(same_meta(self_of(arguments), ScalarType::Bool));
}

void infer_same_real(Arguments arguments, MetaList& outputs) {
    refuse_complex(self_of(arguments).dtype());
    infer_same(arguments, outputs);
}

void infer_same_floating(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = self_of(arguments).dtype();
    require(is_floating(dtype), "not implemented for '", dtype_graph_name(dtype), "'");
    infer_same(arguments, outputs);
}

void infer_float_real(Arguments arguments, MetaList& outputs) {
    refuse_complex(self_of(arguments).dtype());
    infer_float(arguments, outputs);
}

void infer_binary(Arguments arguments, MetaList& outputs) {
    outputs.push_back(elementwise_meta(arguments.first(2), promoted(arguments)));
}

void infer_binary_float(Arguments arguments, MetaList& outputs) {
    outputs.push_back(elementwise_meta(arguments.first(2), floating_type(promoted(arguments))));
}

void infer_binary_real(Arguments arguments, MetaList& outputs) {
    refuse_complex(promoted(arguments));
    infer_binary(arguments, outputs);
}

void infer_equal(Arguments arguments, MetaList& outputs) {
    outputs.push_back(elementwise_meta(arguments.first(2), ScalarType::Bool));
}

void infer_compare(Arguments arguments, MetaList& outputs) {
    refuse_complex(promoted(arguments));
    infer_equal(arguments, outputs);
}

void run(ElementwiseKernel kernel, const Tensor& out, ScalarType out_as, std::span<const IValue> inputs,
         ScalarType common, ScalarType as, const Scalar* params, int cost) {
    require(kernel != nullptr, "not implemented for '", dtype_graph_name(common), "'");
    std::array<LoopOperand, kMaxOperands> operands;
    std::array<std::optional<LoopNumber>, kMaxOperands> numbers;
    operands[0] = LoopOperand(out, out_as);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const IValue& v = inputs[i];
        const bool narrows = is_integral(common) && is_zero_dimensional_of_other_type(v, common);
        if (v.is_tensor() && !narrows) {
            operands[i + 1] = LoopOperand(*v.tensor_impl(), as);
            continue;
        }
        Scalar value = v.is_tensor() ? item(v.to_tensor()) : v.to_scalar();
        if (is_integral(common)) value = item(scalar_tensor(value, common));
        numbers[i].emplace(value, as);
        operands[i + 1] = LoopOperand(numbers[i]->data(), as);
    }
    run_elementwise(kernel, params, {operands.data(), inputs.size() + 1}, 1, cost);
}

void run_unary(UnaryOp op, Arguments arguments, IValue* results, const Scalar* params) {
    const Tensor out = results[0].to_tensor();
    const ScalarType as = compute_type(out.dtype());
    const bool rounds = op >= UnaryOp::Floor && op <= UnaryOp::Trunc;
    if (rounds && as == ScalarType::Int64) {
        if (!out.is_same(self_of(arguments))) copy_into(out, self_of(arguments));
        return;
    }
    run(unary_kernel(op, as), out, as, arguments.first(1), out.dtype(), as, params, cost_of(op));
}

void run_test(TestOp op, Arguments arguments, IValue* results) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    if (op == TestOp::SignBit && has_dtype(kUnsignedDtypes, dtype)) return fill_with(results[0].to_tensor(), false);
    const ScalarType as = op == TestOp::LogicalNot && dtype == ScalarType::Bool ? dtype : compute_type(dtype);
    run(test_kernel(op, as), results[0].to_tensor(), ScalarType::Bool, arguments.first(1), dtype, as);
}

void run_activation(ActivationOp op, std::size_t inputs, Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    if (op == ActivationOp::Relu && is_unsigned(out.dtype())) {
        if (!out.is_same(self_of(arguments))) copy_into(out, self_of(arguments));
        return;
    }
    const ScalarType as = compute_type(out.dtype());
    std::array<Scalar, 4> params;
    std::size_t count = 0;
    for (const IValue& v : arguments.subspan(inputs)) {
        if (v.is_number() && count < params.size()) params[count++] = v.to_scalar();
    }
    run(activation_kernel(op, as), out, as, arguments.first(inputs), out.dtype(), as, params.data(), 4);
}

void run_binary(BinaryOp op, Arguments arguments, IValue* results, const Scalar* params) {
    const Tensor out = results[0].to_tensor();
    if (const auto logic = logic_of_bits(op); logic && out.dtype() == ScalarType::Bool) {
        return run(compare_kernel(*logic, ScalarType::Bool), out, ScalarType::Bool, arguments.first(2),
                   ScalarType::Bool, ScalarType::Bool);
    }
    const ScalarType as = compares(op) ? ordered_compute_type(out.dtype()) : compute_type(out.dtype());
    run(binary_kernel(op, as), out, as, arguments.first(2), out.dtype(), as, params);
}

void run_compare(CompareOp op, Arguments arguments, IValue* results) {
    const ScalarType common = promoted(arguments);
    const ScalarType as = op >= CompareOp::LogicalAnd && common == ScalarType::Bool ? common : compute_type(common);
    std::array<IValue, 2> both{arguments[0], arguments[1]};
    if (common == ScalarType::Float16 || common == ScalarType::BFloat16 || is_float8(common)) {
        // A number is rounded to the narrow type before comparing.
        for (IValue& v : both) {
            if (v.is_tensor() && !is_zero_dimensional_of_other_type(v, common)) continue;
            v = item(scalar_tensor(v.is_tensor() ? item(v.to_tensor()) : v.to_scalar(), common));
        }
    }
    run(compare_kernel(op, as), results[0].to_tensor(), ScalarType::Bool, both, common, as);
}

}  // namespace loupe::pointwise
