// SPDX-License-Identifier: Apache-2.0
// Runs that are pinned in a session, and the run that is shown held against them.

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/session/queries/given_run.h"
#include "core/session/queries/opened_graphs.h"
#include "core/session/queries/operator_times.h"
#include "core/session/queries/pin_reference.h"
#include "core/session/queries/run_differences.h"
#include "core/session/queries/save_recording.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

const std::string kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/compare/";

template <typename Query>
typename Query::Answer put(Session& session, Query query) {
    std::mutex mutex;
    std::optional<typename Query::Answer> answer;
    session.ask("test", std::move(query), [&](typename Query::Answer given) {
        const std::lock_guard lock(mutex);
        answer = std::move(given);
    });
    session.wait_idle();
    const std::lock_guard lock(mutex);
    return answer.value();
}

void run(Session& session, const std::string& file, bool backward = false) {
    session.open(kFixtures + file);
    session.wait_idle();
    InputSpec input;
    input.source = InputSpec::Source::File;
    input.file = kFixtures + (file.starts_with("residual") ? "residual.in.npz" : "perceptron.in.npz");
    input.key = "arg0";
    session.set_inputs({input});
    RunOptions options;
    options.backward = backward;
    session.run(options);
    session.wait_idle();
    QCOMPARE(session.status().state, RunState::Finished);
}

PinnedReference pin(Session& session, ReferenceSource source) {
    return put(session, PinReferenceQuery{std::move(source)});
}

RunDifferences compare(Session& session, int reference, CompareOptions options = {}) {
    return put(session, RunDifferencesQuery{reference, std::move(options)});
}

}  // namespace

class TestReferences : public QObject {
    Q_OBJECT

  private slots:
    void theRunBeforeIsAReference() {
        Session session;
        run(session, "residual.pt", true);
        const PinnedReference pinned = pin(session, {});
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        QCOMPARE(pinned.label, std::string("run 1 of residual.pt"));
        const RunDifferences same = compare(session, pinned.id);
        QVERIFY(!same.diverges());
        for (const ModuleDifference& module : same.modules) QCOMPARE(module.bytes_here, module.bytes_there);
        // It stays when another model takes the place of its own.
        run(session, "residual_planted.pt", true);
        const RunDifferences found = compare(session, pinned.id);
        QVERIFY2(found.forward && found.backward, found.error.c_str());
        QVERIFY(QString::fromStdString(found.headline())
                    .startsWith("first divergence: layer1.1.conv2, aten::_convolution #12"));
        QVERIFY(std::any_of(found.parameters.begin(), found.parameters.end(),
                            [](const ParameterDifference& row) { return row.gradient_there.has_value(); }));
    }

