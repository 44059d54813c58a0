// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/token_chips.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"

namespace loupe::views {

namespace {

constexpr int kMargin = 6;
constexpr int kChipGap = 3;
constexpr int kPadding = 5;
constexpr int kWidest = 220;

QString scoreText(double score) {
    return (score > 0 ? QStringLiteral("+") : QString()) + QString::number(score, 'g', 2);
}

}  // namespace

TokenChips::TokenChips(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Tokens"));
    connect(&Theme::instance(), &Theme::changed, this, [this] { arrange(); });
}

QFont TokenChips::wordFont() const { return Theme::instance().monoFont(); }
QFont TokenChips::idFont() const {
    QFont font = Theme::instance().uiFont();
    font.setPointSizeF(font.pointSizeF() * 0.78);
    return font;
}

int TokenChips::chipHeight() const {
    const int lines = scores_.empty() ? 1 : 2;
    return QFontMetrics(wordFont()).height() + lines * QFontMetrics(idFont()).height() + 5;
}

void TokenChips::setTokens(std::vector<session::TokenInfo> tokens, int fresh) {
    const bool isLonger = tokens.size() > tokens_.size() && !tokens_.empty();
    tokens_ = std::move(tokens);
    fresh_ = fresh;
    if (scores_.size() != tokens_.size()) scores_.clear();
    if (chosen_ >= static_cast<int>(tokens_.size())) chosen_ = -1;
    arrange();
    if (isLonger && fresh >= 0) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void TokenChips::setScores(std::vector<double> scores) {
    scores_ = scores.size() == tokens_.size() ? std::move(scores) : std::vector<double>();
    greatest_ = 0;
    for (const double score : scores_)
        if (std::isfinite(score)) greatest_ = std::max(greatest_, std::abs(score));
    arrange();
}

void TokenChips::setChosen(int token) {
    chosen_ = token >= 0 && token < static_cast<int>(tokens_.size()) ? token : -1;
    if (chosen_ >= 0) {
        const QRect rect = rects_[static_cast<std::size_t>(chosen_)];
        QScrollBar* bar = verticalScrollBar();
        if (rect.top() < bar->value()) bar->setValue(rect.top() - kMargin);
        if (rect.bottom() > bar->value() + viewport()->height())
            bar->setValue(rect.bottom() - viewport()->height() + kMargin);
        setAccessibleDescription(tipOf(chosen_));
    }
    viewport()->update();
}

void TokenChips::choose(int token) {
    if (token == chosen_ || token < 0 || token >= static_cast<int>(tokens_.size())) return;
    setChosen(token);
    emit chosenChanged(token);
}

int TokenChips::arrangeIn(int width, std::vector<QRect>* out) const {
    const QFontMetrics word(wordFont()), id(idFont());
    const int tall = chipHeight();
    int x = kMargin, y = kMargin;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        int wide = std::max(word.horizontalAdvance(visibleToken(tokens_[i])),
                            id.horizontalAdvance(QString::number(tokens_[i].id)));
        if (!scores_.empty()) wide = std::max(wide, id.horizontalAdvance(scoreText(scores_[i])));
        wide = std::min(wide + 2, kWidest) + 2 * kPadding;  // what is drawn may be wider by a part of a pixel
        if (x + wide > width - kMargin && x > kMargin) {
            x = kMargin;
            y += tall + kChipGap;
        }
        if (out != nullptr) out->push_back({x, y, wide, tall});
        x += wide + kChipGap;
        // After the end of a line the next one begins.
        if (tokens_[i].text.ends_with('\n') && i + 1 < tokens_.size()) {
            x = kMargin;
            y += tall + kChipGap;
        }
    }
    return y + tall + kMargin;
}

int TokenChips::heightFor(int width) const { return arrangeIn(width, nullptr); }
QSize TokenChips::sizeHint() const { return {300, heightFor(std::max(width(), 200))}; }

void TokenChips::arrange() {
    rects_.clear();
    const int all = arrangeIn(viewport()->width(), &rects_);
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(chipHeight());
    updateGeometry();
    viewport()->update();
}

QRect TokenChips::chipRect(int token) const {
    if (token < 0 || token >= static_cast<int>(rects_.size())) return {};
    return rects_[static_cast<std::size_t>(token)].translated(0, -verticalScrollBar()->value());
}

// From the colour of a chip without a number to one end of the diverging map.
QColor TokenChips::chipColour(int token) const {
    const auto at = static_cast<std::size_t>(token);
    if (at >= scores_.size() || !(greatest_ > 0) || !std::isfinite(scores_[at])) return {};
    const QColor end = QColor::fromRgb(colourAt(ColourMap::Diverging, scores_[at] > 0 ? 0.95 : 0.05));
    const QColor plain = Theme::instance().colour(Theme::Colour::Raised);
    // By the square root: small shares are to be seen too.
    const double share = std::sqrt(std::abs(scores_[at]) / greatest_);
    const auto mixed = [share](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
    return {mixed(plain.red(), end.red()), mixed(plain.green(), end.green()), mixed(plain.blue(), end.blue())};
}

int TokenChips::chipAt(QPoint place) const {
    place.ry() += verticalScrollBar()->value();
    for (std::size_t i = 0; i < rects_.size(); ++i)
        if (rects_[i].contains(place)) return static_cast<int>(i);
    return -1;
}

void TokenChips::paintChip(QPainter& painter, int token) const {
    const auto at = static_cast<std::size_t>(token);
    const session::TokenInfo& each = tokens_[at];
    const Theme& theme = Theme::instance();
    const QRect rect = chipRect(token);
    const QColor own = chipColour(token);
    const bool isFresh = fresh_ >= 0 && token >= fresh_;
    QColor back = own.isValid() ? own : theme.colour(isFresh ? Theme::Colour::AccentBack : Theme::Colour::Raised);
    const QColor ink = own.isValid() ? readableOn(own.rgb())
                                     : theme.colour(each.is_special ? Theme::Colour::Faint : Theme::Colour::Text);
    const bool isChosen = token == chosen_;
    QPen pen(theme.colour(isChosen ? Theme::Colour::Accent : Theme::Colour::Border), isChosen ? 2 : 1);
    // Special tokens stand in a broken line.
    if (each.is_special && !isChosen) pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(back);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const QFontMetrics word(wordFont()), id(idFont());
    const QRect inside = rect.adjusted(kPadding, 2, -kPadding, -2);
    painter.setPen(ink);
    painter.setFont(wordFont());
    painter.drawText(QRect(inside.left(), inside.top(), inside.width(), word.height()),
                     Qt::AlignHCenter | Qt::AlignVCenter,
                     word.elidedText(visibleToken(each), Qt::ElideRight, inside.width()));
    QColor faint = own.isValid() ? ink : theme.colour(Theme::Colour::Faint);
    if (own.isValid()) faint.setAlpha(190);
    painter.setPen(faint);
    painter.setFont(idFont());
    const QRect second(inside.left(), inside.top() + word.height(), inside.width(), id.height());
    painter.drawText(second, Qt::AlignCenter, QString::number(each.id));
    if (scores_.empty()) return;
    painter.setPen(ink);
    painter.drawText(second.translated(0, id.height()), Qt::AlignCenter, scoreText(scores_[at]));
}

void TokenChips::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), Theme::instance().colour(Theme::Colour::Panel));
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < static_cast<int>(tokens_.size()); ++i)
        if (chipRect(i).intersects(event->rect())) paintChip(painter, i);
    if (hasFocus() && chosen_ < 0 && !tokens_.empty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Theme::instance().colour(Theme::Colour::Accent), 1, Qt::DotLine));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TokenChips::resizeEvent(QResizeEvent*) { arrange(); }
