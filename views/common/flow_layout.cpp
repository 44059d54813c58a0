// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace loupe::views {

namespace {

// Expanding widgets, and elided labels.
bool takesWhatIsLeft(const QLayoutItem& item) {
    const auto* widget = const_cast<QLayoutItem&>(item).widget();
    const bool is_ignored = widget != nullptr && widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
    return is_ignored || (item.expandingDirections() & Qt::Horizontal);
}

}  // namespace

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const {
    QSize least;
    for (const QLayoutItem* item : items_) {
        if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
    }
    const QMargins margins = contentsMargins();
    return least + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, Arrange::Place);
}

// Returns the height. Expanding widgets get the remaining width of their row; all are centred vertically.
int FlowLayout::arrange(const QRect& rect, Arrange what) const {
    const QRect inside = rect.marginsRemoved(contentsMargins());
    int top = inside.top();
    for (qsizetype first = 0; first < items_.size();) {
        int width = 0;
        int height = 0;
        qsizetype end = first;
        QList<std::pair<QLayoutItem*, QSize>> row;
        for (; end < items_.size(); ++end) {
            QLayoutItem* item = items_[end];
            if (item->isEmpty()) continue;
            const bool stretches = takesWhatIsLeft(*item);
            const QSize hint = item->sizeHint().expandedTo(item->minimumSize());
            const QSize size(stretches ? std::min(hint.width(), inside.width())
                                       : std::min(hint.width(), std::max(inside.width(), item->minimumSize().width())),
                             hint.height());
            const int more = size.width() + (row.isEmpty() ? 0 : spacing());
            if (!row.isEmpty() && width + more > inside.width()) break;
            width += more;
            height = std::max(height, size.height());
            row.emplace_back(item, size);
        }
        first = std::max(end, first + 1);
        if (row.isEmpty()) continue;
        int left = inside.left();
        int spare = std::max(0, inside.width() - width);
        // Those with the least room to grow first: what they leave is the others'.
        QList<std::pair<QLayoutItem*, QSize>*> growing;
        for (auto& each : row) {
            if (takesWhatIsLeft(*each.first)) growing += &each;
        }
        const auto room = [](const auto* each) { return each->first->maximumSize().width() - each->second.width(); };
        std::sort(growing.begin(), growing.end(), [&](auto* a, auto* b) { return room(a) < room(b); });
        for (qsizetype i = 0; i < growing.size(); ++i) {
            const int more = std::clamp(spare / static_cast<int>(growing.size() - i), 0, std::max(0, room(growing[i])));
            growing[i]->second.rwidth() += more;
            spare -= more;
        }
        for (auto& [item, size] : row) {
            if (what == Arrange::Place)
                item->setGeometry(QRect(QPoint(left, top + (height - size.height()) / 2), size));
            left += size.width() + spacing();
        }
        top += height + (first < items_.size() ? 3 : 0);
    }
    return top - rect.top() + contentsMargins().bottom();
}

}  // namespace loupe::views
