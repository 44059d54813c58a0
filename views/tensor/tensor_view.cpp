// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensor/tensor_view.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "core/record/not_finite.h"
#include "core/session/queries/run_differences.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/value_tokens.h"
#include "views/common/comparison.h"
#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"
#include "views/common/engine_files.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/panel_output.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"
#include "views/tensor/beside_pictures.h"
#include "views/tensor/element_menu.h"

namespace loupe::views {
namespace {

using session::EventId;
using session::ValueId;

QString elided(QString text, int most) { return text.size() > most ? text.left(most - 1) + QChar(0x2026) : text; }

std::vector<int> permutationOf(const QString& text) {
    std::vector<int> all;
    for (const QString& part : text.split(QRegularExpression(QStringLiteral("[,\\s]+")), Qt::SkipEmptyParts))
        all.push_back(part.toInt());
    return all;
}

}  // namespace

ViewDescription TensorView::describe() {
    return {
        QStringLiteral("tensor"), tr("Tensor"),
        tr("The elements of one tensor: what the current event read or made, a parameter or a gradient, as numbers or "
           "as a picture. Slice it as in Python; lock the panel to keep a value while you go on."),
        QStringLiteral("tensor"), Place::Right};
}

TensorView::TensorView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    buildControls(layout);
    auto* splitter = splitter_ = new QSplitter(Qt::Horizontal, this);
    auto* left = new QWidget(splitter);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeNotes(left, column);
    stack_ = new QStackedWidget(left);
    picture_ = new TensorPicture(stack_);
    grid_ = new TensorGridModel(this);
    table_ = new QTableView(stack_);
    table_->setModel(grid_);
    table_->setAccessibleName(tr("Elements of the tensor"));
    table_->horizontalHeader()->setDefaultSectionSize(78);
    table_->verticalHeader()->setDefaultSectionSize(19);
    table_->setSelectionMode(QAbstractItemView::ContiguousSelection);
    beside_ = new BesidePictures(picture_, stack_);
    stack_->addWidget(beside_);
    stack_->addWidget(table_);
    column->addWidget(stack_, 1);
    hover_ = new QLabel(left);
    hover_->setFont(Theme::instance().monoFont());
    hover_->setProperty("faint", true);
    hover_->setContentsMargins(8, 1, 8, 2);
    hover_->setText(QStringLiteral(" "));
    column->addWidget(hover_);
    splitter->addWidget(left);
    splitter->addWidget(buildSide());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setSizes({700, 250});
    layout->addWidget(splitter, 1);
    connect(splitter, &QSplitter::splitterMoved, this, [this] { user_split_ = true; });
    empty_ = new QLabel(this);
    empty_->setObjectName(QStringLiteral("emptyHint"));
    empty_->setProperty("faint", true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setMargin(16);
    layout->addWidget(empty_, 1);

    connect(picture_, &TensorPicture::hovered, this,
            [this](const QString& text) { hover_->setText(text.isEmpty() ? QStringLiteral(" ") : text); });
    const auto ask_menu = [this](const session::Shape& index, const QPoint& at) {
        QMenu menu(this);
        addElementActions(menu, this->bridge(), slice_, index);
        menu.addSeparator();
        addActions(menu);
        menu.exec(at);
    };
    connect(picture_, &TensorPicture::menuWanted, this, ask_menu);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_, &QTableView::customContextMenuRequested, this, [this, ask_menu](const QPoint& at) {
        const QModelIndex index = table_->indexAt(at);
        if (index.isValid()) ask_menu(grid_->ownIndex(index), table_->viewport()->mapToGlobal(at));
    });
    connect(&bridge, &SessionBridge::currentChanged, this, &TensorView::takeCurrent);
    connect(&bridge, &SessionBridge::recordingChanged, this, &TensorView::takeCurrent);
    connect(&bridge, &SessionBridge::weightsChanged, this, &TensorView::ask);
    connect(&Comparison::of(bridge), &Comparison::differencesChanged, this, &TensorView::askBeside);
    connect(&Comparison::of(bridge), &Comparison::referenceEventWanted, this, &TensorView::showReference);
    connect(&bridge, &SessionBridge::tensorWanted, this, &TensorView::takeNamed);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        fillHistogram();
        fillStatistics();
    });
    takeCurrent();
}

// Above the elements.
void TensorView::makeNotes(QWidget* left, QLayout* column) {
    error_ = new QLabel(left);
    error_->setProperty("bad", true);
    error_->setWordWrap(true);
    error_->setMargin(6);
    error_->hide();
    column->addWidget(error_);
    beside_note_ = faintLine(left);
    beside_note_->setObjectName(QStringLiteral("besideNote"));
    beside_note_->setContentsMargins(8, 1, 8, 2);
    beside_note_->hide();
    column->addWidget(beside_note_);
}

