// SPDX-License-Identifier: Apache-2.0
// What is wrong in a source is told with its place; nothing that a source says makes the evaluator crash or hang.
#include <QDir>
#include <QFile>
#include <QTest>

#include "core/base/cancel.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/frame.h"
#include "core/python/make_evaluator.h"
#include "core/script/error.h"
#include "core/script/lexer.h"

using namespace loupe;

namespace {

const QString kPrograms = QStringLiteral(LOUPE_SOURCE_DIR "/tests/python/programs/");

std::shared_ptr<const ir::Source> source_of(std::string text) {
    return std::make_shared<ir::Source>(std::move(text), "model.py");
}

// "ErrorType: message | file:line" of what running the text throws; what it printed when it throws nothing.
std::string outcome(const std::string& text) {
    std::string out;
    const auto evaluator =
        python::make_evaluator(python::EvaluatorOptions{.output = [&](std::string_view t) { out += t; }});
    try {
        evaluator->run_source(source_of(text));
    } catch (const Error& error) {
        return error.message() + " | " + error.context().source;
    }
    return out;
}

class CountingHook final : public python::StatementHook {
  public:
    void before_statement(const python::StatementPlace& place) override {
        lines.push_back(std::string(place.function) + ":" + std::to_string(place.range.position()->line));
        if (place.function == "f") {
            if (const auto found = python::find_local(place.frame, "x")) values.push_back(found->to_int());
        }
    }
    std::vector<std::string> lines;
    std::vector<std::int64_t> values;
};

}  // namespace