void TokenChips::focusInEvent(QFocusEvent*) { viewport()->update(); }
void TokenChips::focusOutEvent(QFocusEvent*) { viewport()->update(); }
void TokenChips::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
}

void TokenChips::mousePressEvent(QMouseEvent* event) { choose(chipAt(event->position().toPoint())); }
void TokenChips::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void TokenChips::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(tokens_.size()) - 1;
    // The chip above or below: the nearest of another row.
    const auto vertical = [&](int direction) {
        if (chosen_ < 0) return 0;
        const QRect from = rects_[static_cast<std::size_t>(chosen_)];
        int best = chosen_, distance = std::numeric_limits<int>::max();
        for (int i = chosen_; i >= 0 && i <= last; i += direction) {
            const QRect rect = rects_[static_cast<std::size_t>(i)];
            if (rect.top() == from.top()) continue;
            if (best != chosen_ && rect.top() != rects_[static_cast<std::size_t>(best)].top()) break;
            const int away = std::abs(rect.center().x() - from.center().x());
            if (away < distance) best = i, distance = away;
        }
        return best;
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return choose(std::max(0, chosen_ - 1));
        case Qt::Key_Right:
            return choose(std::min(last, chosen_ + 1));
        case Qt::Key_Up:
            return choose(vertical(-1));
        case Qt::Key_Down:
            return choose(vertical(1));
        case Qt::Key_Home:
            return choose(0);
        case Qt::Key_End:
            return choose(last);
        default:
            return QAbstractScrollArea::keyPressEvent(event);
    }
}

QString TokenChips::tipOf(int token) const {
    const auto at = static_cast<std::size_t>(token);
    QString tip = tr("#%1: %2").arg(token).arg(describeToken(tokens_[at]));
    if (at < scores_.size())
        tip += QLatin1Char('\n') + tr("gradient \u00d7 embedding %1").arg(QString::number(scores_[at], 'g', 6));
    return tip;
}

bool TokenChips::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int token = chipAt(help->pos());
        if (token >= 0)
            QToolTip::showText(help->globalPos(), tipOf(token), viewport(), chipRect(token));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace loupe::views
