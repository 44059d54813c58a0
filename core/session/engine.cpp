// SPDX-License-Identifier: Apache-2.0
#include "core/session/engine.h"

#include <algorithm>
#include <chrono>

#include "core/autograd/grad_mode.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/model/error_text.h"
#include "core/model/inputs.h"
#include "core/model/load_weights.h"
#include "core/model/script_output.h"
#include "core/model/shown_source.h"
#include "core/ops/random/generator.h"
#include "core/python/language/file_notice.h"
#include "core/python/model_source.h"
#include "core/record/operator_times.h"
#include "core/study/precision_times.h"
#include "core/study/source_verdict.h"
#include "core/study/verdict.h"

namespace loupe::session {

Engine::Engine(SessionListener* listener)
    : listener_(listener), moves_(control_, [this](SessionListener::LogEntry entry) { log(std::move(entry)); }) {
    control_.set_complain([this](const Breakpoint& breakpoint, const std::string& why) { complain(breakpoint, why); });
    thread_.start([this] { loop(); });
}

Engine::~Engine() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
        queue_.clear();
        cancel_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

// --- the queue ---

void Engine::enqueue(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (quit_) return;
        if (!job.tag.empty()) std::erase_if(queue_, [&](const Job& waiting) { return waiting.tag == job.tag; });
        queue_.push_back(std::move(job));
    }
    wake_.notify_all();
}

void Engine::execute(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        report_failure(error);
    } catch (const std::bad_alloc&) {
        report_failure(Error(ErrorKind::Run, "out of memory"));
    } catch (const std::exception& error) {
        report_failure(Error(ErrorKind::Internal, error.what()));
    } catch (...) {
        report_failure(Error(ErrorKind::Internal, "an exception that is no std::exception"));
    }
}

// Reporting may fail too: for want of memory, or in a listener. The thread goes on in any case.
void Engine::execute_whatever_comes(const std::function<void()>& work) noexcept {
    try {
        execute(work);
    } catch (...) {
        try {
            change_status([](Status& status) {
                status.state = RunState::Failed;
                status.is_training = false;
                status.error = "out of memory";
            });
        } catch (...) {  // the next work may find memory again
        }
    }
}

// Of a request: what it throws is its own failure, not that of the run beside which it was served.
void Engine::execute_request(const std::function<void()>& work) noexcept {
    const auto tell = [this](const std::string& text) {
        log({.level = SessionListener::LogEntry::Level::Error, .text = text, .scope = {}, .source = {}});
    };
    try {
        try {
            work();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Cancelled) tell(headline_of(error));
        } catch (const std::bad_alloc&) {
            tell("out of memory");
        } catch (const std::exception& error) {
            tell(error.what());
        } catch (...) {
            tell("an exception that is no std::exception");
        }
    } catch (...) {  // no memory to say so
    }
}

void Engine::loop() {
    const python::FileNoticeScope notices([this](const python::FileNotice& notice) { log_notice(notice); });
    execute_whatever_comes([] { plugins(); });  // loaded here, so that no run waits for them
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            busy_ = false;
            if (queue_.empty()) idle_.notify_all();
            while (queue_.empty() && !quit_) {
                lock.unlock();
                bool has_more = false;
                execute_whatever_comes([&] { has_more = keep_more(); });
                lock.lock();
                if (!has_more) break;
            }
            wake_.wait(lock, [this] { return quit_ || !queue_.empty(); });
            if (quit_) break;
            job = std::move(queue_.front());
            queue_.pop_front();
            busy_ = true;
            is_commanded_ = job.kind == JobKind::Command;
            cancel_ = false;
        }
        const CancelScope scope(&cancel_);
        if (job.kind == JobKind::Request)
            execute_request(job.work);
        else
            execute_whatever_comes(job.work);
    }
    // What the journal holds is for the next session: the last of it is written for at most two seconds.
    execute_whatever_comes([this] {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (keep_more() && std::chrono::steady_clock::now() < until) {
        }
    });
    journal_.reset();
    execute_whatever_comes([this] { do_close(); });
}

bool Engine::run_next_request(std::unique_lock<std::mutex>& lock) {
    for (auto at = queue_.begin(); at != queue_.end(); ++at) {
        if (at->kind != JobKind::Request) continue;
        const auto work = std::move(at->work);
        queue_.erase(at);
        serving_ = true;
        lock.unlock();
        {
            // What a request allocates or calls is no part of the parked run.
            const ObserverScope unobserved(nullptr);
            execute_request(work);
        }
        lock.lock();
        serving_ = false;
        return true;
    }
    return false;
}

