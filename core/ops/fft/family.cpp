// SPDX-License-Identifier: Apache-2.0
#include "core/ops/fft/family.h"

#include <vector>

namespace loupe {

OperatorFamily fft_family() {
    static const auto records = [] {
        std::vector<const OperatorRecord*> all;
        for (const auto& file : {fft::primitive_records(), fft::transform_records(), fft::frequency_records(),
                                 fft::window_records(), fft::short_time_records()}) {
            for (const OperatorRecord& record : file) all.push_back(&record);
        }
        return all;
    }();
    return {"fft", records};
}

}  // namespace loupe
