// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Ranks: the processes of a run beside each other, what does not match between them, and who waited for whom.

#include "views/common/view.h"

class QListWidget;
class QListWidgetItem;
class QSortFilterProxyModel;
class QTreeView;

namespace loupe::views {

class CollectiveModel;
class ElidedLabel;
class EmptyHint;
class RankModel;

class RanksView : public View {
    Q_OBJECT

  public:
    RanksView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    void addActions(QMenu& menu) override;
    bool isSettled() const override;

    QListWidget& findings() { return *findings_; }
    QTreeView& ranks() { return *ranks_; }
    QTreeView& collectives() { return *collectives_; }

  private:
    QTreeView* makeTable(QAbstractItemModel* model, const QString& name, const QString& title,
                         const std::vector<int>& widths);
    void renew();
    void showFindings();
    void showCurrent();
    void follow(QListWidgetItem* item);
    void followCollective(const QModelIndex& index);

    RankModel* rank_model_;
    CollectiveModel* collective_model_;
    QSortFilterProxyModel* sorted_;
    QListWidget* findings_;
    QTreeView* ranks_ = nullptr;
    QTreeView* collectives_ = nullptr;
    ElidedLabel* summary_ = nullptr;
    EmptyHint* hint_ = nullptr;
    bool selecting_ = false;
};

}  // namespace loupe::views
