// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/cli/options.h"
#include "app/cli/text_inputs.h"
#include "core/base/cache_folder.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/model/inputs.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/record/given_run.h"
#include "core/study/compile_mode.h"

namespace loupe::cli {
namespace {

namespace fs = std::filesystem;

// Of the source's example_inputs, or of samples beside it.
bool stands_in_file(const session::InputSpec& spec) {
    return spec.source == session::InputSpec::Source::Example || spec.source == session::InputSpec::Source::File;
}

std::string input_text(const session::InputSpec& spec) {
    if (spec.elements.empty())
        return concat(input_spec_text(spec), !spec.literal && spec.source == session::InputSpec::Source::Random
                                                 ? concat(" below ", spec.high)
                                                 : "");
    std::vector<std::string> parts;
    for (const session::InputSpec& each : spec.elements) parts.push_back(input_text(each));
    return concat("(", join(parts, ", "), ")");
}

// "x = 1x3x64x64:float32:normal, step = 1:int64:random below 10"
std::string inputs_text(const std::vector<session::InputSpec>& specs, const FunctionSchema& schema) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < specs.size(); ++i)
        parts.push_back(concat(i + 1 < schema.arguments.size() ? concat(schema.arguments[i + 1].name, " = ") : "",
                               input_text(specs[i])));
    return join(parts, ", ");
}

session::GivenRun given_run(const RunArguments& options) {
    return {.inputs_file = options.inputs_file,
            .inputs = options.input_specs,
            .seed = options.seed,
            .loss = options.loss,
            .target = options.target,
            .data = options.data};
}

std::vector<session::InputSpec> specs_of(const RunArguments& options, const session::Program& program,
                                         const FunctionSchema& schema) {
    const session::GivenRun given = given_run(options);
    if (given.has_inputs()) return session::given_inputs(given, schema, *program.info());
    std::vector<std::string> notes;
    std::vector<session::InputSpec> own =
        program.default_inputs(options.method.empty() ? program.default_method() : options.method, &notes);
    for (const std::string& note : notes) options.notice(note);
    if (program.is_eager() && !own.empty() && std::none_of(own.begin(), own.end(), stands_in_file))
        options.notice(concat("inputs: ", inputs_text(own, schema), ": guessed; --input or --inputs changes them"));
    return own;
}

// A model source is traced.
bool needs_graph(const RunArguments& options) {
    const bool is_plain = options.pipeline.empty() || options.pipeline == "none";
    return !is_plain || !options.compile_mode.empty() || options.stats || !options.trace_file.empty() ||
           !options.record_file.empty();
}

}  // namespace

void confine_source(const std::string& model, const FilePermissions& permissions,
                    const std::vector<std::string>& written) {
    if (fs::path(model).extension() != ".py") return;
    // Drivers of devices start with what they may not have afterwards.
    plugins();
    std::error_code failed;
    std::vector<fs::path> writable{"/dev", fs::temp_directory_path(failed)};
    for (const fs::path& path : permissions.write) writable.push_back(nearest_folder(path));
    for (const std::string& path : written) {
        if (!path.empty()) writable.push_back(nearest_folder(path));
    }
    if (const fs::path cache = cache_folder(); !cache.empty()) writable.push_back(nearest_folder(cache));
    restrict_writes(writable);
}

std::shared_ptr<session::Program> open_program(const RunArguments& options) {
    plugins();  // their kernels are tried first
    if (!options.device.starts_with("cpu")) {
        const DeviceType type = parse_device(options.device).type;
        for (const PluginStatus& plugin : plugins()) {
            if (!plugin.loaded && plugin.name == device_type_name(type))
                throw Error(ErrorKind::Run, concat(options.device, ": ", plugin.reason));
        }
        allocator_for(type);
    }
    set_thread_count(options.threads);
    seed_generators(options.seed);
    std::vector<std::string> written = options.written;
    written.insert(written.end(), {options.outputs_file, options.trace_file, options.record_file});
    confine_source(options.model, options.permissions, written);
    FilePermissions permissions = options.permissions;
    for (const std::string& file : {options.inputs_file, options.weights, options.expected_file}) {
        if (!file.empty()) permissions.read.emplace_back(file);
    }
    const std::string build = build_text(options.build, options.arguments);
    auto program = session::Program::open_or_run(options.model, options.weights, build, permissions);
    if (program && !program->info()->guessed_from.empty())
        options.notice(concat("built as ", program->info()->built_as, ": guessed (", program->info()->guessed_from,
                              "); --arg name=value or --build changes it"));
    if (program && options.scripted) program->script();
    if (program && !options.mode.empty()) program->module().train(options.mode == "train");
    return program;
}

