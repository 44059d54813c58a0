// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "app/cli/attach.h"
#include "app/cli/commands.h"
#include "app/cli/manual.h"
#include "app/cli/number_option.h"
#include "app/cli/options.h"
#include "app/cli/plain_output.h"
#include "app/cli/ranks.h"
#include "app/cli/report.h"
#include "app/cli/stop_signals.h"
#include "core/base/build_facts.h"
#include "core/base/cancel.h"
#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/share_cores.h"
#include "core/base/strings.h"
#include "core/base/thread_limit.h"
#include "core/base/torch_release.h"
#include "core/model/convert.h"
#include "core/model/error_text.h"
#include "core/session/session.h"
#include "core/study/compile_mode.h"

namespace {

using namespace loupe;
using namespace loupe::cli;

constexpr int kUsage = 2;
constexpr int kFile = 3;
constexpr int kRun = 4;

int status_of(const Error& error) {
    switch (error.kind()) {
        case ErrorKind::Usage:
            return kUsage;
        case ErrorKind::File:
        case ErrorKind::Unsupported:
        case ErrorKind::Compile:
            return kFile;
        default:
            return kRun;
    }
}

void add_train_options(CLI::App& command, RunArguments& model, TrainArguments& options) {
    loupe::session::TrainOptions& how = options.how;
    command.add_option("MODEL", model.model, "the model file")->required();
    command.add_option("--device", model.device, "cpu or cuda[:N]");
    command.add_option("--weights", model.weights, "a checkpoint to begin with");
    add_build(command, model.build, model.arguments);
    add_permissions(command, model.permissions);
    command.add_option("--data", how.data.path, "a file or folder of samples (see data); without it, data is made up");
    command.add_option("--source", how.data.source, "which source reads it; default by its name");
    command.add_option("--data-option", options.data_options, "NAME=VALUE, an option of the source; may be repeated");
    add_number(command, "--workers", how.workers, "threads that load ahead")->check(CLI::Range(0, 64));
    command.add_flag("--skip-damaged", how.skip_damaged, "leave out samples that cannot be read");
    command.add_option("--input-name", how.data.options["input"], "the array of inputs");
    command.add_option("--target-name", how.data.options["target"], "the array of targets");
    add_numbers(command, "--shape", how.data.shape, "of one made-up example: --shape 1 8 8");
    add_number(command, "--classes", how.data.classes, "of made-up data; 0: numbers");
    how.loss.clear();
    command.add_option(
        "--loss", how.loss,
        "as Python calls it: \"CrossEntropyLoss(label_smoothing=0.1)\"; own: the source's function loss or "
        "training_step, or what the model gives; default own where the source has one, else "
        "CrossEntropyLoss()");
    command.add_option("--optimizer", how.optimizer, "\"SGD(0.1, momentum=0.9)\"");
    command.add_option("--schedule", how.schedule, "\"StepLR(2, gamma=0.5)\"");
    command.add_flag("--schedule-steps", how.schedule_every_step, "the schedule counts steps, not epochs");
    add_number(command, "--epochs", how.epochs, "default 5")->check(CLI::NonNegativeNumber);
    add_number(command, "--steps", how.max_steps, "end after as many")->check(CLI::NonNegativeNumber);
    add_number(command, "--batch", how.batch_size, "default 32");
    command.add_flag("!--no-shuffle", how.shuffle, "examples in their own order");
    command.add_flag("--drop-last", how.drop_last, "leave out a batch that is not full");
    add_number(command, "--held-out", how.held_out, "part of the examples that is kept to measure on, 0 to 0.9")
        ->check(CLI::Range(0.0, 0.9));
    add_number(command, "--clip", how.clip_norm, "greatest norm of all gradients together");
    command.add_option("--autocast", how.autocast,
                       "forward and loss under torch.autocast: bfloat16, or float16 with a GradScaler");
    command.add_flag("!--keep-going", how.stop_at_nan, "also when the loss is NaN or Inf");
    add_number(command, "--threads", model.threads, "default all cores")->check(CLI::Range(0, loupe::most_threads()));
    add_seed(command, model.seed, "of order, dropout and made-up data");
    command.add_option("--csv", options.csv_file, "write a row a step");
    command.add_option("--save", options.save_file, "write the weights: .pt, .pth, .safetensors, .npz");
    command.add_option("--checkpoint", options.checkpoint_file,
                       "after every epoch write model, optimizer, scheduler, epoch and random numbers: .pt");
    command.add_option("--resume", how.resume,
                       "go on with the training of a checkpoint; give the other options as they were");
}

// Flushes output: a full disk is detected only then.
int end_output(int status) {
    const bool has_failed = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) == 0 && !has_failed) return status;
    std::fprintf(stderr, "standard output: cannot write: %s\n",
                 errno != 0 ? std::strerror(errno) : "is the disk full?");
    return status == 0 ? kFile : status;
}

