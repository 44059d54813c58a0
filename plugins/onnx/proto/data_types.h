// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX's element types, and the dtypes that hold their values here.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe::onnx {

struct DataType {
    std::int32_t number;    // TensorProto.DataType
    std::string_view name;  // "float8e4m3fn", as ONNX spells it in type texts
    std::int32_t bits;      // of one element in raw data
    ScalarType held;        // a wider one where the engine lacks the type
    bool is_exact = true;   // false: `held` is wider

    // ONNX computes with unsigned integers, PyTorch's operators hardly do: in wider ones, whose results wrap.
    ScalarType computed() const {
        if (held == ScalarType::UInt16) return ScalarType::Int32;
        return has_dtype(kUnsignedDtypes, held) ? ScalarType::Int64 : held;
    }
};

// All but strings.
std::span<const DataType> data_types();
// Null for strings, for UNDEFINED, and for numbers of newer formats.
const DataType* find_data_type(std::int32_t number);
// "tensor(string)" and unknown numbers have names too, for messages.
std::string data_type_name(std::int32_t number);
// TensorProto.DataType of a dtype. Throws Error (Unsupported) for complex32, which ONNX lacks.
std::int32_t data_type_of(ScalarType dtype);

// The values of floats of eight and four bits, from their bits: "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
// "float8e5m2fnuz", "float8e8m0", "float4e2m1".
float small_float(const DataType& type, std::uint32_t bits);
// The nearest value that the type has, ties to even. Out of its range: the largest finite one with `saturates`,
// otherwise infinity, or NaN where it has none.
float rounded_to_small_float(const DataType& type, float value, bool saturates);
// The bits of a value that the type has.
std::uint32_t small_float_bits(const DataType& type, float value);

}  // namespace loupe::onnx