void Engine::park(const StopPoint& next, const StopReason& why) {
    const EventId reached = static_cast<EventId>(recorder_->recording()->event_count());
    {
        const std::lock_guard lock(mutex_);
        parked_ = true;
        resume_ = false;
    }
    if (listener_ != nullptr) listener_->on_events(reached);
    if (reached != 0) compare_with_restored();
    // Behind an event that makes a NaN or Inf its cause is known already.
    const Recording& recording = *recorder_->recording();
    const bool is_bad = reached != 0 && is_origin(recording.event(reached).not_finite);
    const auto verdict = is_bad ? std::make_shared<Verdict>(explain(recording, reached)) : nullptr;
    change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Paused;
        status.reached = reached;
        status.next_node = next.graph_node;
        status.next_op = std::string(next.op);
        status.next_scope = std::string(next.scope);
        status.next_source = {};
        if (next.is_statement) status.next_source = {std::string(next.source_file), next.source_line, 0};
        status.phase = next.phase;
        status.why = why.text;
        status.stopped_at_breakpoint = why.breakpoint;
        if (trainer_ && status.is_training) status.training_step = trainer_->steps_done() + 1;
    });
    if (journal_ != nullptr) journal_->write_now();
    are_gradients_due_ = next.phase != RunPhase::Forward;
    std::unique_lock lock(mutex_);
    while (!resume_ && !cancel_ && !quit_) {
        if (run_next_request(lock)) continue;
        idle_.notify_all();
        lock.unlock();
        bool has_more = false;
        {
            const ObserverScope unobserved(nullptr);
            has_more = keep_more();
        }
        lock.lock();
        if (has_more) continue;
        wake_.wait(lock, [this] {
            const bool has_request =
                std::any_of(queue_.begin(), queue_.end(), [](const Job& job) { return job.kind == JobKind::Request; });
            return resume_ || cancel_ || quit_ || has_request;
        });
    }
    parked_ = false;
    lock.unlock();
    check_cancelled();
    change_status([](Status& status) {
        status.verdict = nullptr;
        status.state = RunState::Running;
        status.why.clear();
        status.stopped_at_breakpoint = 0;
    });
}

void Engine::begin_control(bool pause_at_start) {
    control_.begin_run(pause_at_start);
    const auto shown = model();
    for (const Breakpoint& breakpoint : control_.breakpoints()) {
        if (!breakpoint.enabled) continue;
        if (const ConditionProblem problem = check_condition(breakpoint, shown.get()); !problem.text.empty())
            complain(breakpoint, problem.text);
    }
}

void Engine::complain(const Breakpoint& breakpoint, const std::string& why) {
    SourcePlace source;
    if (breakpoint.kind == Breakpoint::Kind::Line) source = {breakpoint.text, breakpoint.line, 0};
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text = concat("breakpoint ", breakpoint.id, " (", breakpoint.condition, ") does not stop: ", why),
         .scope = {},
         .source = source});
}

// --- orders ---

void Engine::open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened,
                  const std::filesystem::path& kept) {
    stop();
    enqueue({JobKind::Command, "open", [this, file, build, kept, opened = std::move(opened)] {
                 do_open(file, build, kept);
                 if (opened) opened();
             }});
}

void Engine::close() {
    stop();
    enqueue({JobKind::Command, "open", [this] { do_close(); }});
}

void Engine::permit_source(const std::filesystem::path& source, const FilePermissions& permissions) {
    const std::lock_guard lock(mutex_);
    permissions_[std::filesystem::absolute(source).lexically_normal().string()] = permissions;
}

FilePermissions Engine::permissions_of(const std::filesystem::path& source) const {
    const std::lock_guard lock(mutex_);
    const auto found = permissions_.find(std::filesystem::absolute(source).lexically_normal().string());
    return found == permissions_.end() ? FilePermissions() : found->second;
}

void Engine::log_notice(const python::FileNotice& notice) {
    using Kind = SessionListener::FileAccess::Kind;
    SessionListener::LogEntry entry;
    entry.text = notice.text;
    if (notice.range) entry.source = session::place_of(notice.range);
    entry.access.folder = notice.folder;
    switch (notice.kind) {
        case python::FileNotice::Kind::Refused: {
            const FileRefusal& refusal = notice.refusal;
            entry.level = SessionListener::LogEntry::Level::Warning;
            entry.access.kind = Kind::Refused;
            entry.access.is_write = refusal.access != FileRefusal::Access::Read;
            entry.access.is_removal = refusal.access == FileRefusal::Access::Remove;
            entry.access.lacks_folder = refusal.lacks_folder;
            entry.access.path = refusal.path;
            entry.access.allow = refusal.allow;
            break;
        }
        case python::FileNotice::Kind::Wrote:
            entry.access.kind = Kind::Wrote;
            break;
        case python::FileNotice::Kind::Left:
            entry.access.kind = Kind::Left;
            break;
    }
    log(std::move(entry));
}

void Engine::set_form(ModelForm form, std::function<void(std::string)> reply) {
    stop();
    enqueue({JobKind::Command, "form", [this, form, reply = std::move(reply)] {
                 std::string failure;
                 try {
                     do_set_form(form);
                 } catch (const Error& error) {
                     failure = headline_of(error);
                     log({.level = SessionListener::LogEntry::Level::Error,
                          .text = failure,
                          .scope = {},
                          .source = session::place_of(error),
                          .details = details_of(error)});
                 }
                 change_status([this](Status& status) {
                     status = Status{};
                     if (training_end_) note_training(status);
                     status.state = RunState::Ready;
                 });
                 if (reply) reply(failure);
             }});
}

