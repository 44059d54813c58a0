// SPDX-License-Identifier: Apache-2.0
// The files that the command line writes: converted models, weights, trainings; what it never overwrites, and what a
// full disk or a signal leaves.

#include <sys/stat.h>

#include <csignal>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/numpy/npy.h"

#include "tests/cli/run_program.h"
#include "tests/cli/test_cli.h"

using namespace loupe;

namespace {

const QString kModels = LOUPE_SOURCE_DIR "/tests/fixtures/models/";
const QString kShipped = LOUPE_SOURCE_DIR "/resources/models/";
const QString kSources = LOUPE_SOURCE_DIR "/tests/fixtures/sources/";

}  // namespace

// A model that was written again runs as before.
void TestCli::converts_models() {
    QFETCH(QJsonObject, entry);
    const QString name = entry["name"].toString();
    if (entry.contains("error")) QSKIP("nothing to compare with");
    QTemporaryDir folder;
    const QString copy = folder.filePath("copy.pt");
    const Outcome converted = run_cli({"convert", kModels + entry["file"].toString(), copy});
    QVERIFY2(converted.status == 0, qPrintable(converted.err));
    const QJsonObject tolerance = entry["grad_tolerance"].toObject();
    const Outcome outcome = run_cli(
        {"check", copy, "--method", entry["method"].toString(), "--mode", entry["mode"].toString(), "--inputs",
         kModels + name + ".in.npz", "--expected", kModels + name + ".out.npz", "--rtol",
         QString::number(tolerance["rtol"].toDouble()), "--atol", QString::number(tolerance["atol"].toDouble())});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
}

void TestCli::converts_after_passes_data() {
    QTest::addColumn<QString>("model");
    QTest::newRow("a function") << "function_soft_sort";
    QTest::newRow("a model and parts with hooks") << "hooked";
}

void TestCli::converts_after_passes() {
    QFETCH(QString, model);
    QTemporaryDir folder;
    const QString name = kModels + model;
    const QString after = folder.filePath("after.pt");
    const Outcome converted = run_cli({"convert", name + ".pt", after, "--pipeline", "optimize"});
    QVERIFY2(converted.status == 0, qPrintable(converted.err));
    const Outcome outcome = run_cli({"check", after, "--inputs", name + ".in.npz", "--expected", name + ".out.npz"});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.out + outcome.err));
}

void TestCli::converts_weights() {
    QTemporaryDir folder;
    const QString digits = kShipped + "digits.pt";
    const QString npz = folder.filePath("weights.npz");
    const QString pt = folder.filePath("weights.pt");
    QCOMPARE(run_cli({"convert", digits, npz}).status, 0);
    QCOMPARE(run_cli({"convert", npz, pt}).status, 0);
    const QString out = folder.filePath("out.npz");
    QCOMPARE(run_cli({"run", digits, "--outputs", out}).status, 0);
    QCOMPARE(run_cli({"check", digits, "--weights", pt, "--expected", out, "--rtol", "0", "--atol", "0"}).status, 0);
    for (const char* extension : {"txt", "ir", "dot"}) {
        const QString file = folder.filePath(QString("graph.") + extension);
        QCOMPARE(run_cli({"convert", digits, file}).status, 0);
        QFile text(file);
        QVERIFY(text.open(QIODevice::ReadOnly));
        QVERIFY(text.readAll().contains(QByteArray(extension) == "dot" ? "digraph" : "graph(%self"));
    }
}

void TestCli::converting_fails_whole() {
    QTemporaryDir folder;
    const QString digits = kShipped + "digits.pt";
    const Outcome unknown = run_cli({"convert", digits, folder.filePath("digits.xyz")});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.err.contains(".npz") && is_one_line(unknown.err), qPrintable(unknown.err));
    QCOMPARE(run_cli({"convert", digits, folder.filePath("digits.npy")}).status, 2);
    QCOMPARE(run_cli({"convert", LOUPE_SOURCE_DIR "/README.md", folder.filePath("readme.pt")}).status, 3);
    QCOMPARE(run_cli({"convert", digits, folder.filePath("no/such/folder.pt")}).status, 3);
    QVERIFY(QDir(folder.path()).isEmpty());
}