void trace_program(session::Program& program, const RunArguments& options) {
    if (!program.is_eager()) return;
    program.trace_with(program.make_arguments(specs_of(options, program, program.schema("forward")), "forward"));
    if (program.trace() == nullptr) return;
    for (const runtime::TraceWarning& warning : program.trace()->warnings) {
        const std::string place = warning.range.short_text();
        options.notice(concat(place, place.empty() ? "" : ": ", "TracerWarning: ", warning.text));
    }
}

std::vector<IValue> given_arguments(const session::Program& program, const RunArguments& options,
                                    const std::string& method) {
    if (options.inputs_file.empty() && options.input_specs.empty()) return {};
    return program.make_arguments(specs_of(options, program, program.schema(method)), method);
}

std::vector<session::InputSpec> inputs_beside_text(const session::TextModel& model, const RunArguments& options) {
    if (options.inputs_file.empty() && options.input_specs.empty()) return {};
    if (!model.hears()) throw Error(ErrorKind::Usage, "give --text, or --inputs and --input, not both");
    return specs_of(options, model.program(), model.schema());
}

std::vector<IValue> run_inputs(const session::Program& program, const RunArguments& options,
                               const std::string& method) {
    return program.make_arguments(specs_of(options, program, program.schema(method)), method);
}

namespace {

// Prints a line for each part of the graph that the mode leaves to the interpreter.
void compile(PreparedRun& run, const RunArguments& options, const std::string& method) {
    const session::CompileOptions how{session::parse_compile_mode(options.compile_mode), options.pipeline,
                                      options.backward, method};
    const auto arguments = [&] { return run.program->make_arguments(run.options.inputs, method); };
    session::CompiledMethod compiled =
        session::compile_method(how, *run.program->method(method).graph(), run.program->script_module(), arguments);
    if (!compiled.complaint.empty()) options.notice(compiled.complaint);
    options.notice(
        concat(options.compile_mode, ": ", compiled.kernels.str(), "; eager: ", compiled.kernels_before.str()));
    for (const session::GraphBreak& found : compiled.breaks) options.notice(concat("graph break: ", found.line()));
    run.options.pipeline = compiled.pipeline;
    run.method = std::make_unique<session::PreparedMethod>(run.program, method, std::move(compiled.graph));
    // Where nobody looks at its operators, as in bench.
    if (how.mode != session::CompileMode::Default && !run.program->device().is_cpu()) run.method->capture_work();
}

}  // namespace

PreparedRun prepare_run(const RunArguments& options) {
    PreparedRun run;
    run.notice = options.notice;
    run.program = open_program(options);
    if (!run.program) return run;
    const std::string method = options.method.empty() ? run.program->default_method() : options.method;
    run.options.method = method;
    if (options.text) {
        run.text_model = std::make_shared<const session::TextModel>(run.program, options.model);
        run.tokens = run.text_model->encode(*options.text);
        run.options.inputs = run.text_model->input_specs(run.tokens, inputs_beside_text(*run.text_model, options));
    } else {
        run.options.inputs = specs_of(options, *run.program, run.program->schema(method));
    }
    run.options.backward = options.backward;
    if (options.backward) run.options.backward_from = session::given_backward(given_run(options));
    run.options.pipeline = options.pipeline;
    if (!options.mode.empty()) run.options.training = options.mode == "train";
    run.options.threads = options.threads;
    run.options.seed = options.seed;
    run.options.device = options.device;
    run.options.opens_operators = options.parts;
    seed_generators(options.seed);  // opening a model source drew numbers
    run.program->to(parse_device(options.device));
    run.arguments = run.program->make_arguments(run.options.inputs, method);
    if (needs_graph(options)) run.program->trace_with(run.arguments);
    if (options.compile_mode.empty())
        run.method = std::make_unique<session::PreparedMethod>(run.program, method, options.pipeline);
    else
        compile(run, options, method);
    if (options.backward)
        run.backward = std::make_unique<session::BackwardSource>(run.options.backward_from, *run.method, options.seed);
    return run;
}

PreparedRun prepare_model(const RunArguments& options) {
    PreparedRun run = prepare_run(options);
    if (run.program) return run;
    throw Error(
        ErrorKind::File, "holds no model",
        {.file = options.model,
         .hint =
             "give the model the name `model`, or define one class derived from nn.Module that needs no arguments"});
}

}  // namespace loupe::cli
