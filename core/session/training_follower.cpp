// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_follower.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/watched_programs.h"
#include "core/study/verdict.h"

namespace loupe::session {
namespace {

using nlohmann::json;
constexpr auto kTurn = std::chrono::milliseconds(20);
constexpr auto kReportEvery = std::chrono::milliseconds(50);
constexpr auto kPatience = std::chrono::seconds(5);  // for a program to say what it trains

// Of a run in which nothing was recorded yet.
json no_rows() {
    return {{"run",
             {{"method", "forward"},
              {"inputs", json::array()},
              {"backward", true},
              {"pipeline", "none"},
              {"threads", 0},
              {"seed", 0},
              {"device", "cpu"}}},
            {"graph", nullptr},
            {"events", json::array()},
            {"values", json::array()},
            {"frames", json::array()},
            {"allocations", json::array()},
            {"savings", json::array()},
            {"strings", json::array()},
            {"gradients", json::array()},
            {"peak", {0, 0}}};
}

}  // namespace

bool TrainingFollower::takes(const std::filesystem::path& path) {
    return is_watched_socket(path) || is_watched_file(path);
}

std::string TrainingFollower::who() const {
    const TrainingProgram& program = training_->program();
    return concat(program.name, ", process ", program.process, program.host.empty() ? "" : " on ", program.host);
}

// --- opening ---

bool TrainingFollower::open(const std::filesystem::path& path, FileHandle* given) {
    if (is_watched_socket(path)) {
        FileHandle in = given != nullptr ? std::move(*given) : connect_to_watched(path);
        FileHandle out(::dup(in.get()));
        open(std::move(in), std::move(out), path);
        return true;
    }
    publisher_.change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = engine::said("opening %1", path.filename().string());
    });
    auto read = read_watched_file(path);
    forget();
    training_ = std::move(read);
    show(path);
    publish();
    conclude(false);
    return false;
}

void TrainingFollower::open(FileHandle in, FileHandle out, const std::filesystem::path& name) {
    publisher_.change_status([&](Status& status) {
        status = Status{};
        status.state = RunState::Opening;
        status.progress = engine::said("attaching to the training");
    });
    const auto stream = std::make_shared<LineStream>(std::move(in), std::move(out), WatchedTraining::kLongestLine,
                                                     [this] { queue_.resume([](bool) {}); });
    std::unique_ptr<WatchedTraining> training;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!training || training->model() == nullptr) {
        check_cancelled();
        for (const std::string& line : stream->take(kTurn)) {
            if (training)
                training->add(line);
            else
                training = std::make_unique<WatchedTraining>(line);
        }
        if (training && training->model()) break;
        if (stream->has_ended() || std::chrono::steady_clock::now() > until)
            throw Error(ErrorKind::Usage, "the program does not say what it trains", {.file = name.string()});
    }
    forget();
    training_ = std::move(training);
    training_->set_live(true);
    {
        const std::lock_guard lock(mutex_);
        stream_ = stream;
    }
    show(name);
    publisher_.change_status([this](Status& status) {
        status = Status{};
        status.state = RunState::Running;
        status.is_training = true;
        status.training_step = training_->step();
    });
    publish();
}

// Its model, and a training of it.
void TrainingFollower::show(const std::filesystem::path& name) {
    std::shared_ptr<ModelInfo> model = training_->model();
    if (model == nullptr) {
        model = std::make_shared<ModelInfo>();
        model->modules.emplace_back().class_name = "unknown";
    }
    model->recorded_in = name.string();
    model->cannot_run = concat("this training runs in ", who(), ": here it is watched");
    auto recording = training_->take_recording();
    if (recording == nullptr || recording->model() == nullptr)
        recording = std::make_unique<RecordingFile>(
            no_rows(), [](ValueId) { return Tensor(); }, model);
    model_.use(std::move(recording));
    publisher_.add_training(training_->log(), model->path);
    shown_version_ = 0;
    is_pause_sent_ = false;
}

void TrainingFollower::forget() {
    const std::lock_guard lock(mutex_);
    stream_.reset();
    training_.reset();
}

// --- following ---

void TrainingFollower::take_in(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) training_->add(line);
}

void TrainingFollower::log_news() {
    for (std::string& note : training_->take_notes()) publisher_.log(Publisher::Level::Info, std::move(note));
    for (const TrainingFinding& finding : training_->take_findings()) {
        Publisher::LogEntry entry;
        entry.level = Publisher::Level::Warning;
        entry.text = finding.text;
        entry.training_step = finding.step;
        entry.training = training_->log();
        publisher_.log(std::move(entry));
    }
}

void TrainingFollower::publish() {
    log_news();
    const std::uint64_t version = training_->log()->version();
    if (version == shown_version_) return;
    shown_version_ = version;
    if (auto recording = training_->take_recording(); recording != nullptr && recording->model() != nullptr)
        model_.show_next(std::move(recording));
    publisher_.notify_training(training_->log());
}

