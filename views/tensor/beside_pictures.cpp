// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/beside_pictures.h"

#include <QGridLayout>
#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

BesidePictures::BesidePictures(TensorPicture* own, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(2);
    pictures_ = {own, new TensorPicture(this), new TensorPicture(this)};
    for (int i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(i);
        titles_[at] = new QLabel(this);
        titles_[at]->setProperty("faint", true);
        titles_[at]->setContentsMargins(8, 2, 8, 0);
        titles_[at]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        grid->addWidget(titles_[at], 0, i);
        grid->addWidget(pictures_[at], 1, i);
        grid->setColumnStretch(i, 1);
        for (TensorPicture* other : pictures_) {
            if (other == pictures_[at]) continue;
            connect(pictures_[at], &TensorPicture::viewChanged, other, &TensorPicture::setView);
        }
        connect(pictures_[at], &TensorPicture::pointed, this, [this](const std::optional<QPointF>& point) {
            for (TensorPicture* each : pictures_) each->setCursorAt(is_on_ ? point : std::nullopt);
            if (is_on_ && point) emit pictures_[0]->hovered(describe(*point));
        });
    }
    titles_[0]->setText(tr("this run"));
    grid->setRowStretch(1, 1);
    pictures_[1]->setAccessibleName(tr("Tensor of the reference"));
    pictures_[2]->setAccessibleName(tr("Difference from the reference"));
    clear();
}

void BesidePictures::clear() {
    is_on_ = false;
    for (std::size_t i = 0; i < 3; ++i) {
        titles_[i]->hide();
        if (i > 0) pictures_[i]->hide();
        pictures_[i]->setCursorAt(std::nullopt);
    }
    for (int i = 1; i < 3; ++i) static_cast<QGridLayout*>(layout())->setColumnStretch(i, 0);
}

void BesidePictures::show(const session::TensorComparison& found) {
    is_on_ = true;
    pictures_[1]->setSlice(found.reference);
    pictures_[2]->setSlice(found.difference);
    titles_[1]->setText(text(found.label));
    titles_[1]->setToolTip(titles_[1]->text());
    titles_[2]->setText(tr("difference: %1").arg(text(session::difference_text(found.numbers))));
    titles_[2]->setToolTip(tr("%1 of %2 elements beyond rtol %3, atol %4")
                               .arg(found.numbers.beyond)
                               .arg(found.numbers.count)
                               .arg(found.tolerance.rtol)
                               .arg(found.tolerance.atol));
    Theme::setTone(*titles_[2], found.numbers.is_close() ? Theme::Colour::Faint : Theme::Colour::Bad);
    const auto& finite = found.difference.statistics.finite;
    widest_ = finite ? std::max(std::fabs(finite->min), std::fabs(finite->max)) : 0;
    for (std::size_t i = 0; i < 3; ++i) {
        titles_[i]->show();
        pictures_[i]->QWidget::show();
        static_cast<QGridLayout*>(layout())->setColumnStretch(static_cast<int>(i), 1);
    }
}

void BesidePictures::setMode(TensorPicture::Mode mode) {
    for (TensorPicture* each : pictures_) each->setMode(mode);
}

void BesidePictures::setTile(int tile) {
    for (TensorPicture* each : pictures_) each->setTile(tile);
}

void BesidePictures::setColours(ColourMap map, double low, double high) {
    pictures_[0]->setColours(map, low, high);
    pictures_[1]->setColours(map, low, high);
    pictures_[2]->setColours(ColourMap::Diverging, -widest_, widest_);
}

QString BesidePictures::describe(QPointF at) const {
    const QString own = pictures_[0]->describe(at);
    if (!is_on_ || own.isEmpty()) return own;
    const auto value = [&](const TensorPicture* picture) {
        return picture->describe(at).section(QStringLiteral(" = "), 1);
    };
    return tr("%1   reference %2   difference %3").arg(own, value(pictures_[1]), value(pictures_[2]));
}

}  // namespace loupe::views