// A command each. Its options live as long as its callback.

void add_info(CLI::App& app, int& status) {
    const auto model = std::make_shared<std::string>();
    const auto build = std::make_shared<std::string>();
    const auto permissions = std::make_shared<FilePermissions>();
    auto* info = app.add_subcommand("info", "module tree, parameters, buffers, methods, sizes, what file it is");
    info->add_option("MODEL", *model, "the model file")->required();
    const auto arguments = std::make_shared<std::vector<std::string>>();
    add_build(*info, *build, *arguments);
    add_permissions(*info, *permissions);
    info->callback([model, build, arguments, permissions, &status] {
        status = run_info(*model, build_text(*build, *arguments), *permissions);
    });
}

void add_run(CLI::App& app, char** arguments, int& status) {
    const auto options = std::make_shared<RunArguments>();
    auto* run = app.add_subcommand("run", "run forward, and backward if asked");
    add_run_options(*run, *options);
    auto* outputs = run->add_option("--outputs", options->outputs_file, "write results and gradients to this .npz");
    run->add_flag("--grad-norms", options->grad_norms,
                  "run backward, and write a parameter's gradient as its norm alone")
        ->needs(outputs);
    run->add_option("--trace", options->trace_file, "write the events as a Chrome trace");
    auto* record = run->add_option("--record", options->record_file,
                                   "write the whole recording, to open later in the window (.loupe)");
    run->add_flag("--no-values", options->no_values, "with --record: events and statistics, without the elements")
        ->needs(record);
    run->add_option("--text", options->text,
                    "of a Hugging Face folder or a GGUF file, instead of inputs: a text for its tokenizer");
    run->add_flag("--stats", options->stats, "print a row an event");
    run->add_option("--change", options->changes,
                    "VALUE[slice]=FORMULA: the run goes on with the formula of x in its place; may be repeated")
        ->allow_extra_args(false);
    run->add_flag("--parts", options->parts,
                  "with --stats, --record or --trace: also what runs inside operators that are made of others");
    add_number(*run, "--ranks", options->ranks, "start the program on that many processes, each one rank")
        ->check(CLI::Range(1, 1024));
    run->add_flag("--program", options->as_program,
                  "run a source whole as Python does, with its `if __name__ == \"__main__\":`");
    run->callback([options, arguments, &status] {
        options->backward |= options->grad_norms;
        status = options->ranks > 0 ? launch_ranks(*options, arguments) : run_run(*options);
    });
}

