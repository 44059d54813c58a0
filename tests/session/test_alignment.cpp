// SPDX-License-Identifier: Apache-2.0
// Which events and modules of two runs are the same, with insertions and deletions, other formats and other names.

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "core/record/recording_writer.h"
#include "core/study/align_runs.h"
#include "core/study/align_sequences.h"
#include "core/study/reference_run.h"
#include "core/study/run_differences.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/compare/";

ComparedRun run_of(const std::string& file, const std::string& inputs, const std::string& dtype = {},
                   bool backward = false) {
    ReferenceRequest request;
    request.program = Program::open(kFixtures + file);
    request.options.backward = backward;
    request.dtype = dtype;
    request.label = file;
    InputSpec input;
    input.source = InputSpec::Source::File;
    input.file = kFixtures + inputs;
    input.key = "arg0";
    request.arguments = [program = request.program, input] { return program->make_arguments({input}, "forward"); };
    return record_reference(request);
}

std::shared_ptr<const Recording> recording_of(const std::vector<std::pair<std::string, std::string>>& events) {
    RecordingWriter writer;
    for (const auto& [scope, op] : events) {
        Value value;
        value.shape = {2, 3};
        value.producer = writer.next_event();
        const ValueId id = writer.add_value(std::move(value));
        Event event;
        event.op = writer.intern(op);
        event.scope = writer.intern(scope);
        event.outputs = {id};
        writer.add_event(std::move(event));
    }
    writer.finish();
    return writer.recording();
}

struct Step {
    std::string scope;
    std::string op;
    double result = 0;
};

// Of backward, each step of what the one before made.
ComparedRun chain_of(const std::vector<Step>& steps) {
    RecordingWriter writer;
    std::vector<Tensor> results;
    ValueId last = 0;
    for (const Step& step : steps) {
        Value value;
        value.shape = {2, 3};
        value.producer = writer.next_event();
        const ValueId id = writer.add_value(std::move(value));
        Event event;
        event.op = writer.intern(step.op);
        event.scope = writer.intern(step.scope);
        event.phase = RunPhase::Backward;
        if (last != 0) event.inputs = {last};
        event.outputs = {id};
        writer.add_event(std::move(event));
        const Tensor made = zeros(std::vector<std::int64_t>{2, 3});
        std::fill_n(made.data<float>(), made.numel(), static_cast<float>(step.result));
        results.push_back(made);
        last = id;
    }
    writer.finish();
    ComparedRun run;
    run.recording = writer.recording();
    run.elements = [results](ValueId id) { return results[id - 1]; };
    return run;
}

std::vector<AlignKey> keys(std::initializer_list<int> values) { return {values.begin(), values.end()}; }

}  // namespace

class TestAlignment : public QObject {
    Q_OBJECT

  private slots:
    void sequences() {
        using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
        QCOMPARE(align_sequences(keys({1, 2, 3}), keys({1, 9, 2, 3})), (Pairs{{0, 0}, {1, 2}, {2, 3}}));
        QCOMPARE(align_sequences(keys({1, 2, 3}), keys({1, 3})), (Pairs{{0, 0}, {2, 1}}));
        QCOMPARE(align_sequences(keys({5, 5, 5}), keys({5, 5})), (Pairs{{0, 0}, {1, 1}}));
        QVERIFY(align_sequences(keys({1}), keys({2})).empty());
        QVERIFY(align_sequences({}, keys({2})).empty());
    }

    // Never out of order, whatever the sequences are.
    void randomSequencesKeepTheirOrder() {
        std::mt19937 random(1);
        for (int round = 0; round < 200; ++round) {
            std::vector<AlignKey> a(random() % 60);
            std::vector<AlignKey> b(random() % 60);
            for (AlignKey& key : a) key = random() % 9;
            for (AlignKey& key : b) key = random() % 9;
            std::size_t next_a = 0;
            std::size_t next_b = 0;
            for (const auto& [i, j] : align_sequences(a, b)) {
                QVERIFY(i >= next_a && j >= next_b && i < a.size() && j < b.size());
                QCOMPARE(a[i], b[j]);
                next_a = i + 1;
                next_b = j + 1;
            }
        }
    }

    void insertionsAndDeletionsAreFound() {
        const auto a =
            recording_of({{"a", "aten::linear"}, {"b", "aten::relu"}, {"a", "aten::linear"}, {"c", "aten::tanh"}});
        const auto b =
            recording_of({{"a", "aten::linear"}, {"a", "aten::linear"}, {"d", "aten::exp"}, {"c", "aten::tanh"}});
        const RunAlignment found = align_runs({*a}, {*b});
        QCOMPARE(found.there, (std::vector<EventId>{1, 0, 2, 4}));
        QCOMPARE(found.here, (std::vector<EventId>{1, 3, 0, 4}));
    }

