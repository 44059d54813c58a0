// SPDX-License-Identifier: GPL-3.0-or-later
// The Build panel: layers from the palette, what fits, list and source both ways, the model opened.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/views/patience.h"
#include "views/build/build_view.h"

using namespace loupe;
using namespace loupe::views;

class BuildTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        bridge_ = std::make_unique<SessionBridge>();
        view_ = std::make_unique<BuildView>(*bridge_, nullptr);
        view_->resize(700, 600);
        view_->show();
    }
    void cleanup() {
        view_.reset();
        bridge_.reset();
    }

    // Each is chosen to fit what comes in.
    void layersFromThePalette() {
        for (const char* layer : {"Conv2d", "ReLU", "Flatten", "Linear"}) {
            view_->addLayer(QString::fromLatin1(layer));
            settle();
        }
        QCOMPARE(layer(0), QStringLiteral("Conv2d(1, 16, 3)"));
        QCOMPARE(layer(3), QStringLiteral("Linear(576, 64)"));
        QCOMPARE(view_->layers()->topLevelItem(3)->text(2), QStringLiteral("1x64"));
        QCOMPARE(view_->layers()->topLevelItem(0)->text(3), QStringLiteral("160"));
        QVERIFY(view_->source()->toPlainText().contains(QStringLiteral("    nn.Linear(576, 64),\n")));
    }

    // An argument that does not fit is told where it stands, and mended.
    void whatDoesNotFit() {
        view_->addLayer(QStringLiteral("Flatten"));
        view_->addLayer(QStringLiteral("Linear"));
        settle();
        view_->layers()->topLevelItem(1)->setText(1, QStringLiteral("Linear(100, 10)"));
        settle();
        QCOMPARE(view_->layers()->topLevelItem(1)->text(2), QStringLiteral("does not fit"));
        QVERIFY(view_->layers()->topLevelItem(1)->toolTip(1).contains(QStringLiteral("100 features")));
        auto* mend = view_->findChild<QToolButton*>(QStringLiteral("buildMend"));
        QVERIFY(mend->isVisible());
        QTest::mouseClick(mend, Qt::LeftButton);
        settle();
        QCOMPARE(layer(1), QStringLiteral("Linear(64, 10)"));
        QCOMPARE(view_->layers()->topLevelItem(1)->text(2), QStringLiteral("1x10"));
    }

    void sourceBothWays() {
        view_->source()->setPlainText(
            QStringLiteral("import torch\nimport torch.nn as nn\nmodel = nn.Sequential(nn.Linear(4, 8), "
                           "nn.Tanh())\nexample_inputs = (torch.randn(2, 4),)\n"));
        settle();
        QCOMPARE(view_->layers()->topLevelItemCount(), 2);
        QCOMPARE(view_->input()->text(), QStringLiteral("2x4"));
        QCOMPARE(view_->layers()->topLevelItem(1)->text(2), QStringLiteral("2x8"));
        view_->layers()->setCurrentItem(view_->layers()->topLevelItem(1));
        view_->moveLayer(-1);
        QCOMPARE(layer(0), QStringLiteral("Tanh()"));
        QVERIFY(view_->source()->toPlainText().contains(QStringLiteral("nn.Tanh(),\n    nn.Linear(4, 8),\n")));
        view_->removeLayer();
        QCOMPARE(view_->layers()->topLevelItemCount(), 1);
        // What is no Sequential stays as source.
        view_->source()->setPlainText(QStringLiteral("class Net:\n    pass\nmodel = Net()\n"));
        settle();
        QCOMPARE(view_->layers()->topLevelItemCount(), 0);
        QVERIFY(!view_->layers()->isEnabled());
    }

    // A source that is no Sequential is nobody's to replace: layers go where the cursor stands; half a word loses no
    // row.
    void aSourceOfOnesOwnStays() {
        const QString own = QStringLiteral(
            "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n       "
            " self.fc = \n");
        view_->source()->setPlainText(own);
        settle();
        QVERIFY(!view_->layers()->isVisible());
        QTextCursor cursor = view_->source()->textCursor();
        cursor.movePosition(QTextCursor::End);
        cursor.movePosition(QTextCursor::Left);
        view_->source()->setTextCursor(cursor);
        view_->addLayer(QStringLiteral("ReLU"));
        QCOMPARE(view_->source()->toPlainText(),
                 QString(own).replace(QStringLiteral("self.fc = "), QStringLiteral("self.fc = nn.ReLU()")));
        view_->source()->setPlainText(
            QStringLiteral("import torch.nn as nn\nmodel = nn.Sequential(nn.ReLU(), nn.Tanh())\n"));
        QVERIFY(view_->layers()->isVisible());
        QCOMPARE(view_->layers()->topLevelItemCount(), 2);
        view_->source()->setPlainText(
            QStringLiteral("import torch.nn as nn\nmodel = nn.Sequential(nn.ReLU(), nn.Ta\n"));
        QVERIFY(view_->layers()->isVisible() && !view_->layers()->isEnabled());
        QCOMPARE(view_->layers()->topLevelItemCount(), 2);
    }

    void theModelOpensAndRuns() {
        QTemporaryDir folder;
        const int cnn = view_->templates()->findText(QStringLiteral("Small CNN"));
        view_->templates()->setCurrentIndex(cnn);
        emit view_->templates()->activated(cnn);
        settle();
        QVERIFY(view_->layers()->topLevelItemCount() > 5);
        QCOMPARE(view_->openAs(folder.filePath(QStringLiteral("built/cnn.py"))), QString());
        QTRY_VERIFY(bridge_->status().state == session::RunState::Ready);
        bridge_->run();
        QTRY_VERIFY(bridge_->status().state == session::RunState::Finished);
        QVERIFY(!view_->openAs(QStringLiteral("/proc/nowhere/model.py")).isEmpty());
    }

  private:
    void settle() { QTRY_VERIFY(view_->isSettled()); }
    QString layer(int row) const { return view_->layers()->topLevelItem(row)->text(1); }

    std::unique_ptr<SessionBridge> bridge_;
    std::unique_ptr<BuildView> view_;
};

QTEST_MAIN(BuildTest)
#include "build_test.moc"
