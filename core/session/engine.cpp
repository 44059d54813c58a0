// SPDX-License-Identifier: Apache-2.0
#include "core/session/engine.h"

#include <fcntl.h>

#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/free_memory.h"
#include "core/base/given_file.h"
#include "core/dispatch/plugin_list.h"
#include "core/distributed/world.h"
#include "core/model/error_text.h"
#include "core/record/change_source.h"
#include "core/session/file_notices.h"
#include "core/session/rank_run.h"
#include "core/session/verdict_entry.h"
#include "core/tensor/kernel_cache.h"

namespace loupe::session {

using Command = WorkQueue::Command;

Engine::Engine(SessionListener* listener)
    : publisher_(listener,
                 [this](const Status& status) {
                     const RunState now = status.state;
                     queue_.set_ending(now != RunState::Opening && now != RunState::Running && now != RunState::Paused);
                 }),
      queue_(*this),
      moves_(control_, [this](SessionListener::LogEntry entry) { publisher_.log(std::move(entry)); }),
      model_(publisher_, settings_, moves_, *this),
      opener_(publisher_, settings_, model_),
      keeper_(publisher_, model_, training_),
      recorder_(publisher_, queue_, control_, model_, training_, keeper_),
      runs_(publisher_, settings_, control_, model_, training_, recorder_),
      repeater_(publisher_, settings_, queue_, model_, training_, recorder_),
      trainings_(publisher_, settings_, queue_, control_, model_, training_, recorder_, keeper_),
      replay_(publisher_, settings_, control_, training_, recorder_, keeper_),
      follower_(publisher_, queue_, control_, model_),
      generations_(publisher_, settings_, control_, model_, recorder_, runs_),
      references_(settings_, model_, recorder_, repeater_, queue_.cancel_flag()),
      edits_(publisher_, queue_, control_, model_, recorder_, runs_, references_) {
    queue_.start([this] { work(); });
}

Engine::~Engine() { queue_.end(); }

// The engine thread, from its beginning to its end.
void Engine::work() {
    const python::FileNoticeScope notices(
        [this](const python::FileNotice& notice) { publisher_.log(entry_of(notice)); });
    const ReferencesScope references(references_);
    const distributed::ProgramScope program;
    const RankMeetingScope meeting(&control_.meeting());
    const ReferenceElements pinned = [this](int id, ValueId value) { return references_.elements(id, value); };
    const ReferenceElementsScope elements(pinned);
    queue_.attempt([] { plugins(); });  // loaded here, so that no run waits for them
    queue_.serve();
    // What the keeper holds is for the next session: the last of it is written for at most two seconds.
    queue_.attempt([this] {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (work_ahead() && std::chrono::steady_clock::now() < until) {
        }
    });
    keeper_.end();
    queue_.attempt([this] {
        references_.unpin(0);
        model_.close();
    });
}

void Engine::release_model() {
    recorder_.forget();
    keeper_.forget();
    training_.clear();
    generations_.clear();
    has_released_ = true;
}

bool Engine::work_ahead() {
    if (std::exchange(has_released_, false)) {
        drop_dead_kernel_caches();
        return_free_memory();
    }
    return keeper_.keep_more(recorder_.shown());
}

// --- orders ---

void Engine::open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened,
                  const std::filesystem::path& kept, const std::vector<InputSpec>& inputs) {
    std::shared_ptr<FileHandle> given;
    if (const GivenFile* socket = GivenFile::of(file); socket != nullptr)
        given = std::make_shared<FileHandle>(::fcntl(socket->file().get(), F_DUPFD_CLOEXEC, 0));
    queue_.order(Command::Open, [this, file, build, kept, inputs, given, opened = std::move(opened)] {
        recorder_.shown().failed = false;
        if (TrainingFollower::takes(file)) {
            if (follower_.open(file, given.get())) order_run(RunTarget::end(), [this] { follower_.follow(); });
        } else {
            follower_.forget();
            const runtime::PrintScope prints(recorder_.print_to_log());
            const RunAmongRanks rank(publisher_, true);
            opener_.open(file, build, kept);
        }
        if (!inputs.empty()) settings_.set_inputs(inputs);
        if (opened) opened();
    });
}

void Engine::fail_to_open(const Error& error) {
    queue_.order(Command::Open, [error] { throw error; });
}

void Engine::close() {
    queue_.order(Command::Open, [this] {
        follower_.forget();
        model_.close();
    });
}

