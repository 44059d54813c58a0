// SPDX-License-Identifier: Apache-2.0
// Tokens, literals, expressions, statements, and what is rejected where.

#include <QTest>

#include "core/script/error.h"
#include "core/script/lexer.h"
#include "core/script/literals.h"
#include "core/script/parser.h"
#include "tree_text.h"

using namespace loupe;
using namespace loupe::script;

namespace {

std::shared_ptr<const ir::Source> source_of(const QString& text) {
    return std::make_shared<const ir::Source>(text.toStdString(), "t.py");
}

QString parsed(const QString& text) { return QString::fromStdString(tree_text(parse_source(source_of(text))->body)); }

// The message and the text under the underline.
QString rejected(const QString& text) {
    try {
        parse_source(source_of(text));
    } catch (const CompileError& error) {
        return QString::fromStdString(error.message() + " | " + std::string(error.range().text()));
    }
    return "accepted";
}

}  // namespace

class TestScriptParser : public QObject {
    Q_OBJECT

  private slots:
    void tokens() {
        const auto source = source_of("if a:  # x\n  b = 1\n\n  # c\nelse:\n  c\n");
        std::string kinds;
        for (const PlacedToken& token : tokenize(source).tokens) kinds += std::string(token_name(token.kind)) + " ";
        QCOMPARE(QString::fromStdString(kinds),
                 "if ident : indent ident = number newline dedent else : indent ident newline dedent eof ");
    }

    void lineJoining() {
        QCOMPARE(parsed("x = (1 +\n   2)\n"), "{(= x (+ 1 2))}");
        QCOMPARE(parsed("x = 1 + \\\n  2\n"), "{(= x (+ 1 2))}");
        QCOMPARE(parsed("a = 1; b = 2\n"), "{(= a 1) (= b 2)}");
        QCOMPARE(parsed("a = 1;\nb = 2"), "{(= a 1) (= b 2)}");
    }