void TestCli::convert_names_what_plugins_write() {
    const Outcome help = run_cli({"convert", "--help"});
    QCOMPARE(help.status, 0);
    for (const char* extension : {".pt", ".safetensors", ".pt2", ".onnx"})
        QVERIFY2(help.out.contains(QLatin1String(extension)), extension);
}

// libgomp's own default is milliseconds on a core, which on a busy machine another thread of the program waits for.
void TestCli::threads_that_wait_sleep_soon() {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}) environment.remove(QLatin1String(name));
    process.setProcessEnvironment(environment);
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", {"train", kShipped + "digits.pt", "--epochs", "100000"});
    QVERIFY(process.waitForStarted());
    const auto has_limit = [&] {
        QFile file(QStringLiteral("/proc/%1/environ").arg(process.processId()));
        return file.open(QIODevice::ReadOnly) && file.readAll().contains("GOMP_SPINCOUNT=");
    };
    QTRY_VERIFY_WITH_TIMEOUT(has_limit(), 30000);
    process.kill();
    QVERIFY(process.waitForFinished());
}

void TestCli::never_overwrites_what_is_no_output() {
    QTemporaryDir folder;
    const QString model = folder.filePath("digits.pt");
    QVERIFY(QFile::copy(kShipped + "digits.pt", model));
    QVERIFY(QFile::link(model, folder.filePath("again.npz")));
    const auto contents = [&] {
        QFile file(model);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray before = contents();
    for (const QStringList& options : {QStringList{"--outputs", model},
                                       {"--outputs", folder.filePath("out.txt")},
                                       {"--outputs", folder.filePath("again.npz")},
                                       {"--trace", model},
                                       {"--record", model},
                                       {"--trace", folder.filePath("t"), "--record", folder.filePath("./t")}}) {
        const Outcome outcome = run_cli(QStringList{"run", model} + options);
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err), qPrintable(options.join(' ') + ": " + outcome.err));
    }
    QCOMPARE(run_cli({"train", model, "--data", kShipped + "digits_data.npz", "--save", model}).status, 2);
    QCOMPARE(run_cli({"convert", model, model}).status, 2);
    QCOMPARE(contents(), before);
    // A link is written through; a device stays one.
    QVERIFY(QFile::link(folder.filePath("target.npz"), folder.filePath("link.npz")));
    QCOMPARE(run_cli({"run", model, "--input", "1x1x8x8", "--outputs", folder.filePath("link.npz")}).status, 0);
    QVERIFY(QFileInfo(folder.filePath("link.npz")).isSymLink() && QFileInfo(folder.filePath("target.npz")).size() > 0);
    QCOMPARE(run_cli({"run", model, "--input", "1x1x8x8", "--outputs", "/dev/null"}).status, 0);
    QCOMPARE(run_cli({"run", model, "--input", "1x1x8x8", "--outputs", "/dev/full"}).status, 3);
    struct stat facts {};
    QVERIFY(::stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode));
    QVERIFY(::stat("/dev/full", &facts) == 0 && S_ISCHR(facts.st_mode));
}

// One place in the file for both: neither is written over the other.
void TestCli::a_file_that_is_standard_output() {
    QTemporaryDir folder;
    const QString name = folder.filePath("t.json");
    QProcess process;
    process.setStandardOutputFile(name);
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli",
                  {"run", kShipped + "digits.pt", "--input", "1x1x8x8", "--trace", "/dev/stdout"});
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitCode(), 0);
    QFile file(name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray all = file.readAll();
    const auto results = all.indexOf("out0  ");
    QVERIFY2(results > 0 && all.endsWith('\n') && all.count("out0  ") == 1, all.right(400).constData());
    QJsonParseError wrong;
    QJsonDocument::fromJson(all.left(results), &wrong);
    QVERIFY2(wrong.error == QJsonParseError::NoError, qPrintable(wrong.errorString()));
}

