// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a report is of.

#include <QString>
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

}  // namespace loupe::views