void TrainingFollower::follow() {
    const auto left = [this] {
        const std::lock_guard lock(mutex_);
        return stream_;
    };
    const std::shared_ptr<LineStream> stream = left();
    if (stream == nullptr || training_ == nullptr) return;
    const struct Leave {
        TrainingFollower& follower;
        ~Leave() {
            const std::lock_guard lock(follower.mutex_);
            follower.stream_.reset();
        }
    } leaving{*this};
    control_.begin_run(false);
    auto reported = std::chrono::steady_clock::now();
    std::int64_t step = -1;
    try {
        while (!stream->has_ended() && !training_->has_ended()) {
            check_cancelled();
            queue_.serve_requests();
            take_in(stream->take(kTurn));
            if (training_->is_parked()) park();
            if (!is_pause_sent_ && control_.take_stop_order()) is_pause_sent_ = send("{\"do\":\"pause\"}");
            if (std::chrono::steady_clock::now() - reported < kReportEvery) continue;
            reported = std::chrono::steady_clock::now();
            publish();
            if (training_->step() == step) continue;
            step = training_->step();
            publisher_.change_status([&](Status& status) {
                status.progress = engine::said("training in %1: step %2", training_->program().name, step);
                status.training_step = step;
            });
        }
    } catch (const Error& error) {
        training_->set_live(false);
        publisher_.notify_training(training_->log());
        if (error.kind() != ErrorKind::Cancelled) throw;
        return leave();
    }
    conclude(!training_->has_ended());
}

// The program trains on by itself; what was seen of it stays.
void TrainingFollower::leave() {
    publisher_.log(Publisher::Level::Info, engine::said("left %1 behind step %2", who(), training_->step()));
    publisher_.change_status([this](Status& status) {
        status.state = RunState::Finished;
        status.is_training = false;
        status.training_step = training_->step();
        status.progress.clear();
        status.why = engine::said("stopped");
    });
}

// The program stands behind a step and waits; until it is sent on, or ends.
void TrainingFollower::park() {
    publish();
    is_pause_sent_ = false;
    queue_.begin_parking();
    publisher_.change_status([this](Status& status) {
        status.state = RunState::Paused;
        status.why = engine::said("%1 waits behind step %2", training_->program().name, training_->step());
        status.training_step = training_->step();
    });
    queue_.stay_parked();
    send("{\"do\":\"continue\"}");
    publisher_.change_status([](Status& status) {
        status.state = RunState::Running;
        status.why.clear();
    });
    // What was said before it went on is still to come.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (training_->is_parked() && std::chrono::steady_clock::now() < until) {
        const auto lines = stream_->take(kTurn);
        take_in(lines);
        if (lines.empty() && stream_->has_ended()) break;
    }
}

void TrainingFollower::conclude(bool was_lost) {
    training_->set_live(false);
    publish();
    const TrainingVerdict found = training_->log()->verdict();
    Said text =
        was_lost ? engine::said("%1 ended without a word behind step %2", training_->program().name, training_->step())
                 : Said();
    if (!found.text.empty()) text = said_in_row(text, text.empty() ? "" : "; ", found.text);
    if (training_->damaged() > 0)
        publisher_.log(Publisher::Level::Warning,
                       engine::said("%1 lines could not be read", "%1 line could not be read", training_->damaged()));
    const bool is_good = found.is_good && !was_lost;
    Publisher::LogEntry entry;
    entry.level = is_good ? Publisher::Level::Info : Publisher::Level::Warning;
    entry.text = text;
    entry.training_step = found.step;
    entry.training = training_->log();
    Verdict verdict;
    verdict.severity = is_good ? Verdict::Severity::Good : Verdict::Severity::Warning;
    verdict.text = text;
    if (!text.empty()) publisher_.log(std::move(entry));
    publisher_.change_status([&](Status& status) {
        status.state = RunState::Finished;
        status.is_training = false;
        status.training_step = training_->step();
        status.progress.clear();
        status.fraction = -1;
        status.why.clear();
        if (!text.empty()) status.verdict = std::make_shared<const Verdict>(verdict);
    });
    publisher_.notify_training(training_->log());
}

// --- orders ---

bool TrainingFollower::send(const std::string& line) {
    std::shared_ptr<LineStream> stream;
    {
        const std::lock_guard lock(mutex_);
        stream = stream_;
    }
    return stream != nullptr && stream->send(line);
}

void TrainingFollower::order(ProgramOrder order, std::int64_t value) {
    switch (order) {
        case ProgramOrder::RecordStep:
            send("{\"do\":\"record\"}");
            return;
        case ProgramOrder::Every:
            send(concat("{\"do\":\"every\",\"every\":", value, "}"));
            return;
        case ProgramOrder::EndWatching:
            send("{\"do\":\"stop\"}");
            return;
    }
}

}  // namespace loupe::session