void Engine::run(const RunOptions& options) {
    stop();
    {
        const std::lock_guard lock(mutex_);
        options_ = options;
    }
    enqueue({JobKind::Command, "run", [this, options] { do_run(options); }});
}

void Engine::go_on() {
    bool begin = false;
    {
        const std::lock_guard lock(mutex_);
        if (parked_)
            resume_ = true;
        else
            begin = !(busy_ && is_commanded_) && info_ != nullptr && !is_run_waiting();
    }
    wake_.notify_all();
    if (!begin) return;
    RunOptions options = last_options();
    options.record = true;
    run(options);
}

// A run that was ordered and has not begun: what is ordered now is for it. mutex_ is held.
bool Engine::is_run_waiting() const {
    return std::any_of(queue_.begin(), queue_.end(), [](const Job& job) { return job.tag == "run"; });
}

void Engine::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (busy_) cancel_ = true;
        std::erase_if(queue_, [](const Job& job) { return job.tag == "run"; });
    }
    wake_.notify_all();
}

void Engine::request(const std::string& tag, std::function<void()> work) {
    enqueue({JobKind::Request, concat("request ", tag), std::move(work)});
}

void Engine::wait_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] {
        if (quit_) return true;
        if (parked_ && !resume_ && !cancel_) {
            return !serving_ && std::none_of(queue_.begin(), queue_.end(),
                                             [](const Job& job) { return job.kind == JobKind::Request; });
        }
        return !busy_ && queue_.empty();
    });
}

// --- state ---

Status Engine::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}
std::shared_ptr<const ModelInfo> Engine::model() const {
    const std::lock_guard lock(mutex_);
    return info_;
}
std::shared_ptr<const Recording> Engine::recording() const {
    const std::lock_guard lock(mutex_);
    return recording_;
}
std::vector<InputSpec> Engine::inputs() const {
    const std::lock_guard lock(mutex_);
    return inputs_;
}
void Engine::set_inputs(std::vector<InputSpec> inputs) {
    const std::lock_guard lock(mutex_);
    inputs_ = std::move(inputs);
}
RunOptions Engine::last_options() const {
    const std::lock_guard lock(mutex_);
    return options_;
}

void Engine::log(SessionListener::LogEntry entry) {
    if (listener_ == nullptr) return;
    using std::chrono::milliseconds, std::chrono::system_clock;
    entry.time = std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    if (entry.event != 0) entry.recording = recording();
    listener_->on_log(entry);
}

// What a run, or a recording that was opened, came to; null when nothing was recorded.
std::shared_ptr<const Verdict> Engine::verdict_of(const std::shared_ptr<const Recording>& recording,
                                                  const RunOptions& options, RunFacts facts) const {
    if (recording == nullptr) return nullptr;
    facts.has_statistics = options.statistics;
    facts.has_backward = options.backward;
    facts.opening = opening_verdict_;
    for (const std::string& name : options.left_out) facts.left_out.push_back(name.empty() ? "the model itself" : name);
    return std::make_shared<Verdict>(conclude(*recording, facts));
}

// Into the log, as a link to the place.
void Engine::log_verdict(const Verdict& verdict) {
    using Level = SessionListener::LogEntry::Level;
    SessionListener::LogEntry entry;
    entry.level = verdict.severity == Verdict::Severity::Error     ? Level::Error
                  : verdict.severity == Verdict::Severity::Warning ? Level::Warning
                                                                   : Level::Info;
    entry.text = verdict.line();
    entry.event = verdict.event;
    entry.graph_node = verdict.graph_node;
    entry.scope = verdict.module;
    entry.source = verdict.source;
    log(std::move(entry));
}

void Engine::report_failure(const Error& error) {
    const bool was_stopped = error.kind() == ErrorKind::Cancelled;
    const bool has_model = program_ != nullptr;
    SessionListener::LogEntry entry;
    entry.level = was_stopped ? SessionListener::LogEntry::Level::Info : SessionListener::LogEntry::Level::Error;
    entry.text = was_stopped ? "stopped" : headline_of(error);
    entry.scope = error.context().scope;
    entry.source = session::place_of(error);
    entry.details = was_stopped ? std::string() : details_of(error);
    if (recorder_ != nullptr && !was_stopped) {
        const auto recording = recorder_->recording();
        const auto count = static_cast<EventId>(recording->event_count());
        if (count > 0 && recording->event(count).failed) {
            entry.event = count;
            entry.graph_node = recording->event(count).graph_node;
        }
    }
    log(entry);
    std::shared_ptr<const Verdict> verdict;
    if (recorder_ != nullptr && !was_stopped) {
        verdict = verdict_of(recorder_->recording(), ran_,
                             {.error = entry.text, .hint = error.context().hint, .error_source = entry.source});
    }
    change_status([&](Status& status) {
        if (training_end_) note_training(status);
        status.verdict = verdict;
        status.state = was_stopped ? (has_model ? RunState::Ready : RunState::Empty) : RunState::Failed;
        status.is_training = false;
        status.error = was_stopped ? "" : entry.text;
        status.details = entry.details;
        status.error_source = entry.source;
        status.why = was_stopped ? "stopped" : "error";
        status.progress.clear();
        status.fraction = -1;
    });
}

