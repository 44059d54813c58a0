// SPDX-License-Identifier: GPL-3.0-or-later
// The window: its commands that are settings, and what a setting that changes does at once.

#include "app/window/actions.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "app/window/settings_dialog.h"
#include "views/common/setting.h"
#include "views/common/theme.h"

namespace loupe::window {

namespace settings = views::settings;
using views::Setting;
using views::Theme;

void MainWindow::makeSettingActions() {
    const auto toggle = [this](const char* id, const QString& text, const Setting& setting) {
        actions_->add({id,
                       text,
                       setting.shownAbout(),
                       {},
                       {},
                       [&setting] { setting.toggle(); },
                       {},
                       [&setting] { return setting.isOn(); }});
    };
    toggle("save_before_run", tr("Save &edited sources before a run"), settings::kSaveBeforeRun);
    toggle("ask_for_runs", tr("As&k before a run is lost"), settings::kAskForRuns);
    toggle("restore_at_start", tr("R&estore the last session at start"), settings::kRestoreAtStart);
    actions_->add({"settings",
                   tr("Se&ttings\u2026"),
                   tr("What holds for all models, to search in"),
                   {},
                   {QKeySequence(Qt::CTRL | Qt::Key_Comma)},
                   [this] { showSettings(); },
                   {}});
    connect(&views::SettingNotices::instance(), &views::SettingNotices::changed, this, &MainWindow::takeSetting);
}

void MainWindow::showSettings() {
    auto* dialog = findChild<SettingsDialog*>();
    if (dialog == nullptr) dialog = new SettingsDialog(this);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::takeSetting(const Setting* setting) {
    if (setting == &settings::kAskForRuns) showUnsaved();
    const auto mode = static_cast<Theme::Mode>(settings::kTheme.number());
    if (setting == &settings::kTheme && Theme::instance().mode() != mode) Theme::instance().setMode(mode);
    if (setting == &settings::kContrast) Theme::instance().setContrast(setting->isOn());
    if (setting == &settings::kMotion) docks_->setAnimated(setting->isOn());
    actions_->update();
}

}  // namespace loupe::window