void Engine::set_form(ModelForm form, std::function<void(std::string)> reply) {
    queue_.order(Command::ChangeForm, [this, form, reply = std::move(reply)] { change_form(form, reply); });
}

void Engine::change_form(ModelForm form, const std::function<void(std::string)>& reply) {
    std::string failure;
    try {
        model_.set_form(form);
    } catch (const Error& error) {
        failure = headline_of(error);
        publisher_.log({.level = Publisher::Level::Error,
                        .text = failure,
                        .scope = {},
                        .source = place_of(error),
                        .details = details_of(error)});
    }
    publisher_.change_status([this](Status& status) {
        status = Status{};
        if (training_.end) training_.note_in(status);
        status.state = RunState::Ready;
    });
    if (reply) reply(failure);
}

void Engine::run(const RunOptions& options, const RunTarget& target) {
    settings_.set_options(options);
    order_run(target, [this, options] { runs_.run(options); });
}

void Engine::train(const TrainOptions& options, TrainFrom from, std::int64_t pause_in) {
    order_run(RunTarget::end(), [this, options, from, pause_in] { trainings_.train(options, from, pause_in); });
}

// The target is set when the run begins, so that the run before, which may go on until then, does not take it.
void Engine::order_run(const RunTarget& target, std::function<void()> work) {
    control_.order_next_run(target);
    queue_.order(Command::Run, [this, work = std::move(work)] {
        control_.take_target();
        const RunAmongRanks rank(publisher_, false);
        work();
    });
}

void Engine::look_at_step(std::int64_t step) {
    queue_.order(Command::Run, [this, step] {
        const RunAmongRanks rank(publisher_, false);
        replay_.look_at_step(step);
    });
}

void Engine::return_to_end() {
    queue_.order(Command::Run, [this] { replay_.return_to_end(); });
}

void Engine::generate(const GenerateRequest& request) {
    order_run(RunTarget::end(), [this, request] { generations_.generate(request); });
}

void Engine::go_on(const RunTarget& target) {
    const bool is_under_way = queue_.resume(
        [&](bool is_parked) { control_.order(target.is_step() && !is_parked ? RunTarget::next() : target); });
    if (is_under_way || publisher_.model() == nullptr) return;
    RunOptions options = settings_.options();
    options.record = true;
    run(options, target.is_step() ? RunTarget::next() : target);
}

// --- failures ---

void Engine::report_failure(const Error& error) {
    const bool was_stopped = error.kind() == ErrorKind::Cancelled;
    const bool has_model = model_.program() != nullptr;
    const ShownRun& shown = recorder_.shown();
    const auto recording = shown.recorder != nullptr && !was_stopped ? shown.recorder->recording() : nullptr;
    SessionListener::LogEntry entry;
    entry.level = was_stopped ? Publisher::Level::Info : Publisher::Level::Error;
    entry.text = was_stopped ? engine::said("stopped") : Said(headline_of(error));
    entry.scope = error.context().scope;
    entry.source = place_of(error);
    entry.details = was_stopped ? std::string() : details_of(error);
    if (recording != nullptr) {
        const auto count = static_cast<EventId>(recording->event_count());
        if (count > 0 && recording->event(count).failed) {
            entry.event = count;
            entry.graph_node = recording->event(count).graph_node;
        }
    }
    publisher_.log(entry);
    std::shared_ptr<const Verdict> verdict;
    if (recording != nullptr)
        verdict = std::make_shared<Verdict>(conclude(*recording, shown.ran,
                                                     {.error = entry.text,
                                                      .hint = error.context().hint,
                                                      .error_source = entry.source,
                                                      .opening = model_.origin().verdict}));
    publisher_.change_status([&](Status& status) {
        if (training_.end) training_.note_in(status);
        status.verdict = verdict;
        status.state = was_stopped ? (has_model ? RunState::Ready : RunState::Empty) : RunState::Failed;
        status.is_training = false;
        status.error = was_stopped ? Said() : entry.text;
        status.details = entry.details;
        status.error_source = entry.source;
        status.why = was_stopped ? engine::said("stopped") : engine::said("error");
        status.progress.clear();
        status.fraction = -1;
    });
}

// Reporting a failure failed too.
void Engine::report_no_memory() {
    publisher_.change_status([](Status& status) {
        status.state = RunState::Failed;
        status.is_training = false;
        status.error = engine::said("out of memory");
    });
}

void Engine::report_request_failure(const std::string& text) { publisher_.log(Publisher::Level::Error, text); }

}  // namespace loupe::session
