// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/scalar.h"

namespace loupe {

ScalarType Scalar::dtype() const {
    switch (kind_) {
        case Kind::Bool:
            return ScalarType::Bool;
        case Kind::Int:
            return ScalarType::Int64;
        case Kind::Double:
            return ScalarType::Float64;
        case Kind::Complex:
            return ScalarType::Complex128;
    }
    __builtin_unreachable();
}

Scalar Scalar::operator-() const {
    switch (kind_) {
        case Kind::Bool:
        case Kind::Int:
            return {-integer_};
        case Kind::Double:
            return {-real_};
        case Kind::Complex:
            return {-to_complex()};
    }
    __builtin_unreachable();
}

}  // namespace loupe
