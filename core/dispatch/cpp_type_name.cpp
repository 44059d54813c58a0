// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/cpp_type_name.h"

namespace loupe {

std::string_view cpp_type_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float64:
            return "double";
        case ScalarType::Float16:
            return "c10::Half";
        case ScalarType::BFloat16:
            return "c10::BFloat16";
        case ScalarType::Int64:
            return "long int";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Int16:
            return "short int";
        case ScalarType::Int8:
            return "signed char";
        case ScalarType::UInt8:
            return "unsigned char";
        case ScalarType::Bool:
            return "bool";
        case ScalarType::Complex32:
            return "c10::complex<c10::Half>";
        case ScalarType::Complex64:
            return "c10::complex<float>";
        case ScalarType::Complex128:
            return "c10::complex<double>";
        case ScalarType::UInt16:
            return "short unsigned int";
        case ScalarType::UInt32:
            return "unsigned int";
        case ScalarType::UInt64:
            return "long unsigned int";
        case ScalarType::Float8E5M2:
            return "c10::Float8_e5m2";
        case ScalarType::Float8E4M3FN:
            return "c10::Float8_e4m3fn";
        case ScalarType::Float8E5M2FNUZ:
            return "c10::Float8_e5m2fnuz";
        case ScalarType::Float8E4M3FNUZ:
            return "c10::Float8_e4m3fnuz";
        case ScalarType::Float8E8M0FNU:
            return "c10::Float8_e8m0fnu";
    }
    return "";
}

}  // namespace loupe