void TensorView::buildControls(QLayout* layout) {
    auto* bar = new QWidget(this);
    auto* rows = new QVBoxLayout(bar);
    rows->setContentsMargins(6, 4, 6, 4);
    rows->setSpacing(4);
    rows->addLayout(buildChoice(bar));
    rows->addLayout(buildDisplay(bar));
    layout->addWidget(bar);
}

// Which tensor, and which of its elements.
QLayout* TensorView::buildChoice(QWidget* bar) {
    auto* row = new PanelBar(bar, {}, 5);
    choice_ = new ElidedComboBox(bar);
    choice_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(10);
    choice_->setToolTip(tr("Which tensor of the current event"));
    choice_->setAccessibleName(tr("Tensor to show"));
    choice_->view()->setTextElideMode(Qt::ElideMiddle);
    connect(choice_, &QComboBox::activated, this, &TensorView::choose);
    row->addWidget(choice_);
    lock_ = row->toggle(tr("Lock"), tr("Keep showing this tensor when another event becomes current"));
    connect(lock_, &QToolButton::toggled, this, [this](bool on) {
        if (!on) takeCurrent();
    });
    slice_edit_ = new QLineEdit(bar);
    slice_edit_->setPlaceholderText(tr("slice: [0, :, 3]"));
    slice_edit_->setFont(Theme::instance().monoFont());
    slice_edit_->setProperty("kept", true);
    slice_edit_->setToolTip(
        tr("Python's slicing of the tensor; the last two dimensions that stay are rows and columns (Ctrl+F)"));
    slice_edit_->setAccessibleName(tr("Slice"));
    slice_edit_->setMaximumWidth(150);
    slice_edit_->setMinimumWidth(70);
    connect(slice_edit_, &QLineEdit::editingFinished, this, &TensorView::ask);
    row->addWidget(slice_edit_);
    permute_ = new QLineEdit(bar);
    permute_->setPlaceholderText(tr("permute: 1, 0"));
    permute_->setFont(Theme::instance().monoFont());
    permute_->setToolTip(tr("Order of the dimensions that slicing leaves"));
    permute_->setAccessibleName(tr("Permute"));
    permute_->setMaximumWidth(120);
    permute_->setMinimumWidth(50);
    connect(permute_, &QLineEdit::editingFinished, this, &TensorView::ask);
    row->addWidget(permute_);
    return row;
}

// How the elements are shown.
QLayout* TensorView::buildDisplay(QWidget* bar) {
    auto* row = new PanelBar(bar, {}, 5);
    display_ = row->choice(tr("Display"), tr("How the elements are shown"));
    display_->addItems({tr("Heat map"), tr("Tiles"), tr("Image"), tr("Line"), tr("Numbers")});
    connect(display_, &QComboBox::activated, this, [this] {
        user_display_ = true;
        applyDisplay();
    });
    tile_ = new ElidedComboBox(bar);
    tile_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    tile_->setMinimumContentsLength(6);
    tile_->setToolTip(tr("Which of the leading dimensions"));
    tile_->setAccessibleName(tr("Tile"));
    connect(tile_, &QComboBox::currentIndexChanged, this, [this](int tile) {
        beside_->setTile(tile);
        grid_->setTile(slice_, tile);
    });
    row->addWidget(tile_);
    map_ = row->choice(tr("Colour map"), tr("Colour map"));
    for (int i = 0; i < kColourMaps; ++i) map_->addItem(colourMapName(static_cast<ColourMap>(i)));
    connect(map_, &QComboBox::activated, this, &TensorView::applyColours);
    low_ = buildLimit(bar, tr("Lowest value of the colours"));
    high_ = buildLimit(bar, tr("Highest value of the colours"));
    row->addWidget(low_);
    row->addWidget(high_);
    automatic_ = row->toggle(tr("Auto"), tr("Range from the least to the greatest element shown"));
    automatic_->setChecked(true);
    connect(automatic_, &QToolButton::toggled, this, &TensorView::applyColours);
    QToolButton* overlay = row->toggle(tr("NaN/Inf"), tr("Mark NaN in magenta and Inf in orange"));
    overlay->setChecked(true);
    connect(overlay, &QToolButton::toggled, this, [this](bool on) { picture_->setOverlay(on); });
    title_ = new ElidedLabel(bar);
    title_->setObjectName(QStringLiteral("tensorTitle"));
    title_->setFont(Theme::instance().monoFont());
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    title_->setMinimumWidth(90);
    title_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(title_);
    return row;
}

QDoubleSpinBox* TensorView::buildLimit(QWidget* bar, const QString& tip) {
    auto* spin = new QDoubleSpinBox(bar);
    spin->setRange(-1e30, 1e30);
    spin->setDecimals(4);
    spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
    spin->setToolTip(tip);
    spin->setAccessibleName(tip);
    spin->setMaximumWidth(84);
    spin->setMinimumWidth(40);
    spin->setFont(Theme::instance().monoFont());
    connect(spin, &QDoubleSpinBox::editingFinished, this, [this] {
        if (!low_->hasFocus() && !high_->hasFocus()) return;
        automatic_->setChecked(false);
        applyColours();
    });
    return spin;
}

