// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long the calls of an operator take: counts by duration, on a logarithmic axis.

#include <QWidget>
#include <optional>

#include "core/study/profile_statistics.h"

namespace loupe::views {

class TotalsHistogram : public QWidget {
    Q_OBJECT

  public:
    explicit TotalsHistogram(QWidget* parent);
    void show(const std::optional<session::OperatorTotals>& totals);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int binAt(double x) const;
    double edge(std::size_t bin) const;

    std::optional<session::OperatorTotals> totals_;
};

}  // namespace loupe::views
