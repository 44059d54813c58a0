// SPDX-License-Identifier: Apache-2.0
// info and compare of traces of PyTorch's profiler and of memory snapshots.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/run_program.h"

namespace {

const QString kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/";
const QString kProfiler = kFixtures + "profiler/";

}  // namespace

class TestCliImported : public QObject {
    Q_OBJECT

  private slots:
    void info_of_a_trace() {
        const Outcome outcome = run_cli({"info", kProfiler + "layers.json"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains("PyTorch's profiler: 15 events on 4 tracks, 500 \u00b5s; nothing of it runs"),
                 qPrintable(outcome.out));
        QCOMPARE(outcome.out.split('\n').filter(QRegularExpression("^aten::addmm +cpu_op +2 +180 ")).size(), 1);
        QCOMPARE(outcome.out.split('\n').filter(QRegularExpression("stream 7 +3$")).size(), 1);
    }
    void info_of_a_snapshot() {
        const Outcome outcome = run_cli({"info", kProfiler + "after.pickle"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains("device 0: peak 17.7 MiB behind entry 414 of 446 (2.89 ms)"),
                 qPrintable(outcome.out));
        QVERIFY(outcome.out.contains("out of memory behind entry 444: 1.00 GiB wanted, 300 MiB free"));
        QCOMPARE(outcome.out.split('\n').filter(QRegularExpression("^model.py:31 log_loss +6.00 MiB +12$")).size(), 1);
    }
    void info_of_a_training() {
        for (const char* command : {"info", "attach"}) {
            const Outcome outcome = run_cli({command, kFixtures + "watch/net.watch"});
            QCOMPARE(outcome.status, 0);
            QVERIFY2(outcome.out.contains("trained by make_watched.py, process 1234 on here"), qPrintable(outcome.out));
            const auto lines = outcome.out.split('\n');
            QCOMPARE(lines.filter(QRegularExpression("^ +30 +[0-9.e-]+ +0.0125 +[0-9.e-]+ +1.00 ms$")).size(), 1);
            QCOMPARE(lines.filter(QRegularExpression("^  blocks.1.norm.bias +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+$")).size(),
                     1);
            QCOMPARE(lines.filter(QRegularExpression("^  accuracy +30 +0.966667$")).size(), 1);
        }
        const Outcome none = run_cli({"attach", "no such program"});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.err.contains("no program 'no such program' is watched on this machine"), qPrintable(none.err));
    }
    void snapshots_are_compared() {
        const Outcome outcome = run_cli({"compare", kProfiler + "before.pickle", kProfiler + "after.pickle"});
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.out.split('\n')
                     .filter(QRegularExpression("^added +model.py:31 log_loss +0 B +6.00 MiB +\\+6.00 MiB$"))
                     .size(),
                 1);
        const Outcome json = run_cli({"compare", kProfiler + "before.pickle", kProfiler + "after.pickle", "--json"});
        const QJsonObject all = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(all["holders"].toArray().first().toObject()["change"].toString(), QString("added"));
        QCOMPARE(all["peak"].toArray().last().toInteger(), qint64{18579456});
    }
    void a_run_is_compared_with_a_trace() {
        QTemporaryDir folder;
        const QString recorded = folder.filePath("mlp.loupe");
        const QString traced = folder.filePath("mlp.json");
        QCOMPARE(run_cli({"run", kFixtures + "models/mlp.pt", "--inputs", kFixtures + "models/mlp.in.npz", "--backward",
                          "--record", recorded, "--trace", traced})
                     .status,
                 0);
        const Outcome outcome = run_cli({"compare", recorded, kProfiler + "perceptron.json.gz", "--json"});
        QCOMPARE(outcome.status, 0);
        const QJsonArray rows = QJsonDocument::fromJson(outcome.out.toUtf8()).object()["operators"].toArray();
        bool has_both = false;
        for (const auto& row : rows) {
            const QJsonArray counts = row.toObject()["count"].toArray();
            has_both |= counts[0].toInteger() > 0 && counts[1].toInteger() > 0;
        }
        QVERIFY2(has_both, qPrintable(outcome.out));
        // What --trace writes is a trace too.
        const Outcome own = run_cli({"info", traced});
        QCOMPARE(own.status, 0);
        QVERIFY2(own.out.contains("a trace in Chrome's format"), qPrintable(own.out));
    }
    void what_does_not_go_together_is_refused() {
        for (const QStringList& files : {QStringList{kProfiler + "layers.json", kProfiler + "after.pickle"},
                                         QStringList{kProfiler + "layers.json", kFixtures + "models/mlp.pt"},
                                         QStringList{kProfiler + "layers.json"}}) {
            const Outcome outcome = run_cli(QStringList{"compare"} + files);
            QCOMPARE(outcome.status, 2);
            QVERIFY2(outcome.err.contains("a snapshot with a snapshot"), qPrintable(outcome.err));
        }
    }
    void a_trace_is_no_model() {
        const Outcome outcome = run_cli({"run", kProfiler + "layers.json"});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains("a trace of PyTorch's profiler"), qPrintable(outcome.err));
        QCOMPARE(outcome.err.count('\n'), 1);
    }
    void a_damaged_file_is_one_line() {
        QTemporaryDir folder;
        const QString path = folder.filePath("bad.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"traceEvents\": [{\"ph\": \"X\"}, {\"ph\":");
        file.close();
        const Outcome outcome = run_cli({"info", path});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains("bad.json: a trace without events"), qPrintable(outcome.err));
        QCOMPARE(outcome.err.count('\n'), 1);
    }
};

QTEST_GUILESS_MAIN(TestCliImported)
#include "test_imported.moc"
