// SPDX-License-Identifier: Apache-2.0
// Statements and expressions of source text: the graphs, and the messages, that PyTorch's compiler gives for the same
// text (language.txt, written by make_language.py from language.py.txt).

#include <QFile>
#include <QTest>

#include "canonical_graph.h"
#include "core/ir/parser.h"
#include "core/passes/pass_manager.h"
#include "core/script/compile.h"
#include "core/script/error.h"
#include "declared_operators.h"

using namespace loupe;
using namespace loupe::script;

namespace {

QString difference(const std::string& ours, const std::string& theirs) {
    const QStringList a = QString::fromStdString(ours).split('\n');
    const QStringList b = QString::fromStdString(theirs).split('\n');
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (a.value(i) == b.value(i)) continue;
        return QString("%1\n%2\nours:   %3\ntheirs: %4").arg(a.value(i - 2), a.value(i - 1), a.value(i), b.value(i));
    }
    return {};
}

// Cleaned up as PyTorch does it.
CompileOptions options() {
    CompileOptions made;
    made.cleanup = [](ir::Graph& graph) {
        passes::PassManager manager;
        manager.keep_snapshots(false);
        manager.run(graph,
                    passes::pipeline_of("LowerSimpleTuples, DCE, ConstantPropagationImmutableTypes, ConstantPooling"));
    };
    return made;
}

Ptr<ir::CompilationUnit> defined(const QString& text) {
    auto unit = make_ptr<ir::CompilationUnit>();
    define(*unit, std::make_shared<const ir::Source>(text.toStdString(), "<string>"), options());
    return unit;
}

}  // namespace

