// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/constructor_bar.h"

#include <QHBoxLayout>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/icons.h"

namespace loupe::views {

std::vector<std::pair<QString, QString>> argumentsOf(const QString& call) {
    std::vector<std::pair<QString, QString>> out;
    const qsizetype open = call.indexOf(QLatin1Char('('));
    if (open < 0 || !call.trimmed().endsWith(QLatin1Char(')'))) return out;
    const QString inside = call.trimmed().mid(open + 1).chopped(1);
    QString part;
    QChar quote;
    int depth = 0;
    const auto finish = [&] {
        static const QRegularExpression named(QStringLiteral("^\\s*(\\w+)\\s*=(?!=)(.*)$"),
                                              QRegularExpression::DotMatchesEverythingOption);
        const auto found = named.match(part);
        if (found.hasMatch())
            out.emplace_back(found.captured(1), found.captured(2).trimmed());
        else if (!part.trimmed().isEmpty())
            out.emplace_back(QString(), part.trimmed());
        part.clear();
    };
    for (const QChar c : inside) {
        if (!quote.isNull()) {
            if (c == quote) quote = QChar();
        } else if (c == QLatin1Char('\'') || c == QLatin1Char('"')) {
            quote = c;
        } else if (QStringLiteral("([{").contains(c)) {
            ++depth;
        } else if (QStringLiteral(")]}").contains(c)) {
            --depth;
        } else if (c == QLatin1Char(',') && depth == 0) {
            finish();
            continue;
        }
        part += c;
    }
    finish();
    return out;
}

ConstructorBar::ConstructorBar(SessionBridge& bridge, Guesses guesses, QWidget* parent)
    : QWidget(parent), bridge_(bridge), guesses_(guesses) {
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
    const bool isGuessed = model && !model->guessed_from.empty() && guesses_ == Guesses::Shown;
    setVisible(!constructors_.empty() && (isNeeded || isWanted_ || isGuessed || !model->built_with.empty()));
    if (constructors_.empty()) return;
    why_->setText(isNeeded ? tr("The source does not say how its model is built. Give the arguments:")
                  : !model->guessed_from.empty()
                      ? tr("Constructor: the arguments are guessed (%1). Others:").arg(engineWord(model->guessed_from))
                  : model->built_with.empty() ? tr("The source builds its model itself. To build another:")
                                              : tr("Built with %1. Other arguments:").arg(text(model->built_with)));
    const QSignalBlocker blocker(classes_);
    classes_->clear();
    for (const auto& one : constructors_) {
        classes_->addItem(text(one.class_name));
        classes_->setItemData(classes_->count() - 1, text(one.doc), Qt::ToolTipRole);
    }
    const QString built = text(model->guessed_from.empty() ? model->built_with : model->built_as);
    const QString made = built.section(QLatin1Char('('), 0, 0);
    classes_->setCurrentIndex(std::max(0, classes_->findText(made)));
    chooseClass();
    if (!built.isEmpty()) showArguments(built);
}

// Those of the call in the fields; what has no field stays in the expression.
void ConstructorBar::showArguments(const QString& call) {
    for (const auto& [name, edit] : fields_) {
        const QSignalBlocker blocker(edit);
        edit->clear();
    }
    std::size_t position = 0;
    for (const auto& [name, value] : argumentsOf(call)) {
        QLineEdit* edit = name.isEmpty() ? position < fields_.size() ? fields_[position].second : nullptr : field(name);
        ++position;
        if (edit == nullptr) continue;
        const QSignalBlocker blocker(edit);
        edit->setText(value);
        edit->setCursorPosition(0);
    }
    expression_->setText(call);
    expression_->setCursorPosition(0);
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
        if (!parameter.guess.empty()) field->setText(text(parameter.guess));
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
    if (!bridge_.model()) return;
    const QString path = text(bridge_.model()->path);
    const QString expression = expression_->text().trimmed();
    emit chosen(expression);
    bridge_.open(path, expression);
}

}  // namespace loupe::views