QWidget* TensorView::buildSide() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    histogram_ = new QCustomPlot(side);
    histogram_->setFixedHeight(90);
    histogram_->setAccessibleName(tr("Histogram of the elements"));
    bars_ = new QCPBars(histogram_->xAxis, histogram_->yAxis);
    bars_->setPen(Qt::NoPen);
    not_finite_ = new QCPItemRect(histogram_);
    for (QCPItemPosition* corner : {not_finite_->topLeft, not_finite_->bottomRight})
        corner->setType(QCPItemPosition::ptAxisRectRatio);
    not_finite_label_ = new QCPItemText(histogram_);
    not_finite_label_->position->setType(QCPItemPosition::ptAxisRectRatio);
    not_finite_label_->setPadding(QMargins(4, 1, 4, 1));
    for (QCPAbstractItem* item :
         {static_cast<QCPAbstractItem*>(not_finite_), static_cast<QCPAbstractItem*>(not_finite_label_)})
        item->setVisible(false);
    histogram_->yAxis->setVisible(false);
    histogram_->axisRect()->setAutoMargins(QCP::msBottom);
    histogram_->axisRect()->setMargins(QMargins(10, 6, 10, 4));
    column->addWidget(histogram_);
    facts_ = new QTextBrowser(side);
    facts_->setOpenLinks(false);
    connect(facts_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        this->bridge().setCurrentEvent(link.toString().section(QLatin1Char(':'), 1).toUInt());
    });
    facts_->setAccessibleName(tr("Statistics and storage"));
    details_ = new QSplitter(Qt::Vertical, side);
    details_->addWidget(facts_);
    auto* past = new QWidget(details_);
    auto* rows = new QVBoxLayout(past);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto* heading = new QLabel(tr("History of the storage"), past);
    heading->setToolTip(tr("Events that wrote (W) and read (R) the bytes of this tensor"));
    heading->setProperty("faint", true);
    heading->setContentsMargins(8, 3, 8, 3);
    rows->addWidget(heading);
    history_ = new QListWidget(past);
    history_->setAccessibleName(tr("Events that read or wrote this storage"));
    history_->setFont(Theme::instance().monoFont());
    connect(history_, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { bridge().setCurrentEvent(item->data(Qt::UserRole).toUInt()); });
    connect(history_, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { bridge().setCurrentEvent(item->data(Qt::UserRole).toUInt()); });
    rows->addWidget(history_, 1);
    details_->addWidget(past);
    details_->setStretchFactor(0, 3);
    details_->setStretchFactor(1, 1);
    column->addWidget(details_, 1);
    return side;
}

void TensorView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    divide();
}

// In a narrow panel the numbers are below the picture, statistics beside the history.
void TensorView::divide() {
    const auto wanted = width() < 640 ? Qt::Vertical : Qt::Horizontal;
    if (splitter_->orientation() != wanted) user_split_ = false;
    splitter_->setOrientation(wanted);
    details_->setOrientation(wanted == Qt::Vertical ? Qt::Horizontal : Qt::Vertical);
    if (user_split_) return;
    const int all = wanted == Qt::Vertical ? splitter_->height() : splitter_->width();
    const int side = wanted == Qt::Vertical ? std::clamp(all / 2, 150, 300) : 250;
    splitter_->setSizes({std::max(80, all - side), side});
}

// --- the tensor

void TensorView::takeCurrent() {
    if (lock_->isChecked()) return;
    const ValueId wanted = bridge().currentValue();
    takeSlice(bridge().currentSlice());
    fillChoices(bridge().currentEvent());
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (wanted != 0 && choices_[i].value == wanted) {
            choice_->setCurrentIndex(static_cast<int>(i));
            choose(static_cast<int>(i));
            return;
        }
    }
    if (wanted != 0) {
        showValue(wanted);
    } else if (!choices_.empty()) {
        choice_->setCurrentIndex(0);
        choose(0);
    } else {
        request_ = {};
        reference_event_ = 0;
        showSlice({});
    }
}

// One that came with a value goes with it; one that was typed stays.
void TensorView::takeSlice(const QString& slice) {
    if (!slice.isEmpty())
        slice_edit_->setText(slice);
    else if (slice_edit_->text() == given_slice_)
        slice_edit_->clear();
    given_slice_ = slice;
}

void TensorView::takeNamed(const QString& name) {
    if (lock_->isChecked()) return;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (choices_[i].name == name) choice_->setCurrentIndex(static_cast<int>(i));
    }
    showName(name);
}

bool TensorView::isArgument(const std::string& name) const {
    const auto& model = bridge().model();
    if (!model) return false;
    return std::any_of(model->methods.begin(), model->methods.end(), [&](const session::MethodInfo& method) {
        return std::any_of(method.arguments.begin(), method.arguments.end(),
                           [&](const auto& argument) { return argument.name == name; });
    });
}

