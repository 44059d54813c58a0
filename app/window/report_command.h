// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// tensorloupe report: its command line, which is that of tensorloupe-cli report, and what it draws.

#include <optional>

#include "app/cli/options.h"

namespace loupe::window {

// What stands behind `report`, parsed without a display.
class ReportCommand {
  public:
    // Help and what is wrong are printed.
    ReportCommand(int argc, char** argv);

    // Nullopt: nothing is to be drawn, and this is the exit status.
    const std::optional<cli::ReportArguments>& arguments() const { return arguments_; }
    int status() const { return status_; }

  private:
    std::optional<cli::ReportArguments> arguments_;
    int status_ = 0;
};

// Needs a QApplication. Returns the exit status: see views::writeReport.
int runReport(const cli::ReportArguments& arguments);

}  // namespace loupe::window
