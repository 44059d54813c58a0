// SPDX-License-Identifier: GPL-3.0-or-later
// Guided tours: each is walked from its first step to its last, and what it says is there.

#include <QDockWidget>
#include <QPushButton>

#include "app/window/tour_callout.h"
#include "app/window/tour_guide.h"
#include "tests/app/window_fixture.h"
#include "tests/views/cut_walk.h"

using namespace loupe;
using namespace loupe::testing;
using window::Tour;
using window::TourGuide;

class ToursTest : public WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { prepare(); }
    void cleanup() { window_.reset(); }

    void everyTourLeadsToItsEnd_data() {
        QTest::addColumn<QString>("name");
        for (const Tour& tour : window::shippedTours()) QTest::newRow(qPrintable(tour.name)) << tour.name;
    }
    void everyTourLeadsToItsEnd() {
        QFETCH(QString, name);
        const Tour& tour = *window::findTour(name);
        QVERIFY(!tour.title.isEmpty() && !tour.summary.isEmpty() && tour.steps.size() >= 3);
        makeWindow();
        TourGuide& guide = window_->guide();
        guide.start(tour);
        for (std::size_t i = 0; i < tour.steps.size(); ++i) {
            const window::TourStep& step = tour.steps[i];
            const QString at = QStringLiteral("%1, step %2: %3").arg(name).arg(i + 1).arg(step.text);
            QCOMPARE(guide.step(), static_cast<int>(i));
            QVERIFY2(!step.text.isEmpty(), qPrintable(at));
            if (!guide.isDone()) {
                QTest::mouseClick(guide.callout().nextButton(), Qt::LeftButton);
                QVERIFY2(QTest::qWaitFor([&] { return guide.isDone(); }, kPatience), qPrintable(at));
            }
            QTRY_VERIFY2(cutTexts(guide.callout()).isEmpty(),
                         qPrintable(at + u'\n' + cutTexts(guide.callout()).join(u'\n')));
            // What it points at is in the window, and the note covers little of it.
            if (!step.panel.isEmpty()) {
                QTRY_VERIFY2(guide.place().width() > 8 && guide.place().height() > 8, qPrintable(at));
                QVERIFY2(window_->rect().contains(guide.place()), qPrintable(at));
            }
            QTRY_VERIFY2(guide.callout().nextButton()->isEnabled(), qPrintable(at));
            QVERIFY2(window_->rect().contains(guide.callout().geometry()), qPrintable(at));
            QTest::mouseClick(guide.callout().nextButton(), Qt::LeftButton);
        }
        QVERIFY(!guide.isOn());
        QVERIFY(guide.callout().isHidden());
    }

    void theStartPageNamesThem() {
        makeWindow();
        for (const Tour& tour : window::shippedTours())
            QVERIFY2(window_->findChild<QWidget*>(QStringLiteral("tour.") + tour.name), qPrintable(tour.name));
        auto* line = window_->findChild<QWidget*>(QStringLiteral("tour.digits_channels"));
        QTest::mouseClick(line, Qt::LeftButton);
        QVERIFY(window_->guide().isOn());
        QCOMPARE(window_->guide().tour().name, QStringLiteral("digits_channels"));
        QCOMPARE(state(), RunState::Empty);  // the card below was not pressed
        QTest::keyClick(&window_->guide().callout(), Qt::Key_Escape);
        QVERIFY(!window_->guide().isOn());
    }

    // A step is done too when the user does it.
    void theUserMayDoIt() {
        makeWindow();
        TourGuide& guide = window_->guide();
        guide.start(*window::findTour(QStringLiteral("digits_channels")));
        guide.next();
        QTRY_VERIFY(guide.isDone());
        guide.next();
        QVERIFY(!guide.isDone());
        action("run")->trigger();
        QTRY_VERIFY(guide.isDone());
        guide.back();
        QCOMPARE(guide.step(), 0);
        QVERIFY(guide.isDone());
        // What cannot be done says why.
        QVERIFY(!guide.perform(QStringLiteral("event nothing")).isEmpty());
        QVERIFY(!guide.perform(QStringLiteral("set nothing on")).isEmpty());
        QVERIFY(!guide.perform(QStringLiteral("fly away")).isEmpty());
    }
};

QTEST_MAIN(ToursTest)
#include "tours_test.moc"
