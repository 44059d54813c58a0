// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_driver.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/model/inputs.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/record/gradients.h"
#include "core/record/recording_json.h"
#include "core/record/run_phases.h"
#include "core/session/verdict_entry.h"

namespace loupe::session {

// A recording that was opened makes way for the model that it is of.
RunOptions RunDriver::take_inputs(const RunOptions& given) {
    if (model_.file() != nullptr) {
        const std::vector<InputSpec> recorded = settings_.inputs();
        model_.use(model_.program_or_recorded());
        if (!recorded.empty()) settings_.set_inputs(recorded);
    }
    if (!model_.program()) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open a file first"});
    RunOptions options = given;
    if (options.inputs.empty())
        options.inputs = settings_.inputs();
    else
        settings_.set_inputs(options.inputs);
    for (const InputSpec& input : options.inputs) {
        if (!input.file.empty()) model_.program()->permit_reading(input.file);
    }
    return options;
}

void RunDriver::begin(const RunOptions& options) {
    recorder_.forget();
    publisher_.set_recording(nullptr);
    publisher_.change_status([this](Status& status) {
        status = Status{};
        training_.note_in(status);
        status.state = RunState::Running;
    });
    recorder_.begin_control(options.pause_at_start);
    set_thread_count(options.threads);
    seed_generators(options.seed);
    nn::Module& module = model_.program()->module();
    if (options.training) module.train(*options.training);
    module.zero_grad();
    model_.program()->to(parse_device(options.device));
}

// The options' pipeline is afterwards the one that was run.
std::shared_ptr<PreparedMethod> RunDriver::prepare(RunOptions& options) {
    if (options.compile_mode.empty())
        return std::make_shared<PreparedMethod>(model_.program(), options.method, options.pipeline);
    publisher_.change_status(
        [&](Status& status) { status.progress = engine::said("compiling, %1", options.compile_mode); });
    CompiledProgram compiled =
        model_.compile({options.compile_mode, options.method, options.pipeline, options.backward, false, false});
    seed_generators(options.seed);  // measuring drew numbers
    if (!compiled.report.complaint.empty()) publisher_.log(Publisher::Level::Warning, compiled.report.complaint);
    for (const GraphBreak& found : compiled.report.breaks) {
        publisher_.log({.level = Publisher::Level::Info,
                        .text = engine::said("graph break: %1", found.line()),
                        .scope = found.scope,
                        .source = found.source});
    }
    options.pipeline = compiled.report.pipeline;
    publisher_.change_status([](Status& status) { status.progress.clear(); });
    return std::make_shared<PreparedMethod>(model_.program(), options.method, std::move(compiled.graph));
}

// The graph that runs is the one that is shown: after a pipeline the graph that it left, else the model's own.
void RunDriver::show_graph(const PreparedMethod& method, const std::string& pipeline) {
    const bool is_plain = pipeline.empty() || pipeline == "none";
    const auto before = publisher_.model();
    std::shared_ptr<const ModelInfo> wanted = model_.program()->info();
    if (!is_plain) {
        auto graph = std::make_shared<GraphModel>(*method.build_graph().model);
        graph->pipeline = pipeline;
        const bool is_shown =
            before->graph && before->graph->pipeline == pipeline && before->graph->text == graph->text;
        if (is_shown) return;
        auto info = std::make_shared<ModelInfo>(*wanted);
        info->graph = std::move(graph);
        wanted = std::move(info);
    }
    if (wanted != before) model_.show(wanted);
}

void RunDriver::run(const RunOptions& given, RepeatedRun repeated) {
    RunOptions options = take_inputs(given);
    ShownRun& shown = recorder_.shown();
    if (repeated.recording == nullptr && repeats_restored(options)) repeated.recording = shown.restored->recording();
    begin(options);
    shown.arguments = model_.program()->make_arguments(options.inputs, options.method);
    if (model_.program()->trace_with(shown.arguments)) model_.show_trace();
    shown.method = prepare(options);
    show_graph(*shown.method, options.pipeline);
    if (options.backward) {
        require_input_gradients(shown.arguments);
        shown.backward_source = std::make_unique<BackwardSource>(options.backward_from, *shown.method, options.seed);
    }
    execute(options, std::move(repeated), {});
    conclude_run(options);
}

void RunDriver::run_given(const RunOptions& options, GivenRun given, const std::function<void()>& after) {
    begin(options);
    ShownRun& shown = recorder_.shown();
    shown.arguments = given.arguments();
    shown.held_ids = std::move(given.held_ids);
    if (given.traces && model_.program()->trace_with(shown.arguments)) model_.show_trace();
    shown.method = std::make_shared<PreparedMethod>(model_.program(), options.method, "none");
    show_graph(*shown.method, "none");
    shown.is_given = true;
    execute(options, {}, given.on_result);
    if (after) after();
    conclude_run(options);
}

void RunDriver::execute(const RunOptions& options, RepeatedRun repeated,
                        const std::function<void(const IValue&)>& on_result) {
    const ShownRun& shown = recorder_.shown();
    const WarningScope warnings([this](const ScriptWarning& warning) {
        recorder_.log(Publisher::Level::Warning, warning.text, warning.source);
    });
    const runtime::PrintScope prints(recorder_.print_to_log());
    if (options.record)
        recorder_.record_run(options, std::move(repeated), on_result);
    else
        run_phases(*shown.method, shown.arguments, shown.backward_source.get(), on_result);
}

void RunDriver::conclude_run(const RunOptions& options) {
    std::shared_ptr<const Verdict> verdict;
    if (const Recorder* recorder = recorder_.shown().recorder.get()) {
        RunFacts facts{.searched = control_.searches_nan(),
                       .missed_breakpoints = control_.missed_breakpoints(),
                       .opening = model_.origin().verdict};
        if (starts_from_loss(*recorder->recording()))
            facts.gradients = gradient_rows(model_.program()->module(), recorder);
        verdict = std::make_shared<Verdict>(conclude(*recorder->recording(), options, std::move(facts)));
    }
    if (verdict != nullptr) publisher_.log(entry_of(*verdict));
    publisher_.change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Finished;
        clear_next_place(status);
    });
}

