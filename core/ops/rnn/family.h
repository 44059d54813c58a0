// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family.

#include "core/dispatch/record.h"

namespace loupe {

extern const OperatorRecord kRnnLayer, kRnnLayerBackward;
extern const OperatorRecord kLstmCell, kGruCell, kRnnTanhCell, kRnnReluCell;
extern const OperatorRecord kLstmInput, kLstmData, kGruInput, kGruData, kRnnTanhInput, kRnnTanhData, kRnnReluInput,
    kRnnReluData;
extern const OperatorRecord kPackPaddedSequence, kPackPaddedSequenceBackward, kPadPackedSequence;

}  // namespace loupe
