// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/attach_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/session/queries/watched_programs.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/session_bridge.h"

namespace loupe::window {

AttachDialog::AttachDialog(views::SessionBridge& bridge, QWidget* parent)
    : QDialog(parent), bridge_(bridge), list_(new QTreeWidget(this)), note_(new QLabel(this)) {
    setObjectName(QStringLiteral("attach"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Attach to a training"));
    const QString host = views::EngineFiles::host().toHtmlEscaped();
    auto* what = new QLabel(
        host.isEmpty()
            ? tr("PyTorch programs that call <code>tensorloupe.watch(model, optimizer)</code>:")
            : tr("PyTorch programs on %1 that call <code>tensorloupe.watch(model, optimizer)</code>:").arg(host),
        this);
    list_->setAccessibleName(tr("Programs that can be attached to"));
    list_->setHeaderLabels({tr("Program"), tr("Process"), tr("Host"), tr("Ranks"), tr("Step"), tr("Optimizer")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    note_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    attach_ = buttons->addButton(tr("Attach"), QDialogButtonBox::AcceptRole);
    attach_->setDefault(true);
    attach_->setEnabled(false);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(what);
    layout->addWidget(list_, 1);
    layout->addWidget(note_);
    layout->addWidget(buttons);
    resize(720, 320);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &AttachDialog::choose);
    connect(list_, &QTreeWidget::itemActivated, this, &AttachDialog::choose);
    connect(list_, &QTreeWidget::itemSelectionChanged, this,
            [this] { attach_->setEnabled(list_->currentItem() != nullptr); });
    timer_.setInterval(1000);
    connect(&timer_, &QTimer::timeout, this, &AttachDialog::look);
    timer_.start();
    note_->setText(tr("Looking\u2026"));
    look();
}

void AttachDialog::look() {
    bridge_.ask(QStringLiteral("watched programs"), session::WatchedProgramsQuery{}, this,
                [this](const std::vector<session::WatchedProgram>& found) { show(found); });
}

void AttachDialog::show(const std::vector<session::WatchedProgram>& programs) {
    const QString before =
        list_->currentItem() != nullptr ? list_->currentItem()->data(0, Qt::UserRole).toString() : QString();
    list_->clear();
    for (const session::WatchedProgram& each : programs) {
        const QString step = QString::number(each.step) + (each.is_parked ? tr(", parked") : QString());
        auto* row = new QTreeWidgetItem(list_, {views::text(each.program.name), QString::number(each.program.process),
                                                views::text(each.program.host), QString::number(each.program.ranks),
                                                step, views::text(each.program.optimizer)});
        row->setData(0, Qt::UserRole, views::text(each.socket));
        if (before == views::text(each.socket) || programs.size() == 1) list_->setCurrentItem(row);
    }
    note_->setText(programs.empty() ? tr("None is running now. One that is started appears here.") : QString());
    for (int column = 0; column < list_->columnCount(); ++column) list_->resizeColumnToContents(column);
    attach_->setEnabled(list_->currentItem() != nullptr);
}

void AttachDialog::choose() {
    if (list_->currentItem() == nullptr) return;
    emit chosen(list_->currentItem()->data(0, Qt::UserRole).toString());
    accept();
}

}  // namespace loupe::window
