// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/inputs_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/inputs/input_model.h"

namespace loupe::views {

namespace {

constexpr int kPreviewSize = 84;

// Sources and types are chosen from a list; the rest is typed.
class CellDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const bool source = index.column() == InputModel::Source;
        if (!source && index.column() != InputModel::Dtype) return QStyledItemDelegate::createEditor(parent, option, index);
        auto* box = new QComboBox(parent);
        box->addItems(source ? InputModel::sourceNames() : InputModel::dtypeNames());
        connect(box, &QComboBox::activated, this, [this, box] {
            auto* self = const_cast<CellDelegate*>(this);
            emit self->commitData(box);
            emit self->closeEditor(box);
        });
        return box;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        if (auto* box = qobject_cast<QComboBox*>(editor)) {
            box->setCurrentText(index.data().toString());
        } else {
            QStyledItemDelegate::setEditorData(editor, index);
        }
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        if (const auto* box = qobject_cast<QComboBox*>(editor)) {
            model->setData(index, box->currentText(), Qt::EditRole);
        } else {
            QStyledItemDelegate::setModelData(editor, model, index);
        }
    }
};

QImage imageOf(const session::TensorSlice& slice) {
    if (slice.data.empty() || slice.data.front().rows < 2 || slice.data.front().columns < 2) return {};
    const auto& first = slice.data.front();
    // Three tiles are red, green and blue.
    const bool colour = slice.data.size() == 3;
    const double low = slice.statistics.min;
    const double range = slice.statistics.max > low ? slice.statistics.max - low : 1;
    QImage image(first.columns, first.rows, QImage::Format_RGB32);
    for (int row = 0; row < first.rows; ++row) {
        for (int column = 0; column < first.columns; ++column) {
            const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(first.columns) + static_cast<std::size_t>(column);
            const auto level = [&](std::size_t tile) {
                return static_cast<int>(std::clamp((slice.data[tile].elements[at] - low) / range, 0.0, 1.0) * 255);
            };
            image.setPixel(column, row, colour ? qRgb(level(0), level(1), level(2)) : qRgb(level(0), level(0), level(0)));
        }
    }
    return image;
}

}  // namespace

ViewDescription InputsView::describe() {
    return {QStringLiteral("inputs"), tr("Inputs"),
            tr("What the next run is given: shape, type and source of each input, and how it runs. Drop a .npz, .npy or an image here."),
            QStringLiteral("inputs"), Place::LeftBelow};
}

