// SPDX-License-Identifier: Apache-2.0
// Linear algebra: factorisations, systems, eigenvalues, norms, through LAPACK.

#include "core/ops/linalg/family.h"

namespace loupe {

OperatorFamily linalg_family() {
    using namespace linalg;
    static const auto records = joined_records({LOUPE_LINALG_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"linalg", records};
}

}  // namespace loupe
