// SPDX-License-Identifier: Apache-2.0
// Graphs of archived code against those of PyTorch (graphs/*.txt, by make_graphs.py).

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include "archive_code.h"
#include "canonical_graph.h"
#include "core/ir/parser.h"
#include "core/passes/pass_manager.h"
#include "core/script/error.h"
#include "declared_operators.h"

using namespace loupe;
using namespace loupe::script;

namespace {

QString folder() {
    const QByteArray given = qgetenv("LOUPE_GRAPHS");
    return given.isEmpty() ? QString(LOUPE_SOURCE_DIR "/tests/script/graphs") : QString::fromLocal8Bit(given);
}

// The first line in which the texts differ, with two lines before it.
QString difference(const std::string& ours, const std::string& theirs) {
    const QStringList a = QString::fromStdString(ours).split('\n');
    const QStringList b = QString::fromStdString(theirs).split('\n');
    for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (a.value(i) == b.value(i)) continue;
        return QString("%1\n%2\nours:   %3\ntheirs: %4").arg(a.value(i - 2), a.value(i - 1), a.value(i), b.value(i));
    }
    return {};
}

}  // namespace

class TestScriptGraphs : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { declare_operators(); }

    void equalPyTorchs_data() {
        QTest::addColumn<QString>("name");
        for (const QString& file : QDir(folder()).entryList({"*.txt"})) {
            const QString name = file.chopped(4);
            QTest::newRow(qPrintable(name)) << name;
        }
    }
    void equalPyTorchs() {
        QFETCH(QString, name);
        passes::PassManager manager;
        manager.keep_snapshots(false);
        const passes::Pipeline pipeline =
            passes::pipeline_of("LowerSimpleTuples, DCE, ConstantPropagationImmutableTypes, ConstantPooling");
        ArchiveCode code(LOUPE_SOURCE_DIR "/tests/fixtures/models/" + name + ".pt",
                         [&](ir::Graph& graph) { manager.run(graph, pipeline); });
        code.define_all();
        QFile file(folder() + "/" + name + ".txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        int compared = 0;
        int same_text = 0;
        static const QRegularExpression generated(" # code/[^\n]*");
        QStringList different;
        for (const QString& part : QString::fromUtf8(file.readAll()).split("== ", Qt::SkipEmptyParts)) {
            const QString function_name = part.section('\n', 0, 0);
            const auto* function = code.unit->find_function(function_name.toStdString());
            QVERIFY2(function != nullptr, qPrintable(function_name));
            const auto theirs = ir::parse_graph(part.section('\n', 1).toStdString(), code.unit->resolver());
            Ptr<ir::Graph> ours;
            try {
                ours = function->graph()->copy();
            } catch (const CompileError& error) {
                QFAIL(error.what());
            }
            const std::string their_text = canonical_text(*theirs);
            const std::string our_text = canonical_text(*ours);
            ++compared;
            const QString printed = QString::fromStdString(function->graph()->str()).replace(generated, " # :0:0");
            if (printed == part.section('\n', 1))
                ++same_text;
            else if (qEnvironmentVariableIsSet("LOUPE_SHOW"))
                qInfo("%s\n%s", qPrintable(function_name),
                      qPrintable(difference(printed.toStdString(), part.section('\n', 1).toStdString())));
            if (our_text != their_text) different << function_name + "\n" + difference(our_text, their_text);
        }
        QVERIFY(compared > 0);
        qInfo("%d of %d with the same text", same_text, compared);
        QVERIFY2(different.isEmpty(), qPrintable(QString("%1 of %2 differ:\n").arg(different.size()).arg(compared) +
                                                 different.mid(0, 30).join("\n")));
    }
};

QTEST_APPLESS_MAIN(TestScriptGraphs)
#include "test_script_graphs.moc"
