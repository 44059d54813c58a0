// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_keeper.h"

#include <algorithm>
#include <utility>

#include "core/autograd/observer.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/gradients.h"
#include "core/session/kept_files.h"
#include "core/session/kept_model.h"

namespace loupe::session {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;  // of elements between two requests
constexpr auto kFirstCheckpoint = std::chrono::seconds(2);
constexpr auto kCheckpointEvery = std::chrono::seconds(5);
constexpr int kCheckpointShare = 50;  // of the time: one part in so many at most
constexpr std::size_t kMostStarts = 4;
constexpr std::size_t kMostModelBytes = std::size_t{256} << 20;

Said no_run(const std::string& why) { return engine::said("this run is not kept for a later session: %1", why); }
Said no_training(const std::string& why) {
    return engine::said("this training is not kept for a later session: %1", why);
}
Said no_model(const std::string& why) { return engine::said("the weights are not kept for a later session: %1", why); }
Said no_start(const std::string& why) {
    return engine::said("a later session cannot run steps of this training again: %1", why);
}

}  // namespace

void SessionKeeper::warn(const Said& what) const { publisher_.log(Publisher::Level::Warning, what); }

// --- runs ---

void SessionKeeper::keep_in(const fs::path& folder, const ShownRun& shown) {
    journal_.reset();
    is_failure_logged_ = false;
    kept_tensors_.clear();
    if (folder.empty()) return;
    journal_ = std::make_unique<RunJournal>(folder);
    if (shown.recorder == nullptr) return;
    begin_run(shown, RunJournal::When::EverySecond);
    are_gradients_due_ = true;
}

void SessionKeeper::begin_run(const ShownRun& shown, RunJournal::When when) {
    if (journal_ == nullptr) return;
    are_gradients_due_ = false;
    keep_model(shown);
    journal_->begin(shown.recorder->recording(), shown.recorder->shared_graph(), shown.ran, when);
}

void SessionKeeper::write_now() {
    if (journal_ != nullptr) journal_->write_now();
}

// Once a journal: the program continues without.
void SessionKeeper::log_journal_failure() {
    if (is_failure_logged_) return;
    const std::string failure = journal_->failure();
    if (failure.empty()) return;
    is_failure_logged_ = true;
    warn(no_run(failure));
}

void SessionKeeper::forget() {
    if (journal_ == nullptr) return;
    journal_->forget();
    std::error_code ignored;
    const fs::path& folder = journal_->folder();
    for (const fs::path& file : {kept_checkpoint_in(folder), kept_model_in(folder)}) fs::remove(file, ignored);
    for (const auto& [steps, start] : training_starts_in(folder)) fs::remove(start, ignored);
    kept_tensors_.clear();
}

bool SessionKeeper::keep_elements(const ShownRun& shown) {
    const ValueStore& values = shown.recorder->values();
    return journal_->add_elements([&](ValueId id) { return values.was_dropped(id) ? Tensor() : values.find(id); },
                                  kPiece);
}

bool SessionKeeper::keep_more(const ShownRun& shown) {
    if (journal_ == nullptr) return false;
    log_journal_failure();
    // What stopped the run does not stop this.
    const CancelFlag never{false};
    const CancelScope scope(&never);
    try {
        if (training_.trainer != nullptr && checkpoint_step_ != training_.trainer->steps_done()) keep_last_checkpoint();
        // In the middle of a run the model as it was when the run began is what counts.
        if (kept_tensors_.empty() || publisher_.status().state != RunState::Paused) keep_model(shown);
        if (shown.recorder == nullptr) return false;
        if (are_gradients_due_ && model_.program() != nullptr) {
            are_gradients_due_ = false;
            journal_->add_gradients(gradient_rows(model_.program()->module(), shown.recorder.get()));
            journal_->write_now();
            return true;
        }
        return keep_elements(shown);
    } catch (const std::exception& error) {
        warn(no_run(error.what()));
        journal_.reset();
    }
    return false;
}

