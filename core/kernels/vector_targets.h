// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// LOUPE_VECTOR_TARGET in the environment (SCALAR, AVX2, AVX3): kernels built with Highway take no better instructions
// than these, as on an older processor. Throws Error (Usage) for another name. Called before the first kernel runs.
void limit_vector_targets();

}  // namespace loupe
