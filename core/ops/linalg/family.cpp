// SPDX-License-Identifier: Apache-2.0
// Linear algebra: factorisations, systems, eigenvalues, norms, through LAPACK.

#include "core/ops/linalg/family.h"

#include <vector>

namespace loupe {

OperatorFamily linalg_family() {
    static const std::vector<const OperatorRecord*> records = [] {
        using namespace linalg;
        std::vector<const OperatorRecord*> all;
        for (const auto list : {lu_records(), triangular_records(), solve_records(), determinant_records(),
                                cholesky_records(), ldl_records(), qr_records(), svd_records(), eigen_records(),
                                least_squares_records(), pseudo_inverse_records(), norm_records(), power_records(),
                                vector_records(), distance_records(), bilinear_records(), out_form_records()}) {
            for (const OperatorRecord& record : list) all.push_back(&record);
        }
        return all;
    }();
    return {"linalg", records};
}

}  // namespace loupe
