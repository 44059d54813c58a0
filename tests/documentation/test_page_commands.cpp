// SPDX-License-Identifier: Apache-2.0
// Every command of the pages of help is run: those of blocks in a copy of the folder, with the status and the lines
// that the page says; those inside of sentences with files of the names that they use, where none may be wrong usage.

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "tests/cli/run_program.h"
#include "tests/documentation/pages.h"

using namespace loupe::testing;

namespace {

QString without_spaces(QString text) {
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    return text.remove(spaces);
}

bool copy_folder(const QString& from, const QString& to) {
    const QDir source(from);
    if (!QDir().mkpath(to)) return false;
    for (const QFileInfo& entry : source.entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString target = to + "/" + entry.fileName();
        if (entry.isDir() ? !copy_folder(entry.filePath(), target) : !QFile::copy(entry.filePath(), target))
            return false;
    }
    return true;
}

// What cannot be run from its form alone, and why.
struct LeftOut {
    const char* begins;
    const char* why;
};
constexpr LeftOut kLeftOut[] = {
    {"tensorloupe-cli attach", "needs a program that is watched; test_watched_training has one"},
    {"tensorloupe-cli run --ranks", "starts mpirun; tests/distributed does"},
    {"tensorloupe-cli run train.py", "the program of a rank, started by torchrun"},
    {"tensorloupe-cli plan model.py --ranks", "plans for ranks; test_cli_files does"},
    {"tensorloupe-cli ranks", "needs recordings of ranks; test_cli has them"},
    {"tensorloupe-cli plugins install", "needs a plugin that was built outside; tests/library/check_plugins does"},
    {"tensorloupe-cli plugins remove", "needs a plugin that is installed; likewise"},
    {"tensorloupe-cli report", "draws with the window's program; test_cli_report does"},
};

// The names of sentences, as files and values that there are.
QString with_real_names(QString line) {
    const bool is_text = line.startsWith("tensorloupe-cli generate") || line.startsWith("tensorloupe-cli tokens");
    const QString folder = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/generation/gpt2");
    const std::pair<const char*, QString> names[] = {
        {"\\bCOMMAND\\b", "run"},
        {"\\bNAME MODEL\\b", "saliency model.pt"},
        {"\\bMODEL\\b", is_text ? folder : QStringLiteral("model.pt")},
        {"\\bFOLDER\\b", folder},
        {"\\bFILE\\b", "model.pt"},
        {"\\bA B\\b", "model.pt net.py"},
        {"\\bDIR\\b", "written"},
        {"\\bTEXT\\b", "tanh"},
        {"--text$", "--text hello"},
    };
    for (const auto& [name, real] : names) line.replace(QRegularExpression(QLatin1String(name)), real);
    if (line.count(' ') == 1) line += " --help";  // the command's name alone
    if (line.contains("layer1.0")) line.replace("model.pt", "layers.pt");
    return line;
}

}  // namespace

