// SPDX-License-Identifier: GPL-3.0-or-later
// A source that runs as a program, and is looked at when it has ended.

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "app/window/actions.h"
#include "app/window/banner.h"
#include "app/window/docks.h"
#include "app/window/main_window.h"
#include "app/window/program_recorder.h"
#include "views/common/format.h"
#include "views/common/setting.h"

namespace loupe::window {

void MainWindow::makeProgramActions() {
    recorder_ = new ProgramRecorder(this);
    connect(recorder_, &ProgramRecorder::said, this, [this](const QString& line, bool isError) {
        using Level = views::SessionBridge::LogEntry::Level;
        bridge_->addLog(
            {.level = isError ? Level::Warning : Level::Info, .text = line.toStdString(), .scope = {}, .source = {}});
    });
    connect(recorder_, &ProgramRecorder::ended, this, &MainWindow::showProgram);
    actions_->add({"record_program",
                   tr("Record the whole pro&gram\u2026"),
                   tr("Run the source from its first line to its last, with its main block, in one process or in "
                      "several, and open what was recorded"),
                   {},
                   {},
                   [this] { askForProgram(); },
                   [this]() -> QString {
                       const auto& model = bridge_->model();
                       if (!model || !model->path.ends_with(".py")) return tr("no Python source is open");
                       if (far_ != nullptr) return tr("the engine is far away: run tensorloupe-cli there");
                       return recorder_->isRunning() ? tr("a program runs already") : QString();
                   }});
}

void MainWindow::askForProgram() {
    const QString file = views::text(bridge_->model()->path);
    QDialog dialog(this);
    dialog.setWindowTitle(tr("Record the whole program"));
    auto* form = new QFormLayout(&dialog);
    auto* words = new QLabel(
        tr("%1 runs from its first line to its last, and every operator of it is recorded. It opens here when it has "
           "ended, or is stopped.")
            .arg(QFileInfo(file).fileName()),
        &dialog);
    words->setWordWrap(true);
    form->addRow(words);
    auto* count = new QSpinBox(&dialog);
    count->setRange(1, views::settings::kRankCount.most);
    count->setValue(bridge_->hasRunningRanks() ? static_cast<int>(bridge_->seatCount()) : 1);
    count->setToolTip(tr("Ranks of torch.distributed, on this machine"));
    form->addRow(tr("Processes"), count);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Start"));
    connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    form->addRow(buttons);
    if (dialog.exec() == QDialog::Accepted) recordProgram(file, count->value());
}

void MainWindow::recordProgram(const QString& file, int ranks) {
    whenSaved(tr("Record the whole program"), [this, file, ranks] {
        const FilePermissions permissions = bridge_->session().permissions_of(file.toStdString());
        banner_->note(tr("%1 runs as a program\u2026").arg(QFileInfo(file).fileName()),
                      {{tr("Stop"), [this] { recorder_->stop(); }}});
        recorder_->start(file, ranks, permissions);
        actions_->update();
    });
}

void MainWindow::showProgram(const QString& recording, const QString& why) {
    actions_->update();
    banner_->dismiss();
    if (recording.isEmpty()) {
        if (!why.isEmpty()) banner_->tell(why, {});
        return;
    }
    openFile(recording);
    if (why.isEmpty()) return;
    // Said when it is there: opening takes away what was said before.
    auto* waiting = new QObject(this);
    const auto tell = [this, waiting, why] {
        const auto& model = bridge_->model();
        const bool isThere = model && recorder_->holds(views::text(model->recorded_in));
        if (!isThere || bridge_->status().state == session::RunState::Opening) return;
        disconnect(bridge_, nullptr, waiting, nullptr);
        waiting->deleteLater();
        docks_->whenSettled([this, why] { banner_->tell(why, {}); });
    };
    connect(bridge_, &views::SessionBridge::statusChanged, waiting, tell);
    connect(bridge_, &views::SessionBridge::modelChanged, waiting, tell);
}

}  // namespace loupe::window
