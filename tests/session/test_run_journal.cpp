// SPDX-License-Identifier: Apache-2.0
// What a run and a training leave on disk while they go on, and how it comes back in another session.

#include <unistd.h>

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/record/run_journal.h"
#include "core/session/queries/gradients.h"
#include "core/session/queries/reset_parameters.h"
#include "core/session/queries/restore_run.h"
#include "core/session/queries/restore_training.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/train/trainer.h"

using namespace loupe;
using namespace loupe::session;

namespace {

namespace fs = std::filesystem;
const std::string kModel = std::string(LOUPE_SOURCE_DIR) + "/resources/models/digits.pt";
const std::string kData = std::string(LOUPE_SOURCE_DIR) + "/resources/models/digits_data.npz";

template <typename T, typename Ask>
T answer(Ask&& ask) {
    std::promise<T> promise;
    ask([&promise](T value) { promise.set_value(std::move(value)); });
    return promise.get_future().get();
}

TensorSlice look(Session& session, ValueId value) {
    TensorRequest request;
    request.value = value;
    return answer<TensorSlice>([&](auto reply) { session.ask("look", TensorQuery{request}, reply); });
}

RestoredRun restore(Session& session, const fs::path& folder) {
    return answer<RestoredRun>([&](auto reply) { session.ask("restore", RestoreRunQuery{folder}, reply); });
}

void open(Session& session) {
    session.open(kModel);
    session.wait_idle();
}

std::vector<double> weights_of(Session& session, const std::string& name) {
    TensorRequest request;
    request.name = name;
    const auto slice = answer<TensorSlice>([&](auto reply) { session.ask("weights", TensorQuery{request}, reply); });
    return slice.data.empty() ? std::vector<double>() : slice.data.front().elements;
}

// Seeds nothing: every opening draws other weights and other inputs.
constexpr const char* kUnseeded = R"(import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(%d, 4)
        self.scale = torch.rand(4)

    def forward(self, x):
        return self.fc(x).relu() * self.scale


model = Net()
example_inputs = (torch.randn(2, %d),)
)";

std::string unseeded(const fs::path& folder, int width) {
    const fs::path file = folder / "net.py";
    char text[1000];
    std::snprintf(text, sizeof text, kUnseeded, width, width);
    std::ofstream(file) << text;
    return file.string();
}

class LogTexts : public SessionListener {
  public:
    void on_log(const LogEntry& entry) override {
        const std::lock_guard lock(mutex_);
        texts_ << QString::fromStdString(entry.text);
    }
    QStringList with(const QString& words) const {
        const std::lock_guard lock(mutex_);
        return texts_.filter(words);
    }

  private:
    mutable std::mutex mutex_;
    QStringList texts_;
};

std::string text_of(const fs::path& folder, const char* ending) {
    for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() == ending) return read_text_file(file.path());
    }
    return {};
}

fs::path file_of(const fs::path& folder, const char* ending) {
    for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() == ending) return file.path();
    }
    return {};
}

// The journal's thread writes soon, not at once.
bool has_events(const fs::path& folder, std::size_t events) {
    std::string note;
    try {
        const auto file = read_journal(folder, note);
        return file != nullptr && file->recording()->event_count() >= events;
    } catch (const Error&) {
        return false;
    }
}

bool has_elements(const fs::path& folder, const Recording& recording) {
    std::string note;
    const auto file = read_journal(folder, note);
    for (EventId id = 1; file != nullptr && id <= recording.event_count(); ++id) {
        for (const ValueId value : recording.event(id).outputs) {
            if (value > file->recording()->value_count() || !file->elements(value).defined()) return false;
        }
    }
    return file != nullptr;
}

}  // namespace

class TestRunJournal : public QObject {
    Q_OBJECT

    QTemporaryDir home_;
    fs::path folder_;
    int count_ = 0;

  private slots:
    void init() {
        folder_ = fs::path(home_.path().toStdString()) / std::to_string(++count_);
        fs::create_directories(folder_);
    }

