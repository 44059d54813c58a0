// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long a case may take: of the processor, since a busy machine is not the case's fault, and ten times as long where
// it only waits.

namespace loupe::fuzz {

// SIGALRM comes then. 0: no more.
void limit_case(unsigned seconds);

}  // namespace loupe::fuzz
