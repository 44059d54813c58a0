// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/train/data_form.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/common/elided_fields.h"
#include "views/common/engine_files.h"
#include "views/common/engine_words.h"
#include "views/common/format.h"
#include "views/common/icons.h"

namespace loupe::views {
namespace {

QString labelOf(const session::DataOption& option) {
    QString words = text(option.name).replace(QLatin1Char('_'), QLatin1Char(' '));
    words[0] = words[0].toUpper();
    return words;
}

QString tipOf(const session::DataOption& option) {
    QString tip = QStringLiteral("<p>%1</p><p>%2")
                      .arg(engineWord(option.what).toHtmlEscaped(), engineWord(option.form).toHtmlEscaped());
    if (!option.default_text.empty()) tip += QStringLiteral(" (%1)").arg(text(option.default_text).toHtmlEscaped());
    return tip + QStringLiteral("</p>");
}

std::string valueOf(const QWidget* widget) {
    if (const auto* box = qobject_cast<const QCheckBox*>(widget)) return box->isChecked() ? "true" : "false";
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) return box->currentText().toStdString();
    return static_cast<const QLineEdit*>(widget)->text().trimmed().toStdString();
}

QFormLayout* formIn(QWidget* parent) {
    auto* form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(5);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    return form;
}

QLabel* labelFor(const QString& words, QWidget* field, int width) {
    auto* label = new QLabel(words, field->parentWidget());
    label->setMinimumWidth(width);
    label->setBuddy(field);
    if (field->accessibleName().isEmpty()) field->setAccessibleName(words);
    return label;
}

}  // namespace