void TensorView::fillChoices(EventId id) {
    choices_.clear();
    const auto& recording = bridge().recording();
    const auto add = [&](const QString& role, ValueId value) {
        const session::Value& each = recording->value(value);
        const QString name =
            each.name.empty() && each.producer != 0 ? tr("of #%1").arg(each.producer) : text(each.name);
        // As read by the event: a value from before the run, without a producer, is a parameter or buffer, named by its
        // path.
        choices_.push_back({QStringLiteral("%1  %2  %3").arg(role, name, shapeText(each.shape)),
                            value,
                            {},
                            each.producer == 0 ? name : QString()});
    };
    if (recording && id != 0 && id <= recording->event_count()) {
        const session::Event& event = recording->event(id);
        const bool backward = event.phase == session::RunPhase::Backward;
        for (ValueId value : event.outputs) add(backward ? tr("gradient") : tr("output"), value);
        for (ValueId value : event.inputs) {
            const session::Value& each = recording->value(value);
            // An input of the model has a gradient too when backward runs; parameters have their path as a name.
            const bool is_parameter = each.producer == 0 && each.requires_grad && !isArgument(each.name);
            add(is_parameter ? tr("parameter") : tr("input"), value);
        }
        const EventId peer = backward ? event.peer : recording->backward_peer(id);
        if (peer != 0 && peer <= recording->event_count()) {
            const session::Event& other = recording->event(peer);
            for (ValueId value : other.outputs) add(backward ? tr("forward output") : tr("gradient"), value);
        }
    }
    if (const auto& model = bridge().model()) {
        const int module = model->find_module(bridge().currentModule().toStdString());
        if (module >= 0) {
            const session::ModuleInfo& info = model->modules[static_cast<std::size_t>(module)];
            // The event's own inputs are listed already.
            const auto isListed = [this](const QString& name) {
                return std::any_of(choices_.begin(), choices_.end(),
                                   [&](const Choice& choice) { return choice.parameter == name; });
            };
            for (const session::TensorInfo& each : info.parameters) {
                const QString name = text(each.name);
                if (!isListed(name))
                    choices_.push_back({tr("parameter  %1  %2").arg(name, shapeText(each.shape)), 0, name, {}});
                if (recording)
                    choices_.push_back({tr("gradient of %1").arg(name), 0, QStringLiteral("grad:") + name, {}});
            }
            for (const session::TensorInfo& each : info.buffers) {
                if (!isListed(text(each.name)))
                    choices_.push_back(
                        {tr("buffer  %1  %2").arg(text(each.name), shapeText(each.shape)), 0, text(each.name), {}});
            }
        }
    }
    const QSignalBlocker blocker(choice_);
    choice_->clear();
    for (const Choice& each : choices_) choice_->addItem(elided(each.label, 90));
}

void TensorView::choose(int index) {
    if (index < 0 || index >= static_cast<int>(choices_.size())) return;
    const Choice& choice = choices_[static_cast<std::size_t>(index)];
    if (choice.value != 0)
        showValue(choice.value);
    else
        showName(choice.name);
}

void TensorView::showReference(EventId there) {
    if (lock_->isChecked()) return;
    reference_event_ = there;
    ask();
}

void TensorView::showValue(ValueId value) {
    reference_event_ = 0;
    request_.value = value;
    request_.name.clear();
    ask();
}

void TensorView::showName(const QString& name) {
    reference_event_ = 0;
    request_.value = 0;
    request_.name = name.toStdString();
    ask();
}

void TensorView::ask() {
    if (request_.value == 0 && request_.name.empty() && reference_event_ == 0) return;
    request_.slice = slice_edit_->text().trimmed().toStdString();
    request_.permute = permutationOf(permute_->text());
    waiting_ = true;
    const QString tag = QStringLiteral("tensor-%1").arg(reinterpret_cast<quintptr>(this));
    if (reference_event_ != 0 && Comparison::of(bridge()).isOn()) {
        const int reference = Comparison::of(bridge()).current()->id;
        bridge().ask(tag, session::ReferenceTensorQuery{reference, reference_event_, 0, request_}, this,
                     [this](const session::TensorComparison& found) {
                         session::TensorSlice slice = found.reference;
                         slice.error = found.error;
                         if (found.error.empty())
                             slice.name = tr("%1 of %2").arg(text(slice.name), text(found.label)).toStdString();
                         slice.value = 0;  // of another run
                         showSlice(slice);
                     });
        return;
    }
    bridge().ask(tag, session::TensorQuery{request_}, this, [this](session::TensorSlice slice) { showSlice(slice); });
}