    // The model that came back has the weights, and the inputs, that the recorded run had, whatever was drawn since.
    void an_unseeded_source_has_its_weights_again() {
        const fs::path home = folder_.string() + "-source";
        fs::create_directories(home);
        const std::string source = unseeded(home, 3);
        Session first;
        first.open(source);
        first.wait_idle();
        // Drawn anew: not those that it is opened with.
        QCOMPARE(answer<std::string>([&](auto reply) { first.ask("new", ResetParametersQuery{.seed = 7}, reply); }),
                 std::string());
        first.keep_in(folder_);
        const auto weights = weights_of(first, "fc.weight");
        first.run({});
        first.wait_idle();
        const std::size_t events = first.recording()->event_count();
        const auto output = look(first, first.recording()->event(events).outputs.front()).data.front().elements;
        QTRY_VERIFY(has_events(folder_, events) && fs::exists(folder_ / "model.pt"));
        const fs::path left = folder_.string() + "-left";
        fs::copy(folder_, left);
        Session other;
        other.open(source);
        other.wait_idle();
        QVERIFY(weights_of(other, "fc.weight") != weights);  // the test's point

        LogTexts log;
        Session second(&log);
        second.open_kept(source, {}, left);
        second.wait_idle();
        const RestoredRun restored = restore(second, left);
        QCOMPARE(restored.events, static_cast<EventId>(events));
        QCOMPARE(restored.other_model, std::string());
        QVERIFY(weights_of(second, "fc.weight") == weights);
        // To an event of the run that came back, again: parked behind it, with the numbers that it had.
        second.run_to(RunTarget::before_event(2));
        second.wait_idle();
        QCOMPARE(second.status().state, RunState::Paused);
        QCOMPARE(log.with("came out the same").size(), 1);
        second.resume();
        second.wait_idle();
        QVERIFY(look(second, second.recording()->event(events).outputs.front()).data.front().elements == output);
    }

    // Where it cannot be the same model that is said, as long as the run is shown.
    void another_model_is_not_taken_for_the_one_that_ran() {
        const fs::path home = folder_.string() + "-source";
        fs::create_directories(home);
        const std::string source = unseeded(home, 3);
        Session first;
        first.keep_in(folder_);
        first.open(source);
        first.wait_idle();
        first.run({});
        first.wait_idle();
        const std::size_t events = first.recording()->event_count();
        QTRY_VERIFY(has_events(folder_, events) && fs::exists(folder_ / "model.pt"));
        const fs::path left = folder_.string() + "-left";
        fs::copy(folder_, left);
        unseeded(home, 5);
        LogTexts log;
        Session second(&log);
        second.open_kept(source, {}, left);
        second.wait_idle();
        const RestoredRun restored = restore(second, left);
        QVERIFY(!restored.other_model.empty());
        QCOMPARE(log.with("the recorded run is of another model").size(), 1);
        QVERIFY(second.status().why.find("of another model") != std::string::npos);
        // Nor when nothing was kept of it.
        fs::remove(left / "model.pt");
        unseeded(home, 3);
        Session third;
        third.open_kept(source, {}, left);
        third.wait_idle();
        QVERIFY(restore(third, left).other_model.find("kept no weights") != std::string::npos);
    }

