// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trainings of PyTorch programs that call tensorloupe.watch().

#include <string>

namespace loupe::cli {

struct AttachArguments {
    std::string name;     // of a program that is watched, or a .watch file; empty: the only one
    bool list = false;    // those there are
    bool stdio = false;   // rows to standard output, orders from standard input
    bool record = false;  // the program records its next step whole
    long long every = 0;  // steps between two that are measured; 0: as it is
};
// Steps as they come, until the program ends.
int run_attach(const AttachArguments& options);

// The training in a .watch file. False: it is none.
bool print_watched(const std::string& path);

}  // namespace loupe::cli
