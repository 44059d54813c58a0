// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/inputs/inputs_view.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

#include "core/model/input_preview.h"
#include "core/session/limits.h"
#include "core/session/queries/given_run.h"
#include "core/session/queries/next_tokens.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/tokenize.h"
#include "views/common/comparison.h"
#include "views/common/constructor_bar.h"
#include "views/common/elided_fields.h"
#include "views/common/engine_files.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/release_bar.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"
#include "views/inputs/answer.h"
#include "views/inputs/array_file.h"
#include "views/inputs/backward_form.h"
#include "views/inputs/drawing_pad.h"
#include "views/inputs/input_memory.h"
#include "views/inputs/input_model.h"

namespace loupe::views {

namespace {

// Sources and types are chosen from a list; other cells are typed.
class CellDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override {
        const bool source = index.column() == InputModel::Source;
        if (!source && index.column() != InputModel::Dtype)
            return QStyledItemDelegate::createEditor(parent, option, index);
        auto* box = new QComboBox(parent);
        QStringList names = source ? InputModel::sourceNames() : InputModel::dtypeNames();
        // Only a model source has examples, which are its initial inputs.
        if (source && index.data().toString() != names.last()) names.removeLast();
        box->addItems(names);
        // Opens the full list at once; arrow keys move in it.
        QTimer::singleShot(0, box, &QComboBox::showPopup);
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

}  // namespace

ViewDescription InputsView::describe() {
    return {QStringLiteral("inputs"), tr("Inputs"),
            tr("What the next run is given: shape, type and source of each input, and how it runs. Drop a .npz, .npy "
               "or an image here."),
            QStringLiteral("inputs"), Place::LeftBelow};
}

InputsView::InputsView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent),
      model_(new InputModel(this)),
      table_(new QTableView(this)),
      signature_(new QLabel(this)),
      pad_(new DrawingPad(this)),
      release_(new ReleaseBar(bridge, this)),
      constructors_(new ConstructorBar(bridge, ConstructorBar::Guesses::Shown, this)),
      clear_(new QPushButton(tr("Clear"), this)),
      words_(new QLineEdit(this)),
      answer_(new QLabel(this)) {
    setAcceptDrops(true);
    makeTable();
    makeDrawingAndText();
    makeAnswer();
    makeLayout();
    setFocusProxy(table_);
    connectBridge();
    showInputs();
    showOptions();
}

void InputsView::makeTable() {
    table_->setObjectName(QStringLiteral("inputTable"));
    table_->setAccessibleName(tr("Inputs"));
    table_->setModel(model_);
    table_->setItemDelegate(new CellDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::SelectedClicked);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->setShowGrid(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(model_, &QAbstractItemModel::modelReset, this, &InputsView::fitTable);
    const int widths[] = {44, 58, 74, 58};
    for (int column = 0; column < 4; ++column) table_->setColumnWidth(column, widths[column]);
    signature_->setProperty("faint", true);
    signature_->setTextFormat(Qt::PlainText);
    signature_->setWordWrap(true);
    signature_->setContentsMargins(6, 4, 6, 2);
    connect(model_, &InputModel::edited, this, [this] {
        showing_ = true;
        this->bridge().setInputs(model_->specs());
        showing_ = false;
        keep();
        showPreview();
    });
}

void InputsView::makeDrawingAndText() {
    pad_->setObjectName(QStringLiteral("drawingPad"));
    connect(pad_, &DrawingPad::drawn, this, &InputsView::takeDrawing);
    clear_->setObjectName(QStringLiteral("clearPad"));
    clear_->setToolTip(tr("Wipe the drawing pad"));
    connect(clear_, &QPushButton::clicked, pad_, &DrawingPad::clear);
    words_->setObjectName(QStringLiteral("words"));
    words_->setPlaceholderText(tr("Type a text, or token ids: 5 3 8"));
    words_->setAccessibleName(tr("Text of the input"));
    connect(words_, &QLineEdit::returnPressed, this, &InputsView::takeText);
}

void InputsView::makeAnswer() {
    answer_->setObjectName(QStringLiteral("answer"));
    answer_->setTextFormat(Qt::PlainText);
    answer_->setWordWrap(true);  // a long one does not widen the form
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setProperty("heading", true);
    answer_->setContentsMargins(6, 0, 6, 4);
    answer_->setToolTip(tr("The two largest of the last output, by softmax"));
    // Reserves space for the prediction.
    QSizePolicy kept = answer_->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    answer_->setSizePolicy(kept);
    answer_->hide();
}

QLayout* InputsView::makeButtons() {
    auto* buttons = new QVBoxLayout;
    auto* file = new QPushButton(themeIcon(QStringLiteral("open")), tr("From file\u2026"), this);
    file->setToolTip(tr("Take inputs from a .npz, .npy, .pt or an image"));
    connect(file, &QPushButton::clicked, this, &InputsView::chooseFile);
    run_ = new QPushButton(themeIcon(QStringLiteral("run")), tr("Run"), this);
    run_->setObjectName(QStringLiteral("runButton"));
    run_->setToolTip(tr("Run with these inputs (F5)"));
    connect(run_, &QPushButton::clicked, this, [this] { this->bridge().run(); });
    buttons->addWidget(file);
    buttons->addWidget(run_);
    buttons->addWidget(clear_);
    buttons->addStretch(1);
    return buttons;
}

void InputsView::makeLayout() {
    QLayout* buttons = makeButtons();
    auto* below = below_ = new QBoxLayout(QBoxLayout::LeftToRight);
    below->setContentsMargins(6, 6, 6, 6);
    below->setSpacing(8);
    below->addWidget(makeOptions(), 1);
    auto* right = new QVBoxLayout;
    right->addLayout(buttons);
    right->addWidget(pad_, 0, Qt::AlignHCenter);
    below->addLayout(right);
    // A small panel scrolls.
    scroll_ = new QScrollArea(this);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    auto* inside = new QWidget(scroll_);
    inside->setAutoFillBackground(true);
    scroll_->setWidget(inside);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    // Outside of the scroll area: wrapping text would determine its height.
    whole->addWidget(signature_);
    whole->addWidget(scroll_);
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(table_);
    auto* written = new QHBoxLayout;
    written->setContentsMargins(6, 4, 6, 0);
    written->addWidget(words_);
    layout->addLayout(written);
    layout->addWidget(answer_);
    layout->addLayout(below);
    constructors_->setObjectName(QStringLiteral("constructor"));
    layout->addWidget(release_);
    layout->addWidget(constructors_);
    layout->addStretch(1);
    fitTable();
}

// As high as its rows, so that what follows from them is in sight; many scroll.
void InputsView::fitTable() {
    constexpr int kMostRows = 8;
    const int rows = std::clamp(model_->rowCount(), 1, kMostRows);
    const QHeaderView* header = table_->horizontalHeader();
    const bool is_wide = header->length() > table_->viewport()->width();
    const int bar = is_wide ? table_->horizontalScrollBar()->sizeHint().height() : 0;
    table_->setFixedHeight(header->sizeHint().height() + rows * table_->verticalHeader()->defaultSectionSize() + bar +
                           2 * table_->frameWidth());
}

void InputsView::showConstructor() {
    if (constructors_->isHidden()) return;
    scroll_->ensureWidgetVisible(constructors_);
    constructors_->focusArguments();
}

void InputsView::connectBridge() {
    connect(&bridge(), &SessionBridge::inputsChanged, this, &InputsView::showInputs);
    connect(&bridge(), &SessionBridge::textModelChanged, this, &InputsView::showPreview);
    connect(&bridge(), &SessionBridge::promptChanged, this, &InputsView::showPreview);
    connect(&bridge(), &SessionBridge::modelChanged, this, [this] {
        if (recalled_ && model_->rowCount() > 0) before_ = RememberedInputs{model_->specs(), bridge().runOptions()};
        recalled_ = false;
        left_out_.clear();
        release_->showModel();
        constructors_->showModel();
        // An expression that makes no model any more is not kept.
        if (const auto& model = bridge().model(); model && !model->cannot_run.empty() && !model->built_with.empty())
            rememberConstructor(text(model->path), {});
        showInputs();
        showOptions();
    });
    connect(&bridge(), &SessionBridge::trainingDataChanged, this, [this] {
        from_->setData(bridge().trainingData());
        if (from_->choice().target.source != session::LossTarget::Source::Data) return;
        session::BackwardFrom from = from_->choice();
        from.target.data = bridge().trainingData();
        from_->setChoice(from);
        takeOptions();
    });
    connect(&bridge(), &SessionBridge::runOptionsChanged, this, [this] {
        showOptions();
        if (bridge().runOptions().left_out == left_out_) return;
        left_out_ = bridge().runOptions().left_out;
        keep();
    });
    connect(&bridge(), &SessionBridge::statusChanged, this, &InputsView::showStatus);
    connect(constructors_, &ConstructorBar::chosen, this,
            [this](const QString& expression) { rememberConstructor(text(bridge().model()->path), expression); });
}

void InputsView::showStatus() {
    const auto& model = bridge().model();
    const QString why = !model                       ? tr("no model is open")
                        : !model->cannot_run.empty() ? text(model->cannot_run)
                        : bridge().isBusy()          ? tr("the model is running")
                                                     : QString();
    run_->setEnabled(why.isEmpty());
    run_->setToolTip(why.isEmpty() ? tr("Run with these inputs (F5)") : tr("Not now: %1").arg(why));
    // Guessed inputs are known only when the model is open.
    if (bridge().status().state == session::RunState::Ready) {
        recall();
        showInputs();
    }
    showAnswer();
    showWhyNoBackward();
    if (waits_to_run_.empty() || bridge().isBusy()) return;
    if (model && model->path == waits_to_run_) runWhenStill();
    waits_to_run_.clear();
}

// In a narrow panel the buttons are below the options.
void InputsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    constexpr int kSideBySide = 290;
    below_->setDirection(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    fitTable();
}

QWidget* InputsView::makeOptions() {
    auto* box = new QWidget(this);
    auto* form = new QFormLayout(box);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(4);
    form->setLabelAlignment(Qt::AlignLeft);
    backward_ = new QCheckBox(tr("Backward"), box);
    backward_->setObjectName(QStringLiteral("backward"));
    backward_->setToolTip(tr("Also run backward, from what is chosen below"));
    statistics_ = new QCheckBox(tr("Statistics"), box);
    statistics_->setToolTip(tr("Minimum, maximum, mean, NaN and Inf of every output"));
    parts_ = new QCheckBox(tr("Parts"), box);
    parts_->setObjectName(QStringLiteral("parts"));
    parts_->setToolTip(tr(
        "Operators that are made of others (onnx::Gemm, aten::linear) are recorded with what runs in them: F11 steps "
        "into them"));
    mode_ = new ElidedComboBox(box);
    mode_->addItems({tr("as the file says"), tr("eval"), tr("train")});
    mode_->setToolTip(tr("Training flag of all modules"));
    pipeline_ = new ElidedComboBox(box);
    for (const auto& name : session::list_pipelines()) pipeline_->addItem(text(name));
    pipeline_->setToolTip(tr("Passes that run on the graph first"));
    compile_ = new ElidedComboBox(box);
    compile_->setObjectName(QStringLiteral("compileMode"));
    compile_->addItem(tr("no"), QStringLiteral("no"));
    for (const auto& mode : session::compile_modes()) compile_->addItem(text(mode));
    compile_->setToolTip(
        tr("Compiles the graph first, with the mode's own passes unless some are chosen; the panel Compile tells what "
           "came of it"));
    threads_ = new QSpinBox(box);
    threads_->setRange(0, session::most_threads());
    threads_->setSpecialValueText(tr("all cores"));
    seed_ = new QSpinBox(box);
    seed_->setRange(0, 1 << 30);
    seed_->setToolTip(tr("Of dropout and other random operators"));
    // A pipeline's long name must not push the buttons out of a narrow panel.
    for (QComboBox* combo : {mode_, pipeline_, compile_}) {
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(8);
    }
    auto* checks = new QGridLayout;  // three in a row are wider than the panel at 1440
    checks->setVerticalSpacing(4);
    checks->addWidget(backward_, 0, 0);
    checks->addWidget(statistics_, 0, 1);
    checks->addWidget(parts_, 1, 0);
    checks->setColumnStretch(2, 1);
    form->addRow(checks);
    from_ = new BackwardForm(box);
    form->addRow(tr("From"), from_->kind());
    form->labelForField(from_->kind())->setToolTip(tr("What backward starts from"));
    form->addRow(from_);
    connect(from_, &BackwardForm::changed, this, [this] {
        // Choosing a start of backward enables backward.
        backward_->setChecked(true);
        takeOptions();
    });
    const std::pair<QString, QWidget*> rows[] = {{tr("Mode"), mode_},
                                                 {tr("Passes"), pipeline_},
                                                 {tr("Compile"), compile_},
                                                 {tr("Threads"), threads_},
                                                 {tr("Seed"), seed_}};
    for (const auto& [title, editor] : rows) {
        editor->setAccessibleName(title);
        if (auto* spin = qobject_cast<QSpinBox*>(editor)) spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
        editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        form->addRow(title, editor);
    }
    for (QCheckBox* check : {backward_, statistics_, parts_})
        connect(check, &QCheckBox::toggled, this, &InputsView::takeOptions);
    for (QComboBox* combo : {mode_, pipeline_})
        connect(combo, &QComboBox::currentIndexChanged, this, &InputsView::takeOptions);
    for (QSpinBox* spin : {threads_, seed_}) connect(spin, &QSpinBox::valueChanged, this, &InputsView::takeOptions);
    return box;
}

void InputsView::showOptions() {
    showing_ = true;
    const auto& options = bridge().runOptions();
    backward_->setChecked(options.backward);
    from_->setOwnLoss(bridge().model() ? bridge().model()->loss_arguments : 0);
    from_->setChoice(options.backward_from);
    statistics_->setChecked(options.statistics);
    parts_->setChecked(options.opens_operators);
    mode_->setCurrentIndex(!options.training ? 0 : *options.training ? 2 : 1);
    pipeline_->setCurrentText(text(options.pipeline));
    compile_->setCurrentIndex(std::max(0, compile_->findText(text(options.compile_mode))));
    threads_->setValue(options.threads);
    seed_->setValue(static_cast<int>(options.seed));
    showing_ = false;
}

void InputsView::takeOptions() {
    if (showing_) return;
    session::RunOptions options = bridge().runOptions();
    options.backward = backward_->isChecked();
    options.backward_from = from_->choice();
    options.statistics = statistics_->isChecked();
    options.opens_operators = parts_->isChecked();
    options.training = mode_->currentIndex() == 0 ? std::nullopt : std::optional(mode_->currentIndex() == 2);
    options.pipeline = pipeline_->currentText().toStdString();
    options.compile_mode = compile_->currentIndex() > 0 ? compile_->currentText().toStdString() : std::string();
    options.threads = threads_->value();
    options.seed = static_cast<std::uint64_t>(seed_->value());
    bridge().setRunOptions(options);
    keep();
}

// A loss that failed is reported at its field: before the run, or among the events of the loss.
void InputsView::showWhyNoBackward() {
    const session::Status& status = bridge().status();
    if (status.state != session::RunState::Failed || !bridge().runOptions().backward || !bridge().model()) return;
    const auto& recording = bridge().recording();
    const auto count = static_cast<session::EventId>(recording ? recording->event_count() : 0);
    const bool is_early = count == 0 && bridge().model()->cannot_run.empty();
    const bool is_in_loss = count > 0 && recording->event(count).failed && recording->event(count).scope == "loss";
    const bool is_late = count > 0 && !recording->event(count).failed && recording->backward_start() == nullptr;
    if (is_early || is_in_loss || is_late) from_->showError(text(status.error));
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
            for (const auto& argument : arguments)
                types += QStringLiteral("%1: %2").arg(text(argument.name), text(argument.type));
            QStringList returns;
            for (const auto& type : method.returns) returns += text(type);
            signature_->setText(
                QStringLiteral("%1(%2) \u2192 %3")
                    .arg(text(method.name), types.join(QStringLiteral(", ")), returns.join(QStringLiteral(", "))));
            signature_->setToolTip(text(method.schema));
        }
    }
    model_->setInputs(std::move(arguments), model ? bridge().inputs() : std::vector<session::InputSpec>());
    showPreview();
}

