// SPDX-License-Identifier: Apache-2.0
// The command line at the machine's limits: threads, and address space that runs out anywhere.

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/run_program.h"

namespace {

const QString kShipped = LOUPE_SOURCE_DIR "/resources/models/";
const QString kProgram = LOUPE_BINARY_DIR "/bin/tensorloupe-cli";

Outcome run_within(int megabytes, const QStringList& arguments) {
    QString command = QStringLiteral("ulimit -v %1; exec '%2'").arg(megabytes * 1024).arg(kProgram);
    for (const QString& argument : arguments) command += QStringLiteral(" '%1'").arg(argument);
    return run_program("bash", {"-c", command});
}

}  // namespace

class TestLimits : public QObject {
    Q_OBJECT

  private slots:
    void manyThreadsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("run") << QStringList{"run", kShipped + "digits.pt", "--input", "1x1x8x8"};
        QTest::newRow("train") << QStringList{"train", kShipped + "digits.pt", "--epochs", "1"};
        QTest::newRow("plan") << QStringList{"plan", kShipped + "digits.pt"};
    }

    void manyThreadsAreRefused() {
        QFETCH(QStringList, arguments);
        for (const char* count : {"5000", "100000", "2147483647", "-1"}) {
            const Outcome outcome = run_program(kProgram, arguments + QStringList{"--threads", count});
            QCOMPARE(outcome.status, 2);
            QVERIFY2(outcome.err.contains("--threads") && outcome.err.count('\n') == 1, qPrintable(outcome.err));
        }
    }

    void aFileSizeLimitIsTold() {
        QTemporaryDir folder;
        const Outcome outcome =
            run_program("bash", {"-c", QStringLiteral("ulimit -f 1; exec '%1' convert '%2' '%3'")
                                           .arg(kProgram, kShipped + "digits.pt", folder.filePath("w.npz"))});
        QVERIFY2(outcome.status == 3 && outcome.err.contains("cannot write: File too large"), qPrintable(outcome.err));
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    // From where the program's libraries find room to where nothing is short: done, or one line that says what is
    // short.
    void memoryRunsOutCleanly_data() {
        QTest::addColumn<QStringList>("arguments");
        const QString model = kShipped + "digits.pt", data = kShipped + "digits_data.npz";
        QTest::newRow("info") << QStringList{"info", model};
        for (const QString threads : {"1", "2", "4"}) {
            QTest::addRow("run, %s threads", qPrintable(threads))
                << QStringList{"run", model, "--input", "256x1x8x8", "--backward", "--threads", threads};
            QTest::addRow("train, %s threads", qPrintable(threads)) << QStringList{
                "train", model, "--data", data, "--epochs", "1", "--batch", "1797", "--threads", threads};
        }
    }

    void memoryRunsOutCleanly() {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("AddressSanitizer takes terabytes of address space");
#endif
        QFETCH(QStringList, arguments);
        Outcome last;
        // In small steps where the program itself begins to find room. With less than the first, OpenBLAS ends the
        // process before it begins: it finds room for itself and none for its threads.
        for (int megabytes = 180; megabytes <= 1500; megabytes += megabytes < 360 ? 60 : megabytes < 600 ? 20 : 100) {
            const Outcome outcome = run_within(megabytes, arguments);
            const QByteArray told = QStringLiteral("%1 MB: status %2, %3")
                                        .arg(megabytes)
                                        .arg(outcome.status)
                                        .arg(outcome.err.left(400))
                                        .toUtf8();
            // 127: the loader found no room for a library.
            // 3: not even for opening the file.
            const bool isForFile = outcome.status == 3 && outcome.err.contains("needs more memory than there is");
            QVERIFY2(outcome.status == 0 || outcome.status == 4 || outcome.status == 127 || isForFile, told);
            if (outcome.status != 0) QVERIFY2(outcome.err.count('\n') == 1, told);
            last = outcome;
        }
        // Nothing is refused that there is room for.
        QVERIFY2(last.status == 0, qPrintable(last.err));
    }
};

QTEST_GUILESS_MAIN(TestLimits)
#include "test_limits.moc"