InputsView::InputsView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent), model_(new InputModel(this)), table_(new QTableView(this)), preview_(new QLabel(this)), signature_(new QLabel(this)) {
    setAcceptDrops(true);
    table_->setObjectName(QStringLiteral("inputTable"));
    table_->setAccessibleName(tr("Inputs"));
    table_->setModel(model_);
    table_->setItemDelegate(new CellDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->setShowGrid(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int widths[] = {44, 58, 74, 58};
    for (int column = 0; column < 4; ++column) table_->setColumnWidth(column, widths[column]);
    signature_->setProperty("faint", true);
    signature_->setTextFormat(Qt::PlainText);
    signature_->setWordWrap(true);
    signature_->setContentsMargins(6, 4, 6, 2);
    preview_->setFixedSize(kPreviewSize, kPreviewSize);
    preview_->setAlignment(Qt::AlignCenter);
    preview_->setAccessibleName(tr("Preview of the input"));

    auto* buttons = new QVBoxLayout;
    auto* file = new QPushButton(themeIcon(QStringLiteral("open")), tr("From file\u2026"), this);
    file->setToolTip(tr("Take inputs from a .npz, .npy, .pt or an image"));
    connect(file, &QPushButton::clicked, this, &InputsView::chooseFile);
    auto* run = new QPushButton(themeIcon(QStringLiteral("run")), tr("Run"), this);
    run->setObjectName(QStringLiteral("runButton"));
    run->setToolTip(tr("Run with these inputs (F5)"));
    connect(run, &QPushButton::clicked, this, [this] { this->bridge().run(); });
    buttons->addWidget(file);
    buttons->addWidget(run);
    buttons->addStretch(1);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(6, 6, 6, 6);
    below->setSpacing(8);
    below->addWidget(makeOptions(), 1);
    auto* right = new QVBoxLayout;
    right->addLayout(buttons);
    right->addWidget(preview_);
    below->addLayout(right);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(signature_);
    layout->addWidget(table_, 1);
    layout->addLayout(below);
    setFocusProxy(table_);

    connect(model_, &InputModel::edited, this, [this] {
        showing_ = true;
        this->bridge().setInputs(model_->specs());
        showing_ = false;
        showPreview();
    });
    connect(&bridge, &SessionBridge::inputsChanged, this, &InputsView::showInputs);
    connect(&bridge, &SessionBridge::modelChanged, this, &InputsView::showInputs);
    connect(&bridge, &SessionBridge::runOptionsChanged, this, &InputsView::showOptions);
    connect(&bridge, &SessionBridge::statusChanged, this, [this, run] {
        run->setEnabled(this->bridge().model() && !this->bridge().isBusy());
        run->setToolTip(run->isEnabled() ? tr("Run with these inputs (F5)") : tr("Not now: the model is running"));
        // Guessed inputs are known only when the model has been opened.
        if (this->bridge().status().state == session::RunState::Ready) showInputs();
        if (!this->bridge().isBusy()) showPreview();
    });
    showInputs();
    showOptions();
}

QWidget* InputsView::makeOptions() {
    auto* box = new QWidget(this);
    auto* form = new QFormLayout(box);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(4);
    form->setLabelAlignment(Qt::AlignLeft);
    backward_ = new QCheckBox(tr("Backward"), box);
    backward_->setObjectName(QStringLiteral("backward"));
    backward_->setToolTip(tr("Also run backward from every output, with ones as cotangents"));
    statistics_ = new QCheckBox(tr("Statistics"), box);
    statistics_->setToolTip(tr("Minimum, maximum, mean, NaN and Inf of every output"));
    mode_ = new QComboBox(box);
    mode_->addItems({tr("as the file says"), tr("eval"), tr("train")});
    mode_->setToolTip(tr("Training flag of all modules"));
    pipeline_ = new QComboBox(box);
    for (const auto& name : session::list_pipelines()) pipeline_->addItem(text(name));
    pipeline_->setToolTip(tr("Passes that run on the graph first"));
    threads_ = new QSpinBox(box);
    threads_->setRange(0, 256);
    threads_->setSpecialValueText(tr("all cores"));
    seed_ = new QSpinBox(box);
    seed_->setRange(0, 1 << 30);
    seed_->setToolTip(tr("Of dropout and other random operators"));
    auto* checks = new QHBoxLayout;
    checks->addWidget(backward_);
    checks->addWidget(statistics_);
    checks->addStretch(1);
    form->addRow(checks);
    const std::pair<QString, QWidget*> rows[] = {{tr("Mode"), mode_}, {tr("Passes"), pipeline_}, {tr("Threads"), threads_}, {tr("Seed"), seed_}};
    for (const auto& [title, editor] : rows) {
        editor->setAccessibleName(title);
        if (auto* spin = qobject_cast<QSpinBox*>(editor)) spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
        editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        form->addRow(title, editor);
    }
    for (QCheckBox* check : {backward_, statistics_}) connect(check, &QCheckBox::toggled, this, &InputsView::takeOptions);
    for (QComboBox* combo : {mode_, pipeline_}) connect(combo, &QComboBox::currentIndexChanged, this, &InputsView::takeOptions);
    for (QSpinBox* spin : {threads_, seed_}) connect(spin, &QSpinBox::valueChanged, this, &InputsView::takeOptions);
    return box;
}

void InputsView::showOptions() {
    showing_ = true;
    const auto& options = bridge().runOptions();
    backward_->setChecked(options.backward);
    statistics_->setChecked(options.statistics);
    mode_->setCurrentIndex(!options.training ? 0 : *options.training ? 2 : 1);
    pipeline_->setCurrentText(text(options.pipeline));
    threads_->setValue(options.threads);
    seed_->setValue(static_cast<int>(options.seed));
    showing_ = false;
}

void InputsView::takeOptions() {
    if (showing_) return;
    session::RunOptions options = bridge().runOptions();
    options.backward = backward_->isChecked();
    options.statistics = statistics_->isChecked();
    options.training = mode_->currentIndex() == 0 ? std::nullopt : std::optional(mode_->currentIndex() == 2);
    options.pipeline = pipeline_->currentText().toStdString();
    options.threads = threads_->value();
    options.seed = static_cast<std::uint64_t>(seed_->value());
    bridge().setRunOptions(options);
}

void InputsView::showInputs() {
    if (showing_) return;
    const auto& model = bridge().model();
    setEnabled(model != nullptr);
    std::vector<session::MethodInfo::Argument> arguments;
    signature_->clear();
    if (model) {
        for (const auto& method : model->methods) {
            if (method.name != bridge().runOptions().method) continue;
            arguments = method.arguments;
            QStringList types;
            for (const auto& argument : arguments) types += QStringLiteral("%1: %2").arg(text(argument.name), text(argument.type));
            QStringList returns;
            for (const auto& type : method.returns) returns += text(type);
            signature_->setText(QStringLiteral("%1(%2) \u2192 %3").arg(text(method.name), types.join(QStringLiteral(", ")), returns.join(QStringLiteral(", "))));
            signature_->setToolTip(text(method.schema));
        }
    }
    model_->setInputs(std::move(arguments), model ? bridge().inputs() : std::vector<session::InputSpec>());
    showPreview();
}

void InputsView::showPreview() {
    preview_->clear();
    const auto show = [this](const QImage& image) {
        if (!image.isNull()) preview_->setPixmap(QPixmap::fromImage(image.scaled(kPreviewSize, kPreviewSize, Qt::KeepAspectRatio)));
    };
    if (model_->specs().empty()) return;
    const QString file = text(model_->specs().front().file);
    if (file.endsWith(QLatin1String(".png")) || file.endsWith(QLatin1String(".jpg"))) return show(QImage(file));
    // Of other sources, what the last run was given.
    const auto& recording = bridge().recording();
    for (session::ValueId id = 1; recording && id <= std::min<std::size_t>(recording->value_count(), 64); ++id) {
        const session::Value& value = recording->value(id);
        if (value.producer != 0 || value.shape.size() != 4 || value.name != model_->index(0, InputModel::Name).data().toString().toStdString()) continue;
        session::TensorRequest request;
        request.value = id;
        request.slice = "[0]";
        request.max_rows = request.max_columns = kPreviewSize;
        request.max_tiles = 3;
        bridge().requestTensor(QStringLiteral("inputs.preview"), request, this, [show](const session::TensorSlice& slice) {
            if (slice.error.empty()) show(imageOf(slice));
        });
        return;
    }
}

void InputsView::chooseFile() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Inputs from a file"), {}, tr("Arrays and images (*.npz *.npy *.pt *.png *.jpg *.jpeg);;All files (*)"));
    if (!file.isEmpty()) takeFile(file);
}

// An .npz feeds all inputs by number; any other file the selected one.
void InputsView::takeFile(const QString& file) {
    if (model_->specs().empty()) return;
    const bool all = file.endsWith(QLatin1String(".npz"));
    const int selected = std::max(0, table_->currentIndex().row());
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (!all && row != selected) continue;
        session::InputSpec spec = model_->specs()[static_cast<std::size_t>(row)];
        if (spec.literal) continue;
        spec.source = session::InputSpec::Source::File;
        spec.file = file.toStdString();
        spec.key = all ? "arg" + std::to_string(row) : std::string();
        spec.elements.clear();
        model_->setSpec(row, spec);
    }
}

void InputsView::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    static const QStringList endings{QStringLiteral("npz"), QStringLiteral("npy"), QStringLiteral("png"), QStringLiteral("jpg"), QStringLiteral("jpeg")};
    if (urls.size() == 1 && endings.contains(QFileInfo(urls.front().toLocalFile()).suffix().toLower())) event->acceptProposedAction();
}

void InputsView::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    takeFile(event->mimeData()->urls().front().toLocalFile());
}

void InputsView::addActions(QMenu& menu) {
    menu.addAction(tr("Inputs from a file\u2026"), this, &InputsView::chooseFile);
    menu.addAction(backward_->isChecked() ? tr("Forward only") : tr("Forward and backward"), backward_, &QCheckBox::toggle);
}

}  // namespace loupe::views