// Also what no option names, or an option names in part.
void TestCli::never_overwrites_what_it_reads() {
    QTemporaryDir folder;
    for (const char* name : {"mlp.py", "mlp.npz", "mlp.in.npz"})
        QVERIFY(QFile::copy(kSources + name, folder.filePath(name)));
    const QString model = folder.filePath("mlp.py"), weights = folder.filePath("mlp.npz"),
                  samples = folder.filePath("mlp.in.npz");
    const QString array = folder.filePath("y.npz");
    for (const QStringList& arguments :
         {QStringList{"run", model, "--outputs", weights},
          {"run", model, "--outputs", samples},
          {"run", model, "--trace", weights},
          {"convert", model, weights},
          {"convert", model, samples},
          {"run", model, "--backward", "--loss", "cotangents:" + array, "--outputs", array},
          {"run", model, "--backward", "--loss", "mse", "--target", array + ":y", "--outputs", array},
          {"run", model, "--backward", "--loss", "mse", "--target", "labels", "--data", array, "--outputs", array}}) {
        const Outcome outcome = run_cli(arguments);
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err) && outcome.err.contains("would overwrite"),
                 qPrintable(arguments.join(' ') + ": " + outcome.err));
    }
    const auto same = [&](const QString& name) {
        QFile a(kSources + name), b(folder.filePath(name));
        return a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly) && a.readAll() == b.readAll();
    };
    QVERIFY(same("mlp.npz") && same("mlp.in.npz") && !QFile::exists(array));
}

void TestCli::a_full_disk_is_told() {
    for (const QStringList& arguments :
         {QStringList{"run", kShipped + "digits.pt"}, {"info", kShipped + "digits.pt"}, {"ops"}}) {
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", arguments);
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 3);
        const QString told = QString::fromUtf8(process.readAllStandardError());
        // A verdict may stand before it.
        QVERIFY2(told.trimmed().section('\n', -1).startsWith("standard output: cannot write"), qPrintable(told));
    }
}

void TestCli::a_training_that_ends_badly_keeps_its_steps() {
    QTemporaryDir folder;
    const QString csv = folder.filePath("log.csv"), weights = folder.filePath("w.npz");
    const QStringList start{
        "train", kShipped + "digits.pt", "--data", kShipped + "digits_data.npz", "--csv", csv, "--save", weights};
    const auto rows = [&] {
        QFile file(csv);
        return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') - 1 : qsizetype{-1};
    };
    // The loss is no number after a few steps: what they were is kept, weights of no use are not.
    const Outcome diverged = run_cli(start + QStringList{"--optimizer", "SGD(1e38)", "--epochs", "1"});
    QVERIFY2(diverged.status == 4 && diverged.err.contains(" at step "), qPrintable(diverged.err));
    QVERIFY2(diverged.err.contains("wrote " + csv + "\n"), qPrintable(diverged.err));
    QVERIFY(rows() > 0 && !QFile::exists(weights));
    // A checkpoint that cannot be written takes nothing else with it.
    QVERIFY(QFile::remove(csv));
    const Outcome full = run_cli(start + QStringList{"--epochs", "2", "--checkpoint", "/dev/full"});
    QVERIFY2(full.status == 3 && full.err.contains("wrote " + csv + ", " + weights + "\n"), qPrintable(full.err));
    QCOMPARE(full.err.split(QLatin1Char(10)).filter("/dev/full").size(), 1);
    QVERIFY(rows() > 0 && !read_npz(weights.toStdString()).empty());
    // Where no step was done, nothing is.
    QVERIFY(QFile::remove(csv) && QFile::remove(weights));
    QVERIFY(run_cli(start + QStringList{"--loss", "own"}).status != 0);
    QVERIFY(!QFile::exists(csv) && !QFile::exists(weights));
}

void TestCli::a_training_checks_its_files_first() {
    QTemporaryDir folder;
    const QStringList start{"train", kShipped + "digits.pt", "--data", kShipped + "digits_data.npz", "--epochs", "1"};
    for (const auto& [options, status] : {std::pair{QStringList{"--save", folder.filePath("no/w.npz")}, 3},
                                          {{"--csv", folder.filePath("no/log.csv")}, 3},
                                          {{"--checkpoint", folder.filePath("no/c.pt")}, 3},
                                          {{"--csv", folder.path()}, 3},
                                          {{"--save", folder.filePath("w.txt")}, 2},
                                          {{"--save", folder.filePath("w.npy")}, 2}}) {
        const Outcome outcome = run_cli(
            start + QStringList{"--csv", folder.filePath("log.csv")}.mid(options.first() == "--csv" ? 2 : 0) + options);
        QVERIFY2(outcome.status == status && is_one_line(outcome.err) && outcome.out.isEmpty(),
                 qPrintable(options.join(' ') + ": " + outcome.out + outcome.err));
        QVERIFY(QDir(folder.path()).isEmpty());
    }
}

