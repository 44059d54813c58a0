// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/release_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "views/common/format.h"
#include "views/common/kept_release.h"

namespace loupe::views {

ReleaseBar::ReleaseBar(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {
    releases_ = new QComboBox(this);
    releases_->setObjectName(QStringLiteral("torchRelease"));
    releases_->setAccessibleName(tr("PyTorch release"));
    releases_->addItem(tr("PyTorch 2.15"), newestRelease());
    releases_->addItem(tr("PyTorch 1.13"), QStringLiteral("1.13"));
    releases_->setToolTip(
        tr("Which PyTorch the source sees where releases differ: torch.__version__, first values of weights, draws, "
           "printed forms, messages of errors. The model is built again."));
    connect(releases_, &QComboBox::activated, this, [this] { choose(releases_->currentData().toString()); });
    auto* label = new QLabel(tr("Built as by"), this);
    label->setBuddy(releases_);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 2);
    layout->setSpacing(6);
    layout->addWidget(label);
    layout->addWidget(releases_);
    layout->addStretch(1);
    showModel();
}

void ReleaseBar::showModel() {
    const auto& model = bridge_.model();
    const QString path = model ? text(model->path) : QString();
    setVisible(path.endsWith(QLatin1String(".py")));
    const QSignalBlocker blocker(releases_);
    releases_->setCurrentIndex(std::max(0, releases_->findData(recallRelease(path))));
}

void ReleaseBar::choose(const QString& release) {
    const auto& model = bridge_.model();
    if (!model) return;
    const QString path = text(model->path);
    if (release == recallRelease(path)) return;
    keepRelease(path, release);
    bridge_.open(path, text(model->built_with));
}

}  // namespace loupe::views
