// SPDX-License-Identifier: Apache-2.0
// Programs in programs/*.py print what CPython 3.11 prints, which make_expectations.py wrote to programs/*.txt.
#include <QDirIterator>
#include <QFile>
#include <QTest>

#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"
#include "core/script/error.h"

using namespace loupe;

namespace {

const QString kPrograms = QStringLiteral(LOUPE_SOURCE_DIR "/tests/python/programs/");

std::string printed_by(const std::string& path) {
    std::string out;
    const auto evaluator = python::make_evaluator(python::EvaluatorOptions{
        .output = [&](std::string_view text) { out += text; }, .error_output = [](std::string_view) {}});
    try {
        evaluator->run_file(path);
    } catch (const python::PythonError& error) {
        out += error.traceback() + "\n";
    } catch (const script::CompileError& error) {
        out += error.underlined() + "\n";
    }
    return out;
}

}  // namespace

class TestPythonPrograms : public QObject {
    Q_OBJECT
  private slots:
    void program_data() {
        QTest::addColumn<QString>("name");
        const QStringList files = QDir(kPrograms).entryList({"*.py"}, QDir::Files, QDir::Name);
        QVERIFY(files.size() >= 40);
        for (const QString& file : files) {
            if (QFile::exists(kPrograms + QString(file).replace(".py", ".txt"))) {
                QTest::newRow(qPrintable(file)) << file;
            }
        }
    }
    void program() {
        QFETCH(QString, name);
        QFile expected(kPrograms + QString(name).replace(".py", ".txt"));
        QVERIFY(expected.open(QIODevice::ReadOnly));
        const QStringList want = QString::fromUtf8(expected.readAll()).split('\n');
        const QStringList have = QString::fromStdString(printed_by((kPrograms + name).toStdString())).split('\n');
        for (qsizetype i = 0; i < std::min(want.size(), have.size()); ++i) QCOMPARE(have[i], want[i]);
        QCOMPARE(have.size(), want.size());
    }
};

QTEST_GUILESS_MAIN(TestPythonPrograms)
#include "test_python_programs.moc"