    void mendsGoBeforeAll() {
        const auto a = recording_of({{"a", "aten::linear"}, {"b", "aten::relu"}});
        const auto b = recording_of({{"a", "aten::linear"}, {"x", "aten::elu"}, {"b", "aten::relu"}});
        RunAlignment found =
            align_runs({*a}, {*b}, {{AlignmentMend::Kind::Event, event_place(*a, 2), event_place(*b, 2)}});
        QCOMPARE(found.there, (std::vector<EventId>{1, 2}));
        found = align_runs({*a}, {*b}, {{AlignmentMend::Kind::Apart, event_place(*a, 2), ""}});
        QCOMPARE(found.there, (std::vector<EventId>{1, 0}));
        found = align_runs({*a}, {*b}, {{AlignmentMend::Kind::Module, "b", "x"}});
        QCOMPARE(found.modules.at("b"), std::string("x"));
        // What no longer exists is passed over.
        found =
            align_runs({*a}, {*b}, {{AlignmentMend::Kind::Event, "forward gone aten::x 1", "forward b aten::relu 1"}});
        QCOMPARE(found.there, (std::vector<EventId>{1, 3}));
    }

    // One operator's backward here, five of other names there: paired by module and shape, they are no pair as long as
    // what is made of them agrees, and the place of the difference when it does not.
    void pairsOfOtherOperatorsAreHeldAgainstWhatFollows_data() {
        QTest::addColumn<double>("projection");
        QTest::addColumn<bool>("diverges");
        QTest::addRow("agrees") << 4.0 << false;
        QTest::addRow("differs") << 7.0 << true;
    }
    void pairsOfOtherOperatorsAreHeldAgainstWhatFollows() {
        QFETCH(double, projection);
        QFETCH(bool, diverges);
        const ComparedRun own = chain_of({{"attention", "UnsafeViewBackward0", 1.0}, {"query", "MmBackward0", 4.0}});
        const ComparedRun other =
            chain_of({{"attention", "aten::_flash_attention_backward", 9.0}, {"query", "MmBackward0", projection}});
        const RunDifferences found = compare_runs_by_value(own, other, {});
        QCOMPARE(found.backward.has_value(), diverges);
        QCOMPARE(found.only_here, std::int64_t{diverges ? 0 : 1});
        QCOMPARE(found.only_there, std::int64_t{diverges ? 0 : 1});
        if (diverges) QCOMPARE(found.backward->here, EventId{1});
    }

    void modelsUnderAnotherNameAreAligned() {
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const ComparedRun other = run_of("wrapped.pt", "perceptron.in.npz");
        const RunDifferences found = compare_runs_by_value(own, other, {});
        QCOMPARE(QString::fromStdString(found.headline()),
                 "no divergence: 6 of 6 events compared, all within tolerance");
        RunAlignment aligned;
        compare_runs_by_value(own, other, {}, &aligned);
        QCOMPARE(aligned.modules.at("net.2"), std::string("backbone.net.2"));
        QCOMPARE(aligned.parameters.at("net.2.weight"), std::string("backbone.net.2.weight"));
    }

    void formatsAreAligned_data() {
        QTest::addColumn<QString>("net");
        QTest::addColumn<QString>("file");
        for (const char* net : {"residual", "perceptron"}) {
            for (const char* ending : {".pt", ".pt2", ".onnx", "_old.onnx"})
                QTest::addRow("%s%s", net, ending) << net << QString(net) + ending;
        }
    }
    void formatsAreAligned() {
        QFETCH(QString, net);
        QFETCH(QString, file);
        const std::string inputs = net.toStdString() + ".in.npz";
        const ComparedRun own = run_of(net.toStdString() + ".pt", inputs);
        const RunDifferences same = compare_runs_by_value(own, run_of(file.toStdString(), inputs), {});
        QVERIFY2(!same.diverges() && same.compared > 0, same.headline().c_str());
        QCOMPARE(same.only_there, 0);

        // The planted difference is found where it is.
        const QString planted = QString(file).insert(net.size(), "_planted");
        const RunDifferences found = compare_runs_by_value(own, run_of(planted.toStdString(), inputs), {});
        QVERIFY(found.forward);
        const Event& event = own.recording->event(found.forward->here);
        const QString scope = QString::fromUtf8(event.scope.data(), static_cast<int>(event.scope.size()));
        if (net == "perceptron")
            QCOMPARE(scope, "net.2");
        else
            QVERIFY2(scope == "layer1.1.conv2" || scope == "layer1.1.bn2", qPrintable(scope));
    }