class TestPythonErrors : public QObject {
    Q_OBJECT
  private slots:
    void place_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) { QTest::newRow(text) << text << expected; };
        row("x = 1\ny = 1 / 0\n", "ZeroDivisionError: division by zero | model.py:2");
        row("def f():\n    return undefined\nf()\n", "NameError: name 'undefined' is not defined | model.py:2");
        row("import scipy.special as s\ndef f():\n    return s.erf(1)\nf()\n",
            "ModuleNotFoundError: No module named 'scipy.special' (imported at model.py:1); scipy.special.erf is used "
            "here: scipy is not available here; torch.special and torch.linalg have most of it | model.py:3");
        row("2 ** 10 ** 8\n", "MemoryError: an integer of more than 4194304 bits is too large | model.py:1");
        row("x = 3 ** 100\nwhile True:\n    x = x * x\n",
            "MemoryError: an integer of more than 4194304 bits is too large | model.py:3");
        row("import torch\ntorch.ones(2) + 2 ** 70\n", "RuntimeError: Overflow when unpacking long | model.py:2");
        row("x = [0] * 10 ** 12\n", "MemoryError: a sequence of 1000000000000 elements is too large | model.py:1");
        row("x = 'ab' * 10 ** 12\n", "MemoryError: a sequence of 1000000000000 elements is too large | model.py:1");
        row("def f(n):\n    return f(n + 1)\nf(0)\n", "RecursionError: maximum recursion depth exceeded | model.py:2");
        row("raise ValueError('bad')\n", "ValueError: bad | model.py:1");
        row("class E(Exception): pass\nraise E(1, 2)\n", "E: (1, 2) | model.py:2");
        row("open('x')\n", "FileNotFoundError: [Errno 2] No such file or directory: 'x' | model.py:1");
        row("import os\nos.remove('/etc/hostname')\n",
            "PermissionError: [Errno 13] Permission denied to a model source (--allow-read /etc permits it): "
            "'/etc/hostname' | model.py:2");
        row("import re\nre.compile('a(')\n", "ReError: missing ), unterminated subpattern at position 2 | model.py:2");
        row("import torch\ntorch.nn.utils.clip_grad_norm_([None], 1.)\n",
            "AttributeError: 'NoneType' object has no attribute 'grad' | model.py:2");
        row("import torch.nn.utils.prune as prune\nprune.l1_unstructured(name='weight', amount=1)\n",
            "TypeError: missing 1 required positional argument: 'module' | model.py:2");
        row("import asyncio\ndef f():\n    asyncio.run(3)\nf()\n",
            "ModuleNotFoundError: No module named 'asyncio' (imported at model.py:1); asyncio.run is used here: "
            "asyncio is "
            "not available here; call plain functions one after the other | model.py:3");
        row("with open('/dev/zero') as f: pass\n",
            "PermissionError: [Errno 13] Permission denied to a model source: '/dev/zero' | model.py:1");
        row("x = (1,\n     2,\n     undefined)\n", "NameError: name 'undefined' is not defined | model.py:3");
        row("a = []\na.append(a)\nprint(a == [a])\n", "True\n");
        row("a = []\na.append(a)\nb = []\nb.append(b)\na == b\n",
            "RecursionError: maximum recursion depth exceeded | model.py:5");
        const std::string long_number = "x = " + std::string(4301, '9') + "\n";
        row(long_number.c_str(),
            "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits; use "
            "sys.set_int_max_str_digits() to increase the limit - "
            "Consider hexadecimal for huge integer literals to avoid decimal conversion limits. | model.py:1");
        row("class N: pass\nhead = None\nfor i in range(200000):\n    n = N()\n    n.next = head\n    head = n\ndel n\n"
            "head = None\nprint('gone')\n",
            "gone\n");
        row("def g():\n    yield 1\n    raise KeyError('k')\nlist(g())\n", "KeyError: 'k' | model.py:3");
    }
    void place() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(outcome(text.toStdString())), expected);
    }

    void rejected_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) { QTest::newRow(text) << text << expected; };
        row("return 1\n", "'return' outside function | model.py:1");
        row("for i in x:\n    pass\nbreak\n", "'break' outside loop | model.py:3");
        row("def f():\n    nonlocal y\n", "no binding for nonlocal 'y' found | model.py:2");
        row("async for x in []:\n    pass\n", "'async for' outside async function | model.py:1");
        row("await f()\n", "'await' outside async function | model.py:1");
        row("f() = 1\n", "cannot assign to function call here | model.py:1");
        row("def f(a, a):\n    pass\n", "duplicate argument 'a' in function definition | model.py:1");
        row("def f(a=1, b):\n    pass\n", "non-default argument follows default argument | model.py:1");
        row("f(a=1, 2)\n", "positional argument follows keyword argument | model.py:1");
        row("x = (1\n", "'(' was never closed | model.py:1");
        row("x = [1, 2\ny = 3\n", "'[' was never closed | model.py:1");
        row("x = 1)\n", "unmatched ')' | model.py:1");
        row("x = (1]\n", "closing parenthesis ']' does not match opening parenthesis '(' | model.py:1");
        row("x = 1\n  y = 2\n", "unexpected indent | model.py:2");
        row("x = 1\n\ndef f(x)\n    return x\n", "expected ':' | model.py:3");
        row("if x:\n    a\nelse\n    b\n", "expected ':' | model.py:3");
        row("class A:\nx = 1\n", "expected an indented block after class definition on line 1 | model.py:2");
        row("if x:\n    y = 1\n    while x:\n    y\n",
            "expected an indented block after 'while' statement on line 3 | model.py:4");
        row("if x = 1:\n    pass\n", "invalid syntax. Maybe you meant '==' or ':=' instead of '='? | model.py:1");
        row("print 'a'\n", "Missing parentheses in call to 'print'. Did you mean print(...)? | model.py:1");
        row("if x:\n    y = 1\n  z = 2\n", "unindent does not match any outer indentation level | model.py:3");
        row("if x:\npass\n", "expected an indented block after 'if' statement on line 1 | model.py:2");
        row("match 1:\n    case a + 1: pass\n", "expected : but found '+' here | model.py:2");
        row("match 1:\n    case A(x=1, 2): pass\n", "positional patterns follow keyword patterns | model.py:2");
        row("x = f'{'\n", "f-string: expecting '}' | model.py:1");
        row("yield 1\n", "'yield' outside function | model.py:1");
        row("try:\n    pass\nx = 1\n", "expected 'except' or 'finally' block | model.py:3");
    }
    void rejected() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(outcome(text.toStdString())), expected);
    }

    void traceback() {
        const auto evaluator = python::make_evaluator();
        try {
            evaluator->run_source(source_of("def f(x):\n    return 1 // x\n\n\ndef g():\n    return f(0)\n\n\ng()\n"));
            QFAIL("no error");
        } catch (const python::PythonError& error) {
            QCOMPARE(QString::fromStdString(error.traceback()),
                     QStringLiteral("Traceback (most recent call last):\n"
                                    "  File \"model.py\", line 9, in <module>\n    g()\n"
                                    "  File \"model.py\", line 6, in g\n    return f(0)\n"
                                    "  File \"model.py\", line 2, in f\n    return 1 // x\n"
                                    "ZeroDivisionError: integer division or modulo by zero"));
        }
    }

    void statements_are_reported() {
        CountingHook hook;
        const auto evaluator = python::make_evaluator(python::EvaluatorOptions{.hook = &hook});
        const auto names = evaluator->run_source(source_of("def f(x):\n    y = x\n    return y\nf(3)\n"));
        QCOMPARE(hook.lines, (std::vector<std::string>{"<module>:1", "<module>:4", "f:2", "f:3"}));
        QCOMPARE(hook.values, (std::vector<std::int64_t>{3, 3}));
        hook.lines.clear();
        QCOMPARE(evaluator->call(*names->find("f"), {{IValue(7)}, {}}).to_int(), 7);
        QCOMPARE(hook.lines, (std::vector<std::string>{"f:2", "f:3"}));
    }

    void stops() {
        for (const char* text :
             {"while True: pass\n", "import itertools\nfor i in itertools.count(): pass\n",
              "def f():\n    while True:\n        try:\n            g\n        except BaseException:\n"
              "            pass\nf()\n",
              "sum(iter(int, 1))\n", "[0 for _ in iter(int, 1)]\n"}) {
            const DeadlineScope deadline(std::chrono::milliseconds(200));
            QElapsedTimer timer;
            timer.start();
            CancelFlag flag = true;
            const CancelScope cancel(&flag);
            const std::string said = outcome(text);
            QVERIFY2(said.starts_with("stopped"), said.c_str());
            QVERIFY(timer.elapsed() < 2000);
        }
    }

    void values_are_let_go() {
        // A ring of references: module, function, instance, closure.
        python::NamespacePtr names;
        {
            const auto evaluator = python::make_evaluator();
            names =
                evaluator->run_source(source_of("class A:\n    def __init__(self):\n        self.me = self\n"
                                                "        self.f = lambda: self\na = A()\n"));
            QVERIFY(names->find("a").has_value());
        }
        QVERIFY(!names->find("a").has_value());
    }

    // Each token of each program left out, doubled, and swapped with the next one.
    void damaged_tokens_data() {
        QTest::addColumn<QString>("name");
        for (const QString& file : QDir(kPrograms).entryList({"*.py"}, QDir::Files, QDir::Name)) {
            QTest::newRow(qPrintable(file)) << file;
        }
    }
    void damaged_tokens() {
        QFETCH(QString, name);
        QFile file(kPrograms + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        const auto tokens = script::tokenize(source_of(text), script::Dialect::Python).tokens;
        const std::size_t stride = std::max<std::size_t>(1, tokens.size() / 40);
        for (std::size_t i = 0; i + 1 < tokens.size(); i += stride) {
            const auto [begin, end] = tokens[i].range;
            const auto [next_begin, next_end] = tokens[i + 1].range;
            const std::string token = text.substr(begin, end - begin);
            const std::string left_out = text.substr(0, begin) + text.substr(end);
            const std::string doubled = text.substr(0, end) + " " + token + text.substr(end);
            const std::string swapped = text.substr(0, begin) + text.substr(next_begin, next_end - next_begin) + " " +
                                        token + text.substr(std::max(end, next_end));
            for (const std::string& damaged : {left_out, doubled, swapped}) {
                const DeadlineScope deadline(std::chrono::milliseconds(300));
                outcome(damaged);  // any error, but no crash
            }
        }
    }

    void deep_nesting() {
        for (const auto& [open, close] : {std::pair{"(", ")"},
                                          {"[", "]"},
                                          {"{1:", "}"},
                                          {"-", ""},
                                          {"not ", ""},
                                          {"lambda:", ""},
                                          {"f(", ")"},
                                          {"1 if x else ", ""},
                                          {"a.b[", "]"},
                                          {"(yield ", ")"}}) {
            std::string text = "def f():\n  x = ";
            for (int i = 0; i < 5000; ++i) text += open;
            text += "1";
            for (int i = 0; i < 5000; ++i) text += close;
            outcome(text + "\n");
        }
        std::string blocks;
        for (int i = 0; i < 2000; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if 1:\n";
        outcome(blocks);
        std::string list = "x = [";
        for (int i = 0; i < 100000; ++i) list += "1,";
        QCOMPARE(outcome(list + "]\nprint(len(x))\n"), std::string("100000\n"));
    }
};

QTEST_GUILESS_MAIN(TestPythonErrors)
#include "test_python_errors.moc"
