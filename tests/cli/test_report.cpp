// SPDX-License-Identifier: Apache-2.0
// report: the page of one model, and of two.

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/run_program.h"

namespace {

const QString kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/compare/";

QStringList with_inputs(QStringList arguments) { return arguments << "--inputs" << kFixtures + "perceptron.in.npz"; }

QString page_of(const QString& folder) {
    QFile page(folder + "/index.html");
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

// What stands between tags.
QString words_of(QString html) {
    static const QRegularExpression tags("<[^>]*>");
    return html.replace(tags, " ").simplified();
}

}  // namespace

class TestCliReport : public QObject {
    Q_OBJECT

  private slots:
    void anotherPageIsNotWrittenOver() {
        QTemporaryDir folder;
        QFile page(folder.filePath("index.html"));
        QVERIFY(page.open(QIODevice::WriteOnly));
        page.write("<html>mine</html>");
        page.close();
        const Outcome outcome = run_cli(with_inputs({"report", kFixtures + "perceptron.pt", "-o", folder.path()}));
        QCOMPARE(outcome.status, 3);
        QVERIFY2(outcome.err.contains("is there and is no report"), qPrintable(outcome.err));
        QCOMPARE(page_of(folder.path()), QString("<html>mine</html>"));
    }

    void whatDiffersStandsOnTop() {
        QTemporaryDir folder;
        const Outcome outcome = run_cli(with_inputs({"report", "--loss", "out0[0,3]", kFixtures + "perceptron.pt",
                                                     kFixtures + "perceptron_planted.pt", "-o", folder.path()}));
        QVERIFY2(outcome.status == 1, qPrintable(outcome.err));
        const QString html = page_of(folder.path());
        const QString words = words_of(html);
        QVERIFY(words.contains("Compared with perceptron_planted.pt"));
        QVERIFY2(words.contains("first divergence: net.2, aten::linear #3: max abs 2.5e-01"), qPrintable(words));
        QVERIFY(words.contains("first divergence in backward: "));
        QVERIFY(html.indexOf("first divergence") < html.indexOf("Where the time went"));
        for (const char* title : {"By module", "Parameters that differ", "Time and memory", "Operators, warm"})
            QVERIFY2(words.contains(title), title);
        for (const char* panel : {"compare", "events", "modules", "graph", "tensor", "memory", "source", "passes"})
            QVERIFY2(QFile::exists(folder.filePath(QString(panel) + ".png")), panel);
    }

    void equalModelsHaveNothingToSay() {
        QTemporaryDir folder;
        const Outcome outcome = run_cli(with_inputs(
            {"report", kFixtures + "perceptron.pt", "--forward", kFixtures + "perceptron.onnx", "-o", folder.path()}));
        QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
        const QString words = words_of(page_of(folder.path()));
        QVERIFY(words.contains("no divergence: "));
        QVERIFY(!words.contains("in backward"));
        QVERIFY(!words.contains("Parameters that differ"));
    }

    void toleranceAndModeAreThoseOfCompare() {
        QTemporaryDir folder;
        QCOMPARE(run_cli(with_inputs({"report", kFixtures + "perceptron.pt", "--forward", "--rtol", "0", "--atol", "1",
                                      "--mode", "train", kFixtures + "perceptron_planted.pt", "-o", folder.path()}))
                     .status,
                 0);
        QVERIFY(words_of(page_of(folder.path())).contains("tolerance rtol 0, atol 1"));
        const Outcome other = run_cli(with_inputs(
            {"report", kFixtures + "perceptron.pt", "--forward", "--with-dtype", "bfloat16", "-o", folder.path()}));
        QVERIFY2(other.status <= 1, qPrintable(other.err));
        QVERIFY(words_of(page_of(folder.path())).contains("Compared with perceptron.pt, bfloat16"));
    }

