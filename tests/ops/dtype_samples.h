// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of an operator in any dtype, and those at the edge.

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/ops/random/random.h"
#include "tests/ops/layouts.h"

namespace loupe {

inline constexpr ScalarType kAllDtypes[] = {ScalarType::Float32,  ScalarType::Float64,   ScalarType::Float16,
                                            ScalarType::BFloat16, ScalarType::Int64,     ScalarType::Int32,
                                            ScalarType::Int16,    ScalarType::Int8,      ScalarType::UInt8,
                                            ScalarType::Bool,     ScalarType::Complex64, ScalarType::Complex128};
// Those that few operators take. Those of floats of eight bits but one have the kernels of float8_e4m3fn.
inline constexpr ScalarType kRareDtypes[] = {ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64,
                                             ScalarType::Float8E4M3FN, ScalarType::Float8E8M0FNU};

inline bool is_swept(const Operator& op) {
    return op.variant == OperatorVariant::Functional && op.record->samples != nullptr && !op.record->is_random;
}

// The record's first sample of float32 with every float32 tensor in the dtype; empty when it has none.
inline std::vector<IValue> sample_in(const Operator& op, ScalarType dtype) {
    const auto in_dtype = [dtype](const Tensor& t) {
        return t.dtype() == ScalarType::Float32 ? fn::to_dtype(t, static_cast<std::int64_t>(dtype)) : t;
    };
    try {
        Random random;
        const auto samples = op.record->samples(random, ScalarType::Float32);
        if (samples.empty()) return {};
        std::vector<IValue> arguments = samples[0].arguments;
        for (IValue& argument : arguments) {
            if (argument.is_tensor()) {
                argument = in_dtype(argument.to_tensor());
            } else if (argument.is_list()) {
                auto list = make_ptr<ListObject>(argument.to_list().element_type, argument.to_list().elements);
                for (IValue& element : list->elements) {
                    if (element.is_tensor()) element = in_dtype(element.to_tensor());
                }
                argument = std::move(list);
            }
        }
        return arguments;
    } catch (const Error&) {
        return {};
    }
}

// The calls that the record's first sample of float32 leads to: a size gone from all tensors, or all dimensions.
struct EdgeCall {
    std::string name;
    std::vector<IValue> arguments;
};
inline std::vector<EdgeCall> edge_calls(const Operator& op) {
    const std::vector<IValue> arguments = sample_in(op, ScalarType::Float32);
    std::vector<EdgeCall> calls;
    for (sweep::EmptyCall& empty_call : sweep::emptied(arguments)) {
        calls.push_back({"0 for " + std::to_string(empty_call.size), std::move(empty_call.arguments)});
    }
    if (!sweep::tensors_in(arguments).empty())
        calls.push_back({"no dimensions", sweep::changed(arguments, sweep::first_element)});
    return calls;
}

}  // namespace loupe