// --- forms of a model source ---

void Engine::change_form(Program& program, ModelForm form) const {
    if (program.form() == form) return;
    if (program.source() == nullptr)
        throw Error(ErrorKind::Usage, "only a model source is scripted or traced",
                    {.hint = "the methods of this file are script already"});
    if (form == ModelForm::Scripted) return program.script();
    const bool is_again = form == ModelForm::Traced && program.form() == ModelForm::Scripted;
    if (is_again) program.evaluate();
    if (form == ModelForm::Traced) return program.trace(program.make_arguments(inputs(), "forward"));
    program.evaluate();
}

void Engine::do_set_form(ModelForm form) {
    if (!program_) throw Error(ErrorKind::Usage, "no model is open");
    change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = form == ModelForm::Scripted ? "scripting"
                          : form == ModelForm::Traced ? "tracing"
                                                      : "evaluating the source";
    });
    forget_run();
    const std::vector<InputSpec> before = inputs();
    const ModelForm was = program_->form();
    const auto tell = [&] {
        if (program_->form() == was) return;
        const std::string method = program_->default_method();
        std::vector<InputSpec> now = program_->default_inputs(method);
        if (before.size() == now.size()) now = before;
        {
            const std::lock_guard lock(mutex_);
            recording_.reset();
            inputs_ = std::move(now);
            options_.inputs.clear();
        }
        show_model(program_->info());
        log_trace();
    };
    try {
        change_form(*program_, form);
    } catch (const Error&) {
        tell();
        throw;
    }
    tell();
}

// --- opening ---

// This one is from now on what is shown and runs.
void Engine::show_model(std::shared_ptr<const ModelInfo> info) {
    {
        const std::lock_guard lock(mutex_);
        info_ = info;
    }
    moves_.arrive(info);
    if (listener_ != nullptr) listener_->on_model(std::move(info));
}

// Another takes its place, or none.
void Engine::drop_model() {
    forget_run();
    forget_kept();
    file_.reset();
    recorded_program_.reset();
    trainer_.reset();
    training_end_.reset();
    end_run_.reset();
    is_training_back_ = false;
    training_states_.clear();
    program_.reset();
    {
        const std::lock_guard lock(mutex_);
        info_.reset();
        recording_.reset();
        training_.reset();
        inputs_.clear();
    }
}

void Engine::do_close() {
    drop_model();
    weights_from_.clear();
    change_status([](Status& status) { status = Status{}; });
    if (listener_ != nullptr) listener_->on_model(nullptr);
}

// A source that was edited is built as it was before.
std::string Engine::built_before(const std::filesystem::path& file) const {
    const auto before = model();
    return before != nullptr && before->path == file.string() && before->recorded_in.empty() ? before->built_with
                                                                                             : std::string();
}

void Engine::do_open(const std::filesystem::path& file, const std::string& given, const std::filesystem::path& folder) {
    const std::string build = given.empty() ? built_before(file) : given;
    run_failed_ = false;
    opening_verdict_.reset();
    change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = concat("opening ", file.filename().string());
    });
    if (is_recording(file)) return do_open_recording(file);
    const runtime::PrintScope prints(print_to_log());
    try {
        const auto before = model();
        const bool is_again = before != nullptr && before->path == file.string() && before->form != ModelForm::AsRead;
        const FilePermissions permissions = permissions_of(file);
        other_model_.clear();
        const std::optional<KeptModel> kept = read_kept(folder);
        if (kept) set_random_state(kept->random);
        const RandomState random = random_state();
        auto opened =
            is_again ? Program::open_edited(file, build, permissions) : Program::open(file, {}, build, permissions);
        if (!opened->held_back().empty()) {
            log({.level = SessionListener::LogEntry::Level::Warning,
                 .text = concat("of the checkpoint beside ", file.filename().string(),
                                " not all fits: ", differences_text(opened->held_back())),
                 .scope = {},
                 .source = {}});
        }
        // A source that was edited runs in the form it had.
        if (is_again && opened->source() != nullptr) change_form(*opened, before->form);
        // What it wrote before it has written again.
        if (is_again && program_ && program_->file().files != nullptr) program_->file().files->discard();
        if (kept)
            other_model_ = give_back(*opened, *kept);
        else if (!folder.empty() && opened->source() != nullptr && other_model_.empty())
            other_model_ = "the session kept no weights, and the source made them anew: they may be other ones";
        if (!folder.empty()) weights_from_.clear();  // those of the session count, not those that are there
        use(std::move(opened));                      // the model there is stays when this fails
        opening_random_ = random;
        if (kept) weights_from_ = kept->weights_from;
        if (!other_model_.empty())
            log({.level = SessionListener::LogEntry::Level::Warning,
                 .text = concat("the recorded run is of another model: ", other_model_),
                 .scope = {},
                 .source = {}});
        if (const auto verdict = conclude_opening(*program_)) opening_verdict_ = std::make_shared<Verdict>(*verdict);
        if (opening_verdict_ != nullptr) log_verdict(*opening_verdict_);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Cancelled) show_source_of(file, build, error);
        throw;
    }
    change_status([this](Status& status) {
        status.state = RunState::Ready;
        status.verdict = opening_verdict_;
        status.progress.clear();
    });
}

