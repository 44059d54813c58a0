// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs of many ranks on the command line: starting them, their output, their end.

#include <memory>
#include <string>

#include "app/cli/commands.h"

namespace loupe::cli {

// In a process that is one of several ranks, before it has threads: see session::guard_rank. Else nothing.
void guard_this_rank();

// Starts this command once a rank with mpirun, and waits: what the ranks print is passed on, and of one that dies a
// line says which, how, and what it did last; the others go on until they need it. Returns the command's status: that
// of the rank that failed first, 128 and the signal's number for one that was killed. Throws Error (Usage) where mpirun
// is not there.
int launch_ranks(const RunArguments& options, char** arguments);

// In a process that is one of several ranks: all but rank 0 put their number in front of their lines. Else nothing.
class RankOutput {
  public:
    RankOutput();
    ~RankOutput();
    RankOutput(const RankOutput&) = delete;
    RankOutput& operator=(const RankOutput&) = delete;

  private:
    class Stream;
    std::unique_ptr<Stream> out_, err_;
};

// "step.loupe" of rank 0, "step.rank1.loupe" of rank 1; as it is without other ranks.
std::string file_of_rank(const std::string& file);

// Joins the other ranks that a launcher started; before the process is confined. Nothing without a launcher.
void join_ranks();
// The program has ended, with an error or, where that is empty, well: the other ranks learn it.
void leave_ranks(const std::string& error);

// Does a source run as a program: it was asked for, there are several ranks, or it makes a process group.
bool runs_as_program(const RunArguments& options);
int run_program(const RunArguments& options);

}  // namespace loupe::cli
