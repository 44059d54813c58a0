// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/nn/module.h"
#include "core/record/gradient_row.h"
#include "core/record/recorder.h"

namespace loupe::session {

// A row a parameter, in the module's order. recorder: of the run that made the gradients; may be null.
std::vector<GradientRow> gradient_rows(nn::Module& module, const Recorder* recorder);
// The same of all that a program called, which may have set its gradients to zero since: the last that was recorded.
std::vector<GradientRow> gradient_rows_of_roots(const Recorder& recorder);

}  // namespace loupe::session
