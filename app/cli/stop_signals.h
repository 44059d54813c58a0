// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ctrl-C, and signals that ask the program to end: the command stops where it can, keeps what it was asked to keep, and
// leaves no temporary file.

#include "core/base/cancel.h"

namespace loupe::cli {

// The first signal raises the flag that check_cancelled() looks at. The program ends at once, without temporary files, by a
// second signal, or when it has not ended within some seconds.
void catch_stop_signals();
const CancelFlag& stop_flag();
// The signal that came; 0: none.
int stop_signal();
// From now on stopping may take its time; a second signal ends the program at once.
void allow_time_to_stop();
// "Ctrl-C", "SIGTERM".
const char* stop_signal_name();
// Ends the program by the signal that came, so that the caller sees that.
[[noreturn]] void end_by_stop_signal();

}  // namespace loupe::cli
