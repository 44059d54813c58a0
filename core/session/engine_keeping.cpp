// SPDX-License-Identifier: Apache-2.0
// The engine thread: what is kept of runs and trainings for a session after this one, and what comes back of it.
#include <algorithm>
#include <chrono>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/record/gradients.h"
#include "core/session/engine.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = std::size_t{4} << 20;  // of elements between two requests
constexpr auto kCheckpointEvery = std::chrono::seconds(5);
constexpr int kCheckpointShare = 50;  // of the time: one part in so many at most
constexpr const char* kCheckpoint = "training.pt";

}  // namespace

void Engine::keep_in(const std::filesystem::path& folder) {
    journal_.reset();
    is_journal_told_of_ = false;
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
    std::filesystem::remove(journal_->folder() / kCheckpoint, ignored);
}

bool Engine::keep_more() {
    if (journal_ == nullptr) return false;
    tell_of_journal();
    // What stopped the run does not stop this.
    const CancelFlag never{false};
    const CancelScope scope(&never);
    try {
        if (trainer_ != nullptr && checkpoint_step_ != trainer_->steps_done()) keep_checkpoint(true);
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
            status.why = "restored; F5 runs again";
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
        try {
            trainer_ = std::make_unique<Trainer>(program_, checkpoint.options);
        } catch (const Error& error) {
            trainer_.reset();
            const WeightsReport report = program_->load_weights(file, false);
            if (!report.error.empty()) return report.error;
            weights_from_ = "trained";
            return concat("the weights came back, the training did not: ", error.what());
        }
        training_end_.reset();
        end_run_.reset();
        training_states_.clear();
        TrainingOrigin origin;
        origin.weights = file.filename().string();
        trainer_->log()->set_origin(std::move(origin));
        enlist(trainer_->log());
        weights_from_ = "trained";
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