class TestScriptLanguage : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { declare_operators(); }

    void equalsPyTorch_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        QFile file(LOUPE_SOURCE_DIR "/tests/script/language.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QString& part : ("\n" + QString::fromUtf8(file.readAll())).split("\n== ", Qt::SkipEmptyParts)) {
            const QString body = part.section('\n', 1);
            const qsizetype middle = body.indexOf("\n--\n");
            QTest::newRow(qPrintable(part.section('\n', 0, 0))) << body.left(middle + 1) << body.mid(middle + 4);
        }
    }
    void equalsPyTorch() {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        const bool is_error = expected.startsWith("error: ");
        QString message;
        try {
            const auto unit = defined(source);
            const auto graph = unit->find_function("f")->graph()->copy();
            graph->lint();
            if (!is_error) {
                const auto theirs = ir::parse_graph(expected.toStdString(), unit->resolver());
                const bool with_places = !QByteArray(QTest::currentDataTag()).endsWith("(without places)");
                const std::string ours = canonical_text(*graph, with_places);
                const std::string wanted = canonical_text(*theirs, with_places);
                QVERIFY2(ours == wanted,
                         qPrintable(difference(ours, wanted) + "\n" + QString::fromStdString(graph->str())));
                return;
            }
        } catch (const CompileError& error) {
            message = QString::fromStdString(error.underlined());
            QVERIFY2(is_error, qPrintable(message));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
        QString wanted = expected.mid(7).trimmed();
        if (wanted.endsWith(':')) wanted.chop(1);
        QCOMPARE(message.section('\n', 0, 0).left(wanted.size()), wanted);
        QVERIFY2(message.contains("<--- HERE"), qPrintable(message));
    }

    void classesEqualPyTorchs() {
        QFile text(LOUPE_SOURCE_DIR "/tests/script/classes.py");
        QFile graphs(LOUPE_SOURCE_DIR "/tests/script/classes.txt");
        QVERIFY(text.open(QIODevice::ReadOnly) && graphs.open(QIODevice::ReadOnly));
        auto unit = make_ptr<ir::CompilationUnit>();
        define(*unit, std::make_shared<const ir::Source>(text.readAll().toStdString(), "classes.py"), options(),
               "__torch__.classes");
        for (const QString& part : ("\n" + QString::fromUtf8(graphs.readAll())).split("\n== ", Qt::SkipEmptyParts)) {
            const QString name = part.section('\n', 0, 0);
            const auto* function = unit->find_function(("__torch__.classes." + name).toStdString());
            QVERIFY2(function != nullptr, qPrintable(name));
            const auto theirs = ir::parse_graph(part.section('\n', 1).toStdString(), unit->resolver());
            const auto graph = function->graph()->copy();
            const std::string ours = canonical_text(*graph, false);
            const std::string wanted = canonical_text(*theirs, false);
            QVERIFY2(ours == wanted, qPrintable(name + "\n" + difference(ours, wanted)));
        }
    }

    void oldOperators_data() {
        QTest::addColumn<int>("version");
        QTest::addColumn<QString>("call");
        QTest::addColumn<QStringList>("contains");
        QTest::newRow("div 3") << 3 << "torch.div(x, x)"
                               << QStringList{"aten::is_floating_point", "\"trunc\"", "prim::If"};
        QTest::newRow("div of a number 3") << 3 << "x / 2" << QStringList{"aten::is_floating_point", "\"trunc\""};
        QTest::newRow("div in place 3") << 3 << "x.div_(2)" << QStringList{"aten::div_", "\"trunc\""};
        QTest::newRow("full 4") << 4 << "torch.full([2], 1)" << QStringList{"aten::Float", "aten::full"};
        QTest::newRow("linspace 7") << 7 << "torch.linspace(0, 1)" << QStringList{"aten::linspace", "value=100"};
        QTest::newRow("logspace 8") << 8 << "torch.logspace(0, 1)" << QStringList{"aten::logspace", "value=100"};
        QTest::newRow("gelu 9") << 9 << "torch.gelu(x)" << QStringList{"aten::gelu", "\"none\""};
    }
    // What an old file means by a call is what its operators meant then.
    void oldOperators() {
        QFETCH(int, version);
        QFETCH(QString, call);
        QFETCH(QStringList, contains);
        const auto compiled = [&](int operator_version) {
            auto unit = make_ptr<ir::CompilationUnit>();
            CompileOptions options;
            options.operator_version = operator_version;
            const auto text = ("def f(x):\n    return " + call + "\n").toStdString();
            define(*unit, std::make_shared<const ir::Source>(text), options);
            unit->find_function("f")->graph()->lint();
            return QString::fromStdString(unit->find_function("f")->graph()->str());
        };
        const QString old = compiled(version);
        for (const QString& part : contains) QVERIFY2(old.contains(part), qPrintable(old));
        if (!call.contains("space")) QVERIFY(!compiled(version + 1).contains("prim::If"));
    }

    void keepsWhatGivesNothing() {
        const auto unit = defined("def f(x):\n    torch.set_grad_enabled(False)\n    return x\n");
        QVERIFY(unit->find_function("f")->graph()->str().find("aten::set_grad_enabled") != std::string::npos);
    }

    void propertiesAndStaticMethods() {
        const auto unit = defined(
            "class A:\n"
            "    def __init__(self, n: int):\n        self.n = n\n"
            "    @property\n    def twice(self) -> int:\n        return self.n * 2\n"
            "    @twice.setter\n    def twice(self, value: int):\n        self.n = value // 2\n"
            "    @staticmethod\n    def of(n: int) -> int:\n        return n + 1\n"
            "def f(a: A) -> int:\n    a.twice = 5\n    return a.twice + A.of(3)\n");
        const std::string text = unit->find_function("f")->graph()->str();
        QVERIFY(text.find("CallMethod[name=\"__twice_setter\"]") != std::string::npos);
        QVERIFY(text.find("CallMethod[name=\"__twice_getter\"]") != std::string::npos);
        QVERIFY(text.find("CallFunction") != std::string::npos);
    }

    void modulesCallEachOther() {
        const auto unit = defined(
            "class Layer(Module):\n  weight : Tensor\n  def forward(self, x: Tensor) -> Tensor:\n    return x * "
            "self.weight\n"
            "class Net(Module):\n  a : Layer\n  b : Layer\n"
            "  def forward(self, x: Tensor):\n"
            "    for layer in self:\n      x = layer(x)\n    return self.a(x), hasattr(self, \"c\")\n");
        const std::string text = unit->find_function("Net.forward")->graph()->str();
        std::size_t calls = 0;
        for (std::size_t at = text.find("CallMethod"); at != std::string::npos; at = text.find("CallMethod", at + 1))
            ++calls;
        QCOMPARE(calls, std::size_t{3});
    }
};

QTEST_APPLESS_MAIN(TestScriptLanguage)
#include "test_script_language.moc"