// A model source that gives no model is shown all the same, to be mended.
void Engine::show_source_of(const std::filesystem::path& file, const std::string& build, const Error& why) {
    std::error_code ignored;
    const auto* needed = dynamic_cast<const python::ModelNeeded*>(&why);
    const bool is_source = file.extension() == ".py" && std::filesystem::is_regular_file(file, ignored);
    const bool is_there = model() != nullptr && model()->path == file.string() && needed == nullptr;
    if (!is_source || is_there) return;
    auto info = std::make_shared<ModelInfo>();
    info->path = file.string();
    info->title = file.filename().string();
    info->format = "Python source";
    info->modules.emplace_back().class_name = "no model";
    info->sources.push_back({file.string(), read_text_file(file), true, true});
    info->cannot_run = why.what();
    info->built_with = build;
    if (needed != nullptr) info->constructors = describe_constructors(needed->constructors);
    drop_model();
    show_model(info);
}

void Engine::do_open_recording(const std::filesystem::path& path) {
    auto file = std::make_unique<RecordingFile>(path);
    drop_model();
    file_ = std::move(file);
    {
        const std::lock_guard lock(mutex_);
        recording_ = file_->recording();
        inputs_ = file_->run().inputs;
        options_ = file_->run();
    }
    show_model(file_->model());
    if (listener_ != nullptr) {
        listener_->on_recording(file_->recording());
        listener_->on_events(file_->recording()->event_count());
    }
    log_recorded(*file_);
    const Recording& recorded = *file_->recording();
    const auto last = static_cast<EventId>(recorded.event_count());
    const auto has_statistics = [&] {
        for (ValueId id = 1; id <= recorded.value_count(); ++id) {
            if (recorded.value(id).statistics) return true;
        }
        return recorded.value_count() == 0;
    };
    RunOptions options = file_->run();
    options.statistics = has_statistics();
    const std::string error = last != 0 && recorded.event(last).failed ? recorded.event(last).error : std::string();
    const auto verdict = verdict_of(file_->recording(), options, {.error = error});
    if (error.empty()) log_verdict(*verdict);
    change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Finished;
        status.reached = static_cast<EventId>(file_->recording()->event_count());
    });
}

void Engine::log_recorded(const RecordingFile& file) {
    const Recording& recording = *file.recording();
    const auto count = static_cast<EventId>(recording.event_count());
    SessionListener::LogEntry entry;
    entry.text = concat("a recorded run of ", file.model()->path, ": ", counted(count, "event"));
    log(entry);
    if (count == 0 || !recording.event(count).failed) return;
    const Event& event = recording.event(count);
    entry.level = SessionListener::LogEntry::Level::Error;
    entry.text = event.error;
    entry.event = count;
    entry.graph_node = event.graph_node;
    entry.scope = std::string(event.scope);
    entry.source = {std::string(event.source_file), event.source_line};
    log(std::move(entry));
}

std::shared_ptr<Program> Engine::model_or_recorded() {
    if (program_) return program_;
    if (file_ == nullptr) throw Error(ErrorKind::Usage, "no model is open");
    if (!file_->model()->cannot_run.empty()) throw Error(ErrorKind::Usage, file_->model()->cannot_run);
    if (!recorded_program_)
        recorded_program_ =
            Program::open(file_->model()->path, {}, file_->model()->built_with, permissions_of(file_->model()->path));
    return recorded_program_;
}

// Inputs that somebody chose stay as long as they are as many; those that the source gives are its own again.
std::vector<InputSpec> Engine::inputs_for(const Program& opened, const std::vector<InputSpec>& before) {
    std::vector<InputSpec> own;
    try {
        std::vector<std::string> notes;
        own = opened.default_inputs(opened.default_method(), &notes);
        for (std::string& note : notes)
            log({.level = SessionListener::LogEntry::Level::Warning,
                 .text = std::move(note),
                 .scope = {},
                 .source = {}});
    } catch (const Error& error) {
        if (!before.empty()) return before;
        log({.level = SessionListener::LogEntry::Level::Warning, .text = error.what(), .scope = {}, .source = {}});
        return {};
    }
    const bool are_chosen = std::any_of(
        before.begin(), before.end(), [](const InputSpec& spec) { return spec.source != InputSpec::Source::Example; });
    if (!are_chosen) return own;
    if (before.size() == own.size()) return before;
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text = concat("the model takes ", counted(own.size(), "input"), " now, not ", before.size(),
                        ": those that were chosen are left out"),
         .scope = {},
         .source = {}});
    return own;
}

