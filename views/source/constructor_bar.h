// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Of a model source that needs arguments: its classes, and a field for each argument of the chosen one.

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/session_bridge.h"

namespace loupe::views {

class ConstructorBar : public QWidget {
    Q_OBJECT

  public:
    ConstructorBar(SessionBridge& bridge, QWidget* parent);

    // Hidden unless the model needs arguments, was built with some, or the user requested it.
    void showModel();
    void want(bool wanted);
    bool hasChoice() const { return !constructors_.empty(); }
    QString expression() const { return expression_->text(); }
    // Of the field of that name; null when there is none.
    QLineEdit* field(const QString& name) const;
    void build();

  private:
    void chooseClass();
    void compose();

    SessionBridge& bridge_;
    std::vector<session::ConstructorInfo> constructors_;
    bool isWanted_ = false;
    QLabel* why_;
    QComboBox* classes_;
    QFormLayout* form_;
    QLineEdit* expression_;
    QToolButton* build_;
    std::vector<std::pair<QString, QLineEdit*>> fields_;
};

}  // namespace loupe::views
