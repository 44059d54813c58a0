// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The tokens that were made, a row each.

#include <QAbstractTableModel>
#include <memory>

#include "core/session/generation.h"

namespace loupe::views {

class StepTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Number, Token, Probability, ModelProbability, Rank, Left, Entropy, Time, Cache };
    static constexpr int kColumns = Cache + 1;

    using QAbstractTableModel::QAbstractTableModel;

    void setGeneration(std::shared_ptr<const session::Generation> generation);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString shown(const session::GeneratedToken& token, int row, int column) const;

    std::shared_ptr<const session::Generation> generation_;
};

}  // namespace loupe::views
