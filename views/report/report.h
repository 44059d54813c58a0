// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every panel as a picture and a page that holds them, without a display.

#include <QString>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/record/run_options.h"
#include "core/session/queries/given_run.h"
#include "core/study/reference.h"

namespace loupe::views {

struct ReportOptions {
    QString model;
    QString folder;
    QString build;    // of a model source: the expression that makes the model
    QString weights;  // a checkpoint to load into it, strictly
    bool isScripted = false;
    std::string method;                          // empty: the model's default
    session::GivenRun given = {};                // inputs, and what backward starts from
    session::RunOptions run = forwardAndBack();  // without method, inputs and what backward starts from
    // What the run is compared with, in this order; panels show the difference from the first.
    std::vector<session::ReferenceSource> references = {};
    std::optional<double> rtol = {};  // not given: by the dtypes
    std::optional<double> atol = {};
    int width = 1400;
    int height = 800;
    int patience = 300;                // seconds for opening, running and timing, each
    FilePermissions permissions = {};  // of model sources

    static session::RunOptions forwardAndBack() {
        session::RunOptions options;
        options.backward = true;
        return options;
    }
};

// Opens the model, runs it with its inputs, writes DIR/index.html and DIR/<panel>.png. Needs a QApplication; any
// platform will do ("offscreen"). Returns the exit status: 0; 1 when a comparison came out beyond tolerance, or nothing
// could be compared; else nothing is written and a line with the reason is passed to `say`: 2 for wrong usage and
// missing files, 3 for files that cannot be read or written; 4 for a run that failed, which is shown as far as it came.
int writeReport(const ReportOptions& options, const std::function<void(const QString&)>& say);

}  // namespace loupe::views