void add_generate(CLI::App& app, int& status) {
    const auto options = std::make_shared<GenerateArguments>();
    RunArguments& model = options->run;
    auto* generate = app.add_subcommand("generate", "continue a text token by token with the model of a folder");
    generate->add_option("MODEL", model.model, "the Hugging Face folder or a file in it, or the GGUF file")->required();
    generate->add_option("--text", model.text, "what to continue")->required();
    generate->add_option("--inputs", model.inputs_file, "of a model that hears: what, as for run; default its example");
    generate->add_option("--input", model.input_specs, "instead, one for each input, as for run")
        ->allow_extra_args(false);
    const auto integer = [&](const char* name, std::optional<std::int64_t>& to, const char* what) {
        generate->add_option(name, to, what);
    };
    const auto number = [&](const char* name, std::optional<double>& to, const char* what) {
        generate->add_option(name, to, what);
    };
    integer("--max-tokens", options->max_tokens, "end after as many; default as generation_config.json says, else 64");
    auto* greedy = generate->add_flag("--greedy", options->greedy, "the likeliest token each time");
    number("--temperature", options->temperature, "divides the logits before a token is drawn");
    integer("--top-k", options->top_k, "only the K likeliest; 0: all");
    number("--top-p", options->top_p, "only the likeliest that together have this probability");
    number("--min-p", options->min_p, "only those with this part of the likeliest's probability");
    number("--repetition-penalty", options->repetition_penalty, "of tokens that the text has already");
    integer("--no-repeat-ngram", options->no_repeat_ngram, "so many tokens in a row come once only");
    integer("--num-beams", options->beams, "the likeliest text among so many that are followed together");
    number("--length-penalty", options->length_penalty, "scores of beams are divided by their length to this power");
    generate->add_flag("--early-stopping", options->early_stopping, "end when as many texts have ended as beams are");
    for (const char* name : {"--temperature", "--top-k", "--top-p", "--min-p"}) greedy->excludes(name);
    for (const char* name : {"--temperature", "--top-k", "--top-p", "--min-p"})
        generate->get_option("--num-beams")->excludes(name);
    add_seed(*generate, model.seed, "of the tokens that are drawn");
    generate->add_flag("--tokens", options->tokens, "print a row a token, with its probability");
    generate->add_option("--device", model.device, "cpu or cuda[:N]");
    add_number(*generate, "--threads", model.threads, "default all cores")->check(CLI::Range(0, loupe::most_threads()));
    generate->callback([options, &status] { status = run_generate(*options); });
}

void add_tokens(CLI::App& app, int& status) {
    const auto options = std::make_shared<TokensArguments>();
    RunArguments& model = options->run;
    auto* tokens = app.add_subcommand("tokens", "what a model makes of each token of a text");
    tokens->add_option("MODEL", model.model, "the Hugging Face folder or a file in it, or the GGUF file")->required();
    tokens->add_option("--text", model.text, "the text")->required();
    add_number(*tokens, "--top", options->top, "likely tokens a row")->check(CLI::Range(0, 1000));
    auto* saliency = tokens->add_flag("--saliency", options->saliency,
                                      "a row a token: what it adds to the logit of the token that follows");
    const auto integer = [&](const char* name, std::optional<std::int64_t>& to, const char* what) {
        tokens->add_option(name, to, what)->needs(saliency);
    };
    integer("--at", options->at, "the place of the logit, negative from the end; default -1");
    integer("--token", options->token, "the token of the logit; default the likeliest");
    auto* attention = tokens->add_flag("--attention", options->attention, "the attentions of the run, a row each");
    attention->excludes(saliency);
    tokens->add_option("--site", options->site, "the weights of a head, a row a token: SITE:HEAD; SITE: their mean")
        ->needs(attention);
    tokens->add_option("--outputs", options->outputs_file, "an .npz of all weights: heads, queries, keys")
        ->needs(attention);
    add_seed(*tokens, model.seed, "of the run");
    tokens->add_option("--device", model.device, "cpu or cuda[:N]");
    add_number(*tokens, "--threads", model.threads, "default all cores")->check(CLI::Range(0, loupe::most_threads()));
    tokens->callback([options, &status] { status = run_tokens(*options); });
}

void add_study(CLI::App& app, int& status) {
    const auto options = std::make_shared<StudyArguments>();
    auto* study = app.add_subcommand("study", "a study of a model: saliency, integrated gradients, and others");
    study->add_option("NAME", options->name, "which one; list: those there are, and whether they fit the model")
        ->required();
    add_model_options(*study, options->run);
    study->add_option("--text", options->run.text,
                      "of a Hugging Face folder or a GGUF file, instead of inputs: a text for its tokenizer");
    study->add_option("--option", options->options, "NAME=VALUE, repeated; list says which there are")
        ->allow_extra_args(false);
    study->add_option("--outputs", options->outputs_file, "write the numbers to this .npz");
    study->add_option("--picture", options->picture_file, "write the map, or the tiles, to this .png");
    add_number(*study, "--top", options->top, "words of a cell, default 1")->check(CLI::Range(1, 10));
    study->add_option("--device", options->run.device, "cpu or cuda[:N]");
    add_number(*study, "--threads", options->run.threads, "default all cores")
        ->check(CLI::Range(0, loupe::most_threads()));
    study->callback([options, &status] { status = run_study(*options); });
}