void SessionKeeper::keep_while_running(const ShownRun& shown) {
    if (journal_ == nullptr || !journal_->is_due()) return;
    const ObserverScope unobserved(nullptr);
    try {
        keep_elements(shown);
    } catch (const std::exception&) {
        journal_.reset();  // the run continues without
    }
}

// As it is, where it has changed since it was kept. A training's weights are in its checkpoint.
void SessionKeeper::keep_model(const ShownRun& shown) {
    if (model_.program() == nullptr || training_.trainer != nullptr) return;
    const Program& program = *model_.program();
    const ModelOrigin& origin = model_.origin();
    std::string tensors = state_of_tensors(program);
    if (tensors == kept_tensors_) return;
    const ObserverScope unobserved(nullptr);
    const CancelScope whole(nullptr);
    kept_tensors_ = std::move(tensors);
    const fs::path file = kept_model_in(journal_->folder());
    try {
        KeptModel kept = session::keep_model(program, origin.random, origin.weights_from, true);
        if (bytes_of(kept) > kMostModelBytes)
            kept = session::keep_model(program, origin.random, origin.weights_from, false);
        if (shown.restored != nullptr) kept.note = origin.other_model;
        write_kept_model(kept, file);
    } catch (const Error& error) {
        std::error_code ignored;
        fs::remove(file, ignored);  // of other weights
        warn(no_model(error.what()));
    }
}

// --- trainings ---

void SessionKeeper::begin_training() {
    if (journal_ != nullptr) journal_->forget();
    checkpoint_step_ = -1;
    checkpoint_due_ = Clock::now() + kFirstCheckpoint;
}

// While an earlier step is looked at, what is kept is the end.
bool SessionKeeper::can_keep_checkpoint() const {
    const Trainer* trainer = training_.trainer.get();
    return journal_ != nullptr && trainer != nullptr && trainer->steps_done() != 0 && !training_.end &&
           checkpoint_step_ != trainer->steps_done();
}

void SessionKeeper::keep_checkpoint() {
    if (can_keep_checkpoint() && Clock::now() >= checkpoint_due_) write_checkpoint();
}

void SessionKeeper::keep_last_checkpoint() {
    if (can_keep_checkpoint()) write_checkpoint();
}

void SessionKeeper::write_checkpoint() {
    const auto began = Clock::now();
    try {
        const ObserverScope unobserved(nullptr);
        training_.trainer->save(kept_checkpoint_in(journal_->folder()));
    } catch (const Error& error) {
        // Inside the optimiser's step: it is tried again behind it.
        if (error.kind() == ErrorKind::Usage || error.kind() == ErrorKind::Cancelled) return;
        if (!std::exchange(is_failure_logged_, true)) warn(no_training(error.what()));
    }
    checkpoint_step_ = training_.trainer->steps_done();
    const auto now = Clock::now();
    checkpoint_due_ = now + std::max<Clock::duration>(kCheckpointEvery, (now - began) * kCheckpointShare);
}

void SessionKeeper::keep_training_start() {
    const Trainer* trainer = training_.trainer.get();
    if (journal_ == nullptr || trainer == nullptr) return;
    const fs::path& folder = journal_->folder();
    std::error_code ignored;
    // Of a training that this one replaces, or of the steps that it leaves.
    const bool is_new = training_.states.count() <= 1;
    for (const auto& [steps, file] : training_starts_in(folder)) {
        if (is_new || steps >= trainer->steps_done()) fs::remove(file, ignored);
    }
    const auto left = training_starts_in(folder);
    for (std::size_t i = 0; i + kMostStarts <= left.size(); ++i) fs::remove(left[i].second, ignored);
    std::size_t bytes = 0;
    for (const auto& [name, t] : model_.program()->module().state_dict()) bytes += t.bytes();
    if (bytes > kMostModelBytes) return;
    try {
        const ObserverScope unobserved(nullptr);
        trainer->save(training_start_in(folder, trainer->steps_done()));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        warn(no_start(error.what()));
    }
}

}  // namespace loupe::session
