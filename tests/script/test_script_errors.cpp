// SPDX-License-Identifier: Apache-2.0
// Broken programs: what our compiler says, and where, beside what PyTorch's says (errors.txt, written by make_errors.py
// from errors.py.txt).

#include <QFile>
#include <QTest>

#include "core/ir/compilation_unit.h"
#include "core/script/compile.h"
#include "core/script/error.h"
#include "declared_operators.h"

using namespace loupe;
using namespace loupe::script;

namespace {

// Where ours is told apart on purpose: PyTorch's own words are about its parser, or point behind the place.
struct Ours {
    const char* name;
    const char* message;
    const char* place;
};
constexpr Ours kOurs[] = {
    // PyTorch's words here are of the function that it makes of defaults; ours are those of torch.jit.script.
    {"default of None for a tensor", "Expected a default value of type Tensor on parameter \"mask\"", "None"},
    {"default of None for a number", "Expected a default value of type int on parameter \"size\"", "None"},
    {"default of None for a list", "Expected a default value of type List[int] on parameter \"sizes\"", "None"},
    {"name of one branch", "y is not defined in the false branch", "y"},
    {"no return on one path", "Function was not annotated as having type None, but does not return along all paths",
     "def f(x: int) -> int:\n    if x > 0:\n        return 1"},
    {"lambda", "lambda expressions aren't supported", "lambda"},
    {"try", "try blocks aren't supported", "try"},
    {"global", "global variables aren't supported", "global"},
    {"star arguments",
     "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults", "*"},
    {"set", "set literals aren't supported", "x"},
    {"else of a loop", "else branches of for loops aren't supported", "else"},
    {"comprehension with a condition", "Comprehension ifs are not supported yet", "if"},
    {"missing colon", "expected : but found 'indent' here", "    "},
    {"indentation", "expected newline but found 'indent' here", "      "},
    {"assignment to a call", "unexpected expression on left-hand side of assignment", "f(x)"},
    {"unclosed string", "unterminated string literal", "\"abc"},
    {"yield", "yield expressions aren't supported", "yield"},
    {"await", "async functions aren't supported", "async"},
    {"import inside", "import statements aren't supported", "import"},
    {"walrus", "assignment expressions aren't supported", ":="},
    {"default that does not fit", "Expected a default value of type int on parameter \"x\"", "\"a\""},
};

// Before the place: one line of all that lists overloads, whose order is no matter.
QString message_of(const QString& text) {
    QString message = text.left(text.indexOf("\n  File \"")).trimmed();
    if (message.contains("The following variants are available:")) message = message.section('\n', 0, 0);
    while (message.endsWith(':') || message.endsWith('\n')) message.chop(1);
    return message.remove(" (inferred)");
}

// The lines that are underlined last, and the line that says where they stand.
QString place_of(const QString& text) {
    const qsizetype here = text.indexOf(" <--- HERE");
    const qsizetype from = text.lastIndexOf("\n  File \"", here);
    QStringList lines = text.mid(from, here - from).split('\n');
    return lines.value(1) + "\n" + lines.value(lines.size() - 2) + "\n" + lines.value(lines.size() - 1);
}

}  // namespace

class TestScriptErrors : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { declare_operators(); }

    void likePyTorch_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("theirs");
        QFile file(LOUPE_SOURCE_DIR "/tests/script/errors.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QString& part : ("\n" + QString::fromUtf8(file.readAll())).split("\n== ", Qt::SkipEmptyParts)) {
            const QString body = part.section('\n', 1);
            const qsizetype middle = body.indexOf("\n--\n");
            QTest::newRow(qPrintable(part.section('\n', 0, 0)))
                << body.left(middle + 1) << body.mid(middle + 4).trimmed();
        }
    }
    void likePyTorch() {
        QFETCH(QString, source);
        QFETCH(QString, theirs);
        const auto known = std::find_if(std::begin(kOurs), std::end(kOurs), [](const Ours& each) {
            return QByteArray(QTest::currentDataTag()) == each.name;
        });
        try {
            ir::CompilationUnit unit;
            define(unit, std::make_shared<const ir::Source>(source.toStdString(), "<string>"), {});
            for (const auto& function : unit.functions()) function->graph();
            if (theirs != "compiles") QFAIL(qPrintable("is accepted; PyTorch: " + theirs));
        } catch (const CompileError& error) {
            const QString ours = QString::fromStdString(error.underlined());
            if (known != std::end(kOurs)) {
                QCOMPARE(message_of(ours), QString(known->message));
                QCOMPARE(QString::fromStdString(std::string(error.range().text())).trimmed(),
                         QString(known->place).trimmed());
                return;
            }
            QCOMPARE(message_of(ours), message_of(theirs));
            QCOMPARE(place_of(ours), place_of(theirs));
        }
    }
};

QTEST_APPLESS_MAIN(TestScriptErrors)
#include "test_script_errors.moc"