void add_check(CLI::App& app, int& status) {
    const auto options = std::make_shared<RunArguments>();
    auto* check = app.add_subcommand("check", "run and compare, one line a tensor");
    add_run_options(*check, *options);
    check->add_option("--expected", options->expected_file, "the .npz to compare with")->required();
    add_number(*check, "--rtol", options->rtol, "relative tolerance")->check(tolerance_check());
    add_number(*check, "--atol", options->atol, "absolute tolerance")->check(tolerance_check());
    check->callback([options, &status] { status = run_check(*options); });
}

void add_explain(CLI::App& app, int& status) {
    const auto options = std::make_shared<ExplainArguments>();
    auto* explain = app.add_subcommand("explain", "where a number of a run comes from, with the share of each element");
    add_run_options(*explain, options->run);
    explain->add_flag("--parts", options->run.parts, "record what composed operators are made of");
    explain
        ->add_option("--value", options->element,
                     "the element: out0[0,3], layer1.0.conv1.out[0,3,5,5], fc.weight.grad[3,0], %x.3[0]")
        ->required();
    add_number(*explain, "--depth", options->depth, "steps back, default 1")->check(CLI::Range(1, 64));
    add_number(*explain, "--most", options->most, "elements listed and followed at each step, default 3")
        ->check(CLI::Range(1, 32));
    auto* to = explain->add_option("--to", options->to, "inputs: all the way back")->check(CLI::IsMember({"inputs"}));
    explain->add_flag("--reach", options->reach, "forward instead: what depends on the element")->excludes(to);
    explain->callback([options, &status] { status = run_explain(*options); });
}

void add_compare(CLI::App& app, int& status) {
    const auto options = std::make_shared<CompareArguments>();
    auto* compare = app.add_subcommand(
        "compare", "models or recordings on the same inputs: where they first diverge, then a line a module");
    add_run_options(*compare, options->run);
    compare->add_option("OTHER", options->others,
                        "what it is compared with: models, recordings (.loupe), arrays by name of modules (.npz)");
    add_comparison_options(*compare, *options);
    compare->add_flag("--json", options->run.json, "print one JSON object; of several others an array");
    compare->callback([options, &status] { status = run_compare(*options); });
}

void add_report(CLI::App& app, char** arguments, int& status) {
    const auto options = std::make_shared<ReportArguments>();
    auto* report = app.add_subcommand("report", kReportSentence);
    add_report_options(*report, *options);
    report->callback([options, arguments, &status] { status = run_report(*options, arguments); });
}

void add_bench(CLI::App& app, int& status) {
    const auto options = std::make_shared<RunArguments>();
    auto* bench = app.add_subcommand("bench", "time forward, backward, or a train step");
    add_run_options(*bench, *options);
    add_number(*bench, "--warmup", options->warmup, "runs before the clock starts");
    add_number(*bench, "--repeat", options->repeat, "runs that are timed");
    bench->add_flag("--json", options->json, "print one JSON object");
    bench->add_flag("--stats", options->stats, "record every event with statistics while running");
    bench->add_flag("--operators", options->operators,
                    "print a row an operator: the median of its warm times, and the quartiles");
    bench->callback([options, &status] { status = run_bench(*options); });
}

void add_train(CLI::App& app, int& status) {
    const auto trained = std::make_shared<RunArguments>();
    const auto train_options = std::make_shared<TrainArguments>();
    auto* train = app.add_subcommand("train", "train the model on data: one line an epoch");
    add_train_options(*train, *trained, *train_options);
    train->callback([trained, train_options, &status] { status = run_train(*trained, *train_options); });
}

