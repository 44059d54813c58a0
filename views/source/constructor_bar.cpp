// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/source/constructor_bar.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "views/common/format.h"
#include "views/common/icons.h"

namespace loupe::views {

ConstructorBar::ConstructorBar(SessionBridge& bridge, QWidget* parent) : QWidget(parent), bridge_(bridge) {
    why_ = new QLabel(this);
    why_->setWordWrap(true);
    classes_ = new QComboBox(this);
    classes_->setAccessibleName(tr("Class to build"));
    connect(classes_, &QComboBox::currentIndexChanged, this, &ConstructorBar::chooseClass);
    form_ = new QFormLayout;
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setHorizontalSpacing(8);
    form_->setVerticalSpacing(3);
    expression_ = new QLineEdit(this);
    expression_->setObjectName(QStringLiteral("constructorExpression"));
    expression_->setAccessibleName(tr("Expression that makes the model"));
    expression_->setToolTip(tr("What makes the model; it can be edited: Net(10, width=64)"));
    connect(expression_, &QLineEdit::returnPressed, this, &ConstructorBar::build);
    build_ = new QToolButton(this);
    build_->setObjectName(QStringLiteral("constructorBuild"));
    build_->setIcon(themeIcon(QStringLiteral("run")));
    build_->setText(tr("Build model"));
    build_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(build_, &QToolButton::clicked, this, &ConstructorBar::build);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(classes_);
    row->addWidget(expression_, 1);
    row->addWidget(build_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 6);
    layout->setSpacing(4);
    layout->addWidget(why_);
    layout->addLayout(form_);
    layout->addLayout(row);
    showModel();
}

void ConstructorBar::showModel() {
    const auto& model = bridge_.model();
    constructors_ = model ? model->constructors : std::vector<session::ConstructorInfo>();
    const bool isNeeded = model && !model->cannot_run.empty();
    if (constructors_.empty()) isWanted_ = false;
    setVisible(!constructors_.empty() && (isNeeded || isWanted_ || !model->built_with.empty()));
    if (constructors_.empty()) return;
    why_->setText(isNeeded ? tr("The source does not say how its model is built. Give the arguments:")
                  : model->built_with.empty() ? tr("The source builds its model itself. To build another:")
                                              : tr("Built with %1. Other arguments:").arg(text(model->built_with)));
    const QSignalBlocker blocker(classes_);
    classes_->clear();
    for (const auto& one : constructors_) {
        classes_->addItem(text(one.class_name));
        classes_->setItemData(classes_->count() - 1, text(one.doc), Qt::ToolTipRole);
    }
    const QString made = text(model->built_with).section(QLatin1Char('('), 0, 0);
    classes_->setCurrentIndex(std::max(0, classes_->findText(made)));
    chooseClass();
    if (!model->built_with.empty()) expression_->setText(text(model->built_with));
}

void ConstructorBar::want(bool wanted) {
    isWanted_ = wanted;
    setVisible(wanted && !constructors_.empty());
}

void ConstructorBar::chooseClass() {
    while (form_->rowCount() > 0) form_->removeRow(0);
    fields_.clear();
    const int chosen = classes_->currentIndex();
    if (chosen < 0) return;
    for (const auto& parameter : constructors_[static_cast<std::size_t>(chosen)].parameters) {
        auto* field = new QLineEdit(this);
        const QString name = text(parameter.name);
        field->setAccessibleName(name);
        field->setPlaceholderText(parameter.default_value ? text(*parameter.default_value) : tr("must be given"));
        field->setToolTip(
            parameter.annotation.empty() ? name : QStringLiteral("%1: %2").arg(name, text(parameter.annotation)));
        connect(field, &QLineEdit::textChanged, this, &ConstructorBar::compose);
        connect(field, &QLineEdit::returnPressed, this, &ConstructorBar::build);
        const QString label =
            parameter.annotation.empty() ? name : QStringLiteral("%1: %2").arg(name, text(parameter.annotation));
        form_->addRow(label, field);
        fields_.emplace_back(name, field);
    }
    compose();
}

QLineEdit* ConstructorBar::field(const QString& name) const {
    for (const auto& [own, edit] : fields_) {
        if (own == name) return edit;
    }
    return nullptr;
}

void ConstructorBar::compose() {
    const int chosen = classes_->currentIndex();
    if (chosen < 0) return;
    const auto& constructor = constructors_[static_cast<std::size_t>(chosen)];
    QStringList parts;
    QStringList missing;
    bool isNamed = false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const auto& parameter = constructor.parameters[i];
        const QString value = fields_[i].second->text().trimmed();
        if (value.isEmpty()) {
            isNamed = true;  // arguments after an omitted one are named
            if (!parameter.default_value) missing << fields_[i].first;
            continue;
        }
        parts << (isNamed || parameter.is_keyword_only ? fields_[i].first + QLatin1Char('=') + value : value);
    }
    expression_->setText(QStringLiteral("%1(%2)").arg(text(constructor.class_name), parts.join(QStringLiteral(", "))));
    build_->setToolTip(missing.empty() ? tr("Opens the source with this model")
                                       : tr("%1 must be given").arg(missing.join(QStringLiteral(", "))));
}

void ConstructorBar::build() {
    if (bridge_.model()) bridge_.open(text(bridge_.model()->path), expression_->text().trimmed());
}

}  // namespace loupe::views
