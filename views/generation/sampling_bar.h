// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the next token is chosen, as a row of fields.

#include <QWidget>

#include "core/model/sampling.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace loupe::views {

class SamplingBar : public QWidget {
    Q_OBJECT

  public:
    explicit SamplingBar(QWidget* parent = nullptr);

    session::SamplingOptions sampling() const;
    void setSampling(const session::SamplingOptions& sampling);
    std::uint64_t seed() const;
    void setSeed(std::uint64_t seed);

  signals:
    void changed();

  private:
    QDoubleSpinBox* number(const QString& prefix, double low, double high, double step, const QString& tip);
    QSpinBox* count(const QString& prefix, int most, const QString& tip);
    void showSampled();

    session::SamplingOptions kept_;  // what there is no field for
    QComboBox* kind_;
    QDoubleSpinBox* temperature_;
    QSpinBox* top_k_;
    QDoubleSpinBox* top_p_;
    QDoubleSpinBox* min_p_;
    QDoubleSpinBox* penalty_;
    QSpinBox* seed_;
};

}  // namespace loupe::views
