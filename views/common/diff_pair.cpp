// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/diff_pair.h"

#include <QAction>
#include <QScrollBar>
#include <algorithm>

#include "views/common/format.h"

namespace loupe::views {

QStringList linesOf(const QString& text) {
    QStringList lines = text.split(QLatin1Char('\n'));
    while (!lines.empty() && lines.back().isEmpty()) lines.pop_back();
    return lines;
}

DiffPair::DiffPair(DiffText* left, DiffText* right, QWidget* panel, std::function<bool()> isInUse)
    : QObject(panel), left_(left), right_(right) {
    tie(Qt::Vertical);
    tie(Qt::Horizontal);
    connect(left_, &DiffText::rowChosen, this, [this] { markOther(left_, right_); });
    connect(right_, &DiffText::rowChosen, this, [this] { markOther(right_, left_); });
    const auto key = [&](const QString& title, const QKeySequence& keys, int step) {
        auto* action = new QAction(title, panel);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, step, isInUse] {
            if (isInUse()) go(step);
        });
        panel->addAction(action);
    };
    key(tr("Next difference"), QKeySequence(Qt::ALT | Qt::Key_Down), 1);
    key(tr("Previous difference"), QKeySequence(Qt::ALT | Qt::Key_Up), -1);
}

// Both sides have the same number of rows, so their scroll bars agree.
void DiffPair::tie(Qt::Orientation orientation) {
    const auto bar_of = [orientation](DiffText* area) {
        return orientation == Qt::Vertical ? area->verticalScrollBar() : area->horizontalScrollBar();
    };
    connect(bar_of(left_), &QScrollBar::valueChanged, bar_of(right_), &QScrollBar::setValue);
    connect(bar_of(right_), &QScrollBar::valueChanged, bar_of(left_), &QScrollBar::setValue);
}

namespace {

QStringList keysOf(const QStringList& lines, DiffPair::Key key) {
    if (key == nullptr) return lines;
    QStringList keys;
    for (const QString& line : lines) keys << key(line);
    return keys;
}

}  // namespace

void DiffPair::setLines(const QStringList& left, const QStringList& right, Key key) {
    const bool is_again = left == left_lines_ && right == right_lines_ && key == key_;
    if (is_again && !left_->document()->isEmpty()) return;
    left_lines_ = left;
    right_lines_ = right;
    key_ = key;
    std::vector<DiffRow> rows = diffLines(keysOf(left, key), keysOf(right, key));
    starts_.clear();
    changed_ = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind == DiffRow::Kind::Same) continue;
        ++changed_;
        if (i == 0 || rows[i - 1].kind == DiffRow::Kind::Same) starts_.push_back(static_cast<int>(i));
    }
    left_->setRows(left, rows);
    right_->setRows(right, std::move(rows));
    row_ = -1;
    // With a few lines above it in sight.
    const int first = std::max(0, (starts_.empty() ? 0 : starts_.front()) - 4);
    right_->verticalScrollBar()->setValue(first);
    left_->verticalScrollBar()->setValue(first);
}

QString DiffPair::summary() const {
    if (changed_ == 0 && left_lines_ != right_lines_)
        return tr("both are the same but for numbers and places, %1").arg(counted(right_lines_.size(), "line"));
    if (changed_ == 0) return tr("both are the same, %1").arg(counted(right_lines_.size(), "line"));
    return changed_ == 1 ? tr("1 line differs") : tr("%1 differ").arg(counted(changed_, "line"));
}

void DiffPair::go(int step) {
    if (starts_.empty()) return;
    const int from = row_ >= 0 ? row_ : step > 0 ? -1 : right_->blockCount();
    auto at = step > 0 ? std::upper_bound(starts_.begin(), starts_.end(), from)
                       : std::lower_bound(starts_.begin(), starts_.end(), from);
    if (step > 0)
        row_ = at == starts_.end() ? starts_.front() : *at;
    else
        row_ = at == starts_.begin() ? starts_.back() : *(at - 1);
    left_->markRow(row_);
    right_->markRow(row_);
    bringIntoSight(row_);
    emit changedPlace();
}

void DiffPair::markOther(DiffText* from, DiffText* to) {
    row_ = from->textCursor().blockNumber();
    from->markRow(-1);
    to->markRow(row_);
}

void DiffPair::bringIntoSight(int row) {
    if (row < 0) return;
    const int first = right_->verticalScrollBar()->value();
    const int shown = right_->verticalScrollBar()->pageStep();
    if (row < first + 2 || row > first + shown - 3) right_->verticalScrollBar()->setValue(std::max(0, row - shown / 3));
    left_->verticalScrollBar()->setValue(right_->verticalScrollBar()->value());
}

}  // namespace loupe::views
