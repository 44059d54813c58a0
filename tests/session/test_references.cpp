// SPDX-License-Identifier: Apache-2.0
// Runs that are pinned in a session, and the run that is shown held against them.

#include <QTemporaryDir>
#include <QtTest>
#include <mutex>
#include <optional>

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
        QVERIFY(!compare(session, pinned.id).diverges());
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
