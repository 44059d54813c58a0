// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings of a training: data, loss, optimiser, schedule, steps.

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QWidget>

#include "core/session/session.h"
#include "views/train/data_form.h"

namespace loupe::views {

class TrainForm : public QWidget {
    Q_OBJECT

  public:
    explicit TrainForm(QWidget* parent);

    session::TrainOptions options() const;
    void setOptions(const session::TrainOptions& options);
    // The stored settings of this model, or defaults that fit it.
    void setModel(const session::ModelInfo& model);
    void remember() const;
    // During a training only settings that may change then are enabled.
    void setRunning(bool running);
    // Below the epochs: what of them is done, and what the next order does. Empty: nothing was trained.
    void showDone(const QString& words);

    DataForm& data() { return *data_; }
    QComboBox* optimizer() { return optimizer_; }
    QComboBox* precision() { return precision_; }
    QSpinBox* epochs() { return epochs_; }
    QSpinBox* steps() { return steps_; }

  private:
    QComboBox* recipeBox(const std::vector<session::RecipeInfo>& recipes, const QString& name);
    void makeFields();
    void layOut();

    DataForm* data_;
    QDoubleSpinBox* held_out_;
    QSpinBox* batch_;
    QCheckBox* shuffle_;
    QCheckBox* drop_last_;
    QSpinBox* workers_;
    QCheckBox* skip_damaged_;
    QComboBox* loss_;
    QComboBox* optimizer_;
    QComboBox* schedule_;
    QCheckBox* every_step_;
    QSpinBox* epochs_;
    QLabel* done_;
    QSpinBox* steps_;
    QDoubleSpinBox* clip_;
    QComboBox* precision_;
    QSpinBox* seed_;
    QDoubleSpinBox* look_;
    QCheckBox* stop_at_nan_;
    QList<QWidget*> fixed_;  // disabled while it runs
    QString settings_;       // of the model there is
};

}  // namespace loupe::views
