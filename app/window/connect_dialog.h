// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Asks where an engine is that another window is to be opened on.

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace loupe::window {

class ConnectDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ConnectDialog(QWidget* parent);

    QString address() const;

  signals:
    void wanted(const QString& address);

  private:
    void check();
    void acceptAddress();
    void forget();

    QComboBox* address_;
    QLineEdit* command_;
    QLabel* problem_;
    QLabel* words_;
    QPushButton* forget_;
    QPushButton* connect_;
};

// The command for ssh that the user has set; empty: the usual one.
QString farCommand();

}  // namespace loupe::window
