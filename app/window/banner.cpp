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
    label_->setAccessibleName(tr("Error"));
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
    const auto colour = [this] {
        setStyleSheet(QStringLiteral("#banner { background: %1; border-left: 3px solid %2; }")
                          .arg(Theme::instance().colour(Theme::Colour::BadBack).name(),
                               Theme::instance().colour(Theme::Colour::Bad).name()));
    };
    colour();
    connect(&Theme::instance(), &Theme::changed, this, colour);
    hide();
}

void Banner::tell(const QString& message, const std::vector<Link>& links, const QString& details) {
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
}

void Banner::dismiss() {
    if (isHidden()) return;
    hide();
    emit shown(false);
}

}  // namespace loupe::window