class TestPageCommands : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        qputenv("XDG_CACHE_HOME", folder_.filePath("cache").toUtf8());
        QVERIFY(copy_folder(LOUPE_SOURCE_DIR "/resources/docs", folder_.filePath("docs")));
        QVERIFY(copy_folder(LOUPE_SOURCE_DIR "/resources/models", folder_.filePath("models")));
        QVERIFY(QDir().mkpath(folder_.filePath("sentences")));
        QVERIFY(copy_folder(LOUPE_SOURCE_DIR "/resources/docs/examples", folder_.filePath("sentences/examples")));
        const std::pair<const char*, const char*> files[] = {
            {"resources/models/digits.pt", "model.pt"},         {"resources/models/digits.pt", "converted.pt"},
            {"resources/models/digits.in.npz", "in.npz"},       {"resources/models/digits.in.npz", "batch.npz"},
            {"resources/models/digits.in.npz", "x.npz"},        {"resources/models/digits_data.npz", "data.npz"},
            {"resources/docs/examples/vanishing.py", "net.py"}, {"tests/fixtures/models/resnet18.pt", "layers.pt"},
            {"tests/fixtures/watch/net.watch", "run.watch"},
        };
        for (const auto& [from, to] : files) {
            QVERIFY2(QFile::copy(QStringLiteral(LOUPE_SOURCE_DIR "/%1").arg(QLatin1String(from)),
                                 folder_.filePath(QStringLiteral("sentences/%1").arg(QLatin1String(to)))),
                     from);
        }
        QCOMPARE(
            run("sentences", "run model.pt --inputs in.npz --outputs out.npz --backward --record step.loupe").status,
            0);
    }

    void blocks_data() {
        QTest::addColumn<QString>("page");
        int commands = 0;
        for (const QString& name : page_files()) {
            if (page_commands(name).empty()) continue;
            commands += static_cast<int>(page_commands(name).size());
            QTest::newRow(qPrintable(name)) << name;
        }
        QVERIFY2(commands >= 25, qPrintable(QString::number(commands)));
    }
    void blocks() {
        QFETCH(QString, page);
        QString printed;
        for (const PageCommand& command : page_commands(page)) {
            QVERIFY2(command.line.startsWith("tensorloupe-cli "), qPrintable(command.place));
            const Outcome outcome = run("docs", command.line.section(' ', 1));
            printed += without_spaces(outcome.out) + without_spaces(outcome.err);
            QVERIFY2(outcome.status == command.status, qPrintable(QStringLiteral("%1: %2\nstatus %3\n%4")
                                                                      .arg(command.place, command.line)
                                                                      .arg(outcome.status)
                                                                      .arg(outcome.err.right(2000))));
            for (const QString& line : command.out) {
                QVERIFY2(printed.contains(without_spaces(line)),
                         qPrintable(QStringLiteral("%1: not printed: %2\n%3")
                                        .arg(command.place, line, (outcome.out + outcome.err).left(4000))));
            }
            if (!command.out.isEmpty()) printed.clear();
        }
    }

    void sentences_data() {
        QTest::addColumn<QString>("line");
        QSet<QString> seen;
        for (const QString& name : page_files()) {
            for (const PageSpan& span : page_spans(name)) {
                const auto is_it = [&](const LeftOut& one) { return span.line.startsWith(QLatin1String(one.begins)); };
                const auto* left_out = std::find_if(std::begin(kLeftOut), std::end(kLeftOut), is_it);
                if (left_out != std::end(kLeftOut)) {
                    used_ += QLatin1String(left_out->begins);
                } else if (!seen.contains(span.line)) {
                    seen += span.line;
                    QTest::newRow(qPrintable(span.place + " " + span.line)) << span.line;
                }
            }
        }
        QVERIFY(seen.size() >= 15);
    }
    void sentences() {
        QFETCH(QString, line);
        const Outcome outcome = run("sentences", with_real_names(line).section(' ', 1));
        // 2 is wrong usage. A model that does not fit the example's sizes is none.
        QVERIFY2(outcome.status >= 0 && outcome.status != 2,
                 qPrintable(QStringLiteral("status %1: %2").arg(outcome.status).arg(outcome.err)));
    }

    void nothingIsLeftOutForNothing() {
        if (used_.isEmpty()) QSKIP("sentences were not read");
        for (const LeftOut& one : kLeftOut) QVERIFY2(used_.contains(QLatin1String(one.begins)), one.begins);
    }

    // The reference of the library has every function of its headers.
    void theApiPageHasEveryFunction() {
        const QString page = read_page("api.md");
        const std::pair<const char*, const char*> headers[] = {
            {"c_api.h", "^TL_API [\\w* ]+?(\\w+)\\("},
            {"model.h", "^    (?!return|explicit|using)[A-Za-z][\\w:<>&* ]+[ &*](\\w+)\\("},
            {"tensors.h", "^(?!return)[A-Za-z][\\w:<>&* ]+[ &*](\\w+|operator[^(]+)\\("}};
        int found = 0;
        for (const auto& [header, form] : headers) {
            QFile file(QStringLiteral(LOUPE_SOURCE_DIR "/core/library/%1").arg(QLatin1String(header)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QString text = QString::fromUtf8(file.readAll());
            // Behind that they are not for programs.
            const auto hidden =
                text.indexOf(QLatin1String(header) == QLatin1String("model.h") ? "\n  private:" : "\nnamespace detail");
            if (hidden > 0) text.truncate(hidden);
            const QRegularExpression declaration(QLatin1String(form), QRegularExpression::MultilineOption);
            for (auto each = declaration.globalMatch(text); each.hasNext(); ++found) {
                const QString name = each.next().captured(1);
                QVERIFY2(page.contains(name + "("), qPrintable(name + " of " + header + ": run make_api_page.py"));
            }
        }
        QVERIFY2(found >= 60, qPrintable(QString::number(found)));
    }

    // The program of numbers, the engine, and the derivative on paper say the same.
    void autogradByHandIsRight() {
        const double w = 0.5, b = -0.25, x = 2, t = 1;
        const double h = std::tanh(w * x + b);
        const double f = (h - t) * (h - t) + w * w;
        const double by_sum = 2 * (h - t) * (1 - h * h);  // of w x + b
        const auto six = [](double number) { return QString::number(number, 'f', 6); };
        const QString said = QStringLiteral("f = %1, df/dw = %2, df/db = %3, df/dx = %4")
                                 .arg(six(f), six(by_sum * x + 2 * w), six(by_sum), six(by_sum * w));
        const Outcome outcome = run("docs", "run examples/autograd_by_hand.py --backward");
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.contains("by hand: " + said + "\n"), qPrintable(outcome.out));
        QVERIFY2(outcome.out.contains("torch:   " + said + "\n"), qPrintable(outcome.out));
        static const QRegularExpression gap(QStringLiteral("furthest apart: (\\S+)"));
        const auto match = gap.match(outcome.out);
        QVERIFY2(match.hasMatch() && match.captured(1).toDouble() < 1e-15, qPrintable(outcome.out));
    }

  private:
    Outcome run(const char* where, const QString& arguments) {
        QProcess process;
        process.setWorkingDirectory(folder_.filePath(QLatin1String(where)));
        process.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", QProcess::splitCommand(arguments));
        return outcome_of(process, 60'000);
    }

    QTemporaryDir folder_;
    QSet<QString> used_;
};

QTEST_GUILESS_MAIN(TestPageCommands)
#include "test_page_commands.moc"
