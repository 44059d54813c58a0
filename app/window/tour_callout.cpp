// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tour_callout.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

namespace {

constexpr int kWidth = 340;
constexpr int kApart = 12;  // from the ring, and from the edges of the window
constexpr int kRing = 3;

}  // namespace

TourRing::TourRing(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void TourRing::surround(const QRect& place) {
    if (place.isEmpty()) return hide();
    const QRect around = place.adjusted(-kRing, -kRing, kRing, kRing).intersected(parentWidget()->rect());
    if (geometry() != around) setGeometry(around);
    show();
    raise();
}

void TourRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::instance().colour(Theme::Colour::Accent), kRing));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
}

TourCallout::TourCallout(QWidget* window) : QFrame(window) {
    setObjectName(QStringLiteral("tour"));
    setAccessibleName(tr("Guided tour"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 10, 10);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    title_ = new QLabel(this);
    QFont bold = title_->font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    number_ = new QLabel(this);
    number_->setProperty("faint", true);
    auto* end = new QToolButton(this);
    end->setIcon(views::themeIcon(QStringLiteral("close")));
    end->setToolTip(tr("End the tour (Esc)"));
    end->setAccessibleName(tr("End the tour"));
    connect(end, &QToolButton::clicked, this, &TourCallout::endWanted);
    head->addWidget(title_, 1);
    head->addWidget(number_);
    head->addWidget(end);
    column->addLayout(head);
    text_ = new QLabel(this);
    text_->setObjectName(QStringLiteral("tourText"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setFixedWidth(kWidth - 28);
    column->addWidget(text_);
    problem_ = new QLabel(this);
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setProperty("bad", true);
    problem_->setFixedWidth(kWidth - 28);
    column->addWidget(problem_);
    auto* buttons = new QHBoxLayout;
    back_ = new QPushButton(tr("Back"), this);
    next_ = new QPushButton(this);
    next_->setObjectName(QStringLiteral("tourNext"));
    next_->setDefault(true);
    buttons->addWidget(back_);
    buttons->addStretch(1);
    buttons->addWidget(next_);
    column->addLayout(buttons);
    connect(back_, &QPushButton::clicked, this, &TourCallout::backWanted);
    connect(next_, &QPushButton::clicked, this, &TourCallout::nextWanted);
    connect(&Theme::instance(), &Theme::changed, this, &TourCallout::colour);
    colour();
    hide();
}

void TourCallout::colour() {
    const Theme& theme = Theme::instance();
    setStyleSheet(QStringLiteral("#tour { background: %1; border: 1px solid %2; border-radius: 8px; }")
                      .arg(theme.colour(Theme::Colour::Raised).name(), theme.colour(Theme::Colour::Accent).name()));
}

void TourCallout::showStep(const QString& title, const QString& text, int number, int count) {
    title_->setText(title);
    number_->setText(tr("%1 of %2").arg(number).arg(count));
    text_->setText(text);
    setAccessibleDescription(text);
    back_->setEnabled(number > 1);
    is_last_ = number == count;
    setProblem({});
    show();
    raise();
}

void TourCallout::setProblem(const QString& problem) {
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    fit();
}

// A text that wraps is as high as its width makes it: the layout alone takes what it was before for that.
void TourCallout::fit() {
    for (QLabel* label : {text_, problem_}) {
        label->ensurePolished();
        label->setFixedHeight(std::max(0, label->heightForWidth(label->width())));
    }
    layout()->invalidate();
    resize(layout()->totalSizeHint());
}

bool TourCallout::event(QEvent* event) {
    const bool is_taken = QFrame::event(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
    return is_taken;
}

void TourCallout::setState(bool hasWork, bool isDone, bool waits) {
    const bool mustDo = hasWork && !isDone;
    next_->setText(waits ? tr("Working\u2026") : mustDo ? tr("Show me") : is_last_ ? tr("Done") : tr("Next"));
    next_->setToolTip(mustDo ? tr("Do it yourself, or let it be done") : QString());
    next_->setEnabled(!waits);
}

void TourCallout::stand(const QRect& place) {
    const QRect window = parentWidget()->rect().adjusted(kApart, kApart, -kApart, -kApart);
    const QSize size = this->size();
    const auto inside = [&](QPoint corner) {
        corner.setX(std::clamp(corner.x(), window.left(), std::max(window.left(), window.right() - size.width())));
        corner.setY(std::clamp(corner.y(), window.top(), std::max(window.top(), window.bottom() - size.height())));
        return QRect(corner, size);
    };
    QRect best = inside({window.center().x() - size.width() / 2, window.bottom() - size.height()});
    if (!place.isEmpty()) {
        const int middle = place.center().y() - size.height() / 2;
        const int centre = place.center().x() - size.width() / 2;
        // Right of it, left, below, above, and in its corner where it fills the window.
        const QRect places[] = {
            inside({place.right() + kApart, middle}), inside({place.left() - kApart - size.width(), middle}),
            inside({centre, place.bottom() + kApart}), inside({centre, place.top() - kApart - size.height()}),
            inside(place.bottomRight() - QPoint(size.width(), size.height()))};
        const auto covered = [&](const QRect& at) {
            const QRect both = at.intersected(place);
            return both.width() * both.height();
        };
        best = *std::min_element(std::begin(places), std::end(places),
                                 [&](const QRect& a, const QRect& b) { return covered(a) < covered(b); });
    }
    if (geometry() != best) setGeometry(best);
}

void TourCallout::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        emit endWanted();
    else
        QFrame::keyPressEvent(event);
}

}  // namespace loupe::window
