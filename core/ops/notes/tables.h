// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of notes, one per file of this folder.

#include <span>

#include "core/ops/notes.h"

namespace loupe::notes {

std::span<const OperatorNote> pointwise_notes();
std::span<const OperatorNote> activation_notes();
std::span<const OperatorNote> reduction_notes();
std::span<const OperatorNote> matrix_notes();
std::span<const OperatorNote> nn_notes();
std::span<const OperatorNote> loss_notes();
std::span<const OperatorNote> layout_notes();
std::span<const OperatorNote> special_notes();

}  // namespace loupe::notes
