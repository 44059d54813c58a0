// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Inputs: what the next run is given, and how it runs.

#include "views/common/view.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QTableView;

namespace loupe::views {

class InputModel;

class InputsView : public View {
    Q_OBJECT

  public:
    InputsView(SessionBridge& bridge, QWidget* parent);
    static ViewDescription describe();

    InputModel& model() { return *model_; }
    QTableView& table() { return *table_; }

    void addActions(QMenu& menu) override;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* makeOptions();
    void showInputs();
    void showOptions();
    void takeOptions();
    void takeFile(const QString& file);
    void chooseFile();
    void showPreview();

    InputModel* model_;
    QTableView* table_;
    QLabel* preview_;
    QLabel* signature_;
    QCheckBox* backward_;
    QCheckBox* statistics_;
    QComboBox* mode_;
    QComboBox* pipeline_;
    QSpinBox* threads_;
    QSpinBox* seed_;
    bool showing_ = false;
};

}  // namespace loupe::views
