// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options that commands share: of models, of runs, of comparisons, of reports.

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace loupe::cli {

// A finite number, 0 or above.
const CLI::Validator& tolerance_check();
// File permissions of a model source.
void add_permissions(CLI::App& command, FilePermissions& permissions);
// What makes the model of a source, whole or in part.
void add_build(CLI::App& command, std::string& build, std::vector<std::string>& arguments);
// --build and --arg as one text for Program::open. Throws Error (Usage) for an argument without "=".
std::string build_text(const std::string& build, const std::vector<std::string>& arguments);
void add_model_options(CLI::App& command, RunArguments& options);
void add_run_options(CLI::App& command, RunArguments& options);
// How the others are run, and what counts as a difference.
void add_comparison_options(CLI::App& command, CompareArguments& options);

struct ReportArguments {
    CompareArguments compared;  // without others, and ways to run them: of one model
    std::string folder = "report";
    std::string theme = "light";
    bool forward_only = false;

    // Something is compared.
    bool has_reference() const {
        return !compared.others.empty() || !compared.pipeline.empty() || !compared.device.empty() ||
               !compared.dtype.empty();
    }
};
inline constexpr const char* kReportSentence =
    "every panel as a picture and a page that holds them; with OTHER what differs stands on top of it";
void add_report_options(CLI::App& command, ReportArguments& options);

}  // namespace loupe::cli
