// SPDX-License-Identifier: Apache-2.0
// Values that a recording dropped come back bit for bit when the run is repeated, and nobody notices the repetition.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <atomic>
#include <cstring>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/ops/random/generator.h"
#include "core/record/backward_roots.h"
#include "core/record/recording_file.h"
#include "core/record/replay.h"
#include "core/record/run_phases.h"
#include "core/session/queries/save_recording.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"
#include "core/tensor/copy_elements.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";
const std::string kDigits = LOUPE_SOURCE_DIR "/resources/models/digits.pt";
const CancelFlag kNever{false};

bool same_elements(const Tensor& a, const Tensor& b) {
    const Tensor x = copy_elements(a);
    const Tensor y = copy_elements(b);
    return x.dtype() == y.dtype() && x.bytes() == y.bytes() &&
           (x.bytes() == 0 || std::memcmp(x.raw_data(), y.raw_data(), x.bytes()) == 0);
}

// A recorded run of a fixture.
struct Run {
    std::shared_ptr<Program> program;
    std::unique_ptr<PreparedMethod> method;
    std::vector<IValue> arguments;
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<RunStart> start;
    std::unique_ptr<BackwardSource> backward;
    RunBody body;

    Run(const QJsonObject& entry, const ValueBudget& budget, const std::string& pipeline = "none") {
        const std::string name = (kModels + entry["name"].toString()).toStdString();
        program = Program::open((kModels + entry["file"].toString()).toStdString());
        program->module().train(entry["mode"].toString() == "train");
        method = std::make_unique<PreparedMethod>(program, entry["method"].toString().toStdString(), pipeline);
        arguments = make_inputs(input_specs_of_file(name + ".in.npz", method->schema(), *program->info()),
                                method->schema(), true);
        require_input_gradients(arguments);
        seed_generators(7);
        recorder = std::make_unique<Recorder>(RecorderOptions{.statistics = true, .values = true, .budget = budget},
                                              method->build_graph(), nullptr, nullptr);
        name_existing_tensors(*recorder, program->module(), arguments, method->schema());
        start = std::make_unique<RunStart>(program->module(), arguments, method->schema());
        backward = std::make_unique<BackwardSource>(BackwardFrom{}, *method);
        body = [this](std::vector<IValue> given) { run_phases(*method, std::move(given), backward.get()); };
        try {
            const ObserverScope observed(recorder.get());
            body(arguments);
        } catch (const Error&) {
            // Nothing to differentiate, or a model that is meant to fail: what ran is there.
        }
        recorder->finish();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Without what nobody wrote yet.
    std::set<ValueId> dropped() const {
        std::set<ValueId> ids;
        const Recording& recording = *recorder->recording();
        for (ValueId id = 1; id <= recording.value_count(); ++id) {
            const EventId producer = recording.value(id).producer;
            const bool is_unwritten = producer != 0 && recording.event(producer).op.starts_with("aten::empty");
            if (recorder->values().was_dropped(id) && !is_unwritten) ids.insert(id);
        }
        return ids;
    }
    void recompute(const std::set<ValueId>& wanted) {
        recompute_values(*start, *method, body, *recorder, wanted, kNever);
    }

    // What a repetition must leave alone.
    std::vector<Tensor> state() const {
        std::vector<Tensor> all;
        for (const auto& [name, t] : program->module().named_parameters()) {
            all.push_back(copy_elements(t));
            if (grad_of(t).defined()) all.push_back(copy_elements(grad_of(t)));
        }
        for (const auto& [name, t] : program->module().named_buffers()) all.push_back(copy_elements(t));
        for (const IValue& argument : arguments) {
            visit_tensors(argument, [&all](const Tensor& t) {
                if (t.defined()) all.push_back(copy_elements(t));
                if (t.defined() && grad_of(t).defined()) all.push_back(copy_elements(grad_of(t)));
            });
        }
        return all;
    }
};

QJsonArray fixture_index() {
    QFile file(kModels + "index.json");
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

QJsonObject fixture(const QString& name) {
    for (const QJsonValue& entry : fixture_index()) {
        if (entry["name"].toString() == name) return entry.toObject();
    }
    return {};
}

}  // namespace

class TestReplay : public QObject {
    Q_OBJECT

