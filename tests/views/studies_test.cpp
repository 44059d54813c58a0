// SPDX-License-Identifier: GPL-3.0-or-later
// The Studies panel, on real models.

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "core/session/queries/tokenize.h"
#include "tests/views/patience.h"
#include "views/common/tile_grid.h"
#include "views/common/token_chips.h"
#include "views/studies/points_plot.h"
#include "views/studies/studies_view.h"
#include "views/studies/study_form.h"
#include "views/studies/study_map.h"
#include "views/studies/study_pages.h"
#include "views/studies/words_table.h"

using namespace loupe;
using namespace loupe::views;

namespace {

const QString kFixtures = QStringLiteral(LOUPE_SOURCE_DIR "/tests/fixtures/");

}  // namespace

class StudiesTest : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() {
        view_.reset();
        bridge_.reset();
    }

    void studiesThatFitAreListed() {
        open(QStringLiteral("studies/pictures.pt"));
        QVERIFY(view_->list()->count() >= 7);  // a plugin may give more
        QCOMPARE(view_->list()->currentRow(), 0);
        QVERIFY(view_->runButton()->isEnabled());
        // What does not fit says why.
        QVERIFY(view_->choose("logit-lens"));
        QVERIFY(!view_->runButton()->isEnabled());
        QVERIFY2(view_->runButton()->toolTip().startsWith(QStringLiteral("the model takes no tokens")),
                 qPrintable(view_->runButton()->toolTip()));
        const auto* what = view_->findChild<QLabel*>(QStringLiteral("studyWhat"));
        QVERIFY(what->text().startsWith(QStringLiteral("Does not fit this model")));
        QVERIFY(!view_->emptyNote().isEmpty());
    }

    void optionsOfAnotherChoiceAreOutOfSight() {
        open(QStringLiteral("studies/pictures.pt"));
        StudyForm& form = *view_->form();
        auto* method = qobject_cast<QComboBox*>(form.control("method"));
        QVERIFY(method != nullptr && !form.control("noise")->isVisible());
        method->setCurrentText(QStringLiteral("smoothgrad"));
        QVERIFY(form.control("noise")->isVisible());
        // What was chosen is there when the study is chosen again.
        QVERIFY(view_->choose("grad-cam"));
        QVERIFY(form.control("method") != method);
        QVERIFY(view_->choose("saliency"));
        QCOMPARE(form.chosen().at("method"), std::string("smoothgrad"));
        QCOMPARE(form.chosen().at("noise"), std::string("0.15"));
    }

    void aMapLiesOverThePicture() {
        open(QStringLiteral("studies/pictures.pt"));
        run("integrated-gradients");
        StudyMapPicture* map = view_->pages()->map();
        QVERIFY(map != nullptr && map->map().is_signed);
        QVERIFY2(view_->facts().contains(QStringLiteral("Completeness: sum ")), qPrintable(view_->facts()));
        QVERIFY(view_->emptyNote().isEmpty());
        QSignalSpy hovered(map, &StudyMapPicture::hovered);
        testing::hover(*map, map->area().center().toPoint());
        QVERIFY2(hovered.takeLast().at(0).toString().startsWith(QStringLiteral("[10, 12]: ")), "place and number");
        // The image alone, and the map alone, are other pictures.
        const QImage both = map->grab().toImage();
        map->setStrength(0);
        const QImage under = map->grab().toImage();
        map->setStrength(1);
        QVERIFY(both != under && map->grab().toImage() != under);
        run("grad-cam");
        QVERIFY(view_->pages()->map() != nullptr && !view_->pages()->map()->map().is_signed);
    }

    void aClickOnATileGoesToTheOutput() {
        open(QStringLiteral("studies/pictures.pt"));
        bridge_->run();
        QTRY_VERIFY(bridge_->status().state == session::RunState::Finished && !bridge_->isBusy());
        run("feature-maps");
        TileGrid* tiles = view_->pages()->tiles();
        QVERIFY(tiles != nullptr);
        QCOMPARE(tiles->count(), 6);
        QSignalSpy wanted(bridge_.get(), &SessionBridge::panelWanted);
        QTest::mouseClick(tiles->viewport(), Qt::LeftButton, {}, tiles->tileRect(2).center());
        QCOMPARE(tiles->chosen(), 2);
        QCOMPARE(wanted.front().at(0).toString(), QStringLiteral("tensor"));
        QCOMPARE(bridge_->currentModule(), QStringLiteral("features.0"));
        QCOMPARE(bridge_->recording()->value(bridge_->currentValue()).shape, (session::Shape{2, 6, 20, 24}));
        // Of the output its channel, as long as it is looked at.
        const auto channel = view_->pages()->result().tiles.front().tiles[2].channel;
        QCOMPARE(bridge_->currentSlice(), QStringLiteral("[0, %1]").arg(channel));
        QVERIFY(tiles->tiles()[2].tip.contains(QStringLiteral("shows this channel in Tensor")));
        bridge_->setCurrentEvent(bridge_->currentEvent() + 1);
        QCOMPARE(bridge_->currentSlice(), QString());
    }

    void whatIsWrongIsSaid() {
        open(QStringLiteral("studies/pictures.pt"));
        QVERIFY(view_->choose("saliency"));
        qobject_cast<QLineEdit*>(view_->form()->control("target"))->setText(QStringLiteral("99"));
        view_->run();
        QTRY_VERIFY(view_->isSettled());
        QVERIFY2(view_->emptyNote().contains(QStringLiteral("no element [0, 99]")), qPrintable(view_->emptyNote()));
        QVERIFY(view_->pages()->map() == nullptr);
    }

    void wordsOfLayers() {
        openText();
        run("logit-lens");
        WordsTable* words = view_->pages()->words();
        QVERIFY(words != nullptr);
        QCOMPARE(words->words().rows.size(), 3u);
        QCOMPARE(words->words().columns.size(), 12u);
        // The last layer stands above.
        QVERIFY(words->cellRect(2, 0).top() < words->cellRect(1, 0).top());
        QVERIFY2(words->tipOf(2, 11).startsWith(QStringLiteral("model.layers.1 at ox (#11); entropy ")),
                 qPrintable(words->tipOf(2, 11)));
        QSignalSpy clicked(words, &WordsTable::clicked);
        QTest::mouseClick(words->viewport(), Qt::LeftButton, {}, words->cellRect(1, 3).center());
        QCOMPARE(clicked.size(), 1);
        QVERIFY2(bridge_->currentModule().startsWith(QStringLiteral("model.layers.0")),
                 qPrintable(bridge_->currentModule()));
        QTest::keyClick(words, Qt::Key_Up);
        QVERIFY(bridge_->currentModule().startsWith(QStringLiteral("model.layers.1")));
    }

    void tokensAreColoured() {
        openText();
        run("saliency");
        TokenChips* chips = view_->pages()->chips();
        QVERIFY(chips != nullptr);
        QCOMPARE(chips->scores().size(), 12u);
        QVERIFY(chips->chipColour(11).isValid());
    }

    void pointsHaveNames() {
        openText();
        run("pca");
        PointsPlot* plot = view_->pages()->points();
        QVERIFY(plot != nullptr);
        QCOMPARE(plot->points().x.size(), 504u);
        // Where a point is drawn, it is found.
        QVERIFY(plot->placeOf(17).x() > 0);
        const int found = plot->pointAt(plot->placeOf(17));
        QVERIFY(found >= 0 && std::hypot(plot->placeOf(found).x() - plot->placeOf(17).x(),
                                         plot->placeOf(found).y() - plot->placeOf(17).y()) < 0.5);
        plot->setSearch(QStringLiteral("The"));
    }

    void attentionIsItsPanel() {
        openText();
        QVERIFY(view_->choose("attention"));
        QSignalSpy wanted(bridge_.get(), &SessionBridge::panelWanted);
        QTest::mouseClick(view_->runButton(), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().at(0).toString(), QStringLiteral("attention"));
    }

    void aStudyIsStopped() {
        open(QStringLiteral("studies/pictures.pt"));
        QVERIFY(view_->choose("integrated-gradients"));
        qobject_cast<QSpinBox*>(view_->form()->control("steps"))->setValue(2000);
        view_->run();
        QVERIFY(!view_->isSettled());
        QCOMPARE(view_->runButton()->text(), QStringLiteral("Stop"));
        QTest::qWait(50);
        QTest::mouseClick(view_->runButton(), Qt::LeftButton);
        QTRY_VERIFY(view_->isSettled());
        QCOMPARE(view_->runButton()->text(), QStringLiteral("Run study"));
    }

  private:
    void open(const QString& file) {
        bridge_ = std::make_unique<SessionBridge>();
        view_ = std::make_unique<StudiesView>(*bridge_, nullptr);
        view_->resize(1000, 640);
        view_->show();
        bridge_->open(file.startsWith(QLatin1Char('/')) ? file : kFixtures + file);
        [&] { QTRY_VERIFY(bridge_->model() && !bridge_->isBusy()); }();
        [&] { QTRY_VERIFY(view_->isSettled() && view_->list()->count() > 0); }();
    }
    // A text that ran.
    void openText() {
        open(QStringLiteral("generation/llama"));
        bool is_set = false;
        bridge_->ask(QStringLiteral("test"), session::TokenizeQuery{"The quick brown fox", {}}, this,
                     [&](const session::TokenizedText& text) {
                         bridge_->setInputs(text.inputs);
                         is_set = true;
                     });
        [&] { QTRY_VERIFY(is_set); }();
        bridge_->run();
        [&] {
            QTRY_VERIFY(bridge_->status().state == session::RunState::Finished && !bridge_->isBusy() &&
                        view_->isSettled());
        }();
    }
    void run(const std::string& name) {
        [&] { QTRY_VERIFY(view_->choose(name) && view_->runButton()->isEnabled()); }();
        view_->run();
        [&] { QTRY_VERIFY(view_->isSettled()); }();
        [&] { QVERIFY2(view_->emptyNote().isEmpty(), qPrintable(view_->emptyNote())); }();
    }

    std::unique_ptr<SessionBridge> bridge_;
    std::unique_ptr<StudiesView> view_;
};

QTEST_MAIN(StudiesTest)
#include "studies_test.moc"