    // Parked, and the process is gone without having said so: events, values and memory are there as far as it came.
    void a_parked_run_comes_back() {
        Session first;
        first.keep_in(folder_);
        open(first);
        RunOptions options;
        options.backward = true;
        first.run(options);
        first.run_to(RunTarget::first_of(RunPhase::Backward));
        first.wait_idle();
        first.step(StepKind::Over);
        first.wait_idle();
        first.step(StepKind::Over);
        first.wait_idle();
        const auto recorded = first.recording();
        const std::size_t events = recorded->event_count();
        QVERIFY(events > 15);
        QTRY_VERIFY(has_events(folder_, events));
        QTRY_VERIFY(has_elements(folder_, *recorded));
        // A copy, as another process finds the folder while this one still stands there.
        const fs::path left = folder_.string() + "-left";
        fs::copy(folder_, left);

        Session second;
        open(second);
        const RestoredRun restored = restore(second, left);
        QCOMPARE(restored.error, std::string());
        QCOMPARE(restored.events, static_cast<EventId>(events));
        QCOMPARE(second.status().state, RunState::Ready);
        QCOMPARE(second.status().reached, static_cast<EventId>(events));
        const auto again = second.recording();
        QCOMPARE(again->event_count(), events);
        for (EventId id = 1; id <= events; ++id) {
            QCOMPARE(again->event(id).op, recorded->event(id).op);
            QCOMPARE(again->event(id).scope, recorded->event(id).scope);
            QCOMPARE(again->event(id).duration, recorded->event(id).duration);
            QCOMPARE(again->event(id).inputs, recorded->event(id).inputs);
            QCOMPARE(again->event(id).outputs, recorded->event(id).outputs);
            QCOMPARE(again->backward_peer(id), recorded->backward_peer(id));
        }
        for (EventId id = 1; id <= events; ++id) {
            for (const ValueId value : recorded->event(id).outputs) {
                const TensorSlice was = look(first, value);
                const TensorSlice is = look(second, value);
                QVERIFY2(is.error.empty(), is.error.c_str());
                QCOMPARE(is.shape, was.shape);
                QVERIFY(!is.data.empty() && is.data.front().elements == was.data.front().elements);
            }
        }
        // It runs again like any model, to the same place.
        options.pause_at_start = true;
        second.run(options);
        second.wait_idle();
        second.run_to(RunTarget::before_event(static_cast<EventId>(events + 1)));
        second.wait_idle();
        QCOMPARE(second.status().state, RunState::Paused);
        QCOMPARE(second.status().reached, static_cast<EventId>(events));
        QCOMPARE(second.status().next_op, first.status().next_op);
    }

