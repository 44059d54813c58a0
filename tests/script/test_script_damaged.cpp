// SPDX-License-Identifier: Apache-2.0
// Damaged code gives an error or a graph that holds together, and nothing else. LOUPE_FUZZ_ROUNDS makes it run longer.

#include <QDir>
#include <QRandomGenerator>
#include <QTest>

#include "archive_code.h"
#include "core/script/error.h"
#include "declared_operators.h"

using namespace loupe;
using namespace loupe::script;

namespace {

using Sources = std::map<std::string, std::shared_ptr<const ir::Source>>;

// Imports and compiles all that the sources define. Throws only Error.
void compile_all(const Sources& sources) {
    auto unit = make_ptr<ir::CompilationUnit>();
    const auto importer = make_ptr<SourceImporter>(
        *unit, std::vector<IValue>(),
        [&](const std::string& qualifier) {
            const auto found = sources.find(qualifier);
            return found != sources.end() ? found->second : nullptr;
        },
        CompileOptions());
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const Error&) {
        }
    };
    for (const auto& entry : sources) {
        const std::string& qualifier = entry.first;  // clang 14 captures no structured binding
        const auto& source = entry.second;
        ParsedSource parsed;
        attempt([&] { parsed = parse(source); });
        if (parsed.tree == nullptr) continue;
        for (const Stmt* statement : parsed.tree->body) {
            const auto* def = as<Def>(statement);
            const auto* type = as<Class>(statement);
            if (def != nullptr) attempt([&] { importer->find_function(qualifier + "." + std::string(def->name)); });
            if (type != nullptr) attempt([&] { importer->find_type(qualifier + "." + std::string(type->name)); });
        }
    }
    for (std::size_t i = 0; i < unit->functions().size(); ++i) {
        const Ptr<ir::ScriptFunction> function = unit->functions()[i];
        bool compiled = false;
        attempt([&] {
            function->graph();
            compiled = true;
        });
        if (compiled) function->graph()->lint();
    }
}

std::string mutated(std::string text, QRandomGenerator& random) {
    static const std::vector<std::string> kPieces = {
        "(",       ")",    "[",      "]",  ":",         ",",           "\n",   "  ",    "if ",    "else",
        "return ", "None", "\"",     "=",  ".",         "*",           "0",    "-1",    "torch.", "self",
        "for ",    " in ", "while ", "_0", "annotate(", "99999999999", "def ", "class "};
    const auto below = [&](std::size_t most) {
        return static_cast<std::size_t>(random.bounded(static_cast<quint32>(most + 1)));
    };
    const int count = 1 + static_cast<int>(below(3));
    for (int i = 0; i < count && !text.empty(); ++i) {
        const std::size_t at = below(text.size() - 1);
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(255));
                break;
            case 1:
                text.erase(at, below(8));
                break;
            case 2:
                text.insert(at, kPieces[below(kPieces.size() - 1)]);
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() - 1), below(40)));
                break;
            case 4:
                text.resize(at);
                break;
            default: {
                const std::size_t start = text.rfind('\n', at);
                const std::size_t end = text.find('\n', at);
                if (start != std::string::npos && end != std::string::npos) text.erase(start, end - start);
            }
        }
    }
    return text;
}

}  // namespace