// What was loaded into the model, or learned, before its source was opened again.
void Engine::hold_weights(nn::Module& opened) {
    if (weights_from_.empty()) return;
    const WeightsReport report = load_fitting(opened, program_->module().state_dict());
    const bool all_fit = report.differences.empty();
    const auto level = all_fit ? SessionListener::LogEntry::Level::Info : SessionListener::LogEntry::Level::Warning;
    std::string text = concat(counted(report.loaded, "tensor is", "tensors are"), " as before (", weights_from_, ")");
    if (!all_fit)
        text += concat("; what did not fit is as the source makes it: ", differences_text(report.differences));
    log({.level = level, .text = std::move(text), .scope = {}, .source = {}});
}

void Engine::use(std::shared_ptr<Program> opened) {
    // A source that was edited goes on with the inputs, the options and the weights it had.
    const auto before = model();
    const bool is_again = opened->source() != nullptr && before != nullptr && before->path == opened->info()->path;
    const std::vector<InputSpec> inputs_before = is_again ? inputs() : std::vector<InputSpec>();
    RunOptions options = is_again ? last_options() : RunOptions();
    if (!is_again) options.method = opened->default_method();
    if (is_again && program_ != nullptr)
        hold_weights(opened->module());
    else
        weights_from_.clear();
    drop_model();
    program_ = std::move(opened);
    std::vector<InputSpec> inputs = inputs_for(*program_, inputs_before);
    {
        const std::lock_guard lock(mutex_);
        inputs_ = std::move(inputs);
        options_ = options;
    }
    show_model(program_->info());
    log_trace();
    for (const std::string& line : program_->info()->missing_operators) {
        log({.level = SessionListener::LogEntry::Level::Warning, .text = line, .scope = {}, .source = {}});
    }
}

// A model source got another graph.
void Engine::tell_of_trace() {
    show_model(program_->info());
    log_trace();
}

WeightsReport Engine::load_weights(const std::filesystem::path& file, bool strict) {
    const auto before = program_->info();
    WeightsReport report = program_->load_weights(file, strict);
    if (program_->info() != before) tell_of_trace();
    const bool failed = !report.error.empty();
    const std::size_t left = report.differences.size();
    std::string text = concat(counted(report.loaded, "tensor"), " loaded from ", file.filename().string());
    if (failed)
        text =
            concat(file.filename().string(), " does not fit: ", counted(left, "difference"), "; nothing was changed");
    else if (left > 0)
        text += concat("; ", counted(left, "name was", "names were"), " passed over");
    const auto level = failed     ? SessionListener::LogEntry::Level::Error
                       : left > 0 ? SessionListener::LogEntry::Level::Warning
                                  : SessionListener::LogEntry::Level::Info;
    if (!failed) weights_from_ = file.filename().string();
    if (!failed) opening_verdict_.reset();
    log({.level = level, .text = std::move(text), .scope = {}, .source = {}});
    return report;
}

void Engine::log_trace() {
    if (const runtime::Trace* trace = program_->trace()) {
        for (const runtime::TraceWarning& warning : trace->warnings) {
            log({.level = SessionListener::LogEntry::Level::Warning,
                 .text = "TracerWarning: " + warning.text,
                 .scope = {},
                 .source = session::place_of(warning.range)});
        }
    } else if (!program_->trace_failure().empty()) {
        log({.level = SessionListener::LogEntry::Level::Warning,
             .text = concat("no graph: ", program_->trace_failure()),
             .scope = {},
             .source = {}});
    }
}

// --- running ---

// The graph that runs is the one that is shown: after a pipeline the graph that it left, else the model's own.
void Engine::show_graph(const PreparedMethod& method, const std::string& pipeline) {
    const bool is_plain = pipeline.empty() || pipeline == "none";
    const auto before = model();
    std::shared_ptr<const ModelInfo> wanted = program_->info();
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
    if (wanted != before) show_model(wanted);
}

void Engine::run_recorded(const PreparedMethod& method, const RunOptions& options) {
    const ValueBudget budget{options.memory_budget, options.file_budget};
    recorder_ = std::make_unique<Recorder>(
        RecorderOptions{options.statistics, options.record_values, budget, options.left_out}, method.build_graph(),
        &control_, [this](const StopPoint& next, const StopReason& why) { park(next, why); });
    {
        const std::lock_guard lock(mutex_);
        recording_ = recorder_->recording();
    }
    name_existing_tensors(*recorder_, program_->module(), arguments_, method.schema());
    start_ = std::make_unique<RunStart>(program_->module(), arguments_, method.schema());
    body_ = [this](std::vector<IValue> arguments) {
        run_phases(*method_, std::move(arguments), backward_source_.get());
    };
    ran_ = options;
    if (listener_ != nullptr) {
        listener_->on_recording(recorder_->recording());
        recorder_->set_progress([this](std::size_t events) {
            listener_->on_events(events);
            keep_while_running();
        });
    }
    keep_run(RunJournal::When::EverySecond);
    const auto finish = [this] {
        recorder_->finish();
        control_.end_run();
        compare_with_restored();
        if (journal_ != nullptr) journal_->write_now();
        are_gradients_due_ = true;
        const auto reached = static_cast<EventId>(recorder_->recording()->event_count());
        change_status([&](Status& status) { status.reached = reached; });
    };
    try {
        const ObserverScope observed(recorder_.get());
        const StatementScope statements(*program_, *recorder_);
        run_phases(method, arguments_, backward_source_.get());
    } catch (const Error& error) {
        run_failed_ = error.kind() != ErrorKind::Cancelled;  // a run that was stopped did not fail
        finish();
        throw;
    } catch (...) {
        run_failed_ = true;
        finish();
        throw;
    }
    finish();
}

