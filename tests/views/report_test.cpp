// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a shipped model: all its pictures, and the page.

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

#include "tests/views/patience.h"
#include "views/registry.h"
#include "views/report/report.h"

using namespace loupe::views;

class ReportTest : public QObject {
    Q_OBJECT

  private slots:
    void shippedModel() {
        QTemporaryDir folder;
        ReportOptions options;
        options.model = QStringLiteral(LOUPE_SOURCE_DIR "/resources/models/digits.pt");
        options.folder = folder.filePath(QStringLiteral("report"));
        QStringList said;
        QCOMPARE(writeReport(options, [&](const QString& line) { said << line; }), 0);
        QFile page(options.folder + QStringLiteral("/index.html"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString html = QString::fromUtf8(page.readAll());
        QVERIFY(html.contains(QStringLiteral("aten::conv2d")));
        QVERIFY(html.contains(QStringLiteral("Gradients")));
        for (const auto& entry : registry().entries()) {
            const QString file = entry.description.id + QStringLiteral(".png");
            QVERIFY2(html.contains(file), qPrintable(file));
            const QImage image(options.folder + QLatin1Char('/') + file);
            QCOMPARE(image.width(), options.width);
        }
    }

    void whatCannotBeOpenedIsSaid() {
        QTemporaryDir folder;
        ReportOptions options;
        options.model = folder.filePath(QStringLiteral("missing.pt"));
        options.folder = folder.path();
        QStringList said;
        QCOMPARE(writeReport(options, [&](const QString& line) { said << line; }), 1);
        QCOMPARE(said.size(), 1);
    }
};

QTEST_MAIN(ReportTest)
#include "report_test.moc"
