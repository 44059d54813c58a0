// SPDX-License-Identifier: Apache-2.0
// Views: other shapes, orders and parts of the same elements.

#include "core/ops/view/family.h"

namespace loupe {

OperatorFamily view_family() {
    using namespace views;
    static const auto records = joined_records({LOUPE_VIEW_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"view", records};
}

}  // namespace loupe
