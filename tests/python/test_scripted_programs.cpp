// SPDX-License-Identifier: Apache-2.0
// Programs that script functions, classes and modules: results, graphs' nodes and errors are PyTorch's. The programs
// stand in scripted/programs.txt; scripted/make_expected.py writes what PyTorch prints.

#include <QtTest/QtTest>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "core/base/error.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/make_evaluator.h"

using namespace loupe;

namespace {

QString contents(const QString& name) {
    QFile file(QStringLiteral(LOUPE_SOURCE_DIR "/tests/python/scripted/") + name);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readAll());
}

QList<std::pair<QString, QString>> blocks(const QString& text) {
    QList<std::pair<QString, QString>> out;
    for (const QString& block : text.split(QStringLiteral("#### ")).mid(1)) {
        const qsizetype end = block.indexOf('\n');
        out.append({block.left(end), block.mid(end + 1)});
    }
    return out;
}

// Nodes of graphs by their kinds alone.
QString reduced(const QString& text) {
    static const QRegularExpression node(QStringLiteral(R"(^(\s*)(?:%.* = |= )?\^?((?:prim|aten)::\w+).*$)"));
    static const QRegularExpression skipped(QStringLiteral(R"(^(graph\(|\s+%|\s+block\d|\s+-> \(|\s+return \())"));
    QStringList lines;
    for (const QString& line : text.split('\n')) {
        const auto match = node.match(line);
        if (match.hasMatch())
            lines.append(match.captured(1) + match.captured(2));
        else if (!skipped.match(line).hasMatch())
            lines.append(line);
    }
    QString out = lines.join('\n');
    while (out.endsWith('\n')) out.chop(1);
    return out + '\n';
}

QString run(const QString& source) {
    std::string output;
    const auto evaluator = python::make_evaluator(python::EvaluatorOptions{
        .output = [&](std::string_view text) { output += text; }, .permissions = {.read = {}, .write = {"/tmp"}}});
    try {
        evaluator->run_source(std::make_shared<const ir::Source>(source.toStdString(), "program.py"));
    } catch (const python::PythonError& error) {
        output += error.traceback();
    } catch (const Error& error) {
        output += error.what();
    }
    return reduced(QString::fromStdString(output));
}

}  // namespace

class TestScriptedPrograms : public QObject {
    Q_OBJECT
  private slots:
    // Constants are the class's, also of a file and in the scripts that hold one.
    void finalConstants() {
        QTemporaryDir folder;
        const QString file = folder.filePath("m.pt");
        const QString source = QStringLiteral(
            "import torch\n"
            "from torch import nn\n"
            "class M(nn.Module):\n"
            "    k: torch.jit.Final[int]\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.k = 3\n"
            "    def forward(self, x):\n"
            "        return x * self.k\n"
            "class Holds(nn.Module):\n"
            "    def __init__(self, m):\n"
            "        super().__init__()\n"
            "        self.m = m\n"
            "    def forward(self, x):\n"
            "        return self.m(x) + self.m.k\n"
            "torch.jit.save(torch.jit.script(M()), '%1')\n"
            "m = torch.jit.load('%1')\n"
            "print(m.k, hasattr(m, 'n'), torch.jit.script(Holds(m))(torch.ones(1)))\n");
        QCOMPARE(run(source.arg(file)), QStringLiteral("3 False tensor([6.])\n"));
    }

    // PyTorch's compiler knows torch.no_grad alone; the others do in scripts what they do outside of them.
    void gradModes() {
        QCOMPARE(run("import torch\n"
                     "def f(x):\n"
                     "    with torch.inference_mode():\n"
                     "        a = x * 2\n"
                     "    with torch.inference_mode(False):\n"
                     "        c = x * 4\n"
                     "    with torch.no_grad():\n"
                     "        d = x * 5\n"
                     "        with torch.enable_grad():\n"
                     "            b = x * 3\n"
                     "    return [a.requires_grad, b.requires_grad, c.requires_grad, d.requires_grad, (x * "
                     "6).requires_grad]\n"
                     "print(torch.jit.script(f)(torch.ones(2, requires_grad=True)))\n"),
                 QStringLiteral("[False, True, True, False, True]\n"));
    }

    void initTestCase() {
        QVERIFY(folder_.isValid());
        QVERIFY(QDir::setCurrent(folder_.path()));  // programs save files
    }
    void prints_what_pytorch_prints_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const QString prelude = contents(QStringLiteral("prelude.py.txt"));
        const auto programs = blocks(contents(QStringLiteral("programs.txt")));
        const auto expected = blocks(contents(QStringLiteral("expected.txt")));
        QCOMPARE(programs.size(), expected.size());
        for (qsizetype i = 0; i < programs.size(); ++i) {
            QCOMPARE(programs[i].first, expected[i].first);
            QTest::newRow(qPrintable(programs[i].first)) << prelude + programs[i].second << expected[i].second;
        }
    }
    void prints_what_pytorch_prints() {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        const QString actual = run(source);
        if (actual == expected) return;
        QFAIL(qPrintable(QStringLiteral("expected\n%1\ngot\n%2").arg(expected, actual)));
    }

  private:
    QTemporaryDir folder_;
};

QTEST_APPLESS_MAIN(TestScriptedPrograms)
#include "test_scripted_programs.moc"
