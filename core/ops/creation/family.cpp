// SPDX-License-Identifier: Apache-2.0
#include "core/ops/creation/family.h"

namespace loupe {

OperatorFamily creation_family() {
    using namespace creation;
    static const auto records = joined_records({LOUPE_CREATION_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"creation", records};
}

}  // namespace loupe
