// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/study_form.h"

#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "views/common/engine_words.h"
#include "views/common/format.h"

namespace loupe::views {

namespace {

constexpr int kDecimals = 4;

}  // namespace

StudyForm::StudyForm(QWidget* parent) : QWidget(parent) {
    form_ = new QFormLayout(this);
    form_->setContentsMargins(8, 4, 8, 4);
    form_->setHorizontalSpacing(8);
    form_->setVerticalSpacing(5);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
}

void StudyForm::setOptions(const std::vector<session::StudyOption>& options,
                           const std::map<std::string, std::string>& given) {
    while (form_->rowCount() > 0) form_->removeRow(0);
    controls_.clear();
    options_ = options;
    for (const session::StudyOption& option : options_) {
        const auto before = given.find(option.name);
        QWidget* control = makeControl(option, before == given.end() ? option.value : before->second);
        control->setObjectName(QStringLiteral("study.") + text(option.name));
        control->setAccessibleName(engineWord(option.title));
        control->setToolTip(engineWord(option.what));
        form_->addRow(engineWord(option.title), control);
        if (QWidget* label = form_->labelForField(control)) label->setToolTip(engineWord(option.what));
        controls_.push_back(control);
    }
    showWhatMatters();
}

QWidget* StudyForm::makeControl(const session::StudyOption& option, const std::string& value) {
    using Kind = session::StudyOption::Kind;
    const auto tell = [this] {
        showWhatMatters();
        emit changed();
    };
    switch (option.kind) {
        case Kind::Integer: {
            auto* box = new QSpinBox(this);
            constexpr double kMost = std::numeric_limits<int>::max();
            box->setRange(static_cast<int>(std::max(-kMost, option.low)),
                          static_cast<int>(std::min(kMost, option.high)));
            box->setValue(text(value).toInt());
            connect(box, &QSpinBox::valueChanged, this, tell);
            return box;
        }
        case Kind::Number: {
            auto* box = new QDoubleSpinBox(this);
            box->setDecimals(kDecimals);
            box->setRange(option.low, option.high);
            box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
            box->setValue(text(value).toDouble());
            connect(box, &QDoubleSpinBox::valueChanged, this, tell);
            return box;
        }
        case Kind::Choice:
        case Kind::Text:
            break;
    }
    if (option.kind == Kind::Text && option.choices.empty()) {
        auto* field = new QLineEdit(text(value), this);
        field->setPlaceholderText(tr("the greatest"));
        connect(field, &QLineEdit::textChanged, this, tell);
        connect(field, &QLineEdit::returnPressed, this, &StudyForm::accepted);
        return field;
    }
    auto* box = new QComboBox(this);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(10);
    for (const std::string& choice : option.choices) box->addItem(text(choice));
    if (option.kind == Kind::Text) {
        box->setEditable(true);
        box->setInsertPolicy(QComboBox::NoInsert);
        box->completer()->setFilterMode(Qt::MatchContains);
        box->completer()->setCompletionMode(QCompleter::PopupCompletion);
        box->lineEdit()->setPlaceholderText(tr("found by itself"));
        box->setCurrentText(text(value));
        if (value.empty()) box->setCurrentIndex(-1);
        box->lineEdit()->setCursorPosition(0);  // its beginning is seen
        connect(box->lineEdit(), &QLineEdit::returnPressed, this, &StudyForm::accepted);
        connect(box, &QComboBox::currentTextChanged, this, tell);
        return box;
    }
    box->setCurrentIndex(std::max(0, box->findText(text(value))));
    connect(box, &QComboBox::currentIndexChanged, this, tell);
    return box;
}

std::string StudyForm::valueOf(const QWidget& control) {
    if (const auto* box = qobject_cast<const QSpinBox*>(&control)) return std::to_string(box->value());
    if (const auto* box = qobject_cast<const QDoubleSpinBox*>(&control))
        return QString::number(box->value(), 'g', 12).toStdString();
    if (const auto* box = qobject_cast<const QComboBox*>(&control)) return box->currentText().trimmed().toStdString();
    return dynamic_cast<const QLineEdit&>(control).text().trimmed().toStdString();
}

std::map<std::string, std::string> StudyForm::chosen() const {
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < controls_.size(); ++i) out[options_[i].name] = valueOf(*controls_[i]);
    return out;
}

QWidget* StudyForm::control(const std::string& name) const {
    for (std::size_t i = 0; i < controls_.size(); ++i)
        if (options_[i].name == name) return controls_[i];
    return nullptr;
}

// Options of another choice are out of sight.
void StudyForm::showWhatMatters() {
    if (controls_.size() != options_.size()) return;  // while they are made
    const auto values = chosen();
    for (std::size_t i = 0; i < controls_.size(); ++i) {
        const std::string& condition = options_[i].only_if;
        const std::size_t equals = condition.find('=');
        bool matters = true;
        if (equals != std::string::npos) {
            const auto other = values.find(condition.substr(0, equals));
            matters = other != values.end() && other->second == condition.substr(equals + 1);
        }
        form_->setRowVisible(controls_[i], matters);
    }
}

}  // namespace loupe::views