    void numbers_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("repr");
        const auto row = [](const char* text, const char* repr) { QTest::newRow(text) << text << repr; };
        row("12", "12");
        row("-9223372036854775808", "-9223372036854775808");
        row("0x1F", "31");
        row("0b101", "5");
        row("0o17", "15");
        row("1_000", "1000");
        row("100.", "100.0");
        row(".5", "0.5");
        row("9.9999999999999995e-07", "1e-06");
        row("1e400", "inf");
        row("6.5J", "6.5j");
    }
    void numbers() {
        QFETCH(QString, text);
        QFETCH(QString, repr);
        const auto value = parse_number(text.toStdString());
        QVERIFY(value.has_value());
        if (value->is_complex()) {
            QCOMPARE(value->to_complex().imag(), 6.5);
        } else {
            QCOMPARE(QString::fromStdString(python_repr(*value)), repr);
        }
    }

    void noNumbers() {
        QVERIFY(!parse_number("9223372036854775808"));
        QVERIFY(!parse_number("1x"));
        QVERIFY(!parse_number("1.2.3"));
    }

    void strings_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("tree");
        QTest::newRow("escapes") << "'a\\n\\x41\\101\\''"
                                 << "{\"a\\nAA'\"}";
        QTest::newRow("raw") << "r'a\\n'"
                             << "{'a\\\\n'}";
        QTest::newRow("joined") << "\"a\" 'b'"
                                << "{'ab'}";
        QTest::newRow("triple") << "'''a\nb'''"
                                << "{'a\\nb'}";
        QTest::newRow("continued") << "'a\\\nb'"
                                   << "{'ab'}";
        QTest::newRow("formatted") << "f'{x} of {y[1]}'"
                                   << "{(call (. '{} of {}' format) x (at y 1))}";
    }
    void strings() {
        QFETCH(QString, source);
        QFETCH(QString, tree);
        QCOMPARE(parsed(source), tree);
    }

    void expressions_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("tree");
        const auto row = [](const char* source, const char* tree) { QTest::newRow(source) << source << tree; };
        row("a + b * c ** -d", "{(+ a (* b (** c (neg d))))}");
        row("-a ** 2", "{(neg (** a 2))}");
        row("-2 + -x", "{(+ -2 (neg x))}");
        row("-2 ** 2", "{(neg (** 2 2))}");
        row("-9223372036854775808", "{-9223372036854775808}");
        row("a ** b ** c", "{(** a (** b c))}");
        row("a - b - c", "{(- (- a b) c)}");
        row("not a or b and c", "{(or (not a) (and b c))}");
        row("not a == b", "{(not (== a b))}");
        row("a < b <= c", "{(and (< a b) (<= b c))}");
        row("a is not None", "{(isnot a None)}");
        row("a not in b", "{(not (in a b))}");
        row("a | b ^ c & d << 1", "{(| a (^ b (& c (<< d 1))))}");
        row("a @ b // c % d / e", "{(/ (% (// (@ a b) c) d) e)}");
        row("~a", "{(~ a)}");
        row("a if b else c if d else e", "{(if b a (if d c e))}");
        row("f(a, *b, c=1)(d)", "{(call (call f a (* b) c=1) d)}");
        row("(self).m(x, )", "{(call (. self m) x)}");
        row("a[1:, ..., None, ::2, -1]", "{(at a (: 1 _ _) ... None (: _ _ 2) -1)}");
        row("[], [1, ], {}, {1: 2, }", "{(tuple [] [1] {} {1: 2})}");
        row("(), (1,), (1)", "{(tuple (tuple ) (tuple 1) 1)}");
        row("[x * 2 for x in y]", "{[(* x 2) for x in y]}");
        row("[a for a, b in y]", "{[a for (tuple a b) in y]}");
        row("{k: v for k in y}", "{{k: v for k in y}}");
        row("a.b.c", "{(. (. a b) c)}");
        row("x.in", "{(. x in)}");
    }
    void expressions() {
        QFETCH(QString, source);
        QFETCH(QString, tree);
        QCOMPARE(parsed(source), tree);
    }

    void statements_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("tree");
        const auto row = [](const char* source, const char* tree) { QTest::newRow(source) << source << tree; };
        row("a, b, = c\n", "{(= (tuple a b) c)}");
        row("a = b = c\n", "{(= a b c)}");
        row("a : Optional[int] = None\n", "{(= a :(at Optional int) None)}");
        row("a : int\n", "{(= a :int _)}");
        row("a = b  # type: int\n", "{(= a :int b)}");
        row("a //= 2\n", "{(//= a 2)}");
        row("a, *b = c\n", "{(= (tuple a (* b)) c)}");
        row("if a:\n  b\nelif c:\n  d\nelse:\n  e\n", "{(if a {b} {(if c {d} {e})})}");
        row("if a: b\nelse: c\n", "{(if a {b} {c})}");
        row("while a:\n  break\n  continue\n", "{(while a {break continue})}");
        row("for i, (a, b) in x:\n  pass\n", "{(for i (tuple a b) in x {pass})}");
        row("with a as b, c:\n  d\n", "{(with a as b c {d})}");
        row("def f(a: int, *, b=1) -> Tensor:\n  return a, b\n",
            "{(def f (a:int, *b=1) -> Tensor {(return (tuple a b))})}");
        row("def f(a, b):\n  # type: (Tensor, Tuple[int, int]) -> int\n  return\n",
            "{(def f (a:Tensor, b:(at Tuple int int)) -> int {(return None)})}");
        row("def f(a,  # type: Tensor\n      b  # type: int\n      ):\n  # type: (...) -> int\n  pass\n",
            "{(def f (a:Tensor, b:int) -> int {pass})}");
        row("@torch.jit.export\ndef f(self): pass\n", "{(def f (self) {pass})}");
        row("raise ValueError('x')\nassert a, b\ndel a[0]\n",
            "{(raise (call ValueError 'x')) (assert a b) (del (at a 0))}");
        row("class A(Module):\n  x : int\n  __annotations__[\"0\"] = B\n  def f(self): pass\n",
            "{(class A Module {(= x :int _) (= (at __annotations__ '0') B) (def f (self) {pass})})}");
    }
    void statements() {
        QFETCH(QString, source);
        QFETCH(QString, tree);
        QCOMPARE(parsed(source), tree);
    }

    void rejections_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* source, const char* message) { QTest::newRow(source) << source << message; };
        row("x = lambda a: a\n", "lambda expressions aren't supported | lambda");
        row("try:\n  a\nexcept E:\n  b\n", "try blocks aren't supported | try");
        row("def f():\n  import torch\n", "import statements aren't supported | import");
        row("global a\n", "global variables aren't supported | global");
        row("for a in b:\n  c\nelse:\n  d\n", "else branches of for loops aren't supported | else");
        row("while a:\n  c\nelse:\n  d\n", "else branches of while loops aren't supported | else");
        row("def f(*args): pass\n",
            "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults | "
            "*");
        row("{1, 2}\n", "set literals aren't supported | 1");
        row("b'x'\n", "bytes literals aren't supported | b'x'");
        row("(a := 1)\n", "assignment expressions aren't supported | :=");
        row("[a for a in b if a]\n", "Comprehension ifs are not supported yet | if");
        row("f(**a)\n", "keyword-arg expansion is not supported | **");
        row("a b\n", "expected = but found 'ident' here | b");
        row("x = (1\n", "expected ) but found 'eof' here | ");
        row("x = 'abc\n", "unterminated string literal | 'abc");
        row("if a:\n    b\n  c\n", "invalid indent level 2 | ");
        row("x = 1 $ 2\n", "unexpected character '$' | $");
        row("x = 99999999999999999999\n",
            "Integral constant out of range (must fit in a signed 64 bit integer) | 99999999999999999999");
        row("a, b += c\n", "augmented assignment can only have one LHS expression | a, b");
        row("f'{a!r}'\n", "Don't support conversion in JoinedStr | f'{a!r}'");
    }
    void rejections() {
        QFETCH(QString, source);
        QFETCH(QString, message);
        QCOMPARE(rejected(source), message);
    }

    void underlines() {
        try {
            parse_source(source_of("def f(x):\n    y = x +\n    return y\n"));
            QFAIL("accepted");
        } catch (const CompileError& error) {
            const QString text = QString::fromStdString(error.underlined());
            QVERIFY2(text.contains("File \"t.py\", line 2"), qPrintable(text));
            QVERIFY2(text.contains("y = x +") && text.contains("<--- HERE"), qPrintable(text));
            QCOMPARE(QString(error.what()), "expected ident but found 'newline' here (t.py:2)");
        }
    }

    void deepNestingIsAnError_data() {
        QTest::addColumn<QString>("open");
        QTest::addColumn<QString>("close");
        QTest::newRow("parentheses") << "("
                                     << ")";
        QTest::newRow("lists") << "["
                               << "]";
        QTest::newRow("unary") << "-"
                               << "";
        QTest::newRow("not") << "not "
                             << "";
        QTest::newRow("calls") << "f("
                               << ")";
        QTest::newRow("sums") << "1+"
                              << "";
        QTest::newRow("postfix") << ""
                                 << ".a";
        QTest::newRow("powers") << "2**"
                                << "";
        QTest::newRow("ternaries") << "a if b else "
                                   << "";
    }
    void deepNestingIsAnError() {
        QFETCH(QString, open);
        QFETCH(QString, close);
        const QString message = rejected(open.repeated(100000) + "a" + close.repeated(100000));
        QVERIFY2(message.startsWith("code is nested too deeply"), qPrintable(message.left(80)));
    }

    void deepBlocksAreAnError() {
        QString text;
        for (int i = 0; i < 3000; ++i) text += QString(i, ' ') + "if a:\n";
        QVERIFY(rejected(text + QString(3000, ' ') + "pass\n").startsWith("code is nested too deeply"));
        QString chain = "if a: pass\n";
        for (int i = 0; i < 100000; ++i) chain += "elif a: pass\n";
        QVERIFY(rejected(chain).startsWith("code is nested too deeply"));
    }

    void longSourceParses() {
        const QString text = QString("x = torch.add(x, y, alpha=1)\n").repeated(350000);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(parse_source(source_of(text))->body.size(), std::size_t{350000});
        qInfo("%lld bytes in %lld ms", static_cast<long long>(text.size()), static_cast<long long>(timer.elapsed()));
    }
};

QTEST_APPLESS_MAIN(TestScriptParser)
#include "test_script_parser.moc"