DataForm::DataForm(int label_width, QWidget* parent)
    : QWidget(parent), sources_(session::data_sources()), label_width_(label_width) {
    source_ = new ElidedComboBox(this);
    source_->setObjectName(QStringLiteral("trainSource"));
    source_->setAccessibleName(tr("Kind of data"));
    source_->addItem(tr("made up"));
    source_->setItemData(MadeUp,
                         tr("Examples around a centre a class, or numbers that the inputs tell: to try things out"),
                         Qt::ToolTipRole);
    source_->addItem(tr("by the file"));
    source_->setItemData(Guessed, tr("What it is is seen from the file or folder"), Qt::ToolTipRole);
    for (const auto& info : sources_) {
        source_->addItem(text(info.name));
        source_->setItemData(source_->count() - 1, engineWord(info.what), Qt::ToolTipRole);
    }
    path_row_ = new QWidget(this);
    path_ = new PathEdit(path_row_);
    path_->setObjectName(QStringLiteral("trainData"));
    path_->setPlaceholderText(tr("a file or folder"));
    path_->setClearButtonEnabled(true);
    path_->setAccessibleName(tr("Data"));
    path_->setToolTip(tr(
        "An .npz with inputs and targets, an .npy, a CSV, IDX (MNIST) or CIFAR files, a folder of pictures, a text"));
    auto* choose = new QToolButton(path_row_);
    choose->setIcon(themeIcon(QStringLiteral("open")));
    choose->setToolTip(tr("Choose a file, or a folder"));
    choose->setAccessibleName(tr("Choose data"));
    connect(choose, &QToolButton::clicked, this, &DataForm::choosePath);
    auto* row = new QHBoxLayout(path_row_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(3);
    row->addWidget(path_, 1);
    row->addWidget(choose);
    makeFields(label_width);
    connect(source_, &QComboBox::currentIndexChanged, this, [this] {
        showSource();
        emit changed();
    });
    connect(path_, &QLineEdit::textChanged, this, &DataForm::pathChanged);
    showSource();
}

void DataForm::makeFields(int label_width) {
    summary_ = new QLabel(this);
    summary_->setObjectName(QStringLiteral("trainSummary"));
    summary_->setProperty("faint", true);
    summary_->setWordWrap(true);
    summary_->setMinimumWidth(1);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    shape_ = new QLineEdit(this);
    shape_->setPlaceholderText(tr("as the model's input"));
    shape_->setToolTip(tr("Shape of one example, without the batch: 1x8x8"));
    shape_->setAccessibleName(tr("Shape of one example"));
    dtype_ = new QComboBox(this);
    dtype_->addItems({QStringLiteral("float32"), QStringLiteral("int64"), QStringLiteral("float64")});
    dtype_->setToolTip(tr("Of the inputs; int64 are tokens, whose target is the next one when there are no classes"));
    classes_ = new QSpinBox(this);
    classes_->setRange(0, 100'000);
    classes_->setValue(10);
    classes_->setSpecialValueText(tr("a number"));
    classes_->setToolTip(tr("How many classes made-up examples have; 0: the target is a number"));
    count_ = new QSpinBox(this);
    count_->setRange(1, 10'000'000);
    count_->setValue(1024);
    options_ = new QWidget(this);
    options_form_ = formIn(options_);
    form_ = formIn(this);
    form_->addRow(labelFor(tr("Data"), source_, label_width), source_);
    form_->addRow(labelFor(tr("File"), path_row_, label_width), path_row_);
    form_->addRow(labelFor(tr("Example"), shape_, label_width), shape_);
    form_->addRow(labelFor(tr("Type"), dtype_, label_width), dtype_);
    form_->addRow(labelFor(tr("Classes"), classes_, label_width), classes_);
    form_->addRow(labelFor(tr("Examples"), count_, label_width), count_);
    form_->addRow(options_);
    form_->addRow(summary_);
    for (QWidget* field : std::initializer_list<QWidget*>{source_, path_, shape_, dtype_, classes_, count_})
        field->setMinimumWidth(48);
    source_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const QSpinBox* box : {classes_, count_}) connect(box, &QSpinBox::valueChanged, this, &DataForm::changed);
    connect(shape_, &QLineEdit::textChanged, this, &DataForm::changed);
    connect(dtype_, &QComboBox::currentIndexChanged, this, &DataForm::changed);
}

void DataForm::choosePath() {
    QMenu menu;
    QAction* file = menu.addAction(tr("A file\u2026"));
    QAction* folder = menu.addAction(tr("A folder\u2026"));
    QAction* chosen = menu.exec(QCursor::pos());
    QString path;
    if (chosen == file)
        path = EngineFiles::getOpenFileName(this, tr("Training data"), path_->text(),
                                            tr("Data (*.npz *.npy *.csv *.bin *ubyte* *.gz *.txt);;All files (*)"));
    if (chosen == folder) path = EngineFiles::getExistingDirectory(this, tr("Folder of training data"), path_->text());
    if (!path.isEmpty()) path_->setText(path);
}

void DataForm::pathChanged() {
    const bool isEmpty = path_->text().trimmed().isEmpty();
    if (isEmpty && source_->currentIndex() == Guessed) {
        source_->setCurrentIndex(MadeUp);
    } else if (!isEmpty && isMadeUp()) {
        source_->setCurrentIndex(Guessed);
    } else {
        showSource();
    }
    emit changed();
}

// The rows that the source needs.
void DataForm::showSource() {
    for (QWidget* field : std::initializer_list<QWidget*>{shape_, dtype_, classes_, count_}) {
        field->setVisible(isMadeUp());
        form_->labelForField(field)->setVisible(isMadeUp());
    }
    const int at = source_->currentIndex();
    std::string name;
    if (at == Guessed)
        name = session::guess_data_source(path_->text().trimmed().toStdString());
    else if (at >= FirstNamed)
        name = sources_[static_cast<std::size_t>(at - FirstNamed)].name;
    source_->setItemText(Guessed,
                         at == Guessed && !name.empty() ? tr("by the file: %1").arg(text(name)) : tr("by the file"));
    if (name != shown_source_) fillOptions(name, {});
    summary_->clear();
    summary_->setVisible(false);
}

QWidget* DataForm::fieldFor(const session::DataOption& option, const std::string& value) {
    const QString shown = text(value.empty() ? option.default_text : value);
    QWidget* made = nullptr;
    if (option.form == "true|false") {
        auto* box = new QCheckBox(options_);
        box->setChecked(shown == QLatin1String("true"));
        connect(box, &QCheckBox::toggled, this, &DataForm::changed);
        made = box;
    } else if (option.form.find('|') != std::string::npos) {
        auto* box = new QComboBox(options_);
        box->addItems(text(option.form).split(QLatin1Char('|')));
        box->setCurrentText(shown);
        connect(box, &QComboBox::currentIndexChanged, this, &DataForm::changed);
        made = box;
    } else {
        auto* edit = new QLineEdit(options_);
        edit->setText(text(value));
        edit->setPlaceholderText(option.default_text.empty() ? engineWord(option.form) : text(option.default_text));
        connect(edit, &QLineEdit::textChanged, this, &DataForm::changed);
        made = edit;
    }
    made->setMinimumWidth(48);
    made->setToolTip(tipOf(option));
    made->setAccessibleName(labelOf(option));
    made->setObjectName(QStringLiteral("option.") + text(option.name));
    return made;
}

void DataForm::fillOptions(const std::string& source, const std::map<std::string, std::string>& values) {
    shown_source_ = source;
    fields_.clear();
    while (options_form_->rowCount() > 0) options_form_->removeRow(0);
    const auto found =
        std::find_if(sources_.begin(), sources_.end(), [&](const auto& info) { return info.name == source; });
    if (found != sources_.end()) {
        for (const session::DataOption& option : found->options) {
            const auto value = values.find(option.name);
            QWidget* field = fieldFor(option, value == values.end() ? std::string() : value->second);
            QLabel* label = labelFor(labelOf(option), field, label_width_);
            label->setToolTip(field->toolTip());
            options_form_->addRow(label, field);
            fields_.push_back({option, field});
        }
    }
    options_->setVisible(!fields_.empty());
    emit changed();
}

std::map<std::string, std::string> DataForm::optionValues() const {
    std::map<std::string, std::string> values;
    for (const Field& field : fields_) {
        const std::string value = valueOf(field.widget);
        if (!value.empty() && value != field.option.default_text) values[field.option.name] = value;
    }
    return values;
}

QWidget* DataForm::option(const QString& name) const {
    for (const Field& field : fields_) {
        if (field.option.name == name.toStdString()) return field.widget;
    }
    return nullptr;
}

session::DataSpec DataForm::data() const {
    session::DataSpec data;
    for (const QString& size : shape_->text().split(QLatin1Char('x'), Qt::SkipEmptyParts))
        data.shape.push_back(size.trimmed().toLongLong());
    data.dtype = dtype_->currentText().toStdString();
    data.classes = classes_->value();
    data.count = count_->value();
    if (isMadeUp()) return data;
    data.path = path_->text().trimmed().toStdString();
    const int at = source_->currentIndex();
    if (at >= FirstNamed) data.source = sources_[static_cast<std::size_t>(at - FirstNamed)].name;
    data.options = optionValues();
    return data;
}

void DataForm::setData(const session::DataSpec& data) {
    path_->setText(text(data.path));
    const auto named =
        std::find_if(sources_.begin(), sources_.end(), [&](const auto& info) { return info.name == data.source; });
    const int at = data.path.empty()         ? static_cast<int>(MadeUp)
                   : named == sources_.end() ? static_cast<int>(Guessed)
                                             : FirstNamed + static_cast<int>(named - sources_.begin());
    source_->setCurrentIndex(at);
    showSource();
    fillOptions(shown_source_, data.options);
    QStringList sizes;
    for (const auto size : data.shape) sizes << QString::number(size);
    shape_->setText(sizes.join(QLatin1Char('x')));
    dtype_->setCurrentText(text(data.dtype));
    classes_->setValue(data.classes);
    count_->setValue(static_cast<int>(std::min<std::int64_t>(data.count, count_->maximum())));
}

void DataForm::showSummary(const session::DataSummary& summary) {
    QStringList lines;
    if (!summary.error.empty()) {
        lines << text(summary.error);
    } else {
        QStringList sample;
        for (const auto& part : summary.sample) sample << text(part);
        lines << tr("%1; a sample: %2").arg(text(summary.description), sample.join(QStringLiteral(", ")));
        for (const auto& note : summary.notes) lines << text(note);
    }
    summary_->setText(lines.join(QLatin1Char('\n')));
    summary_->setToolTip(summary_->text());
    summary_->setProperty("faint", summary.error.empty());
    summary_->setProperty("bad", !summary.error.empty());
    summary_->style()->unpolish(summary_);
    summary_->style()->polish(summary_);
    summary_->setVisible(true);
}

}  // namespace loupe::views