void add_ir(CLI::App& app, int& status) {
    const auto options = std::make_shared<IrArguments>();
    auto* ir = app.add_subcommand("ir", "print a method's graph, after passes if asked");
    add_model_options(*ir, options->run);
    ir->add_option("--passes", options->passes, "names with commas between");
    ir->add_option("--pipeline", options->run.pipeline, "a named pipeline");
    ir->add_flag("--after-each", options->after_each, "print after each pass that changed the graph");
    ir->add_option("-o", options->output_folder, "write a file a graph into this folder");
    ir->callback([options, &status] { status = run_ir(*options); });
}

void add_bisect(CLI::App& app, int& status) {
    const auto options = std::make_shared<BisectArguments>();
    auto* bisect = app.add_subcommand("bisect", "which pass of a pipeline changed the result: outputs and gradients");
    add_model_options(*bisect, options->run);
    bisect->add_option("--passes", options->passes, "names with commas between");
    bisect->add_option("--pipeline", options->run.pipeline, "a named pipeline");
    add_number(*bisect, "--rtol", options->run.rtol, "relative to the largest element of the tensor")
        ->check(tolerance_check());
    add_number(*bisect, "--atol", options->run.atol, "absolute tolerance")->check(tolerance_check());
    bisect->add_flag("--outputs-only", options->outputs_only, "do not compare gradients");
    bisect->add_option("-o", options->output_folder, "write the graph before and after that pass into this folder");
    bisect->callback([options, &status] { status = run_bisect(*options); });
}

void add_kernels(CLI::App& app, int& status) {
    const auto options = std::make_shared<KernelArguments>();
    options->run.pipeline = "inference";
    auto* kernels = app.add_subcommand("kernels", "what a pipeline fuses: groups, their kernels and times");
    add_model_options(*kernels, options->run);
    kernels->add_option("--device", options->run.device, "cpu or cuda[:N]");
    kernels->add_option("--pipeline", options->run.pipeline, "a named pipeline; default: inference");
    kernels->add_flag("--backward", options->run.backward, "also the groups of the backward pass");
    kernels->add_option("--fuser", options->fuser, "one alone: llvm, portable, cuda");
    kernels->add_flag("--code", options->with_code, "print each kernel's code: source or IR, and assembly");
    kernels->add_flag("--no-times", options->no_times, "do not time the groups");
    kernels->callback([options, &status] { status = run_kernels(*options); });
}

void add_trace(CLI::App& app, int& status) {
    const auto traced = std::make_shared<RunArguments>();
    auto* trace = app.add_subcommand(
        "trace", "trace a model source: what the trace does not have of it, and where it differs on other inputs");
    add_model_options(*trace, *traced);
    trace->callback([traced, &status] { status = run_trace_check(*traced); });
}

void add_data(CLI::App& app, int& status) {
    const auto options = std::make_shared<DataArguments>();
    auto* data = app.add_subcommand("data", "data sources; with PATH what it holds, with --batch how fast it comes");
    data->add_option("PATH", options->path, "a file or folder of data");
    data->add_option("--source", options->source, "what it is; default by its name and contents");
    data->add_option("--option", options->options, "NAME=VALUE, repeated; without PATH they are listed")
        ->allow_extra_args(false);
    add_number(*data, "--batch", options->batch, "load all of it once in batches of that many")
        ->check(CLI::PositiveNumber);
    data->add_flag("--shuffle", options->shuffle, "in a random order");
    add_number(*data, "--workers", options->workers, "threads that load; default none of their own")
        ->check(CLI::Range(0, 256));
    add_seed(*data, options->seed, "of the order and of random changes");
    data->add_flag("--skip-damaged", options->skip_damaged, "leave damaged records out instead of stopping");
    data->callback([options, &status] { status = run_data(*options); });
}

void add_plan(CLI::App& app, int& status) {
    const auto options = std::make_shared<PlanArguments>();
    options->run.pipeline = "inference";
    auto* plan =
        app.add_subcommand("plan", "how a method runs as a planned program: memory, and where its graph breaks");
    add_model_options(*plan, options->run);
    plan->add_option("--pipeline", options->run.pipeline, "passes to run on the graph first; default inference");
    add_number(*plan, "--threads", options->run.threads, "default all cores")
        ->check(CLI::Range(0, loupe::most_threads()));
    plan->add_flag("--buffers", options->buffers, "print a line a buffer");
    plan->add_flag("--json", options->run.json, "print one JSON object");
    plan->add_option("--ranks", options->ranks,
                     "instead: messages and bytes of a training step on so many ranks: 8,64,1024");
    plan->callback([options, &status] {
        status = options->ranks.empty() ? run_plan(*options) : run_plan_ranks(options->run, options->ranks);
    });
}