    void filesAreReferences_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"perceptron.pt", "perceptron.pt2", "perceptron.onnx", "perceptron_activations.npz",
                                 "perceptron_activations.pt"})
            QTest::newRow(file) << file;
    }
    void filesAreReferences() {
        QFETCH(QString, file);
        Session session;
        run(session, "perceptron_planted.pt");
        const PinnedReference pinned = pin(session, {.kind = ReferenceSource::Kind::File,
                                                     .file = kFixtures + file.toStdString(),
                                                     .build = {},
                                                     .pipeline = {},
                                                     .device = {},
                                                     .dtype = {}});
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        const RunDifferences found = compare(session, pinned.id);
        QVERIFY2(found.forward, found.headline().c_str());
        QVERIFY2(QString::fromStdString(found.forward->text).startsWith("net.2,"), found.forward->text.c_str());
    }

    void recordingsAreReferencesAndAreCompared() {
        QTemporaryDir folder;
        const std::string file = folder.filePath("run.loupe").toStdString();
        Session session;
        run(session, "perceptron.pt", true);
        QCOMPARE(put(session, SaveRecordingQuery{file}), std::string());
        run(session, "perceptron_planted.pt", true);
        const ReferenceSource source{
            .kind = ReferenceSource::Kind::File, .file = file, .build = {}, .pipeline = {}, .device = {}, .dtype = {}};
        const PinnedReference pinned = pin(session, source);
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        QVERIFY(compare(session, pinned.id).forward.has_value());
        // And the other way round: the recording is shown.
        session.open(file);
        session.wait_idle();
        const PinnedReference own = pin(session, {});
        QVERIFY2(own.error.empty(), own.error.c_str());
        QVERIFY(!compare(session, own.id).diverges());
    }

    // Only the recording came: what it is held against runs on the inputs that were recorded.
    void aRecordingWhoseModelIsGoneIsComparedWithAnother() {
        QTemporaryDir folder;
        const std::string model = folder.filePath("gone.pt").toStdString();
        const std::string file = folder.filePath("run.loupe").toStdString();
        std::filesystem::copy_file(kFixtures + "perceptron_planted.pt", model);
        {
            Session session;
            session.open(model);
            session.wait_idle();
            InputSpec input;
            input.source = InputSpec::Source::File;
            input.file = kFixtures + "perceptron.in.npz";
            input.key = "arg0";
            session.set_inputs({input});
            session.run({});
            session.wait_idle();
            QCOMPARE(put(session, SaveRecordingQuery{file}), std::string());
        }
        std::filesystem::remove(model);
        Session session;
        session.open(file);
        session.wait_idle();
        const PinnedReference pinned = pin(session, {.kind = ReferenceSource::Kind::File,
                                                     .file = kFixtures + "perceptron.pt",
                                                     .build = {},
                                                     .pipeline = {},
                                                     .device = {},
                                                     .dtype = {}});
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        const RunDifferences found = compare(session, pinned.id);
        QVERIFY2(found.forward, found.headline().c_str());
        QVERIFY2(QString::fromStdString(found.forward->text).startsWith("net.2,"), found.forward->text.c_str());
    }

    void variantsAreRun_data() {
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("dtype");
        QTest::newRow("as it is") << ""
                                  << ""
                                  << "";
        QTest::newRow("a pipeline") << "inference"
                                    << ""
                                    << "";
        QTest::newRow("bfloat16") << ""
                                  << ""
                                  << "bfloat16";
    }
    void variantsAreRun() {
        QFETCH(QString, pipeline);
        QFETCH(QString, device);
        QFETCH(QString, dtype);
        Session session;
        run(session, "residual.pt");
        const PinnedReference pinned = pin(session, {.kind = ReferenceSource::Kind::Variant,
                                                     .file = {},
                                                     .build = {},
                                                     .pipeline = pipeline.toStdString(),
                                                     .device = device.toStdString(),
                                                     .dtype = dtype.toStdString()});
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        const RunDifferences found = compare(session, pinned.id);
        QVERIFY2(found.compared > 0, found.headline().c_str());
        if (dtype.isEmpty()) QVERIFY2(!found.diverges(), found.headline().c_str());
        // The shown run is as it was.
        QCOMPARE(session.status().state, RunState::Finished);
    }

    // The model's own graph has calls of modules: what differs stands in them.
    void graphsAreOpened() {
        Session session;
        run(session, "deeper.pt");
        const PinnedReference pinned = pin(session, {});
        QVERIFY(put(session, OpenedGraphsQuery{pinned.id}).there.graph->text.find("prim::CallMethod") ==
                std::string::npos);
        run(session, "perceptron.pt");
        const OpenedGraphs found = put(session, OpenedGraphsQuery{pinned.id});
        QVERIFY2(found.error.empty(), found.error.c_str());
        QVERIFY(found.here.graph->text != found.there.graph->text);
        // Each operator that ran has a node in it.
        const auto recording = session.recording();
        for (EventId id = 1; id <= recording->event_count(); ++id) {
            const auto& ran_as = found.here.ran_as;
            const auto node = std::find(ran_as.begin(), ran_as.end(), recording->event(id).graph_node);
            QVERIFY(node != ran_as.end());
            QCOMPARE(found.here.graph->nodes[static_cast<std::size_t>(node - ran_as.begin())].kind,
                     std::string(recording->event(id).op));
        }
        QVERIFY(!put(session, OpenedGraphsQuery{99}).error.empty());
    }

    // A recording has the graph of its run in both forms: beside it the other side is opened as well, and it shows its
    // own opened where it is what is looked at.
    void graphsOfRecordingsAreOpened() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("deeper.loupe").toStdString();
        Session session;
        run(session, "deeper.pt");
        const PinnedReference pinned_run = pin(session, {});
        const std::string opened = put(session, OpenedGraphsQuery{pinned_run.id}).there.graph->text;
        QCOMPARE(put(session, SaveRecordingQuery{file}), std::string());
        const ReferenceSource source{
            .kind = ReferenceSource::Kind::File, .file = file, .build = {}, .pipeline = {}, .device = {}, .dtype = {}};
        const PinnedReference recorded = pin(session, source);
        QVERIFY2(recorded.error.empty(), recorded.error.c_str());
        const OpenedGraphs found = put(session, OpenedGraphsQuery{recorded.id});
        QCOMPARE(found.there.graph->text, opened);
        QCOMPARE(found.here.graph->text, opened);
        QCOMPARE(found.there.ran_as, found.here.ran_as);
        // The same file on the other side.
        session.open(file);
        session.wait_idle();
        const OpenedGraphs turned = put(session, OpenedGraphsQuery{pinned_run.id});
        QCOMPARE(turned.here.graph->text, opened);
        QCOMPARE(turned.there.graph->text, opened);
    }

    // Only warm times stand side by side.
    void referencesAreTimed() {
        Session session;
        run(session, "perceptron.pt", true);
        ReferenceSource source{.kind = ReferenceSource::Kind::File,
                               .file = kFixtures + "perceptron_planted.pt",
                               .build = {},
                               .pipeline = {},
                               .device = {},
                               .dtype = {}};
        const PinnedReference cold = pin(session, source);
        QVERIFY(!compare(session, cold.id).has_times());
        source.is_timed = true;
        const PinnedReference warm = pin(session, source);
        QVERIFY2(warm.error.empty(), warm.error.c_str());
        QVERIFY(compare(session, warm.id).is_warm_there && !compare(session, warm.id).has_times());
        QVERIFY(put(session, OperatorTimesQuery{}).error.empty());
        QVERIFY(compare(session, warm.id).has_times());
        QVERIFY(!compare(session, cold.id).has_times());
        // Timing leaves what is compared as it is.
        QCOMPARE(compare(session, warm.id).headline(), compare(session, cold.id).headline());
    }

    void arraysHaveNoModelOfTheirOwn() {
        Session session;
        run(session, "perceptron.pt");
        const PinnedReference pinned = pin(session, {.kind = ReferenceSource::Kind::File,
                                                     .file = kFixtures + "perceptron_activations.npz",
                                                     .build = {},
                                                     .pipeline = {},
                                                     .device = {},
                                                     .dtype = {}});
        QVERIFY(pinned.is_arrays && pinned.model == nullptr);
    }

    void aCommandLineGivesInputs() {
        Session session;
        session.open(kFixtures + "perceptron.pt");
        session.wait_idle();
        GivenRun given;
        given.inputs = {"5x6:float32:zeros"};
        given.loss = "mean";
        const GivenRunValues found = put(session, GivenRunQuery{{}, given});
        QVERIFY2(found.error.empty(), found.error.c_str());
        QCOMPARE(found.method, std::string("forward"));
        QCOMPARE(found.inputs.front().shape, (Shape{5, 6}));
        QVERIFY(found.backward_from.kind == BackwardFrom::Kind::Mean);
        given.inputs_file = kFixtures + "perceptron.in.npz";
        QCOMPARE(put(session, GivenRunQuery{{}, given}).error_kind, std::string("usage"));
        QCOMPARE(put(session, GivenRunQuery{"backwards", {}}).error.empty(), false);
    }

    void tensorsStandSideBySide() {
        Session session;
        run(session, "perceptron.pt");
        const PinnedReference pinned = pin(session, {});
        run(session, "perceptron_planted.pt");
        TensorRequest request;
        request.value = session.recording()->event(3).outputs.front();
        TensorComparison found = put(session, TensorComparisonQuery{pinned.id, request, {}});
        QVERIFY2(found.error.empty(), found.error.c_str());
        QCOMPARE(found.reference.data.size(), std::size_t{1});
        QCOMPARE(found.difference.data.size(), std::size_t{1});
        QVERIFY(found.numbers.max_abs > 0.01);
        request.value = 0;
        request.name = "net.2.weight";
        found = put(session, TensorComparisonQuery{pinned.id, request, {}});
        QVERIFY2(found.error.empty(), found.error.c_str());
        QCOMPARE(found.numbers.beyond, 1);
        request.name = "nowhere";
        QVERIFY(!put(session, TensorComparisonQuery{pinned.id, request, {}}).error.empty());
    }

    void whatCannotBeComparedSaysWhy() {
        Session session;
        QVERIFY(!pin(session, {}).error.empty());
        QVERIFY(!compare(session, 1).error.empty());
        run(session, "perceptron.pt");
        const auto file = [](const std::string& path) {
            return ReferenceSource{.kind = ReferenceSource::Kind::File,
                                   .file = path,
                                   .build = {},
                                   .pipeline = {},
                                   .device = {},
                                   .dtype = {}};
        };
        QVERIFY(!pin(session, file(kFixtures + "gone.pt")).error.empty());
        QVERIFY(!pin(session, file(kFixtures + "pairs.json")).error.empty());
        QVERIFY(!pin(session, file(kFixtures + "pairs.npz")).error.empty());
        const PinnedReference pinned = pin(session, {});
        QVERIFY(put(session, UnpinReferenceQuery{pinned.id}).empty());
        QVERIFY(!compare(session, pinned.id).error.empty());
    }

    // An input that the other model cannot run on: what it did until then is compared.
    void aModelThatFailsIsComparedAsFarAsItCame() {
        Session session;
        run(session, "perceptron.pt");
        const PinnedReference pinned = pin(session, {.kind = ReferenceSource::Kind::File,
                                                     .file = kFixtures + "residual.pt",
                                                     .build = {},
                                                     .pipeline = {},
                                                     .device = {},
                                                     .dtype = {}});
        QVERIFY2(pinned.error.empty(), pinned.error.c_str());
        QVERIFY(!pinned.notes.empty());
        const RunDifferences found = compare(session, pinned.id);
        QVERIFY(found.error.empty());
        QVERIFY(!found.diverges());
    }
};

QTEST_GUILESS_MAIN(TestReferences)
#include "test_references.moc"