class TestScriptDamaged : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { declare_operators(); }

    void givesErrors_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(LOUPE_SOURCE_DIR "/tests/fixtures/models");
        for (const char* name :
             {"language.pt", "control.pt", "lstm_packed.pt", "detection.pt", "hooked.pt", "gpt.pt"}) {
            QTest::newRow(name) << folder.filePath(name);
        }
    }
    void givesErrors() {
        QFETCH(QString, path);
        const Sources whole = ArchiveCode(path).sources;
        QRandomGenerator random(7);
        const int rounds =
            qEnvironmentVariableIsSet("LOUPE_FUZZ_ROUNDS") ? qEnvironmentVariableIntValue("LOUPE_FUZZ_ROUNDS") : 60;
        for (int i = 0; i < rounds; ++i) {
            Sources damaged = whole;
            auto victim = damaged.begin();
            std::advance(victim, random.bounded(static_cast<quint32>(damaged.size())));
            victim->second = std::make_shared<const ir::Source>(mutated(victim->second->text(), random), "damaged.py");
            compile_all(damaged);
        }
    }

    void classesThatHoldThemselves() {
        const auto rejected = [](const char* text, const char* name) {
            Sources sources;
            sources["__torch__"] = std::make_shared<const ir::Source>(text);
            auto unit = make_ptr<ir::CompilationUnit>();
            const auto importer = make_ptr<SourceImporter>(
                *unit, std::vector<IValue>(),
                [&](const std::string& qualifier) {
                    return sources.contains(qualifier) ? sources[qualifier] : nullptr;
                },
                CompileOptions());
            try {
                importer->find_type(name);
            } catch (const CompileError& error) {
                return QString::fromStdString(error.message());
            }
            return QString("accepted");
        };
        QVERIFY(rejected("class A(Module):\n  a : __torch__.A\n", "__torch__.A").contains("contains itself"));
        QVERIFY(rejected("class A(Module):\n  b : __torch__.B\nclass B(Module):\n  a : __torch__.A\n", "__torch__.A")
                    .contains("contains itself"));
        QString chain;
        for (int i = 0; i < 5000; ++i) chain += QString("class A%1(Module):\n  a : __torch__.A%2\n").arg(i).arg(i + 1);
        QVERIFY(rejected(qPrintable(chain), "__torch__.A0").contains("nested too deeply"));
    }

    void deepChainsOfCalls() {
        QString text;
        for (int i = 0; i < 5000; ++i) text += QString("def f%1(x):\n    return f%2(x)\n").arg(i).arg(i + 1);
        auto unit = make_ptr<ir::CompilationUnit>();
        define(*unit, std::make_shared<const ir::Source>((text + "def f5000(x):\n    return x\n").toStdString()), {});
        QVERIFY_THROWS_EXCEPTION(CompileError, unit->find_function("f0")->graph());
        unit->find_function("f4950")->graph();
    }

    // Time that grows with the square of the length would show here.
    void longFunctionsCompile() {
        QString text = "def f(x, n: int):\n";
        for (int i = 0; i < 20000; ++i) text += QString("  y%1 = torch.add(x, %2)\n").arg(i).arg(i % 7);
        for (int i = 0; i < 1000; ++i) text += QString("  if n > %1:\n    x = x + y%1\n").arg(i);
        QElapsedTimer timer;
        timer.start();
        auto unit = make_ptr<ir::CompilationUnit>();
        define(*unit, std::make_shared<const ir::Source>((text + "  return x\n").toStdString()), {});
        unit->find_function("f")->graph();
        qInfo("22,000 lines in %lld ms", static_cast<long long>(timer.elapsed()));
    }

    void deepTreesCompile() {
        const auto compile = [](const QString& text) {
            auto unit = make_ptr<ir::CompilationUnit>();
            define(*unit, std::make_shared<const ir::Source>(text.toStdString()), {});
            unit->find_function("f")->graph()->lint();
        };
        compile("def f(x):\n    return " + QString("-").repeated(380) + "x\n");
        compile("def f(x):\n    return " + QString("(x + ").repeated(190) + "x" + QString(")").repeated(190) + "\n");
        compile("def f(x):\n    return " + QString("[").repeated(380) + "x" + QString("]").repeated(380) + "\n");
        compile("def f(x, n: int):\n    return " + QString("x if n > 1 else ").repeated(120) + "x\n");
        QString ifs = "def f(x, n: int):\n";
        for (int i = 1; i < 100; ++i) ifs += QString(i * 2, ' ') + "if n > " + QString::number(i) + ":\n";
        compile(ifs + QString(200, ' ') + "x = x + 1\n  return x\n");
        QString returns = "def f(x, n: int):\n";
        for (int i = 0; i < 100; ++i) returns += QString("  if n == %1:\n    return x + %1\n").arg(i);
        compile(returns + "  return x\n");
    }

    void functionsThatCallThemselves() {
        auto unit = make_ptr<ir::CompilationUnit>();
        define(*unit, std::make_shared<const ir::Source>("def f(x):\n    return f(x)\n"), {});
        try {
            unit->find_function("f")->graph();
            QFAIL("accepted");
        } catch (const CompileError& error) {
            QVERIFY(QString::fromStdString(error.message()).contains("called recursively"));
            QCOMPARE(
                QString::fromUtf8(error.range().text().data(), static_cast<qsizetype>(error.range().text().size())),
                "f");
        }
    }
};

QTEST_APPLESS_MAIN(TestScriptDamaged)
#include "test_script_damaged.moc"
