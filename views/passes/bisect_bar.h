// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// "Which pass changed the result": tolerances, the search, and its result.

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "views/common/session_bridge.h"
#include "views/common/theme.h"

namespace loupe::views {

class BisectBar : public QWidget {
    Q_OBJECT

  public:
    BisectBar(SessionBridge& bridge, QWidget* parent);

    void setTask(const QString& pipeline, const QString& method);
    void start();
    // Replaces a reply of the session, for tests.
    void show(const session::PassBisect& found);
    QLineEdit* relative() { return rtol_; }
    QLineEdit* absolute() { return atol_; }
    QToolButton* button() { return run_; }
    void showProgress(const session::PassBisectProgress& progress);
    QString verdict() const { return verdict_text_; }
    QLabel* label() { return verdict_; }
    bool isSearching() const { return searching_; }

  signals:
    void found(const session::PassBisect& found);
    // The pass is one of these, counted as PassTrace::steps.
    void narrowed(int low, int high);
    void passWanted(int step);

  private:
    void showState();
    void tell(const QString& words, Theme::Colour colour);

    SessionBridge& bridge_;
    QString pipeline_;
    QString method_;
    QLineEdit* rtol_;
    QLineEdit* atol_;
    QCheckBox* gradients_;
    QToolButton* run_;
    QLabel* verdict_;
    QString verdict_text_;
    bool searching_ = false;
};

}  // namespace loupe::views
