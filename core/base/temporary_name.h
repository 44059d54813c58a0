// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of files that must not outlive the program, also when a signal ends it.

#include <cstddef>
#include <string>

namespace loupe {

// A name in an open folder. The destructor, or remove_temporary_names(), removes the file.
class TemporaryName {
  public:
    // The folder must stay open meanwhile. Signal handlers know a fixed number of names at a time.
    TemporaryName(int folder, std::string name);
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;
    ~TemporaryName();

    const std::string& name() const { return name_; }
    // The file is no longer temporary, or no longer exists.
    void keep();

  private:
    int folder_;
    std::string name_;
    std::size_t slot_;
};

// Removes all of them. For signal handlers: makes system calls only.
void remove_temporary_names();

// Ending signals (hang-up, interrupt, quit, terminate) remove temporary names first. The program still ends by the
// signal. Signals that are ignored stay ignored.
void remove_temporary_names_on_signals();

}  // namespace loupe