// Axes that stand for the tokens of a text have their names.
void TensorView::askNames() {
    const ValueId value = slice_.value;
    const auto& recording = bridge().recording();
    if (value == 0 || slice_.dtype.empty() || !recording || value > recording->value_count()) return showNames({});
    bridge().ask(QStringLiteral("tensor-names-%1").arg(reinterpret_cast<quintptr>(this)),
                 session::ValueTokensQuery{value}, this, [this, value](const session::ValueTokens& tokens) {
                     if (value != slice_.value) return;
                     std::vector<QStringList> names;
                     for (const session::AxisTokens& axis : tokens.axes) {
                         QStringList& all = names.emplace_back();
                         for (const std::string& name : axis.names) all += visibleText(text(name));
                     }
                     showNames(std::move(names));
                 });
}

void TensorView::showNames(std::vector<QStringList> names) {
    picture_->setNames(names);
    grid_->setNames(std::move(names));
}

void TensorView::showSlice(const session::TensorSlice& slice) {
    waiting_ = false;
    if (text(slice.error).startsWith(QLatin1String("not recorded"))) {
        // The picture before it is of another value.
        showSlice(session::TensorSlice{});
        empty_->setText(text(slice.error).replace(0, 1, QStringLiteral("N")));
        return;
    }
    if (!slice.error.empty()) {
        // Keeps the typed text, and the previous picture, marked as out of date.
        error_->setText(text(slice.error));
        error_->show();
        return;
    }
    error_->hide();
    slice_ = slice;
    const bool empty = slice.dtype.empty();
    empty_->setText(bridge().recording()
                        ? tr("Select an event, a value, a parameter or a module.")
                        : tr("Run the model (F5) to have values to look at,\nor select a module with parameters."));
    empty_->setVisible(empty);
    const bool appears = splitter_->isHidden() && !empty;
    splitter_->setVisible(!empty);
    if (appears) {
        layout()->activate();
        divide();
    }
    if (slice_.sliced_shape != shape_before_) {
        shape_before_ = slice_.sliced_shape;
        automaticDisplay();
    }
    const QString name = text(slice_.name);
    const QString sliced =
        slice_.sliced_shape == slice_.shape ? QString() : QStringLiteral(" \u2192 ") + shapeText(slice_.sliced_shape);
    title_->setText(
        slice_.dtype.empty()
            ? QString()
            : QStringLiteral("%1  %2 %3%4").arg(elided(name, 40), text(slice_.dtype), shapeText(slice_.shape), sliced));
    {
        const QSignalBlocker blocker(tile_);
        const int before = tile_->currentIndex();
        tile_->clear();
        for (const session::TensorTile& tile : slice_.data)
            tile_->addItem(tile.label.empty() ? tr("all") : text(tile.label));
        tile_->setCurrentIndex(std::clamp(before, 0, std::max(0, tile_->count() - 1)));
    }
    picture_->setSlice(slice_);
    picture_->setTile(tile_->currentIndex());
    grid_->setTile(slice_, tile_->currentIndex());
    applyColours();
    applyDisplay();
    fillStatistics();
    fillHistogram();
    fillHistory();
    askNames();
    askBeside();
}

// While a reference is pinned.
void TensorView::askBeside() {
    const Comparison& comparison = Comparison::of(bridge());
    if (comparison.differences() == nullptr || slice_.dtype.empty() || reference_event_ != 0) {
        beside_note_->hide();
        return beside_->clear();
    }
    session::TensorComparisonQuery query;
    query.reference = comparison.current()->id;
    query.request = request_;
    query.options = comparison.options();
    bridge().ask(QStringLiteral("tensor-beside-%1").arg(reinterpret_cast<quintptr>(this)), query, this,
                 [this](const session::TensorComparison& found) { showBeside(found); });
}

void TensorView::showBeside(const session::TensorComparison& found) {
    noteBeside(found);
    const bool is_on =
        found.error.empty() && Comparison::of(bridge()).isOn() && found.reference.sliced_shape == slice_.sliced_shape;
    if (!is_on) return beside_->clear();
    beside_->show(found);
    beside_->setTile(tile_->currentIndex());
    applyColours();
    applyDisplay();
}

// By how much it differs, or why it has no partner: in every display.
void TensorView::noteBeside(const session::TensorComparison& found) {
    const bool is_on = Comparison::of(bridge()).isOn();
    beside_note_->setVisible(is_on);
    if (!is_on) return;
    const bool is_far = found.error.empty() && !found.numbers.is_close();
    beside_note_->setText(found.error.empty()
                              ? tr("from %1: %2").arg(text(found.label), text(session::difference_text(found.numbers)))
                              : tr("not compared: %1").arg(text(found.error)));
    Theme::setTone(*beside_note_, is_far ? Theme::Colour::Bad : Theme::Colour::Faint);
}

void TensorView::automaticDisplay() {
    if (user_display_) return;
    const bool is_line = slice_.rows <= 1 && slice_.tiles <= 1;
    const bool is_small = slice_.rows * slice_.columns <= 16 && slice_.tiles <= 1;
    const Display display = is_small                 ? Display::Grid
                            : is_line                ? Display::Line
                            : slice_.data.size() > 1 ? Display::Tiles
                                                     : Display::HeatMap;
    display_->setCurrentIndex(static_cast<int>(display));
}

