// SPDX-License-Identifier: Apache-2.0
#include "core/ops/fft/family.h"

namespace loupe {

OperatorFamily fft_family() {
    using namespace fft;
    static const auto records = joined_records({LOUPE_FFT_RECORDS(LOUPE_TAKE_RECORDS)});
    return {"fft", records};
}

}  // namespace loupe
