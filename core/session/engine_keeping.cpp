// SPDX-License-Identifier: Apache-2.0
// The engine thread: what is kept of runs and trainings for a session after this one, and what comes back of it.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/record/gradients.h"
#include "core/record/recording_json.h"
#include "core/session/engine.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{4} << 20;  // of elements between two requests
constexpr auto kCheckpointEvery = std::chrono::seconds(5);
constexpr int kCheckpointShare = 50;  // of the time: one part in so many at most
constexpr const char* kCheckpoint = "training.pt";
constexpr const char* kModel = "model.pt";
constexpr std::string_view kStart = "training-start-";
constexpr std::size_t kMostStarts = 4;
constexpr std::size_t kMostModelBytes = std::size_t{256} << 20;

namespace fs = std::filesystem;

// Files of what trainings began with, by the steps that were done.
std::vector<std::pair<std::int64_t, fs::path>> starts_in(const fs::path& folder) {
    std::vector<std::pair<std::int64_t, fs::path>> out;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(kStart)) continue;
        std::int64_t steps = 0;
        const auto [rest, error] = std::from_chars(name.data() + kStart.size(), name.data() + name.size(), steps);
        if (error == std::errc() && std::string_view(rest) == ".pt") out.emplace_back(steps, at->path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

void Engine::keep_in(const std::filesystem::path& folder) {
    journal_.reset();
    is_journal_told_of_ = false;
    kept_tensors_.clear();
    if (folder.empty()) return;
    journal_ = std::make_unique<RunJournal>(folder);
    if (recorder_ == nullptr) return;
    // A run that is there already.
    keep_run(RunJournal::When::EverySecond);
    are_gradients_due_ = true;
}

void Engine::keep_run(RunJournal::When when) {
    if (journal_ == nullptr) return;
    are_gradients_due_ = false;
    keep_model_now();
    journal_->begin(recorder_->recording(), recorder_->shared_graph(), ran_, when);
}

// Said once a journal: the program goes on without.
void Engine::tell_of_journal() {
    if (is_journal_told_of_ || journal_ == nullptr) return;
    const std::string failure = journal_->failure();
    if (failure.empty()) return;
    is_journal_told_of_ = true;
    log({.level = SessionListener::LogEntry::Level::Warning,
         .text = concat("this run is not kept for a later session: ", failure),
         .scope = {},
         .source = {}});
}

// Another model takes the place of this one.
void Engine::forget_kept() {
    if (journal_ == nullptr) return;
    journal_->forget();
    std::error_code ignored;
    for (const char* file : {kCheckpoint, kModel}) std::filesystem::remove(journal_->folder() / file, ignored);
    for (const auto& [steps, start] : starts_in(journal_->folder())) std::filesystem::remove(start, ignored);
    kept_tensors_.clear();
}

bool Engine::keep_more() {
    if (journal_ == nullptr) return false;
    tell_of_journal();
    // What stopped the run does not stop this.
    const CancelFlag never{false};
    const CancelScope scope(&never);
    try {
        if (trainer_ != nullptr && checkpoint_step_ != trainer_->steps_done()) keep_checkpoint(true);
        // In the middle of a run the model as it was when the run began is what counts.
        if (kept_tensors_.empty() || status().state != RunState::Paused) keep_model_now();
        if (recorder_ == nullptr) return false;
        if (are_gradients_due_ && program_ != nullptr) {
            are_gradients_due_ = false;
            journal_->add_gradients(gradient_rows(program_->module(), recorder_.get()));
            journal_->write_now();
            return true;
        }
        const ValueStore& values = recorder_->values();
        if (journal_->add_elements([&](ValueId id) { return values.was_dropped(id) ? Tensor() : values.find(id); },
                                   kPiece))
            return true;
    } catch (const std::exception& error) {
        log({.level = SessionListener::LogEntry::Level::Warning,
             .text = concat("this run is not kept for a later session: ", error.what()),
             .scope = {},
             .source = {}});
        journal_.reset();
    }
    return false;
}

void Engine::keep_while_running() {
    if (journal_ == nullptr || !journal_->is_due()) return;
    const ObserverScope unobserved(nullptr);
    const ValueStore& values = recorder_->values();
    try {
        journal_->add_elements([&](ValueId id) { return values.was_dropped(id) ? Tensor() : values.find(id); }, kPiece);
    } catch (const std::exception&) {
        journal_.reset();  // the run goes on without
    }
}

void Engine::keep_checkpoint(bool is_last) {
    if (journal_ == nullptr || trainer_ == nullptr || trainer_->steps_done() == 0) return;
    if (training_end_) return;  // an earlier step is looked at: what is kept is the end
    if (checkpoint_step_ == trainer_->steps_done() || (!is_last && Clock::now() < checkpoint_due_)) return;
    const auto began = Clock::now();
    try {
        const ObserverScope unobserved(nullptr);
        trainer_->save(journal_->folder() / kCheckpoint);
    } catch (const Error& error) {
        // Inside the optimiser's step: it is tried again behind it.
        if (error.kind() == ErrorKind::Usage || error.kind() == ErrorKind::Cancelled) return;
        if (!std::exchange(is_journal_told_of_, true)) {
            log({.level = SessionListener::LogEntry::Level::Warning,
                 .text = concat("this training is not kept for a later session: ", error.what()),
                 .scope = {},
                 .source = {}});
        }
    }
    checkpoint_step_ = trainer_->steps_done();
    const auto now = Clock::now();
    checkpoint_due_ = now + std::max<Clock::duration>(kCheckpointEvery, (now - began) * kCheckpointShare);
}

// A training's weights are in its checkpoint.
void Engine::keep_model_now() {
    if (journal_ == nullptr || program_ == nullptr || trainer_ != nullptr) return;
    std::string tensors = state_of_tensors(*program_);
    if (tensors == kept_tensors_) return;
    const ObserverScope unobserved(nullptr);
    const CancelScope whole(nullptr);
    kept_tensors_ = std::move(tensors);
    try {
        KeptModel kept = keep_model(*program_, opening_random_, weights_from_, true);
        if (bytes_of(kept) > kMostModelBytes) kept = keep_model(*program_, opening_random_, weights_from_, false);
        if (restored_ != nullptr) kept.note = other_model_;
        write_kept_model(kept, journal_->folder() / kModel);
    } catch (const Error& error) {
        std::error_code ignored;
        fs::remove(journal_->folder() / kModel, ignored);  // of other weights
        log({.level = SessionListener::LogEntry::Level::Warning,
             .text = concat("the weights are not kept for a later session: ", error.what()),
             .scope = {},
             .source = {}});
    }
}

std::optional<KeptModel> Engine::read_kept(const std::filesystem::path& folder) {
    std::error_code failure;
    if (folder.empty() || !fs::is_regular_file(fs::symlink_status(folder / kModel, failure))) return std::nullopt;
    try {
        return read_kept_model(folder / kModel);
    } catch (const Error& error) {
        other_model_ = concat("the session's weights cannot be read (", error.message(), ") and were made anew");
        return std::nullopt;
    }
}

void Engine::keep_training_start() {
    if (journal_ == nullptr || trainer_ == nullptr) return;
    std::error_code ignored;
    auto there = starts_in(journal_->folder());
    // Of a training that this one replaces, or of the steps that it leaves.
    const bool is_new = training_states_.count() <= 1;
    for (const auto& [steps, file] : there) {
        if (is_new || steps >= trainer_->steps_done()) fs::remove(file, ignored);
    }
    there = starts_in(journal_->folder());
    for (std::size_t i = 0; i + kMostStarts <= there.size(); ++i) fs::remove(there[i].second, ignored);
    std::size_t bytes = 0;
    for (const auto& [name, t] : program_->module().state_dict()) bytes += t.bytes();
    if (bytes > kMostModelBytes) return;
    try {
        const ObserverScope unobserved(nullptr);
        trainer_->save(journal_->folder() / concat(kStart, trainer_->steps_done(), ".pt"));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        log({.level = SessionListener::LogEntry::Level::Warning,
             .text = concat("a later session cannot run steps of this training again: ", error.what()),
             .scope = {},
             .source = {}});
    }
}

// States that the training went on from: its steps can be run again. One that cannot be read is passed over.
void Engine::restore_training_starts(const std::filesystem::path& folder, std::int64_t steps_done) {
    for (const auto& [steps, file] : starts_in(folder)) {
        if (steps >= steps_done) break;
        try {
            const Trainer start(program_, read_training_checkpoint(file, {}).options);
            if (start.steps_done() == steps) training_states_.add(start.state(), true);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            training_states_.clear();  // steps behind it began with it
        }
    }
}

// With other inputs or options it is another run.
bool Engine::repeats_restored(RunOptions options) const {
    if (restored_ == nullptr || !other_model_.empty() || is_training_back_ || !options.record) return false;
    options.pause_at_start = restored_->run().pause_at_start;
    return Json(options) == Json(restored_->run());
}

void Engine::compare_with_restored() {
    const auto before = std::exchange(repeated_, nullptr);
    if (before == nullptr || recorder_ == nullptr) return;
    const Recording& now = *recorder_->recording();
    const auto count = static_cast<EventId>(std::min(before->event_count(), now.event_count()));
    const auto is_same = [&](EventId id) {
        const Event& a = before->event(id);
        const Event& b = now.event(id);
        if (a.op != b.op || a.scope != b.scope || a.outputs.size() != b.outputs.size()) return false;
        for (std::size_t i = 0; i < a.outputs.size(); ++i) {
            const auto& was = before->value(a.outputs[i]);
            const auto& is = now.value(b.outputs[i]);
            if (was.shape != is.shape || was.dtype != is.dtype) return false;
            if (!was.statistics || !is.statistics) continue;
            if (was.statistics->nan_count != is.statistics->nan_count ||
                was.statistics->inf_count != is.statistics->inf_count ||
                was.statistics->finite != is.statistics->finite)
                return false;
        }
        return true;
    };
    EventId other = 0;
    for (EventId id = 1; id <= count && other == 0; ++id) {
        if (!is_same(id)) other = id;
    }
    SessionListener::LogEntry entry;
    if (count == 0) return;
    if (other == 0) {
        entry.text =
            concat("the run of the session before was run again and came out the same, in ", counted(count, "event"));
    } else {
        entry.level = SessionListener::LogEntry::Level::Warning;
        entry.text = concat(
            "the run of the session before did not come out the same when it was run again: it first "
            "differs at #",
            other, ", ", now.event(other).op);
        entry.event = other;
    }
    log(std::move(entry));
}

RestoredRun Engine::restore_run(const std::filesystem::path& folder) {
    RestoredRun out;
    try {
        const RunState state = status().state;
        const bool is_free = program_ != nullptr && state != RunState::Paused && state != RunState::Running;
        if (!is_free) throw Error(ErrorKind::Usage, "no model is open that a run could come back to");
        auto file = read_journal(folder, out.note);
        if (file == nullptr) return out;
        forget_run();
        const auto shown = model();
        const GraphModel* graph = file->graph().get();
        const bool is_shown = graph == nullptr || (shown->graph != nullptr && shown->graph->text == graph->text &&
                                                   shown->graph->nodes.size() == graph->nodes.size());
        if (!is_shown) {
            auto own = std::make_shared<GraphModel>(*graph);
            own->pipeline = file->run().pipeline == "none" ? std::string() : file->run().pipeline;
            auto info = std::make_shared<ModelInfo>(*program_->info());
            info->graph = std::move(own);
            show_model(std::move(info));
        }
        out.other_model = other_model_;
        restored_ = std::move(file);
        out.events = static_cast<EventId>(restored_->recording()->event_count());
        {
            const std::lock_guard lock(mutex_);
            recording_ = restored_->recording();
        }
        if (listener_ != nullptr) {
            listener_->on_recording(restored_->recording());
            listener_->on_events(out.events);
        }
        change_status([&](Status& status) {
            status = Status{};
            status.state = RunState::Ready;
            status.reached = out.events;
            status.is_restored = true;
            status.why = other_model_.empty() ? "restored; F5 runs again"
                                              : "restored, of another model; F5 runs the one that is open";
        });
    } catch (const Error& error) {
        out.error = error.what();
    }
    return out;
}

// The data may be gone: then the weights come back alone.
std::string Engine::restore_training(const std::filesystem::path& file) {
    try {
        const RunState state = status().state;
        const bool is_free = program_ != nullptr && state != RunState::Paused && state != RunState::Running;
        if (!is_free) throw Error(ErrorKind::Usage, "no model is open that a training could come back to");
        const TrainingCheckpoint checkpoint = read_training_checkpoint(file, {});
        if (!checkpoint.options.data.path.empty()) program_->permit_reading(checkpoint.options.data.path);
        training_states_.clear();
        try {
            trainer_.reset();
            restore_training_starts(file.parent_path(), checkpoint.step);
            trainer_ = std::make_unique<Trainer>(program_, checkpoint.options);
        } catch (const Error& error) {
            trainer_.reset();
            training_states_.clear();
            const WeightsReport report = program_->load_weights(file, false);
            if (!report.error.empty()) return report.error;
            weights_from_ = "trained";
            return concat("the weights came back, the training did not: ", error.what());
        }
        training_end_.reset();
        end_run_.reset();
        is_training_back_ = true;
        TrainingOrigin origin;
        origin.weights = file.filename().string();
        trainer_->log()->set_origin(std::move(origin));
        if (training_states_.count() > 0) trainer_->log()->set_first_replayable(training_states_.first() + 1);
        enlist(trainer_->log());
        weights_from_ = "trained";
        other_model_.clear();                       // the weights are those of the checkpoint
        checkpoint_step_ = trainer_->steps_done();  // the file is there
        if (listener_ != nullptr) listener_->on_training(trainer_->log());
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

std::string Engine::save_restored(const std::filesystem::path& file) {
    try {
        ModelInfo info = *model();
        if (!info.path.empty()) info.path = std::filesystem::absolute(info.path).string();
        write_recording(file, info, *restored_->recording(), restored_->gradients(), restored_->run(),
                        [this](ValueId id) { return restored_->elements(id); });
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace loupe::session
