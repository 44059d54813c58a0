// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// From here on this process and what it starts have no network, run no other program, and neither trace nor signal
// another process: the kernel refuses it (seccomp), whatever the files that it opens make it do. Cannot be undone. To
// be called before there is a second thread. False, without effect, where the kernel cannot.
bool forbid_calls();

}  // namespace loupe