void TestCli::a_training_stopped_before_its_first_step_writes_nothing() {
    QTemporaryDir folder;
    const QString model = folder.filePath("slow.py"), weights = folder.filePath("w.npz");
    const auto write = [](const QString& name, const QByteArray& text) {
        QFile file(name);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write(model,
                  "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
                  "        super().__init__()\n        self.head = nn.Linear(4, 2)\n\n    def forward(self, x):\n"
                  "        for i in range(1000000000):\n            x = x + 0\n        return self.head(x)\n\n\n"
                  "model = Net()\n"));
    QVERIFY(write(weights, "of before"));
    QProcess process;
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli",
                  {"train", model, "--shape", "4", "--classes", "2", "--save", weights});
    QVERIFY(process.waitForStarted());
    QTest::qWait(3000);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(120'000));
    const QString told = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(process.exitStatus() == QProcess::CrashExit && process.exitCode() == SIGINT, qPrintable(told));
    QVERIFY2(told.contains("before the first step was done; nothing was written"), qPrintable(told));
    QFile kept(weights);
    QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == "of before");
}

void TestCli::outputs_never_become_a_source_s_own_weights() {
    QTemporaryDir folder;
    const QString model = folder.filePath("mlp.py");
    QVERIFY(QFile::copy(kSources + "mlp.py", model));
    for (const char* name : {"mlp.npz", "mlp.in.npz"}) {
        const Outcome outcome = run_cli({"run", model, "--input", "1x4", "--outputs", folder.filePath(name)});
        QVERIFY2(outcome.status == 2 && is_one_line(outcome.err) && outcome.err.contains("give another name"),
                 qPrintable(outcome.err));
        QVERIFY(!QFile::exists(folder.filePath(name)));
    }
}

void TestCli::a_signal_keeps_what_was_asked_for_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void TestCli::a_signal_keeps_what_was_asked_for() {
    QFETCH(int, number);
    QTemporaryDir folder;
    const QString csv = folder.filePath("log.csv"), weights = folder.filePath("w.npz"),
                  checkpoint = folder.filePath("c.pt");
    QProcess process;
    process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli",
                  {"train", kShipped + "digits.pt", "--data", kShipped + "digits_data.npz", "--epochs", "100000",
                   "--csv", csv, "--save", weights, "--checkpoint", checkpoint});
    QVERIFY(process.waitForStarted());
    QByteArray out;
    while (!out.contains("epoch 2/")) {
        QVERIFY2(process.waitForReadyRead(120'000), qPrintable(out + process.readAllStandardError()));
        out += process.readAllStandardOutput();
    }
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), number), 0);
    QVERIFY(process.waitForFinished(120'000));
    const QString told = QString::fromUtf8(process.readAllStandardError());
    // It ended by the signal, as its caller sees.
    QVERIFY(process.exitStatus() == QProcess::CrashExit && process.exitCode() == number);
    QVERIFY2(told.contains(csv) && told.contains(weights) && told.contains(checkpoint) && told.contains("step"),
             qPrintable(told));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
             (QStringList{"c.pt", "log.csv", "w.npz"}));
    QVERIFY(!read_npz(weights.toStdString()).empty());
    QFile rows(csv);
    QVERIFY(rows.open(QIODevice::ReadOnly));
    const qint64 steps = rows.readAll().count('\n') - 1;
    QVERIFY2(told.contains(QString("after step %1 ").arg(steps)), qPrintable(told));
    const Outcome resumed =
        run_cli({"train", kShipped + "digits.pt", "--data", kShipped + "digits_data.npz", "--resume", checkpoint,
                 "--epochs", "100000", "--steps", QString::number(steps + 1)});
    QVERIFY2(resumed.status == 0 && resumed.out.contains(QString("going on after step %1").arg(steps)),
             qPrintable(resumed.out + resumed.err));
}
