// SPDX-License-Identifier: Apache-2.0
// compare: its first line, its lines of modules, its status.

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/run_program.h"

namespace {

const QString kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/compare/";

Outcome compare(const QStringList& arguments) {
    return run_cli(QStringList{"compare"} + arguments + QStringList{"--inputs", kFixtures + "perceptron.in.npz"});
}

}  // namespace

class TestCliCompare : public QObject {
    Q_OBJECT

  private slots:
    void equalModelsHaveNoDivergence_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"perceptron.pt", "perceptron.pt2", "perceptron.onnx", "perceptron_old.onnx",
                                 "perceptron_activations.npz"})
            QTest::newRow(file) << file;
    }
    void equalModelsHaveNoDivergence() {
        QFETCH(QString, file);
        const Outcome outcome = compare({kFixtures + "perceptron.pt", kFixtures + file});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.startsWith("no divergence: "), qPrintable(outcome.out + outcome.err));
    }

    void theFirstLineIsTheFirstDivergence() {
        const Outcome outcome = compare({kFixtures + "perceptron.pt", kFixtures + "perceptron_planted.pt2"});
        QCOMPARE(outcome.status, 1);
        const QStringList lines = outcome.out.split('\n');
        QVERIFY2(lines[0].startsWith("first divergence: net.2, aten::linear #3: max abs 2.5e-01"),
                 qPrintable(lines[0]));
        QCOMPARE(lines.filter("DIFFERS   net.2").size(), 1);
        QCOMPARE(lines.filter("ok        net.0").size(), 1);
        QCOMPARE(lines.filter("parameter net.2.weight").size(), 1);
    }

    // Before what differs in forward the outputs are equal, and the gradients that come back
    // are not.
    void rowsTellForwardFromBackward() {
        const Outcome outcome =
            compare({"--loss", "out0[0,3]", kFixtures + "perceptron.pt", kFixtures + "perceptron_planted.pt"});
        QCOMPARE(outcome.status, 1);
        const QStringList lines = outcome.out.split('\n');
        static const QRegularExpression first("^DIFFERS +net\\.0 .* equal +-?[0-9.]+ +Linear$");
        QVERIFY2(lines.filter(first).size() == 1, qPrintable(outcome.out));
    }

    // Nothing in a file commands the terminal.
    void namesAreShownWithoutControlCharacters() {
        QTemporaryDir folder;
        QFile source(folder.filePath("says.py"));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write(
            "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
            "        print('\\x1b[31mred\\x07 \\x9b2J caf\\xe9')\n        return x\n"
            "example_inputs = (torch.ones(1),)\n");
        source.close();
        const Outcome outcome = run_cli({"run", source.fileName()});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains(QString::fromUtf8("?[31mred? \xc2\xbf"
                                                        "2J caf\xc3\xa9")),
                 qPrintable(outcome.out));
    }

    void theToleranceIsTheUsers() {
        QCOMPARE(
            compare({kFixtures + "perceptron.pt", kFixtures + "perceptron_planted.pt", "--rtol", "0", "--atol", "1"})
                .status,
            0);
        QCOMPARE(compare({kFixtures + "perceptron.pt", kFixtures + "perceptron.pt2", "--atol", "-1"}).status, 2);
    }

    void theModelIsRunInAnotherWay() {
        const Outcome outcome = compare({kFixtures + "perceptron.pt", "--with-dtype", "bfloat16"});
        QVERIFY2(outcome.status <= 1 && outcome.out.contains("divergence"), qPrintable(outcome.err));
        QCOMPARE(compare({kFixtures + "perceptron.pt", "--with-pipeline", "inference"}).status, 0);
        QCOMPARE(compare({kFixtures + "perceptron.pt", "--with-dtype", "int8"}).status, 2);
        QCOMPARE(compare({kFixtures + "perceptron.pt"}).status, 2);
    }

    void severalAreATable() {
        const Outcome outcome = compare({kFixtures + "perceptron.pt", kFixtures + "perceptron_planted.pt",
                                         kFixtures + "perceptron.onnx", kFixtures + "perceptron.pt2"});
        QCOMPARE(outcome.status, 1);
        QVERIFY(outcome.out.startsWith("perceptron_planted.pt: first divergence: net.2"));
        QVERIFY(outcome.out.contains("perceptron.onnx: no divergence"));
    }

    void recordingsAreCompared() {
        QTemporaryDir folder;
        const QString inputs = kFixtures + "perceptron.in.npz";
        for (const char* name : {"perceptron", "perceptron_planted"}) {
            const Outcome recorded = run_cli({"run", kFixtures + name + ".pt", "--inputs", inputs, "--record",
                                              folder.filePath(QString(name) + ".loupe")});
            QCOMPARE(recorded.status, 0);
        }
        const QString own = folder.filePath("perceptron.loupe");
        QCOMPARE(run_cli({"compare", own, own}).status, 0);
        QCOMPARE(run_cli({"compare", own, folder.filePath("perceptron_planted.loupe")}).status, 1);
        // Half of one is no recording.
        QFile whole(own);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QFile half(folder.filePath("half.loupe"));
        QVERIFY(half.open(QIODevice::WriteOnly));
        half.write(whole.read(whole.size() / 2));
        half.close();
        const Outcome outcome = run_cli({"compare", own, half.fileName()});
        QCOMPARE(outcome.status, 3);
        QVERIFY2(is_one_line(outcome.err), qPrintable(outcome.err));
    }

    void jsonHasIt() {
        const Outcome outcome = compare({kFixtures + "perceptron.pt", kFixtures + "perceptron_planted.pt", "--json"});
        QCOMPARE(outcome.status, 1);
        const QJsonObject found = QJsonDocument::fromJson(outcome.out.toUtf8()).object();
        QCOMPARE(found["forward"].toObject()["event"].toInt(), 3);
        QVERIFY(found["diverges"].toBool());
    }

    void runsThatShareNothing() {
        const Outcome outcome = compare({kFixtures + "perceptron.pt", kFixtures + "residual.pt"});
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.out.startsWith("nothing could be compared"), qPrintable(outcome.out));
        QVERIFY2(outcome.err.contains("residual.pt failed: "), qPrintable(outcome.err));
        const Outcome arrays = compare({kFixtures + "perceptron.pt", kFixtures + "pairs.npz"});
        QCOMPARE(arrays.status, 2);
        QVERIFY2(is_one_line(arrays.err), qPrintable(arrays.err));
    }
};

QTEST_GUILESS_MAIN(TestCliCompare)
#include "test_compare.moc"
