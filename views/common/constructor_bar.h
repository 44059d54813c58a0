// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Of a model source that needs arguments: its classes, and a field for each argument of the chosen one, with the value
// that it was made with or one to try.

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/session_bridge.h"

namespace loupe::views {

// The arguments of a call, by name where they have one: "Net(3, depth=[1, 2])" gives ("", "3"), ("depth", "[1, 2]").
std::vector<std::pair<QString, QString>> argumentsOf(const QString& call);

class ConstructorBar : public QWidget {
    Q_OBJECT

  public:
    // Guessed arguments are shown in one panel: the others have the form only when something is missing.
    enum class Guesses { Shown, Hidden };
    ConstructorBar(SessionBridge& bridge, Guesses guesses, QWidget* parent);

    // Hidden unless the model needs arguments, was built with some, or the user requested it.
    void showModel();
    void want(bool wanted);
    bool hasChoice() const { return !constructors_.empty(); }
    QString expression() const { return expression_->text(); }
    // Of the field of that name; null when there is none.
    QLineEdit* field(const QString& name) const;
    // The first argument has the focus, or the expression where there is none.
    void focusArguments() { (fields_.empty() ? expression_ : fields_.front().second)->setFocus(); }
    QComboBox* classes() { return classes_; }
    QString why() const { return why_->text(); }
    void build();

  signals:
    // The model is opened again, made by this; empty: as the source or a guess makes it.
    void chosen(const QString& expression);

  private:
    void chooseClass();
    void compose();
    void showArguments(const QString& call);

    SessionBridge& bridge_;
    const Guesses guesses_;
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