Engine::ShownRun Engine::take_run() {
    return {std::move(recorder_),
            std::exchange(run_failed_, false),
            std::move(method_),
            std::move(start_),
            std::exchange(body_, nullptr),
            std::move(backward_source_),
            std::exchange(step_to_measure_, std::nullopt),
            std::move(restored_),
            std::move(arguments_),
            ran_};
}

void Engine::show_again(ShownRun run) {
    forget_run();
    recorder_ = std::move(run.recorder);
    run_failed_ = run.failed;
    method_ = std::move(run.method);
    start_ = std::move(run.start);
    body_ = std::move(run.body);
    backward_source_ = std::move(run.backward_source);
    step_to_measure_ = std::move(run.step_to_measure);
    restored_ = std::move(run.restored);
    arguments_ = std::move(run.arguments);
    ran_ = std::move(run.ran);
    std::shared_ptr<const Recording> shown;
    if (recorder_ != nullptr)
        shown = recorder_->recording();
    else if (restored_ != nullptr)
        shown = restored_->recording();
    {
        const std::lock_guard lock(mutex_);
        recording_ = shown;
    }
    if (listener_ != nullptr) {
        listener_->on_recording(shown);
        if (shown != nullptr) listener_->on_events(shown->event_count());
    }
    if (recorder_ == nullptr) return;
    keep_run(RunJournal::When::EverySecond);
    are_gradients_due_ = journal_ != nullptr;
}

void Engine::forget_run() {
    run_failed_ = false;
    recorder_.reset();
    if (restored_ != nullptr && !other_model_.empty()) {
        other_model_.clear();  // it was said of this run
        kept_tensors_.clear();
    }
    restored_.reset();
    start_.reset();
    body_ = nullptr;
    backward_source_.reset();
    step_to_measure_.reset();
    method_.reset();
    arguments_.clear();
}

Tensor Engine::elements(ValueId id, std::size_t ahead) {
    if (recorder_ == nullptr) return recording_file() != nullptr ? recording_file()->elements(id) : Tensor();
    if (recorder_->values().was_dropped(id)) recompute(id, ahead);
    return recorder_->values().find(id);
}

void Engine::recompute(ValueId id, std::size_t ahead) {
    std::set<ValueId> wanted{id};
    ahead = std::min(ahead, recorder_->values().memory_budget());
    const auto& recording = *recorder_->recording();
    for (ValueId next = id + 1; next <= recording.value_count(); ++next) {
        const auto bytes = static_cast<std::size_t>(recording.value(next).bytes);
        if (bytes > ahead) break;
        if (!recorder_->values().was_dropped(next)) continue;
        ahead -= bytes;
        wanted.insert(next);
    }
    recompute_values(*start_, *method_, body_, *recorder_, wanted, cancel_);
}

// Of the last run: the recording has them from then on.
std::shared_ptr<const OperatorTimes> Engine::time_operators(const OperatorTimesRequest& request) {
    if (status().state == RunState::Paused || status().is_training)
        throw Error(ErrorKind::Usage, "a run is under way; stop it first");
    if (recorder_ == nullptr)
        throw Error(ErrorKind::Usage, file_ != nullptr
                                          ? "a recording that was opened has no engine behind it; run it again first"
                                          : "nothing was recorded; run the model first");
    const auto times = session::time_operators(*recorder_->recording(), request, [this](int count, const auto& each) {
        repeat_run(*start_, *method_, body_, *recorder_, count, each, cancel_);
    });
    recorder_->set_warm_times(times);
    return times;
}

MemoryForecast Engine::forecast(const std::vector<WhatIf>& changes) {
    if (recorder_ == nullptr || recorder_->recording()->warm_times() == nullptr) time_operators({});
    const Recording& recording = *recorder_->recording();
    const bool is_mixed = std::any_of(changes.begin(), changes.end(),
                                      [](const WhatIf& change) { return change.kind == WhatIf::Kind::MixedPrecision; });
    if (!is_mixed) return forecast_memory(recording, changes);
    if (status().state == RunState::Paused || status().is_training)
        throw Error(ErrorKind::Usage, "a run is under way; stop it first");
    const PrecisionTimes precision = measure_precision(recording, [this](ExecutionObserver& probe) {
        observe_run(*start_, *method_, body_, *recorder_, probe, cancel_);
    });
    return forecast_memory(recording, changes, &precision);
}