  private slots:
    void dropped_values_come_back_data();
    void dropped_values_come_back();
    void one_value_at_a_time();
    void a_changed_model_is_reported();
    void a_parked_run_goes_on();
    void recordings_are_saved_whole();
};

void TestReplay::dropped_values_come_back_data() {
    QTest::addColumn<QJsonObject>("entry");
    for (const QJsonValue& entry : fixture_index()) {
        if (entry["name"].toString() != "detection")
            QTest::newRow(qPrintable(entry["name"].toString())) << entry.toObject();
    }
}

void TestReplay::dropped_values_come_back() {
    QFETCH(QJsonObject, entry);
    const Run whole(entry, {});
    const std::size_t count = whole.recorder->recording()->value_count();
    Run run(entry, {.memory = 0, .file = 0});
    QCOMPARE(run.recorder->recording()->value_count(), count);
    const std::set<ValueId> dropped = run.dropped();
    const auto before = run.state();
    const RandomState random = random_state();
    try {
        run.recompute(dropped);
        // With no budget only the last of them stays; each is told to be what it was by its hash on the way in.
        for (auto id = dropped.begin(); id != dropped.end() && std::distance(dropped.begin(), id) < 12; ++id) {
            if (!run.recorder->values().find(*id).defined()) run.recompute({*id});
            const Tensor again = run.recorder->values().find(*id);
            QVERIFY(again.defined() && run.recorder->values().is_recomputed(*id));
            QVERIFY2(same_elements(again, whole.recorder->values().find(*id)),
                     qPrintable(QString("value %1").arg(*id)));
        }
    } catch (const Error& error) {
        QFAIL(error.what());
    }
    const auto after = run.state();
    QCOMPARE(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) QVERIFY(same_elements(after[i], before[i]));
    QVERIFY(random_state().cpu.words == random.cpu.words && random_state().cpu.next == random.cpu.next);
}

// Forward and backward, random ones and running statistics, one after another.
void TestReplay::one_value_at_a_time() {
    for (const char* name : {"vgg_train", "batchnorm_train"}) {
        const QJsonObject entry = fixture(name);
        const Run whole(entry, {});
        Run run(entry, {.memory = 0, .file = 0});
        bool has_forward = false;
        bool has_backward = false;
        for (const ValueId id : run.dropped()) {
            const EventId producer = run.recorder->recording()->value(id).producer;
            const bool is_backward =
                producer != 0 && run.recorder->recording()->event(producer).phase == RunPhase::Backward;
            (is_backward ? has_backward : has_forward) = true;
            run.recompute({id});
            QVERIFY(same_elements(run.recorder->values().find(id), whole.recorder->values().find(id)));
        }
        QVERIFY(has_forward && has_backward);
    }
}

void TestReplay::a_changed_model_is_reported() {
    Run run(fixture("mlp"), {.memory = 0, .file = 0});
    const std::set<ValueId> dropped = run.dropped();
    QVERIFY(!dropped.empty());
    const Tensor weight = run.program->module().named_parameters().front().second;
    weight.data<float>()[0] += 1;
    try {
        run.recompute(dropped);
        QFAIL("wrong elements were taken");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("did not come out the same"), error.what());
    }
    weight.data<float>()[0] -= 1;
}

namespace {

RunOptions without_room() {
    RunOptions options;
    options.backward = true;
    options.memory_budget = 0;
    options.file_budget = 0;
    return options;
}

TensorSlice look(Session& session, ValueId value) {
    TensorSlice out;
    TensorRequest request;
    request.value = value;
    session.ask("look", TensorQuery{request}, [&out](TensorSlice slice) { out = std::move(slice); });
    session.wait_idle();
    return out;
}

}  // namespace

void TestReplay::a_parked_run_goes_on() {
    Session session;
    session.open(kDigits);
    session.wait_idle();
    session.run(without_room());
    session.wait_idle();
    const auto whole = session.recording();
    Breakpoint breakpoint;
    breakpoint.kind = Breakpoint::Kind::OperatorKind;
    breakpoint.text = "*Backward0";
    breakpoint.ignore_first = 4;
    const int id = session.add_breakpoint(breakpoint);
    session.run(without_room());
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Paused);
    QCOMPARE(session.status().phase, RunPhase::Backward);
    const auto recording = session.recording();
    int recomputed = 0;
    for (ValueId value = 1; value <= recording->value_count(); ++value) {
        const TensorSlice slice = look(session, value);
        QVERIFY2(slice.error.empty(), slice.error.c_str());
        recomputed += slice.is_recomputed ? 1 : 0;
        const auto& recorded = recording->value(value).statistics;
        if (recorded) QCOMPARE(slice.statistics.finite->max, recorded->finite->max);
    }
    QVERIFY(recomputed > 5);
    session.remove_breakpoint(id);
    session.resume();
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
    QCOMPARE(recording->event_count(), whole->event_count());
    for (ValueId value = 1; value <= whole->value_count(); ++value) {
        const auto& a = recording->value(value).statistics;
        const auto& b = whole->value(value).statistics;
        QCOMPARE(a.has_value(), b.has_value());
        if (a) QCOMPARE(a->finite, b->finite);
    }
}

void TestReplay::recordings_are_saved_whole() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("run.loupe").toStdString();
    std::size_t values = 0;
    {
        Session session;
        session.open(kDigits);
        session.run(without_room());
        session.wait_idle();
        std::string failure = "no reply";
        session.ask("save", SaveRecordingQuery{file}, [&failure](std::string text) { failure = std::move(text); });
        session.wait_idle();
        QCOMPARE(failure, std::string());
        values = session.recording()->value_count();
    }
    const RecordingFile read(file);
    for (ValueId id = 1; id <= values; ++id)
        QVERIFY2(read.has_elements(id), qPrintable(QString::fromStdString(read.recording()->value(id).name)));
}

QTEST_GUILESS_MAIN(TestReplay)
#include "test_replay.moc"
