// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of a study as a form.

#include <QFormLayout>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "core/study/studies/study.h"

namespace loupe::views {

class StudyForm : public QWidget {
    Q_OBJECT

  public:
    explicit StudyForm(QWidget* parent = nullptr);

    // given: what was chosen before, by name.
    void setOptions(const std::vector<session::StudyOption>& options, const std::map<std::string, std::string>& given);
    std::map<std::string, std::string> chosen() const;
    // The control of an option, for tests and the keyboard; null: there is none of that name.
    QWidget* control(const std::string& name) const;

  signals:
    void changed();
    // Enter in a field.
    void accepted();

  private:
    QWidget* makeControl(const session::StudyOption& option, const std::string& value);
    static std::string valueOf(const QWidget& control);
    void showWhatMatters();

    QFormLayout* form_;
    std::vector<session::StudyOption> options_;
    std::vector<QWidget*> controls_;  // of the options
};

}  // namespace loupe::views
