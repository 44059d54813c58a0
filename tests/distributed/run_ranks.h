// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs on several ranks, over MPI or over Gloo.

#include "tests/cli/run_program.h"

// "mpi": mpirun starts them, by tensorloupe-cli run --ranks. "gloo": with the variables that torchrun sets.
bool has_backend(const QString& over);
// arguments: behind "run". Output of ranks but 0 begins with "[rank 1] ", as the launcher writes it; errors are of all.
// The status is that of the first rank that failed.
Outcome run_ranks(const QString& over, int ranks, const QStringList& arguments, int milliseconds = 240'000);
// As torchrun does for one rank; it is started and not awaited.
void start_rank(QProcess& process, int rank, int ranks, int port, const QStringList& arguments);
int free_port();
// Lines of rank 0, then of rank 1, ...
QStringList by_rank(const QString& out, int ranks);
