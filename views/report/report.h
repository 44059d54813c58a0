// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every panel as a picture and a page that holds them, without a display.

#include <QString>
#include <functional>

#include "core/base/file_sandbox.h"

namespace loupe::views {

struct ReportOptions {
    QString model;
    QString folder;
    bool backward = true;
    int width = 1400;
    int height = 800;
    int patience = 300;                // seconds for opening and running
    FilePermissions permissions = {};  // of a model source
};

// Opens the model, runs it with its inputs, writes DIR/index.html and DIR/<panel>.png. Needs a QApplication; any
// platform will do ("offscreen"). Returns the exit status: 0, or 1 with the reason passed to `say`.
int writeReport(const ReportOptions& options, const std::function<void(const QString&)>& say);

}  // namespace loupe::views