// --- stored settings

void InputsView::recall() {
    const auto& model = bridge().model();
    if (recalled_ || !model) return;
    recalled_ = true;
    auto remembered = recallInputs(text(model->path), bridge().runOptions());
    if (const auto carried = fromComparedModel(); carried) {
        remembered = carried;
        bridge().addLog(
            {.level = SessionBridge::LogEntry::Level::Info,
             .text = tr("inputs are those of the model before, with which this one is compared").toStdString(),
             .scope = {},
             .source = {}});
    }
    if (!remembered || remembered->inputs.size() != bridge().inputs().size()) {
        // A loss and its target are of the model before.
        session::RunOptions options = bridge().runOptions();
        options.backward_from = {};
        return bridge().setRunOptions(options);
    }
    left_out_ = remembered->options.left_out;
    session::RunOptions options = remembered->options;
    // Labels are those of the current data.
    if (options.backward_from.target.source == session::LossTarget::Source::Data)
        options.backward_from.target.data = bridge().trainingData();
    bridge().setRunOptions(options);
    bridge().setInputs(remembered->inputs);
}

// Of a model that is opened to be compared with the one before: other inputs would make every number another. Not where
// it takes others.
std::optional<RememberedInputs> InputsView::fromComparedModel() const {
    const auto& inputs = bridge().inputs();
    if (!Comparison::of(bridge()).isOn() || !before_ || before_->inputs.size() != inputs.size()) return std::nullopt;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool isLiteral = before_->inputs[i].literal.has_value();
        if (before_->inputs[i].source == session::InputSpec::Source::Example) return std::nullopt;
        if (isLiteral != inputs[i].literal.has_value() || before_->inputs[i].dtype != inputs[i].dtype)
            return std::nullopt;
    }
    return before_;
}

