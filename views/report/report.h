// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every panel as a picture and a page that holds them, without a display.

#include <QString>
#include <functional>

#include "views/report/report_options.h"

namespace loupe::views {

// Opens the model, runs it with its inputs, writes DIR/index.html and DIR/<panel>.png. Needs a QApplication; any
// platform will do ("offscreen"). Returns the exit status: 0; 1 when a comparison came out beyond tolerance, or nothing
// could be compared; else nothing is written and a line with the reason is passed to `say`: 2 for wrong usage and
// missing files, 3 for files that cannot be read or written; 4 for a run that failed, which is shown as far as it came.
int writeReport(const ReportOptions& options, const std::function<void(const QString&)>& say);

}  // namespace loupe::views
