// SPDX-License-Identifier: Apache-2.0
#include "core/ops/rnn/family.h"

namespace loupe {

OperatorFamily rnn_family() {
    using namespace rnn;
    static const auto records = joined_records({LOUPE_RNN_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"rnn", records};
}

}  // namespace loupe