    void arraysAndRecordingsAreReferences() {
        QTemporaryDir folder;
        const QString recorded = folder.filePath("run.loupe");
        QCOMPARE(run_cli(with_inputs({"run", kFixtures + "perceptron_planted.pt", "--record", recorded})).status, 0);
        const Outcome outcome = run_cli(with_inputs({"report", kFixtures + "perceptron.pt", "--forward", recorded,
                                                     kFixtures + "perceptron_activations.npz", "-o", folder.path()}));
        QVERIFY2(outcome.status == 1, qPrintable(outcome.err));
        const QString words = words_of(page_of(folder.path()));
        QVERIFY(words.contains("Compared with run.loupe first divergence: net.2"));
        // The recording has the times of a first run: they stand beside no others.
        QVERIFY(words.contains("the reference has the times of a first run only"));
        QVERIFY(!words.contains("Operators, warm"));
        QVERIFY(words.contains("Compared with perceptron_activations.npz no divergence"));
        // A recording itself can come first.
        QCOMPARE(run_cli({"report", recorded, recorded, "-o", folder.path()}).status, 0);
    }

    void whatOnlyOneHasIsListedAndCut() {
        QTemporaryDir folder;
        const Outcome outcome = run_cli(with_inputs(
            {"report", kFixtures + "perceptron.pt", "--forward", kFixtures + "residual.pt", "-o", folder.path()}));
        QVERIFY2(outcome.status == 1, qPrintable(outcome.err));
        const QString html = page_of(folder.path());
        const QString words = words_of(html);
        QVERIFY(words.contains("nothing could be compared"));
        QVERIFY(words.contains("residual.pt failed: "));
        QVERIFY(words.contains("What only one of them has"));
        const qsizetype from = html.indexOf("What only one of them has");
        const qsizetype to = html.indexOf("</table>", from);
        QVERIFY(html.mid(from, to - from).count("<tr>") <= 21);
        QVERIFY2(QRegularExpression("and \\d+ more").match(words).hasMatch(), qPrintable(words));
    }

    void whatIsWrongIsSaidInOneLine_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        const QString own = kFixtures + "perceptron.pt";
        QTest::newRow("no model") << QStringList{"report", "nowhere.pt"} << 2;
        QTest::newRow("no second model") << QStringList{"report", own, "nowhere.pt"} << 2;
        QTest::newRow("no model in it") << QStringList{"report", own, kFixtures + "pairs.json"} << 3;
        QTest::newRow("arrays of nothing") << QStringList{"report", own, kFixtures + "pairs.npz"} << 2;
        QTest::newRow("a tolerance") << QStringList{"report", own, own, "--rtol", "-1"} << 2;
        QTest::newRow("a dtype") << QStringList{"report", own, "--with-dtype", "int8"} << 2;
        QTest::newRow("inputs") << QStringList{"report", own, own, "--inputs", "nowhere.npz"} << 2;
        QTest::newRow("a mode") << QStringList{"report", own, own, "--mode", "fast"} << 2;
    }
    void whatIsWrongIsSaidInOneLine() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QTemporaryDir folder;
        const QString to = folder.filePath("report");
        const Outcome outcome = run_cli(arguments + QStringList{"-o", to});
        QVERIFY2(outcome.status == status, qPrintable(outcome.err));
        QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
        QVERIFY(!QDir(to).exists());
    }

    void halfARecording() {
        QTemporaryDir folder;
        QCOMPARE(
            run_cli(with_inputs({"run", kFixtures + "perceptron.pt", "--record", folder.filePath("run.loupe")})).status,
            0);
        QFile whole(folder.filePath("run.loupe"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QFile half(folder.filePath("half.loupe"));
        QVERIFY(half.open(QIODevice::WriteOnly));
        half.write(whole.read(whole.size() / 2));
        half.close();
        const Outcome outcome = run_cli(with_inputs(
            {"report", kFixtures + "perceptron.pt", "--forward", half.fileName(), "-o", folder.filePath("report")}));
        QCOMPARE(outcome.status, 3);
        QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
    }

    void bothProgramsExplainIt() {
        const Outcome ours = run_cli({"report", "--help"});
        QCOMPARE(ours.status, 0);
        for (const char* word : {"OTHER", "--with-dtype", "--rtol", "--inputs", "--forward", "-o,--output"})
            QVERIFY2(ours.out.contains(word), word);
        const QString window = QStringLiteral(LOUPE_BINARY_DIR "/bin/tensorloupe");
        QVERIFY(run_program(window, {"report", "--help"}).out.contains("--with-dtype"));
        QVERIFY(run_cli({"manual", "man"}).out.contains(".SS report"));
    }
};

QTEST_GUILESS_MAIN(TestCliReport)
#include "test_report.moc"