void TensorView::setDisplay(Display display) {
    user_display_ = true;
    display_->setCurrentIndex(static_cast<int>(display));
    applyDisplay();
}

QJsonObject TensorView::keptState() const {
    QJsonObject state = View::keptState();
    if (user_display_) state[QStringLiteral("display")] = display_->currentIndex();
    return state;
}

void TensorView::takeState(const QJsonObject& state) {
    View::takeState(state);
    const int display = state[QStringLiteral("display")].toInt(-1);
    if (display >= 0 && display < display_->count()) setDisplay(static_cast<Display>(display));
}

void TensorView::setSliceText(const QString& slice) {
    slice_edit_->setText(slice);
    ask();
}

void TensorView::setLocked(bool locked) { lock_->setChecked(locked); }

void TensorView::applyDisplay() {
    const auto display = static_cast<Display>(display_->currentIndex());
    if (display == Display::Grid) {
        stack_->setCurrentWidget(table_);
    } else {
        stack_->setCurrentWidget(beside_);
        beside_->setMode(static_cast<TensorPicture::Mode>(display));
    }
    tile_->setVisible(tile_->count() > 1 &&
                      (display == Display::Grid || display == Display::HeatMap || display == Display::Line));
}

void TensorView::applyColours() {
    const auto map = static_cast<ColourMap>(map_->currentIndex());
    if (automatic_->isChecked()) {
        const auto& finite = slice_.statistics.finite;
        double low = finite ? finite->min : 0;
        double high = finite ? finite->max : 0;
        if (map == ColourMap::Diverging) {
            // Its middle is zero.
            high = std::max(std::abs(low), std::abs(high));
            low = -high;
        }
        const double span = high - low;
        const int decimals = span > 0 ? std::clamp(4 - static_cast<int>(std::floor(std::log10(span))), 0, 12) : 4;
        for (QDoubleSpinBox* spin : {low_, high_}) spin->setDecimals(decimals);
        low_->setValue(low);
        high_->setValue(high);
        // Without a finite element there is no range to show.
        if (!finite) low_->clear(), high_->clear();
    }
    beside_->setColours(map, low_->value(), high_->value());
    grid_->setColours(map, low_->value(), high_->value(), false);
}

void TensorView::fillStatistics() {
    const session::Statistics& s = slice_.statistics;
    if (slice_.dtype.empty()) {
        facts_->clear();
        return;
    }
    const QString faint = Theme::instance().colour(Theme::Colour::Faint).name();
    const QString bad = Theme::instance().colour(Theme::Colour::Bad).name();
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    const auto row = [&](const QString& name, const QString& value, bool is_bad = false) {
        html +=
            QStringLiteral(
                "<tr><td style='color:%1; padding-right:10px'>%2</td><td style='font-family:monospace;%3'>%4</td></tr>")
                .arg(faint, name, is_bad ? QStringLiteral("color:") + bad : QString(), value.toHtmlEscaped());
    };
    const auto share = [&](std::int64_t count) {
        return s.count == 0 || count == 0
                   ? countText(count)
                   : QStringLiteral("%1 (%2)").arg(countText(count),
                                                   QString::fromStdString(session::share_text(count, s.count)));
    };
    row(tr("elements"), countText(s.count));
    if (const QString share = finiteText(s); !share.isEmpty() && s.count > 0) row(tr("numbers"), share, true);
    if (const auto& f = s.finite) {
        row(tr("min, max"), numberText(f->min) + QStringLiteral(", ") + numberText(f->max));
        row(tr("mean"), numberText(f->mean));
        row(tr("std"), numberText(f->standard_deviation()));
        row(tr("mean |x|, max |x|"), numberText(f->abs_mean) + QStringLiteral(", ") + numberText(f->abs_max));
        row(tr("norm"), numberText(f->norm));
    }
    row(tr("zeros"), share(s.zero_count));
    row(tr("NaN"), share(s.nan_count), s.nan_count > 0);
    row(tr("Inf"), share(s.inf_count), s.inf_count > 0);
    html += originRow();
    row(
        tr("strides"), QStringLiteral("(") + [&] {
            QStringList all;
            for (auto stride : slice_.strides) all << QString::number(stride);
            return all.join(QStringLiteral(", "));
        }() + QStringLiteral(")"));
    row(tr("storage"), QStringLiteral("#%1, offset %2").arg(slice_.storage_id).arg(slice_.offset));
    if (slice_.is_recomputed)
        row(tr("recomputed"), tr("the elements had been dropped; the run was repeated up to them"));
    if (!slice_.aliases.empty()) {
        QStringList all;
        for (const std::string& alias : slice_.aliases) all << text(alias);
        row(tr("shared with"), elided(all.join(QStringLiteral(", ")), 120));
    }
    facts_->setHtml(html + QStringLiteral("</table>"));
}

