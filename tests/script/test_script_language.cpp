// SPDX-License-Identifier: Apache-2.0
// Statements and expressions of source text: the graphs, and the messages, that PyTorch's compiler gives for the same
// text (language.txt, written by make_language.py from language.py.txt).

#include <QFile>
#include <QTest>

#include "canonical_graph.h"
#include "core/ir/parser.h"
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

Ptr<ir::CompilationUnit> defined(const QString& text) {
    auto unit = make_ptr<ir::CompilationUnit>();
    define(*unit, std::make_shared<const ir::Source>(text.toStdString(), "<string>"), {});
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
                QVERIFY2(ours == wanted, qPrintable(difference(ours, wanted) + "\n" + QString::fromStdString(graph->str())));
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
};

QTEST_APPLESS_MAIN(TestScriptLanguage)
#include "test_script_language.moc"