void InputsView::keep() {
    const auto& model = bridge().model();
    if (model && recalled_) rememberInputs(text(model->path), model_->specs(), bridge().runOptions());
}

// --- files

void InputsView::chooseFile() {
    const QString file =
        EngineFiles::getOpenFileName(this, tr("Inputs from a file"), {},
                                     tr("Arrays and images (*.npz *.npy *.pt *.png *.jpg *.jpeg);;All files (*)"));
    if (!file.isEmpty()) takeFile(file);
}

bool InputsView::feeds(const QString& file) {
    static const QStringList endings{QStringLiteral("npz"), QStringLiteral("npy")};
    return isImageFile(file) || endings.contains(QFileInfo(file).suffix().toLower());
}

void InputsView::takeFile(const QString& file) {
    if (model_->specs().empty()) return;
    static const QStringList many{QStringLiteral("npz"), QStringLiteral("pt"), QStringLiteral("pth")};
    if (many.contains(QFileInfo(file).suffix().toLower())) return takeAll(file);
    const int row = std::max(0, table_->currentIndex().row());
    session::InputSpec spec = model_->specs()[static_cast<std::size_t>(row)];
    if (spec.literal) return;
    spec.source = session::InputSpec::Source::File;
    spec.file = file.toStdString();
    spec.key.clear();
    spec.elements.clear();
    const auto preview = session::preview_input(spec, 0);
    if (!preview.error.empty()) return refuse(text(preview.error));
    spec.shape = preview.shape;
    spec.dtype = preview.dtype;
    model_->setSpec(row, spec);
    emit taken();
}