// What the program that runs has to say.
void Engine::log_of_run(SessionListener::LogEntry::Level level, std::string text, SourcePlace source) {
    SessionListener::LogEntry entry;
    entry.level = level;
    entry.text = std::move(text);
    entry.source = std::move(source);
    if (recorder_ != nullptr) entry.event = static_cast<EventId>(recorder_->recording()->event_count());
    log(std::move(entry));
}

// A line is told when it ends.
runtime::PrintHandler Engine::print_to_log() {
    return [this, printed = std::string()](std::string_view text) mutable {
        printed += text;
        if (!printed.ends_with('\n')) return;
        printed.pop_back();
        log_of_run(SessionListener::LogEntry::Level::Info, std::exchange(printed, {}), {});
    };
}

CompiledProgram Engine::compile(const CompileRequest& request) {
    const std::shared_ptr<Program> program = model_or_recorded();
    const auto arguments = [&] { return program->make_arguments(inputs(), request.method); };
    if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments());
    CompiledProgram compiled = compile_program(program, request, arguments);
    if (listener_ != nullptr) listener_->on_compiled(std::make_shared<CompileReport>(compiled.report));
    return compiled;
}

// The options' pipeline is afterwards the one that was run.
std::shared_ptr<PreparedMethod> Engine::prepare(RunOptions& options) {
    if (options.compile_mode.empty())
        return std::make_shared<PreparedMethod>(program_, options.method, options.pipeline);
    change_status([&](Status& status) { status.progress = concat("compiling, ", options.compile_mode); });
    CompiledProgram compiled =
        compile({options.compile_mode, options.method, options.pipeline, options.backward, false, false});
    seed_generators(options.seed);  // measuring drew numbers
    if (!compiled.report.complaint.empty())
        log({.level = SessionListener::LogEntry::Level::Warning,
             .text = compiled.report.complaint,
             .scope = {},
             .source = {}});
    for (const GraphBreak& found : compiled.report.breaks) {
        log({.level = SessionListener::LogEntry::Level::Info,
             .text = concat("graph break: ", found.line()),
             .scope = found.scope,
             .source = found.source});
    }
    options.pipeline = compiled.report.pipeline;
    change_status([](Status& status) { status.progress.clear(); });
    return std::make_shared<PreparedMethod>(program_, options.method, std::move(compiled.graph));
}

void Engine::do_run(const RunOptions& given) {
    if (file_ != nullptr) {
        const std::vector<InputSpec> recorded = inputs();
        use(model_or_recorded());
        if (!recorded.empty()) set_inputs(recorded);
    }
    if (!program_) throw Error(ErrorKind::Usage, "no model is open", {.hint = "open a file first"});
    RunOptions options = given;
    if (options.inputs.empty())
        options.inputs = inputs();
    else
        set_inputs(options.inputs);
    for (const InputSpec& input : options.inputs) {
        if (!input.file.empty()) program_->permit_reading(input.file);
    }
    repeated_ = repeats_restored(options) ? restored_->recording() : nullptr;
    forget_run();
    {
        const std::lock_guard lock(mutex_);
        recording_.reset();
    }
    change_status([this](Status& status) {
        status = Status{};
        note_training(status);
        status.state = RunState::Running;
    });
    begin_control(options.pause_at_start);
    set_thread_count(options.threads);
    seed_generators(options.seed);
    nn::Module& module = program_->module();
    if (options.training) module.train(*options.training);
    module.zero_grad();
    program_->to(parse_device(options.device));
    arguments_ = program_->make_arguments(options.inputs, options.method);
    if (program_->trace_with(arguments_)) tell_of_trace();
    method_ = prepare(options);
    const PreparedMethod& method = *method_;
    show_graph(method, options.pipeline);
    if (options.backward) {
        require_input_gradients(arguments_);
        backward_source_ = std::make_unique<BackwardSource>(options.backward_from, method, options.seed);
    }
    const WarningScope warnings([this](const ScriptWarning& warning) {
        log_of_run(SessionListener::LogEntry::Level::Warning, warning.text, warning.source);
    });
    const runtime::PrintScope prints(print_to_log());
    if (options.record)
        run_recorded(method, options);
    else
        run_phases(method, arguments_, backward_source_.get());
    const auto verdict =
        recorder_ == nullptr
            ? nullptr
            : verdict_of(recorder_->recording(), options,
                         {.searched = control_.searches_nan(), .missed_breakpoints = control_.missed_breakpoints()});
    if (verdict != nullptr) log_verdict(*verdict);
    change_status([&](Status& status) {
        status.verdict = verdict;
        status.state = RunState::Finished;
        status.next_node = -1;
        status.next_op.clear();
        status.next_scope.clear();
        status.next_source = {};
    });
}

}  // namespace loupe::session
