// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/generation/sampling_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>
#include <limits>

#include "views/common/panel_bar.h"

namespace loupe::views {

SamplingBar::SamplingBar(QWidget* parent) : QWidget(parent) {
    auto* bar = new PanelBar(this, {6, 0, 6, 3}, 5);
    setLayout(bar);
    kind_ = bar->choice(tr("How a token is chosen"),
                        tr("The likeliest token each time, or one drawn by the probabilities"));
    kind_->addItems({tr("Likeliest"), tr("Drawn")});
    kind_->setObjectName(QStringLiteral("samplingKind"));
    temperature_ =
        number(tr("temperature "), 0.01, 100, 0.1, tr("Scores are divided by it: below 1 the likely ones gain"));
    top_k_ = count(tr("top k "), 1'000'000, tr("Only so many of the likeliest; 0: all"));
    top_p_ = number(tr("top p "), 0, 1, 0.05, tr("Only the likeliest that together have this probability; 1: all"));
    min_p_ =
        number(tr("min p "), 0, 1, 0.05, tr("Only those with this part of the likeliest one's probability; 0: all"));
    seed_ = count(tr("seed "), std::numeric_limits<int>::max(), tr("Of the random numbers, as torch.manual_seed"));
    penalty_ = number(tr("repetition penalty "), 0.01, 100, 0.1,
                      tr("Scores of tokens that came already are divided by it, negative ones multiplied; 1: none"));
    for (QWidget* field : std::initializer_list<QWidget*>{temperature_, top_k_, top_p_, min_p_, seed_, penalty_})
        bar->addWidget(field);
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
        showSampled();
        emit changed();
    });
    setSampling({});
}

QDoubleSpinBox* SamplingBar::number(const QString& prefix, double low, double high, double step, const QString& tip) {
    auto* made = new QDoubleSpinBox(this);
    made->setPrefix(prefix);
    made->setRange(low, high);
    made->setSingleStep(step);
    made->setDecimals(2);
    made->setToolTip(tip);
    made->setAccessibleName(prefix.trimmed());
    made->setButtonSymbols(QAbstractSpinBox::NoButtons);
    connect(made, &QDoubleSpinBox::valueChanged, this, &SamplingBar::changed);
    return made;
}

QSpinBox* SamplingBar::count(const QString& prefix, int most, const QString& tip) {
    auto* made = new QSpinBox(this);
    made->setPrefix(prefix);
    made->setRange(0, most);
    made->setToolTip(tip);
    made->setAccessibleName(prefix.trimmed());
    made->setButtonSymbols(QAbstractSpinBox::NoButtons);
    made->setMaximumWidth(110);
    connect(made, &QSpinBox::valueChanged, this, &SamplingBar::changed);
    return made;
}

void SamplingBar::showSampled() {
    const bool isDrawn = kind_->currentIndex() == 1;
    for (QWidget* field : std::initializer_list<QWidget*>{temperature_, top_k_, top_p_, min_p_, seed_})
        field->setVisible(isDrawn);
}

session::SamplingOptions SamplingBar::sampling() const {
    session::SamplingOptions out = kept_;
    out.samples = kind_->currentIndex() == 1;
    out.temperature = temperature_->value();
    out.top_k = top_k_->value();
    out.top_p = top_p_->value();
    out.min_p = min_p_->value();
    out.repetition_penalty = penalty_->value();
    return out;
}

void SamplingBar::setSampling(const session::SamplingOptions& sampling) {
    const QSignalBlocker blocker(this);
    kept_ = sampling;
    kind_->setCurrentIndex(sampling.samples ? 1 : 0);
    temperature_->setValue(sampling.temperature);
    top_k_->setValue(static_cast<int>(std::min<std::int64_t>(sampling.top_k, top_k_->maximum())));
    top_p_->setValue(sampling.top_p);
    min_p_->setValue(sampling.min_p);
    penalty_->setValue(sampling.repetition_penalty);
    showSampled();
}

std::uint64_t SamplingBar::seed() const { return static_cast<std::uint64_t>(seed_->value()); }
void SamplingBar::setSeed(std::uint64_t seed) {
    const QSignalBlocker blocker(this);
    seed_->setValue(static_cast<int>(seed & 0x7fffffff));
}

}  // namespace loupe::views
