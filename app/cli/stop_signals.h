// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ctrl-C and termination signals: the command stops at the next check, writes its results, and leaves no temporary
// file.

#include "core/base/cancel.h"

namespace loupe::cli {

// The first signal sets the flag of check_cancelled(). The program ends at once, without temporary files, on a second
// signal, or when it has not ended within some seconds.
void catch_stop_signals();
const CancelFlag& stop_flag();
// The received signal; 0: none.
int stop_signal();
// Disables the time limit of stopping; a second signal ends the program at once.
void allow_time_to_stop();
// "Ctrl-C", "SIGTERM".
const char* stop_signal_name();
// Ends the program by the signal that came, so that the caller sees that.
[[noreturn]] void end_by_stop_signal();

}  // namespace loupe::cli