    void a_finished_run_comes_back_with_its_gradients() {
        std::vector<GradientRow> rows;
        std::shared_ptr<const Recording> recorded;
        {
            Session first;
            first.keep_in(folder_);
            open(first);
            RunOptions options;
            options.backward = true;
            first.run(options);
            first.wait_idle();
            recorded = first.recording();
            rows = answer<std::vector<GradientRow>>([&](auto reply) { first.ask("g", GradientsQuery{}, reply); });
        }
        Session second;
        open(second);
        const RestoredRun restored = restore(second, folder_);
        QCOMPARE(restored.error, std::string());
        QCOMPARE(restored.note, std::string());
        const auto again =
            answer<std::vector<GradientRow>>([&](auto reply) { second.ask("g", GradientsQuery{}, reply); });
        QCOMPARE(again.size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(again[i].parameter, rows[i].parameter);
            QCOMPARE(again[i].finite.has_value(), rows[i].finite.has_value());
            if (rows[i].finite) QCOMPARE(again[i].finite->norm, rows[i].finite->norm);
        }
        // What each node keeps for backward too.
        const auto was = recorded->savings();
        const auto is = second.recording()->savings();
        QVERIFY(!was.empty());
        QCOMPARE(is.size(), was.size());
        for (std::size_t i = 0; i < was.size(); ++i) {
            QCOMPARE(is[i].allocation, was[i].allocation);
            QCOMPARE(is[i].by, was[i].by);
            QCOMPARE(is[i].node, was[i].node);
            const Allocation block = second.recording()->allocation(is[i].allocation);
            QCOMPARE(block.category, recorded->allocation(was[i].allocation).category);
        }
        // And is saved as a recording like one that ran here.
        const fs::path file = folder_.string() + ".loupe";
        const auto failure = answer<std::string>([&](auto reply) { second.ask("s", SaveRecordingQuery{file}, reply); });
        QCOMPARE(failure, std::string());
        QCOMPARE(RecordingFile(file).recording()->event_count(), second.recording()->event_count());
        // The next run takes its place.
        second.keep_in(folder_);
        second.run({});
        second.wait_idle();
        QVERIFY(look(second, 1).error.empty());
        QTRY_COMPARE(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()),
                     std::ptrdiff_t{3});  // and the model
    }

    // Any prefix of the files, and any damage of them, is a shorter run or one line.
    void what_is_cut_off_or_damaged_is_no_crash() {
        {
            Session first;
            first.keep_in(folder_);
            open(first);
            RunOptions options;
            options.backward = true;
            first.run(options);
            first.wait_idle();
        }
        const std::string events = text_of(folder_, ".events");
        const std::string values = text_of(folder_, ".values");
        QVERIFY(events.size() > 1000 && values.size() > 1000);
        const fs::path events_file = file_of(folder_, ".events");
        const fs::path values_file = file_of(folder_, ".values");
        QRandomGenerator random(7);
        const auto put = [](const fs::path& file, const std::string& bytes) {
            std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        };
        for (int i = 0; i < 200; ++i) {
            std::string some = events;
            std::string elements = values;
            if (i % 4 == 0) some.resize(random.bounded(static_cast<quint32>(some.size())));
            if (i % 4 == 1) elements.resize(random.bounded(static_cast<quint32>(elements.size())));
            if (i % 4 >= 2) {
                std::string& one = i % 4 == 2 ? some : elements;
                for (int k = 0; k < 8; ++k)
                    one[random.bounded(static_cast<quint32>(one.size()))] = static_cast<char>(random.bounded(256));
            }
            put(events_file, some);
            put(values_file, elements);
            std::string note;
            try {
                const auto file = read_journal(folder_, note);
                if (file == nullptr) continue;
                for (ValueId id = 1; id <= file->recording()->value_count(); ++id) {
                    try {
                        (void)file->elements(id);
                    } catch (const Error&) {
                    }
                }
            } catch (const Error& error) {
                QVERIFY(!std::string(error.what()).empty());
            }
        }
    }

    void beyond_its_size_events_are_kept_without_elements() {
        Session session;
        open(session);
        session.run({});
        session.wait_idle();
        const fs::path file = folder_.string() + ".loupe";
        QCOMPARE(answer<std::string>([&](auto reply) { session.ask("s", SaveRecordingQuery{file}, reply); }),
                 std::string());
        const RecordingFile run(file);
        {
            RunJournal journal(folder_, {.event_bytes = 256 << 20, .element_bytes = 4096});
            journal.begin(run.recording(), run.graph(), run.run(), RunJournal::When::EverySecond);
            while (journal.add_elements([&](ValueId id) { return run.elements(id); }, 1 << 20)) {
            }
            journal.write_now();
        }
        std::string note;
        const auto kept = read_journal(folder_, note);
        QVERIFY(kept != nullptr);
        QCOMPARE(kept->recording()->event_count(), run.recording()->event_count());
        QCOMPARE(note, std::string("not all elements were kept"));
        QVERIFY(fs::file_size(file_of(folder_, ".values")) <= 8192);
    }

    // Closing the model, or opening another, leaves nothing to come back to.
    void a_model_that_is_closed_leaves_nothing() {
        Session session;
        session.keep_in(folder_);
        open(session);
        session.run({});
        session.wait_idle();
        QTRY_VERIFY(has_events(folder_, 1));
        session.close();
        session.wait_idle();
        QVERIFY(fs::is_empty(folder_));
    }

    // Model, optimiser and curves of a training come back, and it goes on.
    void a_training_comes_back() {
        TrainOptions options;
        options.data.path = kData;
        options.epochs = 2;
        options.optimizer = "SGD(0.05, momentum=0.9)";
        options.look_every = -1;
        Session first;
        first.keep_in(folder_);
        open(first);
        first.train(options);
        first.wait_idle();
        QCOMPARE(first.status().state, RunState::Finished);
        const auto log = first.training();
        const fs::path checkpoint = folder_ / "training.pt";
        const fs::path left = folder_.string() + "-training.pt";
        // On a slow machine one of a step before stands there for a while.
        const auto kept_steps = [&]() -> std::size_t {
            if (!fs::exists(checkpoint)) return 0;
            fs::copy_file(checkpoint, left, fs::copy_options::overwrite_existing);
            Session reader;
            open(reader);
            const auto failure =
                answer<std::string>([&](auto reply) { reader.ask("t", RestoreTrainingQuery{left}, reply); });
            return failure.empty() ? static_cast<std::size_t>(reader.training()->step_count()) : 0;
        };
        QTRY_COMPARE(kept_steps(), static_cast<std::size_t>(first.training()->step_count()));

        // One epoch more, to hold the other's against: random numbers are the process's.
        const auto element = [&](Session& session) {
            TensorRequest request;
            request.name = session.model()->modules.back().parameters.front().name;
            return answer<TensorSlice>([&](auto reply) { session.ask("w", TensorQuery{request}, reply); })
                .data.front()
                .elements;
        };
        const auto learned = element(first);
        const auto steps = log->step_count();
        const double loss = log->steps().back().loss;
        options.epochs = 3;
        first.train_on(options);
        first.wait_idle();
        QVERIFY(first.training()->step_count() > steps);

        Session second;
        open(second);
        const auto failure =
            answer<std::string>([&](auto reply) { second.ask("t", RestoreTrainingQuery{left}, reply); });
        QCOMPARE(failure, std::string());
        QVERIFY(second.training() != nullptr);
        QCOMPARE(second.training()->step_count(), steps);
        QCOMPARE(second.training()->steps().back().loss, loss);
        QVERIFY(element(second) == learned);
        // No state of its past is there before it goes on.
        second.look_at_step(1);
        second.wait_idle();
        QVERIFY2(second.status().error.ends_with("steps done from now on can be"), second.status().error.c_str());
        second.train_on(options);
        second.wait_idle();
        QCOMPARE(second.training()->step_count(), first.training()->step_count());
        QCOMPARE(second.training()->steps().back().loss, first.training()->steps().back().loss);
    }

    // Stopped in the middle of the optimiser, where no checkpoint can be written: it is written behind it.
    void a_training_that_is_stopped_in_its_optimiser_is_kept() {
        TrainOptions options;
        options.data.path = kData;
        options.max_steps = 3;
        options.look_every = -1;
        Session session;
        session.keep_in(folder_);
        open(session);
        session.train(options);
        session.wait_idle();
        const fs::path checkpoint = folder_ / "training.pt";
        QTRY_VERIFY(fs::exists(checkpoint));
        Breakpoint at;
        at.kind = Breakpoint::Kind::Phase;
        at.phase = RunPhase::Optimizer;
        session.add_breakpoint(at);
        options.max_steps = 10;
        session.train_on(options);
        session.wait_idle();
        session.step(StepKind::Over);
        session.wait_idle();
        QCOMPARE(session.status().phase, RunPhase::Optimizer);
        // What is kept while it is parked is tried between requests.
        for (int i = 0; i < 3; ++i) look(session, 1);
        fs::remove(checkpoint);
        session.stop();
        QTRY_VERIFY(fs::exists(checkpoint));
        session.wait_idle();
        QCOMPARE(read_training_checkpoint(checkpoint, {}).step, std::int64_t{3});
    }

    // An earlier step is looked at before the engine had time to keep the end.
    void the_end_is_kept_before_it_is_left() {
        struct LookBack : SessionListener {
            void on_status(const Status& status) override {
                if (status.state == RunState::Finished && !std::exchange(has_looked, true)) session->look_at_step(2);
            }
            Session* session = nullptr;
            bool has_looked = false;
        } listener;
        TrainOptions options;
        options.data.path = kData;
        options.max_steps = 6;
        options.look_every = -1;
        Session session(&listener);
        listener.session = &session;
        session.keep_in(folder_);
        open(session);
        session.train(options);
        session.wait_idle();
        QCOMPARE(session.status().state, RunState::Paused);
        QCOMPARE(session.status().training_end, 6);
        QVERIFY(fs::exists(folder_ / "training.pt"));
        QCOMPARE(read_training_checkpoint(folder_ / "training.pt", {}).step, std::int64_t{6});
    }

    // Without its data the weights still come back.
    void a_training_whose_data_is_gone() {
        const fs::path data = folder_.string() + ".npz";
        fs::copy_file(kData, data);
        TrainOptions options;
        options.data.path = data.string();
        options.max_steps = 3;
        options.look_every = -1;
        {
            Session first;
            first.keep_in(folder_);
            open(first);
            first.train(options);
            first.wait_idle();
            QCOMPARE(first.status().state, RunState::Finished);
        }
        QVERIFY(fs::exists(folder_ / "training.pt"));
        fs::remove(data);
        Session second;
        open(second);
        const auto failure = answer<std::string>(
            [&](auto reply) { second.ask("t", RestoreTrainingQuery{folder_ / "training.pt"}, reply); });
        QVERIFY2(failure.find("the weights came back, the training did not") == 0, failure.c_str());
        QVERIFY(second.training() == nullptr);
    }
};

QTEST_GUILESS_MAIN(TestRunJournal)
#include "test_run_journal.moc"