// A file with several: for each argument what the file has for it.
void InputsView::takeAll(const QString& file) {
    session::GivenRunQuery query{bridge().runOptions().method, {}};
    query.given.inputs_file = file.toStdString();
    bridge().ask(QStringLiteral("inputs of a file"), query, this, [this](const session::GivenRunValues& found) {
        if (!found.error.empty()) return refuse(text(found.error));
        const auto rows = std::min<std::size_t>(found.inputs.size(), model_->specs().size());
        for (std::size_t row = 0; row < rows; ++row) model_->setSpec(static_cast<int>(row), found.inputs[row]);
        emit taken();
    });
}

void InputsView::refuse(const QString& why) {
    bridge().addLog({SessionBridge::LogEntry::Level::Error, why.toStdString(), 0, -1, {}, {}});
    emit refused(why);
}

void InputsView::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && feeds(urls.front().toLocalFile())) event->acceptProposedAction();
}

void InputsView::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    takeFile(event->mimeData()->urls().front().toLocalFile());
}

void InputsView::addActions(QMenu& menu) {
    menu.addAction(tr("Inputs from a file\u2026"), this, &InputsView::chooseFile);
    menu.addAction(tr("Clear the drawing pad"), pad_, &DrawingPad::clear)->setEnabled(pad_->isDrawable());
    menu.addAction(tr("Copy as text"), this, [this] {
        QStringList lines;
        for (const auto& spec : model_->specs()) lines += text(session::input_spec_text(spec));
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
    });
    menu.addAction(backward_->isChecked() ? tr("Forward only") : tr("Forward and backward"), backward_,
                   &QCheckBox::toggle);
}

}  // namespace loupe::views
