// SPDX-License-Identifier: GPL-3.0-or-later
// Settings: their records, and the page that is made of them.

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include "app/window/rank_launcher.h"
#include "app/window/settings_dialog.h"
#include "tests/app/window_fixture.h"
#include "views/common/setting.h"
#include "views/common/theme.h"

using namespace loupe;
using views::Setting;
using views::Theme;
using window::SettingsDialog;
namespace settings = views::settings;

class SettingsTest : public testing::WindowFixture {
    Q_OBJECT

  private:
    SettingsDialog* page() {
        action("settings")->trigger();
        auto* dialog = window_->findChild<SettingsDialog*>();
        if (dialog == nullptr || !QTest::qWaitForWindowExposed(dialog)) return nullptr;
        return dialog;
    }

  private slots:
    void initTestCase() { prepare(); }
    void init() {
        makeWindow();
        settings::kAskForRuns.reset();
    }
    void cleanup() {
        window_.reset();
        QSettings().clear();
        Theme::instance().setContrast(false);
        Theme::instance().setMode(Theme::Mode::Dark);
    }

    void eachHasAControlThatSaysWhatItIs() {
        auto* dialog = page();
        QVERIFY(dialog != nullptr);
        QSet<QString> keys, titles;
        for (const Setting* setting : settings::all()) {
            QVERIFY2(!keys.contains(QLatin1String(setting->key)), setting->key);
            QVERIFY2(!titles.contains(setting->shownTitle()), setting->key);
            keys += QLatin1String(setting->key);
            titles += setting->shownTitle();
            const QWidget* control = dialog->control(*setting);
            QVERIFY2(control != nullptr && control->focusPolicy() != Qt::NoFocus, setting->key);
            QCOMPARE(control->accessibleName(), setting->shownTitle());
            QVERIFY2(control->accessibleDescription().size() > 20, setting->key);
            QVERIFY2(!setting->isSet() && !dialog->resetButton(*setting)->isVisible(), setting->key);
            QVERIFY2(dialog->isInSight(*setting), setting->key);
            // No text is cut off.
            for (const QLabel* label : control->parentWidget()->findChildren<QLabel*>())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
        }
    }

    void aWordFindsThem() {
        auto* dialog = page();
        QVERIFY(dialog != nullptr);
        QTest::keyClicks(dialog->search(), QStringLiteral("ssh"));
        QVERIFY(dialog->isInSight(settings::kFarCommand));
        QVERIFY(!dialog->isInSight(settings::kTheme));
        dialog->search()->clear();
        QTest::keyClicks(dialog->search(), QStringLiteral("dark"));  // what it can be
        QVERIFY(dialog->isInSight(settings::kTheme));
        dialog->search()->clear();
        QTest::keyClicks(dialog->search(), QStringLiteral("zzz"));
        for (const Setting* setting : settings::all()) QVERIFY(!dialog->isInSight(*setting));
        dialog->search()->clear();
        for (const Setting* setting : settings::all()) QVERIFY(dialog->isInSight(*setting));
    }

    void aChangeCountsAtOnceAndEverywhere() {
        auto* dialog = page();
        QVERIFY(dialog != nullptr);
        auto* restores = qobject_cast<QCheckBox*>(dialog->control(settings::kRestoreAtStart));
        QVERIFY(!action("restore_at_start")->isChecked());
        restores->click();
        QVERIFY(action("restore_at_start")->isChecked());
        QVERIFY(QSettings().value(QStringLiteral("session/restoreAtStart")).toBool());
        action("restore_at_start")->trigger();
        QVERIFY(!restores->isChecked());
        auto* theme = qobject_cast<QComboBox*>(dialog->control(settings::kTheme));
        action("theme_light")->trigger();
        QCOMPARE(theme->currentData().toInt(), static_cast<int>(Theme::Mode::Light));
        settings::kTheme.set(static_cast<int>(Theme::Mode::Dark));
        QVERIFY(Theme::instance().isDark());
        QVERIFY(action("theme_dark")->isChecked());
        const QColor before = Theme::instance().colour(Theme::Colour::Window);
        qobject_cast<QCheckBox*>(dialog->control(settings::kContrast))->click();
        QVERIFY(Theme::instance().colour(Theme::Colour::Window) != before);
        QCOMPARE(Theme::instance().colour(Theme::Colour::Window), QColor(Qt::black));
        QVERIFY(window_->dockOptions().testFlag(QMainWindow::AnimatedDocks));
        qobject_cast<QCheckBox*>(dialog->control(settings::kMotion))->click();
        QVERIFY(!window_->dockOptions().testFlag(QMainWindow::AnimatedDocks));
    }

    void resetIsWhatItIsWithout() {
        auto* dialog = page();
        QVERIFY(dialog != nullptr);
        auto* count = qobject_cast<QSpinBox*>(dialog->control(settings::kRankCount));
        count->setValue(8);
        QCOMPARE(settings::kRankCount.number(), 8);
        QVERIFY(dialog->resetButton(settings::kRankCount)->isVisible());
        dialog->resetButton(settings::kRankCount)->click();
        QCOMPARE(count->value(), 4);
        QVERIFY(!dialog->resetButton(settings::kRankCount)->isVisible());
        QVERIFY(!QSettings().contains(QStringLiteral("ranks/count")));
        auto* launcher = qobject_cast<QLineEdit*>(dialog->control(settings::kRankLauncher));
        launcher->setText(QStringLiteral("srun -n {ranks} {engine} --stdio"));
        emit launcher->editingFinished();
        QCOMPARE(window::RankLauncher::command(), launcher->text());
        launcher->clear();
        emit launcher->editingFinished();
        QCOMPARE(launcher->text(), settings::kRankLauncher.otherwise.toString());
    }

    // The file may be of another version, or have been edited.
    void whatCannotBeIsAsIfItWereNotSet() {
        QSettings().setValue(QStringLiteral("theme"), 77);
        QSettings().setValue(QStringLiteral("scale"), QStringLiteral("huge"));
        QSettings().setValue(QStringLiteral("ranks/count"), -3);
        QSettings().setValue(QStringLiteral("far/command"), QStringLiteral("a\nb"));
        for (const Setting* setting :
             {&settings::kTheme, &settings::kScale, &settings::kRankCount, &settings::kFarCommand})
            QCOMPARE(setting->value(), setting->otherwise);
        QSignalSpy changed(&views::SettingNotices::instance(), &views::SettingNotices::changed);
        settings::kScale.set(99);
        settings::kRankCount.set(1);
        QCOMPARE(changed.count(), 0);
        QVERIFY(page() != nullptr);
    }

    void theKeysAloneAreEnough() {
        auto* dialog = page();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY(testing::isActive(*dialog));
        QTest::keyClicks(dialog->search(), QStringLiteral("contrast"));
        auto* box = dialog->control(settings::kContrast);
        for (int i = 0; i < 4 && !box->hasFocus(); ++i) QTest::keyClick(dialog->focusWidget(), Qt::Key_Tab);
        QVERIFY(box->hasFocus());
        QTest::keyClick(box, Qt::Key_Space);
        QVERIFY(settings::kContrast.isOn());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(window_->findChild<SettingsDialog*>() == nullptr);
    }
};

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
