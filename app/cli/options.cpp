// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options.h"

#include <cstdio>

#include "app/cli/number_option.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/thread_limit.h"
#include "core/base/torch_release.h"
#include "core/session/catalogue.h"
#include "core/study/compile_mode.h"

namespace loupe::cli {
namespace {

// Of a text that is no number the option itself says so.
std::string refuse_tolerance(const std::string& text) {
    double number = 0;
    const std::string wrong = read_number(text, number);
    return wrong.empty() && number >= 0 ? std::string()
                                        : concat("a tolerance is a finite number, 0 or above, not ", text);
}

}  // namespace

void print_notice(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

const CLI::Validator& tolerance_check() {
    static const CLI::Validator kCheck(refuse_tolerance, "");
    return kCheck;
}

std::string build_text(const std::string& build, const std::vector<std::string>& arguments) {
    if (arguments.empty()) return build;
    for (const std::string& argument : arguments) {
        if (argument.find('=') == std::string::npos || argument.starts_with('='))
            throw Error(ErrorKind::Usage, concat("--arg ", argument, " has no value"), {.hint = "write it as depth=4"});
    }
    const std::string given = join(arguments, ", ");
    if (build.empty()) return concat("...(", given, ")");
    if (!build.ends_with(')')) return concat(build, "(..., ", given, ")");
    const std::string open = build.substr(0, build.size() - 1);
    return concat(open, open.ends_with('(') ? "" : ", ", given, ")");
}

void add_permissions(CLI::App& command, FilePermissions& permissions) {
    // What is written may be made only by the source.
    const auto refuse = [](const std::string& path) {
        return can_be_permitted(path) ? std::string() : concat("neither it nor its folder exists: ", path);
    };
    const CLI::Validator can_appear(refuse, "PATH");
    const auto add = [&](const char* option, std::vector<std::filesystem::path>& paths, const CLI::Validator& check,
                         const char* what) {
        command
            .add_option_function<std::vector<std::string>>(
                option, [&paths](const std::vector<std::string>& given) { paths.assign(given.begin(), given.end()); },
                what)
            ->check(check)
            ->allow_extra_args(false);
    };
    add("--allow-read", permissions.read, CLI::ExistingPath,
        "a folder or file that a model source may read besides its own folder; repeat for others");
    add("--allow-write", permissions.write, can_appear,
        "a folder or file that a model source may write besides a fresh folder of its own; repeat for others");
}

void add_build(CLI::App& command, std::string& build, std::vector<std::string>& arguments) {
    command.add_option("--build,--model", build,
                       "of a model source: what makes the model, as in 'Net(10, width=64)'; a class alone: its "
                       "arguments are guessed");
    command
        .add_option("--arg", arguments,
                    "of a model source: an argument of the class, name=value; repeat for others; the rest are guessed")
        ->allow_extra_args(false);
    command
        .add_option_function<std::string>(
            "--torch", [](const std::string& release) { set_torch_release(*torch_release_named(release)); },
            "whose first values and printed forms are given where releases differ: 2.15 (default) or 1.13")
        ->check(CLI::IsMember({"1.13", "2.15"}));
}

void add_model_options(CLI::App& command, RunArguments& options) {
    add_permissions(command, options.permissions);
    command.add_option("MODEL", options.model, "the model file")->required();
    command.add_option("--inputs", options.inputs_file, "inputs: .npz (arg0, arg1, ...), .npy, .pt, .png, .jpg");
    command
        .add_option("--input", options.input_specs,
                    "instead, one for each input: 2x3x224x224, 8x16:int64, 1x8:float32:zeros")
        ->allow_extra_args(false);
    command.add_option("--method", options.method, "default forward");
    command.add_option("--weights", options.weights, "a checkpoint to load into the model, strictly");
    add_build(command, options.build, options.arguments);
    command.add_flag("--script", options.scripted,
                     "of a model source: compile it as torch.jit.script does, instead of tracing it");
    add_seed(command, options.seed, "of random inputs and operators");
    command.add_option("--mode", options.mode, "eval or train; default as the file says")
        ->check(CLI::IsMember({"eval", "train"}));
}

void add_run_options(CLI::App& command, RunArguments& options) {
    add_model_options(command, options);
    command.add_option("--device", options.device, "cpu or cuda[:N]");
    add_number(command, "--threads", options.threads, "default all cores")->check(CLI::Range(0, loupe::most_threads()));
    command.add_option("--pipeline", options.pipeline,
                       "passes to run on the graph first: " + loupe::join(loupe::session::list_pipelines(), ", "));
    command
        .add_option("--compile-mode", options.compile_mode,
                    "how hard to compile: " + loupe::join(loupe::session::compile_modes(), ", "))
        ->check(CLI::IsMember(loupe::session::compile_modes()));
    auto* backward = command.add_flag("--backward", options.backward, "also run backward");
    auto* loss = command.add_option(
        "--loss", options.loss,
        "what backward starts from: sum (default; of a source with a loss: own), mean, own, cross_entropy, mse, "
        "\"CrossEntropyLoss(label_smoothing=0.1)\", ..., \"out0[0,3]\", cotangents:FILE.npz");
    auto* target =
        command.add_option("--target", options.target,
                           "of the loss: a value as Python writes it, FILE.npy, FILE.npz:KEY, or labels of the data");
    command.add_option("--data", options.data, "whose first labels --target labels takes: a file or folder of samples")
        ->needs(target);
    for (auto* option : {loss, target}) {
        option->each([&options](const std::string&) { options.backward = true; });
    }
    static_cast<void>(backward);
}

void add_comparison_options(CLI::App& command, CompareArguments& options) {
    const auto tolerance = [&](const char* name, std::optional<double>& to, const char* what) {
        command
            .add_option_function<std::string>(
                name, [&to](const std::string& text) { to = std::stod(text); }, what)
            ->check(tolerance_check());
    };
    tolerance("--rtol", options.rtol, "relative tolerance; default by the dtype, as torch.testing.assert_close");
    tolerance("--atol", options.atol, "absolute tolerance; default likewise");
    command.add_option("--with-pipeline", options.pipeline,
                       "passes on the graphs of the others; without OTHER the model itself is run again with them");
    command.add_option("--with-device", options.device, "likewise, the device of the others");
    command.add_option("--with-dtype", options.dtype, "likewise, the dtype of the others: bfloat16, float16, float64");
}

void add_report_options(CLI::App& command, ReportArguments& options) {
    CompareArguments& compared = options.compared;
    add_run_options(command, compared.run);
    command.get_option("--backward")->description("as it is unless --forward is given");
    command.add_option("OTHER", compared.others,
                       "what it is compared with, as compare takes it: a model, a recording (.loupe), arrays (.npz)");
    command.add_option("-o,--output", options.folder, "the folder to write; default report");
    command.add_flag("--forward", options.forward_only, "run forward only")
        ->excludes("--backward", "--loss", "--target");
    add_comparison_options(command, compared);
    command.add_option("--theme", options.theme, "of the pictures: light (default) or dark")
        ->check(CLI::IsMember({"light", "dark"}));
}

}  // namespace loupe::cli
