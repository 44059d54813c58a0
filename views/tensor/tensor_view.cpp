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

#include "core/session/queries/run_differences.h"
#include "core/session/queries/save_tensor.h"
#include "core/session/queries/value_tokens.h"
#include "views/common/comparison.h"
#include "views/common/engine_files.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/kept_answers.h"
#include "views/common/panel_output.h"
#include "views/common/plot_style.h"
#include "views/common/theme.h"
#include "views/common/token_text.h"
#include "views/tensor/beside_pictures.h"
#include "views/tensor/element_menu.h"
#include "views/tensor/elided.h"
#include "views/tensor/tensor_source.h"

namespace loupe::views {
namespace {

using session::EventId;
using session::ValueId;

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

TensorView::TensorView(SessionBridge& bridge, QWidget* parent)
    : View(bridge, parent), source_(new TensorSource(bridge, this)) {
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

    connect(source_, &TensorSource::came, this, [this](const session::TensorSlice& slice) {
        if (reference_event_ == 0 || !Comparison::of(this->bridge()).isOn()) showSlice(slice);
    });
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

bool TensorView::isSettled() const { return !waiting_ && !source_->isWaiting(); }

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
    if (reference_event_ != 0 && Comparison::of(bridge()).isOn()) {
        const int reference = Comparison::of(bridge()).current()->id;
        bridge().ask(QStringLiteral("tensor-reference-%1").arg(reinterpret_cast<quintptr>(this)),
                     session::ReferenceTensorQuery{reference, reference_event_, 0, request_}, this,
                     [this, event = reference_event_](const session::TensorComparison& found) {
                         if (event != reference_event_) return;
                         session::TensorSlice slice = found.reference;
                         slice.error = found.error;
                         if (found.error.empty())
                             slice.name = tr("%1 of %2").arg(text(slice.name), text(found.label)).toStdString();
                         slice.value = 0;  // of another run
                         showSlice(slice);
                     });
        return;
    }
    source_->ask(request_);
}

// First pictures of what the events beside this one made.
std::vector<session::TensorRequest> TensorView::likelyNext() const {
    std::vector<session::TensorRequest> next;
    const auto& recording = bridge().recording();
    const auto event = static_cast<std::int64_t>(bridge().currentEvent());
    if (!recording || event == 0 || request_.value == 0 || lock_->isChecked()) return next;
    for (const std::int64_t step : {1, 2, -1, 3, 4}) {
        const std::int64_t id = event + step;
        if (id < 1 || id > static_cast<std::int64_t>(recording->event_count())) continue;
        const session::Event& other = recording->event(static_cast<EventId>(id));
        if (other.outputs.empty()) continue;
        session::TensorRequest request = request_;
        request.value = *other.outputs.begin();
        next.push_back(request);
    }
    return next;
}

// Axes that stand for the tokens of a text have their names.
void TensorView::askNames() {
    const ValueId value = slice_.value;
    const auto& recording = bridge().recording();
    if (value == 0 || slice_.dtype.empty() || !recording || value > recording->value_count()) return showNames({});
    KeptAnswers::of(bridge()).ask(QStringLiteral("tensor-names-%1").arg(reinterpret_cast<quintptr>(this)),
                                  session::ValueTokensQuery{value}, this,
                                  [this, value](const session::ValueTokens& tokens) {
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
    title_->setText(slice_.dtype.empty()
                        ? QString()
                        : QStringLiteral("%1  %2 %3%4%5")
                              .arg(elided(name, 40), text(slice_.dtype), shapeText(slice_.shape), sliced,
                                   source_->isWaiting() ? QStringLiteral("  \u2026") : QString()));
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
    source_->setNext(likelyNext());
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
    const bool isOne = display == Display::Grid || display == Display::HeatMap || display == Display::Line;
    tile_->setVisible(tile_->count() > 1 && isOne);
    source_->show(isOne ? std::max(0, tile_->currentIndex()) : -1);
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
