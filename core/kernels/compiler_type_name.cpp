// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/compiler_type_name.h"

namespace loupe {

std::string_view compiler_type_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
            return "double";
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float16:
            return "c10::Half";
        case ScalarType::BFloat16:
            return "c10::BFloat16";
        case ScalarType::Complex64:
            return "c10::complex<float>";
        case ScalarType::Complex128:
            return "c10::complex<double>";
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
        default:
            return dtype_graph_name(dtype);
    }
}

}  // namespace loupe
