// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/watched_bar.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <limits>

#include "views/common/elided_label.h"
#include "views/common/format.h"

namespace loupe::views {

WatchedBar::WatchedBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("trainWatched"));
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(8, 2, 8, 2);
    rows->setSpacing(2);
    words_ = new ElidedLabel(this);
    rows->addWidget(words_);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    rows->addLayout(row);
    every_words_ = new QLabel(tr("measured every"), this);
    every_ = new QSpinBox(this);
    every_->setObjectName(QStringLiteral("watchedEvery"));
    every_->setAccessibleName(tr("Steps between two that are measured"));
    every_->setToolTip(tr("Norms, statistics and activations of one step in so many; losses come of each"));
    every_->setRange(1, std::numeric_limits<int>::max());
    every_->setSuffix(tr(" steps"));
    every_->setKeyboardTracking(false);
    const auto button = [this](const QString& text, const QString& name, const QString& tip) {
        auto* made = new QToolButton(this);
        made->setText(text);
        made->setObjectName(name);
        made->setAccessibleName(text);
        made->setToolTip(tip);
        return made;
    };
    record_ = button(tr("Record the next step"), QStringLiteral("watchedRecord"),
                     tr("The program records every operator of its next step, as a .loupe file beside it"));
    open_ = button(QString(), QStringLiteral("watchedOpen"), tr("Open the recorded step in a window of its own"));
    end_ = button(tr("End the watching"), QStringLiteral("watchedEnd"),
                  tr("The program trains on and is watched no more, by anyone, until it is started again"));
    for (QWidget* each : std::initializer_list<QWidget*>{every_words_, every_, record_, open_, end_})
        row->addWidget(each);
    row->addStretch(1);
    connect(every_, &QSpinBox::valueChanged, this, [this](int steps) { emit everyChosen(steps); });
    connect(record_, &QToolButton::clicked, this, [this] {
        waits_for_ = file_;
        is_asked_ = true;
        showAsked();
        emit recordWanted();
    });
    connect(open_, &QToolButton::clicked, this, [this] { emit openWanted(file_); });
    connect(end_, &QToolButton::clicked, this, &WatchedBar::endWanted);
    setVisible(false);
}

// A program that pauses takes the order with its next step: until then it is said that it has it.
void WatchedBar::showAsked() {
    record_->setText(is_asked_ ? tr("The next step is recorded") : tr("Record the next step"));
    record_->setAccessibleName(record_->text());
}

void WatchedBar::show(const session::TrainingProgram& program) {
    setVisible(!program.name.empty());
    if (program.name.empty()) return;
    QString words = tr("Trained by <b>%1</b>, process %2").arg(text(program.name).toHtmlEscaped()).arg(program.process);
    if (!program.host.empty()) words += tr(" on %1").arg(text(program.host).toHtmlEscaped());
    if (program.ranks > 1) words += tr(", %1 ranks").arg(program.ranks);
    if (!program.optimizer.empty()) words += QStringLiteral(", ") + text(program.optimizer).toHtmlEscaped();
    if (!program.is_live) words += tr(" (no longer attached)");
    words_->setText(words);
    const QSignalBlocker quiet(every_);
    if (!every_->hasFocus())
        every_->setValue(static_cast<int>(std::min<std::int64_t>(program.every, std::numeric_limits<int>::max())));
    for (QWidget* each : std::initializer_list<QWidget*>{every_words_, every_, record_, end_})
        each->setVisible(program.is_live);
    file_ = text(program.recorded_in);
    if (file_ != waits_for_ || !program.is_live) is_asked_ = false;
    showAsked();
    open_->setVisible(!file_.isEmpty());
    open_->setText(tr("Open step %1").arg(program.recorded_step));
    open_->setAccessibleName(open_->text());
    open_->setToolTip(tr("Open %1 in a window of its own").arg(file_));
}

}  // namespace loupe::views