// The origin of non-finite values: each event on the way back is a link.
QString TensorView::originRow() const {
    const auto& recording = bridge().recording();
    if (!recording || slice_.value == 0 || slice_.value > recording->value_count() ||
        !slice_.statistics.has_nan_or_inf())
        return {};
    const EventId producer = recording->value(slice_.value).producer;
    if (producer == 0 || producer > bridge().eventCount()) return {};
    const auto kind = recording->event(producer).not_finite;
    if (kind == session::NotFinite::None) return {};
    constexpr std::size_t kShown = 6;
    const auto way = session::trace_origin(*recording, producer);
    QStringList steps;
    for (std::size_t i = 0; i < way.size(); ++i) {
        const bool isLeftOut = way.size() > kShown && i >= kShown / 2 && i + kShown / 2 < way.size();
        if (isLeftOut && i == kShown / 2) steps << tr("%1 more").arg(way.size() - kShown);
        if (isLeftOut) continue;
        if (way[i].event == 0) {
            steps << tr("%1, before the run").arg(text(recording->value(way[i].value).name).toHtmlEscaped());
            continue;
        }
        const session::Event& event = recording->event(way[i].event);
        steps
            << QStringLiteral("<a href='event:%1'>#%1 %2</a>").arg(event.id).arg(shortOpName(event.op).toHtmlEscaped());
    }
    const QString faint = Theme::instance().colour(Theme::Colour::Faint).name();
    return QStringLiteral("<tr><td style='color:%1; padding-right:10px'>%2</td><td>%3%4</td></tr>")
        .arg(faint, tr("origin"), text(session::not_finite_name(kind)),
             steps.size() > 1 ? QStringLiteral(": ") + steps.join(QStringLiteral(" \u2190 ")) : QString());
}

