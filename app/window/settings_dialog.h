// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every setting with its control, made of their records; typing filters them. What is changed counts at once.

#include <QDialog>
#include <vector>

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace loupe::views {
struct Setting;
}

namespace loupe::window {

class SettingsDialog : public QDialog {
    Q_OBJECT

  public:
    explicit SettingsDialog(QWidget* parent);

    QLineEdit* search() { return search_; }
    // Of a setting: a check box, a choice, a number or a line.
    QWidget* control(const views::Setting& setting) const;
    QToolButton* resetButton(const views::Setting& setting) const;
    bool isInSight(const views::Setting& setting) const;

  private:
    struct Row {
        const views::Setting* setting;
        QWidget* all;
        QWidget* control;
        QToolButton* reset;
        QString words;  // that a search finds it by
    };

    void addRow(const views::Setting& setting, QVBoxLayout& to);
    QWidget* makeControl(const views::Setting& setting, QWidget* parent);
    void present(const Row& row);
    void filter(const QString& words);
    const Row* rowOf(const views::Setting& setting) const;

    QLineEdit* search_;
    QScrollArea* area_;
    QLabel* nothing_;
    std::vector<Row> rows_;
    std::vector<QLabel*> headings_;  // by group
};

}  // namespace loupe::window
