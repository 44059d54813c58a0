// SPDX-License-Identifier: Apache-2.0
// Programs as PyTorch's users write them, run without Python: what they print is what PyTorch 1.13 prints. To add one,
// write torch/NAME.py and run torch/make_expected NAME where PyTorch is installed.

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>

#include "core/base/error.h"
#include "core/python/error.h"
#include "core/python/evaluator.h"
#include "core/python/operations.h"
#include "core/python/torch_objects.h"

using namespace loupe;

namespace {

QString folder() { return QStringLiteral(LOUPE_SOURCE_DIR "/tests/python/torch"); }

QString contents(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readAll());
}

// What the program prints; the traceback after it when an exception ends it.
QString run(const QString& path) {
    std::string output;
    const auto evaluator =
        make_ptr<python::Evaluator>(python::EvaluatorOptions{
        .output = [&](std::string_view text) { output += text; }, .error_output = [](std::string_view) {}});
    try {
        // PyTorch writes its warnings elsewhere.
        evaluator->run([&] {
            const IValue filter = python::get_attribute(evaluator->import_module("warnings"), "simplefilter");
            return python::call(filter, std::vector<IValue>{IValue("ignore")});
        });
        evaluator->run_file(path.toStdString());
    } catch (const python::PythonError& error) {
        output += error.traceback();
    } catch (const Error& error) {
        output += error.what();
    }
    return QString::fromStdString(output);
}

}  // namespace

class TestTorchPrograms : public QObject {
    Q_OBJECT
  private slots:
    void prints_what_pytorch_prints_data() {
        QTest::addColumn<QString>("name");
        for (const QString& file : QDir(folder()).entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
            const QString name = file.chopped(3);
            QTest::newRow(qPrintable(name)) << name;
        }
    }
    void prints_what_pytorch_prints() {
        QFETCH(QString, name);
        const QStringList expected = contents(folder() + "/" + name + ".out").split('\n');
        const QStringList actual = run(folder() + "/" + name + ".py").split('\n');
        for (qsizetype line = 0; line < std::max(expected.size(), actual.size()); ++line) {
            const QString wanted = line < expected.size() ? expected[line] : QStringLiteral("(nothing)");
            const QString got = line < actual.size() ? actual[line] : QStringLiteral("(nothing)");
            if (got == wanted) continue;
            const QString rest = actual.mid(line, 12).join('\n');
            QFAIL(qPrintable(QStringLiteral("line %1\nexpected %2\ngot      %3").arg(line + 1).arg(wanted, rest)));
        }
    }
};

QTEST_APPLESS_MAIN(TestTorchPrograms)
#include "test_torch_programs.moc"