void add_ranks(CLI::App& app, int& status) {
    const auto options = std::make_shared<RanksArguments>();
    auto* ranks = app.add_subcommand(
        "ranks", "recordings of the ranks of one run: who waited, what does not match, where values first differ");
    ranks
        ->add_option("RECORDING", options->files,
                     "R.loupe: and R.rank1.loupe, ... beside it; or all of them by their names")
        ->required();
    ranks->add_flag("--alone", options->alone, "only the recordings that are named");
    ranks->add_flag("--all", options->all, "a row for every collective");
    ranks->add_flag("--json", options->json, "print one JSON object");
    ranks->callback([options, &status] { status = run_ranks(*options); });
}

void add_convert(CLI::App& app, int& status) {
    const auto converted = std::make_shared<std::string>();
    const auto shard_size = std::make_shared<std::string>();
    const auto options = std::make_shared<RunArguments>();
    auto* convert = app.add_subcommand("convert", "write a model or weights as OUT's extension says");
    // Asked for when help is: plugins write some of them.
    convert->footer([] { return "Extensions: " + loupe::join(loupe::session::convert_extensions(), ", "); });
    add_model_options(*convert, *options);
    convert->add_option("OUT", *converted, "the file to write")->required();
    convert->add_option("--pipeline", options->pipeline,
                        "passes to run on the graph that is written: a pipeline, or names with commas between");
    convert
        ->add_option("--dynamic", options->dynamic,
                     "of .pt2 and .onnx: a size that may differ from the example's, arg0:0=batch; repeat for each")
        ->allow_extra_args(false);
    convert->add_option("--opset", options->opset, "of .onnx: the version of ONNX's operators, 11 to 20 (default 20)");
    convert->add_option("--shard-size", *shard_size,
                        "of .safetensors: the most bytes of one file, as 5GB; the others and an index lie beside it");
    convert->callback(
        [converted, shard_size, options, &status] { status = run_convert(*options, *converted, *shard_size); });
}

void add_attach(CLI::App& app, int& status) {
    const auto options = std::make_shared<AttachArguments>();
    auto* attach = app.add_subcommand(
        "attach", "the training of a PyTorch program that calls tensorloupe.watch(), a row a step as it comes");
    attach->add_option("NAME", options->name,
                       "its name in --list, its process's number, or a .watch file; default the only one");
    auto* list = attach->add_flag("--list", options->list, "the programs that can be attached to");
    auto* stdio =
        attach->add_flag("--stdio", options->stdio,
                         "hand its rows through as they are, and orders back: ssh HOST tensorloupe-cli attach --stdio");
    stdio->excludes(list);
    attach->add_flag("--record", options->record, "the program records its next step whole, as a .loupe file beside it")
        ->excludes(stdio);
    add_number(*attach, "--every", options->every, "from now on it measures every so many steps")
        ->check(CLI::PositiveNumber)
        ->excludes(stdio);
    attach->callback([options, &status] { status = run_attach(*options); });
}

void add_passes(CLI::App& app, int& status) {
    auto* passes = app.add_subcommand("passes", "every pass: name, one line of what it does");
    passes->callback([&status] { status = run_passes(); });
}

void add_ops(CLI::App& app, int& status) {
    const auto options = std::make_shared<OpsOptions>();
    auto* ops = app.add_subcommand("ops", "every operator schema known");
    ops->add_option("TEXT", options->filter, "only those with this in the schema or the sentence");
    ops->add_option("--missing", options->missing_in, "only those that this model needs and the engine lacks");
    ops->add_flag("--json", options->json, "print one JSON array: with all that is known of each");
    ops->add_option("--pages", options->pages,
                    "write the operator reference into this folder: a page of Markdown a family");
    add_permissions(*ops, options->permissions);
    ops->callback([options, &status] { status = run_ops(*options); });
}