// --- a run of a session before ---

// With other inputs or options it is another run.
bool RunDriver::repeats_restored(RunOptions options) const {
    const RecordingFile* restored = recorder_.shown().restored.get();
    if (restored == nullptr || !model_.origin().other_model.empty() || training_.is_restored || !options.record)
        return false;
    options.pause_at_start = restored->run().pause_at_start;
    return Json(options) == Json(restored->run());
}

void RunDriver::show_restored_graph(const RecordingFile& file) {
    const auto shown = publisher_.model();
    const GraphModel* graph = file.graph().get();
    const bool is_shown = graph == nullptr || (shown->graph != nullptr && shown->graph->text == graph->text &&
                                               shown->graph->nodes.size() == graph->nodes.size());
    if (is_shown) return;
    auto own = std::make_shared<GraphModel>(*graph);
    own->pipeline = file.run().pipeline == "none" ? std::string() : file.run().pipeline;
    auto info = std::make_shared<ModelInfo>(*model_.program()->info());
    info->graph = std::move(own);
    model_.show(std::move(info));
}

RestoredRun RunDriver::restore(const std::filesystem::path& folder) {
    RestoredRun out;
    try {
        const RunState state = publisher_.status().state;
        const bool is_free = model_.program() != nullptr && state != RunState::Paused && state != RunState::Running;
        if (!is_free) throw Error(ErrorKind::Usage, "no model is open that a run could come back to");
        std::string note;
        auto file = read_journal(folder, note);
        out.note = std::move(note);
        if (file == nullptr) return out;
        recorder_.forget();
        show_restored_graph(*file);
        out.other_model = model_.origin().other_model;
        out.events = static_cast<EventId>(file->recording()->event_count());
        publisher_.set_recording(file->recording());
        recorder_.shown().restored = std::move(file);
        publisher_.notify_recording();
        publisher_.notify_events(out.events);
        publisher_.change_status([&](Status& status) {
            status = Status{};
            status.state = RunState::Ready;
            status.reached = out.events;
            status.is_restored = true;
            status.why = out.other_model.empty()
                             ? engine::said("restored; F5 runs again")
                             : engine::said("restored, of another model; F5 runs the one that is open");
        });
    } catch (const Error& error) {
        out.error = error.what();
    }
    return out;
}

std::string RunDriver::save_restored(const std::filesystem::path& file, const std::string& attached) const {
    const RecordingFile& restored = *recorder_.shown().restored;
    try {
        ModelInfo info = *publisher_.model();
        if (!info.path.empty()) info.path = std::filesystem::absolute(info.path).string();
        write_recording(
            file, info, *restored.recording(), restored.gradients(), restored.run(),
            [&](ValueId id) { return restored.elements(id); }, attached,
            restored.opened() ? *restored.opened() : OpenedGraph{});
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace loupe::session
