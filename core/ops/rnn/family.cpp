// SPDX-License-Identifier: Apache-2.0
#include "core/ops/rnn/family.h"

#include <array>

namespace loupe {

OperatorFamily rnn_family() {
    static constexpr std::array kRecords{
        &kRnnLayer,          &kRnnLayerBackward, &kLstmCell,           &kGruCell,
        &kRnnTanhCell,       &kRnnReluCell,      &kLstmInput,          &kLstmData,
        &kGruInput,          &kGruData,          &kRnnTanhInput,       &kRnnTanhData,
        &kRnnReluInput,      &kRnnReluData,      &kPackPaddedSequence, &kPackPaddedSequenceBackward,
        &kPadPackedSequence,
    };
    return {"rnn", kRecords};
}

}  // namespace loupe