void TensorView::fillHistogram() {
    Theme& theme = Theme::instance();
    histogram_->setBackground(theme.colour(Theme::Colour::Panel));
    const QColor faint = theme.colour(Theme::Colour::Faint);
    for (QCPAxis* axis : {histogram_->xAxis, histogram_->yAxis}) {
        axis->setBasePen(theme.colour(Theme::Colour::Border));
        axis->setTickPen(theme.colour(Theme::Colour::Border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(faint);
        axis->setTickLabelFont(theme.monoFont());
        axis->grid()->setVisible(false);
    }
    histogram_->xAxis->ticker()->setTickCount(3);
    bars_->setBrush(theme.colour(Theme::Colour::Accent));
    const session::Statistics& s = slice_.statistics;
    hatchNotFinite(notFiniteShare(s));
    const bool isShown = s.finite.has_value();
    histogram_->xAxis->setVisible(isShown);
    histogram_->setToolTip(s.has_nan_or_inf() ? finiteTip(s) : QString());
    const session::FiniteStatistics f = s.finite.value_or(session::FiniteStatistics());
    QVector<double> keys;
    QVector<double> counts;
    // Of equal elements all are in the first bin: one narrow bar in the middle.
    const bool isFlat = !(f.max > f.min);
    const double low = f.min;
    const double margin = isFlat ? 0.5 * std::max(1.0, std::abs(low)) : 0;
    const double step = isFlat ? margin / 50 : (f.max - f.min) / static_cast<double>(slice_.histogram.size());
    double most = 0;
    for (std::size_t i = 0; isShown && i < (isFlat ? 1 : slice_.histogram.size()); ++i) {
        keys << (isFlat ? low : low + step * (static_cast<double>(i) + 0.5));
        // Square roots: a column of zeros leaves the others visible.
        counts << std::sqrt(static_cast<double>(slice_.histogram[i]));
        most = std::max(most, counts.back());
    }
    bars_->setWidth(step);
    bars_->setData(keys, counts, true);
    // Room at the right for the hatched part.
    const double high = (isFlat ? low : f.max) + margin;
    const double part = std::min(not_finite_width_, 0.8);
    histogram_->xAxis->setRange(low - margin, high + (high - low + margin) * part / (1 - part));
    histogram_->yAxis->setRange(0, std::max(1.0, most * 1.05));
    if (isShown) {
        const QString tip = tr("How often values occur, from %1 to %2 (height: square root of the count)")
                                .arg(numberText(f.min), numberText(f.max));
        histogram_->setToolTip(s.has_nan_or_inf() ? tip + QLatin1Char('\n') + finiteTip(s) : tip);
    }
    histogram_->replot(QCustomPlot::rpQueuedReplot);
}

// NaN and Inf are not on the axis: a hatched part at the right, as wide as their share.
void TensorView::hatchNotFinite(double share) {
    not_finite_width_ = share > 0 ? std::max(0.06, share) : 0;
    not_finite_->setVisible(share > 0);
    not_finite_label_->setVisible(share > 0);
    if (share <= 0) return;
    Theme& theme = Theme::instance();
    const bool isAll = slice_.statistics.finite_count() == 0;
    const double from = isAll ? 0 : 1 - std::min(not_finite_width_, 0.8);
    not_finite_->setBrush(theme.notFinite());
    not_finite_->setPen(Qt::NoPen);
    not_finite_->topLeft->setCoords(from, 0);
    not_finite_->bottomRight->setCoords(1, 1);
    not_finite_label_->setText(isAll ? finiteText(slice_.statistics) : QString());
    not_finite_label_->setColor(theme.colour(Theme::Colour::Text));
    not_finite_label_->setBrush(theme.colour(Theme::Colour::Panel));
    not_finite_label_->position->setCoords((from + 1) / 2, 0.5);
}

void TensorView::fillHistory() {
    history_->clear();
    const auto& recording = bridge().recording();
    if (!recording) return;
    std::vector<std::pair<EventId, bool>> all;
    for (EventId id : slice_.writers) all.emplace_back(id, true);
    for (EventId id : slice_.readers) all.emplace_back(id, false);
    std::sort(all.begin(), all.end());
    for (const auto& [id, writes] : all) {
        if (id == 0 || id > recording->event_count() || history_->count() > 400) continue;
        const session::Event& event = recording->event(id);
        auto* item = new QListWidgetItem(QStringLiteral("%1 %2 %3  %4")
                                             .arg(writes ? QStringLiteral("W") : QStringLiteral("R"))
                                             .arg(id, 4)
                                             .arg(shortOpName(event.op), text(event.scope)),
                                         history_);
        item->setData(Qt::UserRole, id);
        if (writes) item->setData(Qt::ForegroundRole, Theme::themed(Theme::Colour::Accent));
    }
}

// --- actions

void TensorView::find() {
    slice_edit_->setFocus();
    slice_edit_->selectAll();
}

void TensorView::addActions(QMenu& menu) {
    const QString why = slice_.dtype.empty() ? tr("no tensor is shown") : QString();
    enableUnless(menu.addAction(tr("Save tensor as .npy..."), this, &TensorView::saveArray), why);
    enableUnless(menu.addAction(tr("Save picture of tensor as .png..."), this, &TensorView::savePicture), why);
    enableUnless(menu.addAction(tr("Save histogram of tensor..."), this,
                                [this] { report(savePlotAs(*histogram_, QStringLiteral("histogram"))); }),
                 why);
    enableUnless(menu.addAction(tr("Copy the numbers shown"), this,
                                [this] { QGuiApplication::clipboard()->setText(numbersText()); }),
                 why);
    enableUnless(menu.addAction(tr("Copy statistics of tensor"), this,
                                [this] { QGuiApplication::clipboard()->setText(facts_->toPlainText()); }),
                 why);
    enableUnless(menu.addAction(tr("Go to the origin of this NaN or Inf"), this, [this] { bridge().goToOrigin(); }),
                 bridge().whyNoOrigin());
    menu.addAction(tr("Lock tensor panel"), this, [this] { lock_->toggle(); });
}

// Rows by lines, columns by tabs, of the tile that is chosen.
QString TensorView::numbersText() const {
    QString out;
    const int chosen = std::max(0, tile_->currentIndex());
    if (chosen >= static_cast<int>(slice_.data.size())) return out;
    const session::TensorTile& tile = slice_.data[static_cast<std::size_t>(chosen)];
    for (int row = 0; row < tile.rows; ++row) {
        for (int column = 0; column < tile.columns; ++column) {
            if (column > 0) out += QLatin1Char('\t');
            out +=
                QString::number(tile.elements[static_cast<std::size_t>(row) * static_cast<std::size_t>(tile.columns) +
                                              static_cast<std::size_t>(column)],
                                'g', 9);
        }
        out += QLatin1Char('\n');
    }
    return out;
}

void TensorView::report(const QString& error) {
    if (error.isEmpty()) return;
    error_->setText(error);
    error_->show();
}

void TensorView::saveArray() {
    const QString file =
        EngineFiles::getSaveFileName(this, tr("Save tensor"), QStringLiteral("tensor.npy"), tr("NumPy array (*.npy)"));
    if (file.isEmpty()) return;
    bridge().ask(QStringLiteral("save"), session::SaveTensorQuery{request_, file.toStdString()}, this,
                 [this, file](const std::string& error) {
                     if (!error.empty()) return report(text(error));
                     EngineFiles::saved(file, [this](const QString&, const QString& failure) { report(failure); });
                 });
}

void TensorView::savePicture() {
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save picture"), QStringLiteral("tensor.png"), tr("Picture (*.png)"));
    if (file.isEmpty()) return;
    const QImage image = stack_->currentWidget() == table_ ? table_->grab().toImage() : picture_->picture();
    report(saveImage(image, file));
}

}  // namespace loupe::views
