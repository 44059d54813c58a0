// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report_command.h"

#include <cstdio>

#include "core/base/error.h"
#include "views/common/theme.h"
#include "views/report/report.h"

namespace loupe::window {
namespace {

constexpr int kUsage = 2;

session::ReferenceSource sourceOf(const cli::CompareArguments& compared, const std::string& file,
                                  const std::string& build) {
    session::ReferenceSource source;
    source.kind = file.empty() ? session::ReferenceSource::Kind::Variant : session::ReferenceSource::Kind::File;
    source.file = file;
    source.build = build;
    source.pipeline = compared.pipeline.empty() ? compared.run.pipeline : compared.pipeline;
    if (source.pipeline == "none") source.pipeline.clear();
    source.device = compared.device;
    source.dtype = compared.dtype;
    source.weights = compared.run.weights;
    source.is_scripted = compared.run.scripted;
    return source;
}

views::ReportOptions optionsOf(const cli::ReportArguments& arguments) {
    const cli::CompareArguments& compared = arguments.compared;
    const cli::RunArguments& run = compared.run;
    views::ReportOptions options;
    options.model = QString::fromStdString(run.model);
    options.folder = QString::fromStdString(arguments.folder);
    const std::string build = cli::build_text(run.build, run.arguments);
    options.build = QString::fromStdString(build);
    options.weights = QString::fromStdString(run.weights);
    options.isScripted = run.scripted;
    options.method = run.method;
    options.given = {.inputs_file = run.inputs_file,
                     .inputs = run.input_specs,
                     .seed = run.seed,
                     .loss = run.loss,
                     .target = run.target,
                     .data = run.data};
    options.run.backward = !arguments.forward_only;
    options.run.pipeline = run.pipeline;
    options.run.compile_mode = run.compile_mode;
    options.run.device = run.device;
    options.run.threads = run.threads;
    options.run.seed = run.seed;
    if (!run.mode.empty()) options.run.training = run.mode == "train";
    options.permissions = run.permissions;
    for (const std::string& file : {run.inputs_file, run.weights}) {
        if (!file.empty()) options.permissions.read.emplace_back(file);
    }
    for (const std::string& other : compared.others) options.references.push_back(sourceOf(compared, other, build));
    if (options.references.empty() && arguments.has_reference())
        options.references.push_back(sourceOf(compared, {}, build));
    options.rtol = compared.rtol;
    options.atol = compared.atol;
    return options;
}

}  // namespace

ReportCommand::ReportCommand(int argc, char** argv) {
    CLI::App app(cli::kReportSentence, "tensorloupe report");
    cli::ReportArguments arguments;
    cli::add_report_options(app, arguments);
    try {
        app.parse(argc - 1, argv + 1);  // its own name is the first
        arguments_ = std::move(arguments);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            status_ = app.exit(error);
            return;
        }
        std::fprintf(stderr, "%s; see tensorloupe report --help\n", error.what());
        status_ = kUsage;
    }
}

int runReport(const cli::ReportArguments& arguments) {
    views::ReportOptions options;
    try {
        options = optionsOf(arguments);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kUsage;
    }
    using Mode = views::Theme::Mode;
    views::Theme::instance().setMode(arguments.theme == "dark" ? Mode::Dark : Mode::Light);
    return views::writeReport(
        options, [](const QString& line) { std::fprintf(stderr, "%s\n", line.toLocal8Bit().constData()); });
}

}  // namespace loupe::window
