// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/banner.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/common/icons.h"
#include "views/common/theme.h"

namespace loupe::window {

using views::Theme;

Banner::Banner(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("banner"));
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    auto* layout = new QHBoxLayout;
    layout->setContentsMargins(12, 3, 6, 3);
    label_ = new QLabel(this);
    label_->setTextFormat(Qt::PlainText);
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label_->setWordWrap(true);
    links_ = new QWidget(this);
    (new QHBoxLayout(links_))->setContentsMargins(0, 0, 0, 0);
    more_ = new QToolButton(this);
    more_->setObjectName(QStringLiteral("bannerDetails"));
    more_->setText(tr("Details"));
    more_->setCheckable(true);
    more_->setProperty("action", true);
    more_->setToolTip(tr("All of the error, with the source that it is about"));
    details_ = new ErrorDetails(this);
    auto* cross = new QToolButton(this);
    cross->setIcon(views::themeIcon(QStringLiteral("close")));
    cross->setToolTip(tr("Dismiss"));
    cross->setAccessibleName(tr("Dismiss"));
    layout->addWidget(label_, 1);
    layout->addWidget(more_);
    layout->addWidget(links_);
    layout->addWidget(cross);
    whole->addLayout(layout);
    whole->addWidget(details_);
    connect(more_, &QToolButton::toggled, details_, &QWidget::setVisible);
    connect(details_, &ErrorDetails::placeChosen, this, &Banner::placeChosen);
    connect(cross, &QToolButton::clicked, this, &Banner::dismiss);
    colour();
    connect(&Theme::instance(), &Theme::changed, this, &Banner::colour);
    hide();
}

void Banner::colour() {
    const Theme& theme = Theme::instance();
    setStyleSheet(QStringLiteral("#banner { background: %1; border-left: 3px solid %2; }")
                      .arg(theme.colour(is_error_ ? Theme::Colour::BadBack : Theme::Colour::AccentBack).name(),
                           theme.colour(is_error_ ? Theme::Colour::Bad : Theme::Colour::Accent).name()));
    label_->setAccessibleName(is_error_ ? tr("Error") : tr("Note"));
}

// As many lines as the text needs, up to kMostLines; longer text is elided and complete in the tip.
void Banner::fitText() {
    constexpr int kMostLines = 3;
    const int width = std::max(80, label_->width());
    const QFontMetrics metrics = label_->fontMetrics();
    const auto heightOf = [&](const QString& words) {
        return metrics.boundingRect(QRect(0, 0, width, 1 << 16), Qt::TextWordWrap | Qt::TextWrapAnywhere, words)
            .height();
    };
    const int most = kMostLines * metrics.lineSpacing() + 2;
    QString shown = message_;
    if (heightOf(shown) > most) {
        qsizetype fits = 0;
        for (qsizetype step = shown.size() / 2; step > 0; step /= 2) {
            while (fits + step < shown.size() && heightOf(shown.left(fits + step) + QStringLiteral("\u2026")) <= most)
                fits += step;
        }
        shown = shown.left(fits) + QStringLiteral("\u2026");
    }
    if (label_->text() != shown) label_->setText(shown);
    label_->setFixedHeight(std::max(metrics.lineSpacing() + 2, std::min(most, heightOf(shown) + 2)));
}

void Banner::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitText();
}

void Banner::tell(const QString& message, const std::vector<Link>& links, const QString& details) {
    is_error_ = true;
    say(message, links, details);
}

void Banner::note(const QString& message, const std::vector<Link>& links) {
    is_error_ = false;
    say(message, links, {});
}

void Banner::amend(int note, const QString& message) {
    if (note != current_ || isHidden()) return;
    message_ = message;
    label_->setToolTip(message);
    fitText();
}

void Banner::say(const QString& message, const std::vector<Link>& links, const QString& details) {
    ++current_;
    message_ = message;
    colour();
    label_->setText(message);
    more_->setChecked(false);
    more_->setVisible(!details.isEmpty());
    details_->hide();
    if (!details.isEmpty()) details_->setDetails(details);
    label_->setToolTip(message);
    qDeleteAll(links_->findChildren<QPushButton*>());
    for (const Link& link : links) {
        auto* button = new QPushButton(link.text, links_);
        links_->layout()->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, follow = link.follow] {
            Banner::dismiss();
            follow();
        });
    }
    show();
    emit shown(true);
    fitText();
    QMetaObject::invokeMethod(this, &Banner::fitText, Qt::QueuedConnection);  // once it has its width
}

void Banner::dismiss() {
    if (isHidden()) return;
    hide();
    emit shown(false);
}

}  // namespace loupe::window
