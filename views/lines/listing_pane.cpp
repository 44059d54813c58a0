// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/lines/listing_pane.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <algorithm>

#include "views/common/theme.h"

namespace loupe::views {

class ListingPane::Margin : public QWidget {
  public:
    explicit Margin(ListingPane* pane) : QWidget(pane), pane_(pane) {}

  protected:
    void paintEvent(QPaintEvent* event) override { pane_->paintMargin(event); }

  private:
    ListingPane* pane_;
};

ListingPane::ListingPane(QWidget* parent)
    : QPlainTextEdit(parent), margin_(new Margin(this)), hint_(new EmptyHint(this)) {
    setReadOnly(true);
    setLineWrapMode(NoWrap);
    setFrameShape(QFrame::NoFrame);
    setFont(Theme::instance().codeFont());
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    viewport()->setMouseTracking(true);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
        if (dy != 0)
            margin_->scroll(0, dy);
        else
            margin_->update(0, area.y(), margin_->width(), area.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (hasFocus()) emit chosen(keysOf(textCursor().blockNumber()));
    });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        setFont(Theme::instance().codeFont());
        viewport()->update();
        margin_->update();
    });
}

void ListingPane::setLines(LinkedLines lines, std::function<int(int)> colourOf, const QString& why) {
    lines_ = std::move(lines);
    colour_of_ = std::move(colourOf);
    marked_.clear();
    pointed_ = -1;
    QStringList words;
    for (const LinkedLine& line : lines_) words << line.text;
    setPlainText(words.join(QLatin1Char('\n')));
    hint_->say(lines_.empty() ? why : QString());
    setViewportMargins(marginWidth(), 0, 0, 0);
    margin_->update();
}

std::set<int> ListingPane::keysOf(int row) const {
    if (row < 0 || row >= static_cast<int>(lines_.size())) return {};
    const auto& keys = lines_[static_cast<std::size_t>(row)].keys;
    return {keys.begin(), keys.end()};
}

bool ListingPane::isMarked(int row) const {
    if (marked_.empty() || row < 0 || row >= static_cast<int>(lines_.size())) return false;
    const auto& keys = lines_[static_cast<std::size_t>(row)].keys;
    return std::any_of(keys.begin(), keys.end(), [this](int key) { return marked_.contains(key); });
}

QColor ListingPane::backgroundOf(int row) const {
    if (row < 0 || row >= static_cast<int>(lines_.size()) || !colour_of_) return {};
    const auto& keys = lines_[static_cast<std::size_t>(row)].keys;
    if (keys.empty()) return {};
    QColor colour = Theme::instance().series(colour_of_(keys.front()));
    const int plain = Theme::instance().isDark() ? 62 : 72;
    colour.setAlpha(isMarked(row) ? 150 : marked_.empty() ? plain : plain / 2);
    return colour;
}

bool ListingPane::isInSight(int row) const {
    const int first = firstVisibleBlock().blockNumber();
    const int high = std::max(1, fontMetrics().lineSpacing());
    return row >= first && row < first + viewport()->height() / high;
}

void ListingPane::mark(const std::set<int>& keys, bool scroll) {
    if (keys == marked_ && !scroll) return;
    marked_ = keys;
    viewport()->update();
    margin_->update();
    if (!scroll || keys.empty()) return;
    int first = -1;
    for (int row = 0; row < static_cast<int>(lines_.size()); ++row) {
        if (!isMarked(row)) continue;
        if (isInSight(row)) return;
        if (first < 0) first = row;
    }
    const int rows = viewport()->height() / std::max(1, fontMetrics().lineSpacing());
    const int above = std::clamp(rows / 2, 0, 4);  // lines that stay above it
    if (first >= 0) verticalScrollBar()->setValue(std::max(0, first - above));
}

void ListingPane::choose(int row) {
    setTextCursor(QTextCursor(document()->findBlockByNumber(row)));
    emit chosen(keysOf(row));
}

void ListingPane::mouseMoveEvent(QMouseEvent* event) {
    QPlainTextEdit::mouseMoveEvent(event);
    const QTextBlock block = cursorForPosition(event->pos()).block();
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    const int row = event->pos().y() <= place.bottom() ? block.blockNumber() : -1;
    if (row == pointed_) return;
    pointed_ = row;
    emit pointed(keysOf(row));
}

void ListingPane::leaveEvent(QEvent* event) {
    QPlainTextEdit::leaveEvent(event);
    pointed_ = -1;
    emit pointed({});
}

// Only of rows in sight: assembly has thousands.
void ListingPane::paintEvent(QPaintEvent* event) {
    {
        QPainter painter(viewport());
        QTextBlock block = firstVisibleBlock();
        double top = blockBoundingGeometry(block).translated(contentOffset()).top();
        for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
            const double high = blockBoundingRect(block).height();
            if (const QColor colour = backgroundOf(block.blockNumber()); colour.isValid())
                painter.fillRect(QRectF(0, top, viewport()->width(), high), colour);
            top += high;
        }
    }
    QPlainTextEdit::paintEvent(event);
}

int ListingPane::marginWidth() const {
    int most = 99;
    for (const LinkedLine& line : lines_) most = std::max(most, line.number);
    return fontMetrics().horizontalAdvance(QLatin1Char('9')) * static_cast<int>(QString::number(most).size()) + 16;
}

void ListingPane::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    const QRect inside = contentsRect();
    margin_->setGeometry(inside.left(), inside.top(), marginWidth(), inside.height());
}

// Numbers, and a bar in the line's own colour: faint colours of a row alone are hard to tell apart.
void ListingPane::paintMargin(QPaintEvent* event) {
    constexpr double kBar = 5;
    const Theme& theme = Theme::instance();
    QPainter painter(margin_);
    painter.fillRect(event->rect(), theme.colour(Theme::Colour::Raised));
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
        const double high = blockBoundingRect(block).height();
        const int row = block.blockNumber();
        if (row < static_cast<int>(lines_.size())) {
            const LinkedLine& line = lines_[static_cast<std::size_t>(row)];
            painter.setPen(theme.colour(isMarked(row) ? Theme::Colour::Text : Theme::Colour::Faint));
            if (line.number > 0)
                painter.drawText(QRectF(0, top, margin_->width() - kBar - 5, high), Qt::AlignRight | Qt::AlignVCenter,
                                 QString::number(line.number));
            if (!line.keys.empty() && colour_of_)
                painter.fillRect(QRectF(margin_->width() - kBar, top, kBar, high),
                                 theme.series(colour_of_(line.keys.front())));
        }
        top += high;
    }
}

}  // namespace loupe::views