void add_plugins(CLI::App& app, int& status) {
    const auto options = std::make_shared<PluginsArguments>();
    auto* plugins = app.add_subcommand("plugins", "the plugins: which are loaded, and why others are not");
    plugins->add_flag("--json", options->json, "print one JSON array");
    plugins->require_subcommand(0, 1);
    const auto add = [&](const char* name, const char* what, const char* argument, PluginsArguments::Act act) {
        auto* command = plugins->add_subcommand(name, what);
        command->add_option(argument, options->of)->required();
        command->callback([options, act] { options->act = act; });
    };
    add("install", "copy a shared library to the user's plugins, after a trial", "FILE",
        PluginsArguments::Act::Install);
    add("remove", "delete one that was installed", "NAME", PluginsArguments::Act::Remove);
    add("disable", "load it no more", "NAME", PluginsArguments::Act::Disable);
    add("enable", "load it again", "NAME", PluginsArguments::Act::Enable);
    plugins->callback([options, &status] { status = run_plugins(*options); });
}

int report(const Error& error) {
    std::fflush(stdout);
    leave_ranks(error.what());
    if (error.kind() == ErrorKind::Cancelled && stop_signal() != 0) {
        std::fprintf(
            stderr, "%s\n",
            error.message() == "stopped" ? concat("stopped by ", stop_signal_name()).c_str() : error.message().c_str());
        end_by_stop_signal();
    }
    // One line for programs; a terminal also gets the source lines, underlined.
    const std::string details = isatty(STDERR_FILENO) != 0 ? session::details_of(error) : std::string();
    if (details.empty())
        std::fprintf(stderr, "%s\n", error.what());
    else
        std::fprintf(stderr, "%s\n\n%s\n", session::headline_of(error).c_str(), details.c_str());
    return status_of(error);
}

// A first word that is no command is said as such, not that one is missing.
bool is_unknown_command(const CLI::App& app, const std::string& word) {
    if (word.empty() || word.starts_with('-')) return false;
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    return std::ranges::none_of(all, [&](const CLI::App* each) { return each->get_name() == word; });
}

int run(int argc, char** argv) {
    CLI::App app("The engine of Tensorloupe, without a window.", "tensorloupe-cli");
    app.require_subcommand(1);
    app.set_version_flag("-v,--version", build_facts("tensorloupe-cli"));
    int status = 0;
    for (auto* add : {add_info,  add_generate, add_tokens, add_check,  add_compare, add_explain, add_study,
                      add_bench, add_train,    add_ir,     add_bisect, add_trace,   add_data,    add_plan,
                      add_ranks, add_convert,  add_attach, add_passes, add_ops,     add_plugins, add_kernels})
        add(app, status);
    add_run(app, argv, status);
    add_report(app, argv, status);
    std::string manual;
    app.add_subcommand("manual", "print the manual page, or what a shell completes")
        ->group("")
        ->add_option("KIND", manual)
        ->required()
        ->check(CLI::IsMember(manual_kinds()));
    if (argc > 1 && is_unknown_command(app, argv[1])) {
        std::fprintf(stderr, "there is no command '%s'; see tensorloupe-cli --help\n", argv[1]);
        return kUsage;
    }
    try {
        const CancelScope stops(&stop_flag());
        const RankOutput output;
        app.parse(argc, argv);
        if (!manual.empty()) std::fputs(manual_of(app, manual).c_str(), stdout);
    } catch (const CLI::ParseError& error) {
        const int code = error.get_exit_code();
        if (code == 0) return app.exit(error);
        std::fprintf(stderr, "%s; see tensorloupe-cli --help\n", error.what());
        return kUsage;
    } catch (const Error& error) {
        return report(error);
    } catch (const std::bad_alloc&) {
        std::fputs("out of memory\n", stderr);
        return kRun;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kRun;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    loupe::share_cores(argv);
    loupe::cli::guard_this_rank();
    loupe::allow_deep_stack();
    loupe::cli::keep_output_plain();
    catch_stop_signals();
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails, and is reported as others are
    return end_output(run(argc, argv));
}