    void insertedLayersAreListed() {
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const RunDifferences found = compare_runs_by_value(own, run_of("deeper.pt", "perceptron.in.npz"), {});
        QCOMPARE(found.only_here, 0);
        QCOMPARE(found.only_there, 2);
        QStringList inserted;
        for (const EventDifference& row : found.events) {
            if (row.here == 0) inserted += QString::fromStdString(found.reference_events[row.there - 1].op);
        }
        QVERIFY2(inserted.contains("aten::tanh"), qPrintable(inserted.join(' ')));
    }

    void otherShapesAreToldApart() {
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const RunDifferences found = compare_runs_by_value(own, run_of("wider.pt", "perceptron.in.npz"), {});
        QVERIFY(found.forward);
        QVERIFY2(QString::fromStdString(found.forward->text).contains("shape 2x8, there 2x12"),
                 found.forward->text.c_str());
        QCOMPARE(found.aligned, 6);
    }

    void runsThatShareNothing() {
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const RunDifferences found = compare_runs_by_value(own, run_of("residual.pt", "residual.in.npz"), {});
        QVERIFY(found.only_here > 0 && found.only_there > 0);
        QCOMPARE(static_cast<std::size_t>(found.aligned + found.only_here), own.recording->event_count());
    }

    void otherDtypesAreCompared() {
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const RunDifferences found =
            compare_runs_by_value(own, run_of("perceptron.pt", "perceptron.in.npz", "bfloat16"), {});
        QCOMPARE(found.compared, 6);
        for (const EventDifference& row : found.events) QVERIFY(row.numbers && row.numbers->snr_db > 20);
        QVERIFY_THROWS_EXCEPTION(Error, run_of("perceptron.pt", "perceptron.in.npz", "int8"));
    }

    void backwardFollowsForward() {
        const ComparedRun own = run_of("residual.pt", "residual.in.npz", {}, true);
        const RunDifferences same = compare_runs_by_value(own, run_of("residual.pt2", "residual.in.npz", {}, true), {});
        QVERIFY2(!same.diverges(), same.headline().c_str());
        QCOMPARE(same.only_here, 0);
        const RunDifferences found =
            compare_runs_by_value(own, run_of("residual_planted.pt", "residual.in.npz", {}, true), {});
        QVERIFY(found.forward && found.backward);
        QVERIFY(std::any_of(found.parameters.begin(), found.parameters.end(), [](const ParameterDifference& row) {
            return row.here == "layer1.1.conv2.weight" && row.numbers && !row.numbers->is_close() && row.gradient;
        }));
    }

    void arraysAreReferences_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("npz") << "perceptron_activations.npz";
        QTest::newRow("pt") << "perceptron_activations.pt";
    }
    void arraysAreReferences() {
        QFETCH(QString, file);
        const std::string path = kFixtures + file.toStdString();
        const ComparedRun own = run_of("perceptron.pt", "perceptron.in.npz");
        const ComparedRun arrays = compared_arrays(read_reference_arrays(path), own.model, file.toStdString());
        const RunDifferences found = compare_runs_by_value(own, arrays, {});
        QVERIFY2(!found.diverges(), found.headline().c_str());
        QVERIFY(found.compared >= 5);
        if (file.endsWith("npz")) QVERIFY(QString::fromStdString(arrays.notes.at(0)).contains("nowhere"));
        const ComparedRun planted = run_of("perceptron_planted.pt", "perceptron.in.npz");
        const RunDifferences differs = compare_runs_by_value(planted, arrays, {});
        QVERIFY(differs.forward);
        QCOMPARE(planted.recording->event(differs.forward->here).scope, std::string_view("net.2"));
    }

    void arraysOfAnotherModelAreRefused() {
        const ComparedRun own = run_of("residual.pt", "residual.in.npz");
        QVERIFY_THROWS_EXCEPTION(Error, compared_arrays({{"nowhere", tensor_of({1.0F}, {1})}}, own.model, "a file"));
    }

    void longRunsAreAlignedFast() {
        std::vector<std::pair<std::string, std::string>> events;
        for (int block = 0; block < 50; ++block) {
            for (const char* part : {"conv1", "bn1", "relu", "conv2", "bn2", "relu", "conv3", "bn3", "add", "relu"})
                events.emplace_back("layer." + std::to_string(block) + "." + part, std::string("aten::") + part);
        }
        const auto a = recording_of(events);
        std::vector<std::pair<std::string, std::string>> renamed;
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (i % 7 == 3) continue;
            renamed.emplace_back("other" + std::to_string(i), events[i].second);
        }
        const auto b = recording_of(renamed);
        QElapsedTimer timer;
        timer.start();
        const RunAlignment same = align_runs({*a}, {*a});
        const RunAlignment other = align_runs({*a}, {*b});
        QVERIFY2(timer.elapsed() < 400, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(std::find(same.there.begin(), same.there.end(), 0U) == same.there.end());
    }
};

QTEST_APPLESS_MAIN(TestAlignment)
#include "test_alignment.moc"
