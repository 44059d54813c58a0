// SPDX-License-Identifier: Apache-2.0
#include "core/session/model_holder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/load_weights.h"
#include "core/model/shown_source.h"

namespace loupe::session {

using Level = Publisher::Level;

std::shared_ptr<Program> ModelHolder::program_or_recorded() {
    if (program_) return program_;
    if (file_ == nullptr) throw Error(ErrorKind::Usage, "no model is open");
    const ModelInfo& recorded = *file_->model();
    if (!recorded.cannot_run.empty()) throw Error(ErrorKind::Usage, recorded.cannot_run);
    if (!recorded_program_)
        recorded_program_ =
            Program::open(recorded.path, {}, recorded.built_with, settings_.permissions_of(recorded.path));
    return recorded_program_;
}

std::shared_ptr<const TextModel> ModelHolder::text_model() {
    if (text_model_ != nullptr) return text_model_;
    const std::shared_ptr<Program> program = program_or_recorded();
    return text_model_ = std::make_shared<const TextModel>(program, program->info()->path);
}

// --- what is shown ---

void ModelHolder::show(std::shared_ptr<const ModelInfo> info) {
    publisher_.set_model(info);
    moves_.arrive(info);
    publisher_.notify_model();
}

void ModelHolder::show_trace() {
    show(program_->info());
    log_trace();
}

void ModelHolder::log_trace() const {
    if (const runtime::Trace* trace = program_->trace()) {
        for (const runtime::TraceWarning& warning : trace->warnings)
            publisher_.log(Level::Warning, "TracerWarning: " + warning.text, place_of(warning.range));
    } else if (!program_->trace_failure().empty()) {
        publisher_.log(Level::Warning, engine::said("no graph: %1", program_->trace_failure()));
    }
}

void ModelHolder::drop() {
    dependents_.release_model();
    file_.reset();
    text_model_.reset();
    recorded_program_.reset();
    program_.reset();
    settings_.set_inputs({});
    publisher_.clear();
}

void ModelHolder::close() {
    drop();
    origin_.weights_from.clear();
    publisher_.change_status([](Status& status) { status = Status{}; });
    publisher_.notify_model();
}

// --- another model ---

// Inputs that were chosen stay as long as they are as many; those that the source gives are its own again.
std::vector<InputSpec> ModelHolder::inputs_for(const Program& opened, const std::vector<InputSpec>& before) const {
    std::vector<InputSpec> own;
    try {
        std::vector<std::string> notes;
        own = opened.default_inputs(opened.default_method(), &notes);
        for (std::string& note : notes) publisher_.log(Level::Warning, std::move(note));
    } catch (const Error& error) {
        if (!before.empty()) return before;
        publisher_.log(Level::Warning, error.what());
        return {};
    }
    const bool are_chosen = std::any_of(
        before.begin(), before.end(), [](const InputSpec& spec) { return spec.source != InputSpec::Source::Example; });
    if (!are_chosen) return own;
    if (before.size() == own.size()) return before;
    publisher_.log(Level::Warning,
                   engine::said("the model takes %1 inputs now, not %2: those that were chosen are left out",
                                "the model takes %1 input now, not %2: those that were chosen are left out", own.size(),
                                before.size()));
    return own;
}

// What was loaded into the model, or learned, before its source was opened again.
void ModelHolder::keep_weights(nn::Module& opened) const {
    if (origin_.weights_from.empty()) return;
    const WeightsReport report = load_fitting(opened, program_->module().state_dict());
    const bool all_fit = report.differences.empty();
    Said text = engine::said("%1 tensors are as before (%2)", "%1 tensor is as before (%2)", report.loaded,
                             origin_.weights_from == "trained" ? engine::said("trained") : Said(origin_.weights_from));
    if (!all_fit)
        text += engine::said("; what did not fit is as the source makes it: %1", differences_text(report.differences));
    publisher_.log(all_fit ? Level::Info : Level::Warning, std::move(text));
}

void ModelHolder::use(std::shared_ptr<Program> opened) {
    const auto before = publisher_.model();
    const bool is_again = opened->source() != nullptr && before != nullptr && before->path == opened->info()->path;
    const std::vector<InputSpec> inputs_before = is_again ? settings_.inputs() : std::vector<InputSpec>();
    RunOptions options = is_again ? settings_.options() : RunOptions();
    if (!is_again) options.method = opened->default_method();
    if (is_again && program_ != nullptr)
        keep_weights(opened->module());
    else
        origin_.weights_from.clear();
    drop();
    program_ = std::move(opened);
    settings_.set(inputs_for(*program_, inputs_before), std::move(options));
    show(program_->info());
    log_trace();
    for (const std::string& line : program_->info()->missing_operators) publisher_.log(Level::Warning, line);
}

void ModelHolder::use(std::unique_ptr<RecordingFile> file) {
    drop();
    file_ = std::move(file);
    publisher_.set_recording(file_->recording());
    settings_.set(file_->run().inputs, file_->run());
    show(file_->model());
    publisher_.notify_recording();
    publisher_.notify_events(file_->recording()->event_count());
}

void ModelHolder::show_next(std::unique_ptr<RecordingFile> file) {
    file_ = std::move(file);
    publisher_.set_recording(file_->recording());
    publisher_.notify_recording();
    publisher_.notify_events(file_->recording()->event_count());
}

WeightsReport ModelHolder::load_weights(const std::filesystem::path& file, bool strict) {
    const auto before = program_->info();
    WeightsReport report = program_->load_weights(file, strict);
    if (program_->info() != before) show_trace();
    const bool failed = !report.error.empty();
    const std::size_t left = report.differences.size();
    const std::string name = file.filename().string();
    Said text = engine::said("%1 tensors loaded from %2", "%1 tensor loaded from %2", report.loaded, name);
    if (failed)
        text = engine::said("%2 does not fit: %1 differences; nothing was changed",
                            "%2 does not fit: %1 difference; nothing was changed", left, name);
    else if (left > 0)
        text += engine::said("; %1 names were passed over", "; %1 name was passed over", left);
    if (!failed) {
        origin_.weights_from = file.filename().string();
        origin_.verdict.reset();
    }
    publisher_.log(failed ? Level::Error : left > 0 ? Level::Warning : Level::Info, std::move(text));
    return report;
}

// --- forms of a model source ---

void ModelHolder::change_form(Program& program, ModelForm form) const {
    if (program.form() == form) return;
    if (program.source() == nullptr)
        throw Error(ErrorKind::Usage, "only a model source is scripted or traced",
                    {.hint = "the methods of this file are script already"});
    if (form == ModelForm::Scripted) return program.script();
    const bool is_again = form == ModelForm::Traced && program.form() == ModelForm::Scripted;
    if (is_again) program.evaluate();
    if (form == ModelForm::Traced) return program.trace(program.make_arguments(settings_.inputs(), "forward"));
    program.evaluate();
}

void ModelHolder::show_form(const std::vector<InputSpec>& before) {
    const std::string method = program_->default_method();
    std::vector<InputSpec> now = program_->default_inputs(method);
    if (before.size() == now.size()) now = before;
    publisher_.set_recording(nullptr);
    RunOptions options = settings_.options();
    options.inputs.clear();
    settings_.set(std::move(now), std::move(options));
    show_trace();
}

void ModelHolder::set_form(ModelForm form) {
    if (!program_) throw Error(ErrorKind::Usage, "no model is open");
    publisher_.change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = form == ModelForm::Scripted ? engine::said("scripting")
                          : form == ModelForm::Traced ? engine::said("tracing")
                                                      : engine::said("evaluating the source");
    });
    dependents_.release_run();
    const std::vector<InputSpec> before = settings_.inputs();
    const ModelForm was = program_->form();
    try {
        change_form(*program_, form);
    } catch (const Error&) {
        if (program_->form() != was) show_form(before);
        throw;
    }
    if (program_->form() != was) show_form(before);
}

CompiledProgram ModelHolder::compile(const CompileRequest& request) {
    const std::shared_ptr<Program> program = program_or_recorded();
    const auto arguments = [&] { return program->make_arguments(settings_.inputs(), request.method); };
    if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments());
    CompiledProgram compiled = compile_program(program, request, arguments);
    publisher_.notify_compiled(compiled.report);
    return compiled;
}

}  // namespace loupe::session
