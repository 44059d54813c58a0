// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/weights_loader.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/window/banner.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/panel_output.h"
#include "views/common/theme.h"

namespace loupe::window {
namespace {

using session::WeightDifference;
using views::text;

QString kindText(WeightDifference::Kind kind) {
    switch (kind) {
        case WeightDifference::Kind::Missing:
            return WeightsLoader::tr("missing");
        case WeightDifference::Kind::Unexpected:
            return WeightsLoader::tr("unexpected");
        case WeightDifference::Kind::Size:
            return WeightsLoader::tr("size mismatch");
    }
    return {};
}

QString countsText(const session::WeightsReport& report) {
    QStringList parts;
    for (const auto kind :
         {WeightDifference::Kind::Size, WeightDifference::Kind::Missing, WeightDifference::Kind::Unexpected}) {
        const auto count = std::count_if(report.differences.begin(), report.differences.end(),
                                         [&](const auto& each) { return each.kind == kind; });
        const bool isMany = kind == WeightDifference::Kind::Size && count > 1;
        if (count > 0)
            parts << QStringLiteral("%1 %2").arg(count).arg(isMany ? WeightsLoader::tr("size mismatches")
                                                                   : kindText(kind));
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace

WeightsLoader::WeightsLoader(views::SessionBridge& bridge, Banner& banner, QWidget* window)
    : QObject(window), bridge_(bridge), banner_(banner), window_(window) {}

QString WeightsLoader::whyNot() const {
    if (!bridge_.model()) return tr("no model is open");
    if (!bridge_.model()->recorded_in.empty()) return tr("this is a recorded run");
    if (!bridge_.model()->cannot_run.empty()) return tr("what is open is no model with a program");
    return bridge_.isBusy() || bridge_.isPaused() ? tr("a run is under way; stop it first") : QString();
}

bool WeightsLoader::takes(const QString& file) const {
    return bridge_.model() && bridge_.model()->recorded_in.empty() && bridge_.model()->cannot_run.empty() &&
           session::holds_weights(file.toStdString());
}

void WeightsLoader::choose() {
    const QString file = views::EngineFiles::getOpenFileName(
        window_, tr("Load weights into the model"), QFileInfo(text(bridge_.model()->path)).absolutePath(),
        tr("Checkpoints (*.pt *.pth *.safetensors *.safetensors.index.json *.npz);;"
           "All files (*)"));
    if (!file.isEmpty()) load(file, true);
}

void WeightsLoader::load(const QString& file, bool strict) {
    banner_.dismiss();
    bridge_.loadWeights(file, strict, this,
                        [this, strict](const session::WeightsReport& report) { tell(report, strict); });
}

void WeightsLoader::tell(const session::WeightsReport& report, bool strict) {
    report_ = report;
    const QString name = QFileInfo(text(report.file)).fileName();
    std::vector<Banner::Link> links;
    if (!report.differences.empty()) links.push_back({tr("Show the differences"), [this] { showDifferences(); }});
    if (report.error.empty()) {
        if (!report.differences.empty()) {
            banner_.tell(tr("%1 of %2 of %3 %4 loaded; passed over: %5.")
                             .arg(report.loaded)
                             .arg(views::counted(report.tensors, "tensor"), name,
                                  report.loaded == 1 ? tr("was") : tr("were"), countsText(report)),
                         links);
        }
        return;
    }
    if (strict && report.can_load_rest)
        links.push_back({tr("Load what fits"), [this] { load(text(report_.file), false); }});
    if (!report.differences.empty())
        links.push_back({tr("Open it by itself"), [this] { emit openWanted(text(report_.file)); }});
    const QString why = report.differences.empty()
                            ? text(report.error)
                            : tr("%1 does not fit the model: %2. Nothing was changed.").arg(name, countsText(report));
    banner_.tell(why, links);
}

void WeightsLoader::makeDialog() {
    dialog_ = new QDialog(window_);
    dialog_->setWindowTitle(tr("Checkpoint and model"));
    list_ = new QTreeWidget(dialog_);
    list_->setObjectName(QStringLiteral("weightDifferences"));
    list_->setAccessibleName(tr("What the checkpoint and the model disagree in"));
    list_->setHeaderLabels({tr("Tensor"), tr("What"), tr("In the file"), tr("In the model")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setSortingEnabled(true);
    list_->sortByColumn(-1, Qt::AscendingOrder);
    auto* title = new QLabel(dialog_);
    title->setObjectName(QStringLiteral("weightTitle"));
    title->setWordWrap(true);
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog_);
    auto* copy = buttons->addButton(tr("Copy all"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("The rows, and load_state_dict's own message"));
    connect(copy, &QPushButton::clicked, this, [this] {
        list_->selectAll();
        QString all = views::selectedRowsText(*list_);
        if (!report_.error.empty()) all += QStringLiteral("\n\n") + text(report_.error);
        QApplication::clipboard()->setText(all);
    });
    connect(buttons, &QDialogButtonBox::rejected, dialog_, &QDialog::hide);
    auto* layout = new QVBoxLayout(dialog_);
    layout->addWidget(title);
    layout->addWidget(list_, 1);
    layout->addWidget(buttons);
    dialog_->resize(680, 420);
}

void WeightsLoader::showDifferences() {
    if (!dialog_) makeDialog();
    list_->clear();
    for (const WeightDifference& each : report_.differences) {
        auto* row =
            new QTreeWidgetItem(list_, {text(each.name), kindText(each.kind), text(each.in_file), text(each.in_model)});
        row->setData(1, Qt::ForegroundRole,
                     views::Theme::themed(each.kind == WeightDifference::Kind::Size ? views::Theme::Colour::Bad
                                                                                    : views::Theme::Colour::Warning));
        row->setToolTip(0, text(each.name));
    }
    list_->header()->resizeSections(QHeaderView::ResizeToContents);
    const QString loaded = report_.error.empty() ? tr("%1 loaded").arg(views::counted(report_.loaded, "tensor"))
                                                 : tr("nothing was changed");
    dialog_->findChild<QLabel*>(QStringLiteral("weightTitle"))
        ->setText(tr("%1: %2; %3.").arg(text(report_.file), countsText(report_), loaded));
    dialog_->show();
    dialog_->raise();
}

}  // namespace loupe::window
