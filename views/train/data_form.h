// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training data: a source, its path, and the source's options as fields.

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QWidget>
#include <map>
#include <vector>

#include "core/model/data_sources.h"

namespace loupe::views {

class DataForm : public QWidget {
    Q_OBJECT

  public:
    // label_width: of the column of labels, in pixels.
    DataForm(int label_width, QWidget* parent);

    session::DataSpec data() const;
    void setData(const session::DataSpec& data);
    // Description of the opened data.
    void showSummary(const session::DataSummary& summary);

    QLineEdit* path() { return path_; }
    QComboBox* source() { return source_; }
    QLabel* summary() { return summary_; }
    // The field of an option of the source; null when it has no such option.
    QWidget* option(const QString& name) const;

  signals:
    void changed();

  private:
    enum { MadeUp, Guessed, FirstNamed };
    void makeFields(int label_width);
    void choosePath();
    void pathChanged();
    void showSource();
    void fillOptions(const std::string& source, const std::map<std::string, std::string>& values);
    QWidget* fieldFor(const session::DataOption& option, const std::string& value);
    std::map<std::string, std::string> optionValues() const;
    bool isMadeUp() const { return source_->currentIndex() == MadeUp; }

    std::vector<session::DataSourceInfo> sources_;
    QComboBox* source_;
    QLineEdit* path_;
    QWidget* path_row_;
    QLabel* summary_;
    QLineEdit* shape_;
    QComboBox* dtype_;
    QSpinBox* classes_;
    QSpinBox* count_;
    QFormLayout* form_;
    QWidget* options_;
    QFormLayout* options_form_;
    struct Field {
        session::DataOption option;
        QWidget* widget;
    };
    std::vector<Field> fields_;
    std::string shown_source_;  // whose options there are
    int label_width_;
};

}  // namespace loupe::views
