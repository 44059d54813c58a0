// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Modules: the tree of modules with their parameters, and a summary.

#include "views/common/view.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace loupe::views {

class ModuleModel;

class ModulesView : public View {
    Q_OBJECT

  public:
    ModulesView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    ModuleModel& model() { return *model_; }
    QTreeView& tree() { return *tree_; }

    void find() override;
    void fit() override;
    bool toggleBreakpoint() override;
    void addActions(QMenu& menu) override;

  private:
    void showModel();
    void showDifferences();
    void showRanks();
    void showTotals();
    void spanRules(const QModelIndex& parent);
    void showCurrent();
    void onSelected(const QModelIndex& index);
    void search(const QString& words, bool again);
    void showContextMenu(const QPoint& at);
    void exportCsv();
    void setTrainable(bool trainable);
    void setTraining(const QString& path, bool training);
    void reinitialise(const QString& path);
    void tellOf(const std::string& failure, const QString& done);

    ModuleModel* model_;
    QTreeView* tree_;
    QLineEdit* search_;
    QLabel* totals_;
    QComboBox* measure_ = nullptr;  // of the cells of ranks
    bool selecting_ = false;
};

}  // namespace loupe::views
