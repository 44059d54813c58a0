// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a shipped model: all its pictures, and the page.

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/patience.h"
#include "views/registry.h"
#include "views/report/report.h"

using namespace loupe::views;

namespace {
QStringList warnings;
}

class ReportTest : public QObject {
    Q_OBJECT

  private slots:
    void shippedModel() {
        QTemporaryDir folder;
        ReportOptions options;
        options.model = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        options.folder = folder.filePath(QStringLiteral("report"));
        QStringList said;
        warnings.clear();
        const auto before = qInstallMessageHandler(
            [](QtMsgType, const QMessageLogContext&, const QString& words) { warnings << words; });
        const int result = writeReport(options, [&](const QString& line) { said << line; });
        qInstallMessageHandler(before);
        QCOMPARE(result, 0);
        // A platform without a display complains of what it cannot do.
        QVERIFY2(warnings.filter(QStringLiteral("propagateSizeHints")).isEmpty(), qPrintable(warnings.join(u'\n')));
        QFile page(options.folder + QStringLiteral("/index.html"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString html = QString::fromUtf8(page.readAll());
        QVERIFY(html.contains(QStringLiteral("aten::conv2d")));
        QVERIFY(html.contains(QStringLiteral("Gradients")));
        // Times are warm ones, and say so.
        QVERIFY(html.contains(QRegularExpression(QStringLiteral("median of \\d+ warm runs"))));
        // Each panel is a picture or, where it has nothing to show, a line.
        const QStringList empty{QStringLiteral("build"),   QStringLiteral("train"), QStringLiteral("watch"),
                                QStringLiteral("kernels"), QStringLiteral("plan"),  QStringLiteral("compile")};
        for (const auto& entry : registry().entries()) {
            const QString file = entry.description.id + QStringLiteral(".png");
            const QString path = options.folder + QLatin1Char('/') + file;
            QVERIFY2(html.contains(entry.description.title.toHtmlEscaped()), qPrintable(entry.description.title));
            QCOMPARE(html.contains(file), QFileInfo::exists(path));
            if (empty.contains(entry.description.id)) QVERIFY2(!QFileInfo::exists(path), qPrintable(file));
            if (QFileInfo::exists(path)) QCOMPARE(QImage(path).width(), options.width);
        }
        for (const char* shown :
             {"graph", "modules", "inputs", "events", "tensor", "memory", "gradient_flow", "timeline", "source"}) {
            QVERIFY2(
                QFileInfo::exists(options.folder + QLatin1Char('/') + QLatin1String(shown) + QStringLiteral(".png")),
                shown);
        }
    }

    // What its writer watches is not the model's.
    void settingsOfTheUserAreNotInIt() {
        QCoreApplication::setOrganizationName(QStringLiteral("Tensorloupe"));
        QCoreApplication::setApplicationName(QStringLiteral("Tensorloupe"));
        QSettings().setValue(QStringLiteral("watch/expressions"), QStringList{QStringLiteral("conv1.out.absmax")});
        QTemporaryDir folder;
        ReportOptions options;
        options.model = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        options.folder = folder.path();
        QCOMPARE(writeReport(options, [](const QString&) {}), 0);
        QVERIFY(!QFileInfo::exists(folder.filePath(QStringLiteral("watch.png"))));
        QCOMPARE(QSettings().value(QStringLiteral("watch/expressions")).toStringList().size(), 1);
    }

    void whatCannotBeOpenedIsSaid() {
        QTemporaryDir folder;
        ReportOptions options;
        options.model = folder.filePath(QStringLiteral("missing.pt"));
        options.folder = folder.path();
        QStringList said;
        QCOMPARE(writeReport(options, [&](const QString& line) { said << line; }), 2);
        QCOMPARE(said.size(), 1);
    }
};

// As the program does: without a display, whatever display there is.
int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    ReportTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "report_test.moc"
