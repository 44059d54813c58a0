// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of files that must not outlive the program, also when a signal ends it.

#include <cstddef>
#include <string>

namespace loupe {

// A name in an open folder. The file is removed when this goes, or when remove_temporary_names() is called.
class TemporaryName {
  public:
    // The folder must stay open as long as this lives. Names beyond a fixed number at a time are not known to signals.
    TemporaryName(int folder, std::string name);
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;
    ~TemporaryName();

    const std::string& name() const { return name_; }
    // The file is no longer temporary, or has gone.
    void keep();

  private:
    int folder_;
    std::string name_;
    std::size_t slot_;
};

// Removes all of them. For signal handlers: makes system calls only.
void remove_temporary_names();

// Ending signals (hang-up, interrupt, quit, terminate) remove temporary names first. The program still ends by the signal.
// Signals that are ignored stay ignored.
void remove_temporary_names_on_signals();

}  // namespace loupe
