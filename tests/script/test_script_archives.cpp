// SPDX-License-Identifier: Apache-2.0
// All code of all fixture archives compiles to graphs that hold together.

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include "archive_code.h"
#include "core/ir/printer.h"
#include "declared_operators.h"

using namespace loupe;
using namespace loupe::script;

class TestScriptArchives : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { declare_operators(); }

    void compilesAll_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(LOUPE_SOURCE_DIR "/tests/fixtures/models");
        for (const QString& name : folder.entryList({"*.pt"})) QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void compilesAll() {
        QFETCH(QString, path);
        ArchiveCode code(path);
        QElapsedTimer timer;
        timer.start();
        code.define_all();
        const auto defined = timer.nsecsElapsed();
        std::size_t nodes = 0;
        try {
            for (const auto& function : code.unit->functions()) {
                const auto& graph = function->graph();
                nodes += graph->next_node_id();
            }
        } catch (const CompileError& error) {
            QFAIL(qPrintable(QString::fromStdString(error.underlined() + error.range().highlight())));
        }
        qInfo("%zu functions, %zu nodes: %.2f ms to define, %.2f ms in all", code.unit->functions().size(), nodes,
              static_cast<double>(defined) * 1e-6, static_cast<double>(timer.nsecsElapsed()) * 1e-6);
        for (const auto& function : code.unit->functions()) {
            try {
                function->graph()->lint();
            } catch (const Error& error) {
                QFAIL(qPrintable(QString::fromStdString(function->qualified_name() + error.what() + "\n" +
                                                        function->graph()->str())));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestScriptArchives)
#include "test_script_archives.moc"
