// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/build/build_view.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QRegularExpression>
#include <QShortcut>
#include <QSplitter>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <algorithm>

#include "core/session/queries/build_check.h"
#include "views/common/elided_label.h"
#include "views/common/engine_files.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/icons.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

enum Column { Number, Layer, Output, Parameters };

// Display names; other families have their module's name.
QString familyTitle(const std::string& family) {
    static const std::pair<const char*, const char*> kTitles[] = {
        {"linear", QT_TRANSLATE_NOOP("QObject", "Linear")},
        {"conv", QT_TRANSLATE_NOOP("QObject", "Convolution")},
        {"pooling", QT_TRANSLATE_NOOP("QObject", "Pooling")},
        {"activation", QT_TRANSLATE_NOOP("QObject", "Activation")},
        {"batchnorm", QT_TRANSLATE_NOOP("QObject", "Batch normalisation")},
        {"normalization", QT_TRANSLATE_NOOP("QObject", "Normalisation")},
        {"instancenorm", QT_TRANSLATE_NOOP("QObject", "Instance normalisation")},
        {"dropout", QT_TRANSLATE_NOOP("QObject", "Dropout")},
        {"flatten", QT_TRANSLATE_NOOP("QObject", "Shape")},
        {"padding", QT_TRANSLATE_NOOP("QObject", "Padding")},
        {"rnn", QT_TRANSLATE_NOOP("QObject", "Recurrent")},
        {"sparse", QT_TRANSLATE_NOOP("QObject", "Embedding")},
        {"transformer", QT_TRANSLATE_NOOP("QObject", "Transformer")},
        {"upsampling", QT_TRANSLATE_NOOP("QObject", "Upsampling")},
        {"pixelshuffle", QT_TRANSLATE_NOOP("QObject", "Pixel shuffle")},
        {"channelshuffle", QT_TRANSLATE_NOOP("QObject", "Channel shuffle")},
        {"fold", QT_TRANSLATE_NOOP("QObject", "Fold")}};
    for (const auto& [name, title] : kTitles) {
        if (family == name) return QObject::tr(title);
    }
    return text(family);
}

QString tipOf(const session::LayerInfo& layer) {
    QStringList parts;
    for (const auto& argument : layer.arguments) {
        parts << (argument.default_text.empty() ? text(argument.name)
                                                : text(argument.name) + QLatin1Char('=') + text(argument.default_text))
                     .toHtmlEscaped();
    }
    return QStringLiteral("<p>%1</p><p><code>%2(%3)</code></p>")
        .arg(text(layer.summary).toHtmlEscaped(), text(layer.name), parts.join(QStringLiteral(", ")));
}

// "float32 1x16x6x6" as "1x16x6x6", with the type where it is another.
QString shapeOf(const std::string& output) {
    const QString words = text(output);
    return words.startsWith(QLatin1String("float32 ")) ? words.mid(8) : words;
}

QToolButton* iconButton(const QString& icon, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themeIcon(icon));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

ViewDescription BuildView::describe() {
    return {QStringLiteral("build"), tr("Build"),
            tr("A model from layers: pick them on the left, edit their arguments in the list; what each gives is tried "
               "at once. Below is the source, which can be edited too."),
            QStringLiteral("build"), Place::Centre};
}

BuildView::BuildView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    QLayout* bar = makeBar();
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    auto* left = new QWidget(splitter);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    makePalette();
    column->addWidget(search_);
    column->addWidget(palette_, 1);
    auto* right = new QSplitter(Qt::Vertical, splitter);
    makeListPane(right);
    makeSourcePane(right);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 5);
    splitter->setSizes({185, 435});
    right->setSizes({280, 200});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);
    timer_.setSingleShot(true);
    timer_.setInterval(120);
    connect(&timer_, &QTimer::timeout, this, &BuildView::check);
    connect(&Theme::instance(), &Theme::changed, this, [this] { source_->setFont(Theme::instance().codeFont()); });
    setLayers({});
    layersEdited();
}

QLayout* BuildView::makeBar() {
    auto* bar = new PanelBar(this);
    templates_ = bar->choice(tr("Template"));
    templates_->addItem(tr("Template\u2026"));
    for (const auto& one : session::list_templates()) {
        templates_->addItem(text(one.name), text(one.source));
        templates_->setItemData(templates_->count() - 1, text(one.summary), Qt::ToolTipRole);
    }
    connect(templates_, &QComboBox::activated, this, &BuildView::useTemplate);
    bar->addWidget(makeInput());
    QToolButton* open =
        bar->button(tr("Open model"), tr("Write the source to a file and open it as the model, to run and train"),
                    QStringLiteral("buildOpen"));
    open->setIcon(themeIcon(QStringLiteral("run")));
    open->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(open, &QToolButton::clicked, this, &BuildView::openModel);
    summary_ = bar->note();
    return bar;
}

// With its name, in one row.
QWidget* BuildView::makeInput() {
    input_ = new QLineEdit(QStringLiteral("1x1x8x8"), this);
    input_->setAccessibleName(tr("Input"));
    input_->setToolTip(tr("Shape of the input, with the batch: 1x3x32x32; token numbers: 1x16:int64"));
    const auto fitInput = [this] {
        constexpr int kLeast = 70;
        constexpr int kMost = 200;
        const int frame = input_->minimumSizeHint().width() - input_->fontMetrics().maxWidth();
        const int wanted = frame + input_->fontMetrics().horizontalAdvance(input_->text() + QStringLiteral("x8"));
        input_->setFixedWidth(std::clamp(wanted, kLeast, kMost));
    };
    fitInput();
    connect(input_, &QLineEdit::textChanged, this, fitInput);
    connect(input_, &QLineEdit::textEdited, this, &BuildView::layersEdited);
    auto* input = new QWidget(this);
    input->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* named = new QHBoxLayout(input);
    named->setContentsMargins(0, 0, 0, 0);
    named->setSpacing(6);
    named->addWidget(new QLabel(tr("input"), input));
    named->addWidget(input_);
    return input;
}

void BuildView::makeListPane(QSplitter* right) {
    auto* top = new QWidget(right);
    list_pane_ = top;
    auto* rows = new QVBoxLayout(top);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    makeLayers();
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(4, 1, 4, 1);
    tools->setSpacing(2);
    auto* up = iconButton(QStringLiteral("chevron"), tr("Up (Alt+Up)"), top);
    up->setText(QStringLiteral("\u2191"));
    up->setIcon({});
    auto* down = iconButton({}, tr("Down (Alt+Down)"), top);
    down->setText(QStringLiteral("\u2193"));
    auto* remove = iconButton(QStringLiteral("remove"), tr("Remove the layer (Delete)"), top);
    connect(up, &QToolButton::clicked, this, [this] { moveLayer(-1); });
    connect(down, &QToolButton::clicked, this, [this] { moveLayer(1); });
    connect(remove, &QToolButton::clicked, this, &BuildView::removeLayer);
    mend_ = new QToolButton(top);
    mend_->setObjectName(QStringLiteral("buildMend"));
    mend_->setVisible(false);
    connect(mend_, &QToolButton::clicked, this, [this] { mend(mend_->property("row").toInt()); });
    message_ = new QLabel(top);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->setWordWrap(true);
    for (QWidget* widget : {static_cast<QWidget*>(up), static_cast<QWidget*>(down), static_cast<QWidget*>(remove)})
        tools->addWidget(widget);
    tools->addWidget(message_, 1);
    tools->addWidget(mend_);
    rows->addWidget(layers_, 1);
    rows->addLayout(tools);
}

void BuildView::makeSourcePane(QSplitter* right) {
    auto* bottom = new QWidget(right);
    auto* below = new QVBoxLayout(bottom);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(0);
    source_note_ = new QLabel(bottom);
    source_note_->setProperty("faint", true);
    source_note_->setContentsMargins(8, 2, 8, 2);
    source_ = new QPlainTextEdit(bottom);
    source_->setAccessibleName(tr("Source of the model"));
    source_->setLineWrapMode(QPlainTextEdit::NoWrap);
    source_->setFont(Theme::instance().codeFont());
    source_->setTabChangesFocus(false);
    source_->setFrameShape(QFrame::NoFrame);
    connect(source_, &QPlainTextEdit::textChanged, this, &BuildView::sourceEdited);
    below->addWidget(source_note_);
    below->addWidget(source_, 1);
}

void BuildView::makePalette() {
    search_ = new QLineEdit(this);
    search_->setPlaceholderText(tr("Find a layer"));
    search_->setAccessibleName(tr("Find a layer"));
    search_->addAction(themeIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    search_->setClearButtonEnabled(true);
    palette_ = new QTreeWidget(this);
    palette_->setObjectName(QStringLiteral("buildPalette"));
    palette_->setAccessibleName(tr("Layers to choose from"));
    palette_->setHeaderHidden(true);
    palette_->setUniformRowHeights(true);
    palette_->setIndentation(12);
    connect(search_, &QLineEdit::textChanged, this, &BuildView::filterPalette);
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        if (palette_->currentItem() && palette_->currentItem()->parent()) addLayer(palette_->currentItem()->text(0));
    });
    connect(palette_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->parent())
            addLayer(item->text(0));
        else
            item->setExpanded(!item->isExpanded());
    });
    fillPalette();
}

void BuildView::fillPalette() {
    infos_ = session::list_layers();
    static const char* const kOpen[] = {"linear", "conv", "activation", "pooling"};
    std::map<std::string, QTreeWidgetItem*> families;
    const auto family = [&](const std::string& name) {
        auto& item = families[name];
        if (item == nullptr) {
            item = new QTreeWidgetItem(palette_, {familyTitle(name)});
            item->setData(0, Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
            item->setFlags(Qt::ItemIsEnabled);
        }
        return item;
    };
    for (const char* name : kOpen) family(name);  // the most used first
    // Lazy layers after the ones with explicit sizes.
    std::stable_partition(infos_.begin(), infos_.end(),
                          [](const session::LayerInfo& info) { return info.name.rfind("Lazy", 0) != 0; });
    for (const auto& info : infos_) {
        auto* item = new QTreeWidgetItem(family(info.family), {text(info.name)});
        item->setToolTip(0, tipOf(info));
    }
    for (const char* name : {"linear", "conv"}) families[name]->setExpanded(true);
}

void BuildView::filterPalette(const QString& words) {
    QTreeWidgetItem* first = nullptr;
    for (int i = 0; i < palette_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* family = palette_->topLevelItem(i);
        int shown = 0;
        for (int k = 0; k < family->childCount(); ++k) {
            QTreeWidgetItem* item = family->child(k);
            const bool isWanted = item->text(0).contains(words, Qt::CaseInsensitive);
            item->setHidden(!isWanted);
            shown += isWanted;
            const bool isBest = isWanted && (!first || item->text(0).size() < first->text(0).size());
            if (isBest) first = item;
        }
        family->setHidden(shown == 0);
        family->setExpanded(!words.isEmpty() || i < 2);
    }
    if (!words.isEmpty() && first) palette_->setCurrentItem(first);
}

void BuildView::makeLayers() {
    layers_ = new QTreeWidget(this);
    layers_->setObjectName(QStringLiteral("buildLayers"));
    layers_->setAccessibleName(tr("Layers of the model"));
    layers_->setRootIsDecorated(false);
    layers_->setUniformRowHeights(true);
    layers_->setHeaderLabels({QStringLiteral("#"), tr("Layer"), tr("Gives"), tr("Parameters")});
    layers_->header()->setStretchLastSection(false);
    layers_->header()->setSectionResizeMode(Layer, QHeaderView::Stretch);
    layers_->header()->resizeSection(Number, 28);
    layers_->header()->resizeSection(Output, 120);
    layers_->header()->resizeSection(Parameters, 78);
    layers_->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked |
                             QAbstractItemView::AnyKeyPressed);
    connect(layers_, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem*, int changed) {
        if (!filling_ && changed == Layer) layersEdited();
    });
    connect(layers_, &QTreeWidget::currentItemChanged, this, [this] { showCheck(check_); });
    const auto key = [this](const QKeySequence& keys, auto slot) {
        auto* shortcut = new QShortcut(keys, layers_);
        shortcut->setContext(Qt::WidgetShortcut);
        connect(shortcut, &QShortcut::activated, this, slot);
    };
    key(QKeySequence(Qt::Key_Delete), [this] { removeLayer(); });
    key(QKeySequence(Qt::ALT | Qt::Key_Up), [this] { moveLayer(-1); });
    key(QKeySequence(Qt::ALT | Qt::Key_Down), [this] { moveLayer(1); });
}

QStringList BuildView::layerTexts() const {
    QStringList all;
    for (int i = 0; i < layers_->topLevelItemCount(); ++i) all << layers_->topLevelItem(i)->text(Layer).trimmed();
    return all;
}

session::BuildRequest BuildView::request() const {
    session::BuildRequest request;
    for (const QString& layer : layerTexts()) request.layers.push_back(layer.toStdString());
    request.input = input_->text().trimmed().toStdString();
    return request;
}

void BuildView::setLayers(const std::vector<std::string>& texts) {
    const int row = layers_->indexOfTopLevelItem(layers_->currentItem());
    filling_ = true;
    layers_->clear();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto* item = new QTreeWidgetItem(layers_, {QString::number(i), text(texts[i])});
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
        item->setFont(Layer, Theme::instance().monoFont());
        item->setFont(Output, Theme::instance().monoFont());
        item->setFont(Parameters, Theme::instance().monoFont());
        item->setTextAlignment(Parameters, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(Number, Qt::ForegroundRole, Theme::themed(Theme::Colour::Faint));
    }
    if (row >= 0 && row < layers_->topLevelItemCount()) layers_->setCurrentItem(layers_->topLevelItem(row));
    filling_ = false;
}

// The input of a row, from the last check.
QString BuildView::inputOf(int row) const {
    for (int i = row - 1; i >= 0; --i) {
        if (static_cast<std::size_t>(i) >= check_.steps.size()) continue;
        if (const std::string& output = check_.steps[static_cast<std::size_t>(i)].output; !output.empty())
            return text(output);
    }
    return input_->text().section(QLatin1Char(':'), 0, 0);
}

void BuildView::addLayer(const QString& name) {
    const std::string wanted = name.toStdString();
    const auto found =
        std::find_if(infos_.begin(), infos_.end(), [&](const auto& info) { return info.name == wanted; });
    if (found == infos_.end()) return;
    if (!is_sequential_) return insertCall(*found);
    const int chosen = layers_->indexOfTopLevelItem(layers_->currentItem());
    const int at = chosen < 0 ? layers_->topLevelItemCount() : chosen + 1;
    std::vector<std::string> all = request().layers;
    all.insert(all.begin() + at, session::suggest_layer(*found, inputOf(at).toStdString()));
    setLayers(all);
    layers_->setCurrentItem(layers_->topLevelItem(at));
    layersEdited();
    timer_.stop();
    check();  // at once: its output determines the choice of the next layer
}

// Into a source without a list: at the cursor.
void BuildView::insertCall(const session::LayerInfo& layer) {
    source_->insertPlainText(QStringLiteral("nn.") + text(session::suggest_layer(layer, input_->text().toStdString())));
    source_->setFocus();
}

void BuildView::removeLayer() {
    const int row = layers_->indexOfTopLevelItem(layers_->currentItem());
    if (row < 0) return;
    delete layers_->takeTopLevelItem(row);
    layersEdited();
}

void BuildView::moveLayer(int by) {
    const int row = layers_->indexOfTopLevelItem(layers_->currentItem());
    const int to = row + by;
    if (row < 0 || to < 0 || to >= layers_->topLevelItemCount()) return;
    std::vector<std::string> all = request().layers;
    std::swap(all[static_cast<std::size_t>(row)], all[static_cast<std::size_t>(to)]);
    setLayers(all);
    layers_->setCurrentItem(layers_->topLevelItem(to));
    layersEdited();
}

void BuildView::mend(int row) {
    if (row < 0 || row >= layers_->topLevelItemCount() || static_cast<std::size_t>(row) >= check_.steps.size()) return;
    const auto& proposal = check_.steps[static_cast<std::size_t>(row)].mend;
    if (!proposal) return;
    // The size is the layer's first argument, or named.
    QString call = layers_->topLevelItem(row)->text(Layer);
    const QString keyword = text(proposal->first) + QLatin1Char('=');
    const int named = static_cast<int>(call.indexOf(keyword));
    const int begin =
        named >= 0 ? named + static_cast<int>(keyword.size()) : static_cast<int>(call.indexOf(QLatin1Char('('))) + 1;
    int end = begin;
    while (end < call.size() && call[end] != QLatin1Char(',') && call[end] != QLatin1Char(')')) ++end;
    call.replace(begin, end - begin, text(proposal->second));
    layers_->topLevelItem(row)->setText(Layer, call);
}

void BuildView::layersEdited() {
    is_sequential_ = true;
    filling_ = true;
    for (int i = 0; i < layers_->topLevelItemCount(); ++i)
        layers_->topLevelItem(i)->setText(Number, QString::number(i));
    QTextCursor all(source_->document());  // the old text can be restored with Ctrl+Z
    all.select(QTextCursor::Document);
    all.insertText(text(session::build_source(request())));
    filling_ = false;
    source_note_->setText(tr("source"));
    checkSoon();
}

void BuildView::sourceEdited() {
    if (filling_) return;
    const auto read = session::read_build(source_->toPlainText().toStdString());
    is_sequential_ = read.has_value();
    layers_->setEnabled(is_sequential_);
    // A partly typed class name is ignored.
    static const QRegularExpression definition(QStringLiteral("^class\\s"), QRegularExpression::MultilineOption);
    const bool is_program = !is_sequential_ && source_->toPlainText().contains(definition);
    list_pane_->setVisible(!is_program);
    source_note_->setText(is_sequential_ ? tr("source")
                          : is_program
                              ? tr("source; a layer from the palette goes where the cursor stands")
                              : tr("source; it is no single nn.Sequential just now, so the list above stands still"));
    if (!read) {
        if (is_program) setLayers({});
        check_ = {};
        showCheck({});
        return;
    }
    if (!read->input.empty()) input_->setText(text(read->input));
    setLayers(read->layers);
    checkSoon();
}

void BuildView::useTemplate(int index) {
    const QString source = templates_->itemData(index).toString();
    templates_->setCurrentIndex(0);
    if (source.isEmpty()) return;
    source_->setPlainText(source);  // re-enters as edited
}

void BuildView::checkSoon() {
    layers_->setEnabled(true);
    waiting_ = true;
    timer_.start();
}

void BuildView::check() {
    if (layers_->topLevelItemCount() == 0) return showCheck({});
    waiting_ = true;
    bridge().ask(QStringLiteral("build"), session::BuildCheckQuery{request()}, this,
                 [this, number = ++asked_](const session::BuildCheck& check) {
                     if (number == asked_) showCheck(check);
                 });
}

void BuildView::showCheck(const session::BuildCheck& check) {
    waiting_ = false;
    if (&check != &check_) check_ = check;
    filling_ = true;
    int firstBad = -1;
    for (int i = 0; i < layers_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = layers_->topLevelItem(i);
        if (static_cast<std::size_t>(i) >= check_.steps.size()) break;
        const session::BuildStep& step = check_.steps[static_cast<std::size_t>(i)];
        const bool isBad = !step.error.empty();
        if (isBad && firstBad < 0) firstBad = i;
        item->setText(Output, isBad                 ? tr("does not fit")
                              : step.output.empty() ? QStringLiteral("\u2014")
                                                    : shapeOf(step.output));
        item->setText(Parameters, step.parameters > 0 ? countText(step.parameters) : QString());
        item->setData(Layer, Qt::ForegroundRole, Theme::themed(isBad ? Theme::Colour::Bad : Theme::Colour::Text));
        item->setData(Output, Qt::ForegroundRole,
                      Theme::themed(isBad                 ? Theme::Colour::Bad
                                    : step.output.empty() ? Theme::Colour::Faint
                                                          : Theme::Colour::Text));
        QString tip =
            isBad ? text(step.error) : tr("%1 %2").arg(text(step.output), bytesText(static_cast<double>(step.bytes)));
        if (!step.expects.empty()) tip += tr("\nexpects %1").arg(text(step.expects));
        for (int column = 0; column < 4; ++column) item->setToolTip(column, tip);
    }
    filling_ = false;
    const int current = layers_->indexOfTopLevelItem(layers_->currentItem());
    const bool isCurrentBad = current >= 0 && static_cast<std::size_t>(current) < check_.steps.size() &&
                              !check_.steps[static_cast<std::size_t>(current)].error.empty();
    const int row = isCurrentBad ? current : firstBad;
    const session::BuildStep* step = row < 0 ? nullptr : &check_.steps[static_cast<std::size_t>(row)];
    mend_->setVisible(step && step->mend);
    if (step && step->mend) {
        mend_->setText(tr("Make it %1=%2").arg(text(step->mend->first), text(step->mend->second)));
        mend_->setProperty("row", row);
    }
    QString words;
    if (!check_.error.empty())
        words = tr("input: %1").arg(text(check_.error));
    else if (step)
        words = step->expects.empty() ? tr("%1: %2").arg(row).arg(text(step->error))
                                      : tr("%1: expects %2. %3").arg(row).arg(text(step->expects), text(step->error));
    message_->setText(words);
    Theme::setTone(*message_, words.isEmpty() ? Theme::Colour::Faint : Theme::Colour::Bad);
    const int count = layers_->topLevelItemCount();
    summary_->setText(count == 0 ? (is_sequential_ ? tr("choose a template or a layer") : QString())
                                 : tr("%1, %2").arg(counted(count, "layer"), counted(check_.parameters, "parameter")));
}

QString BuildView::openAs(const QString& file) {
    if (!EngineFiles::areFar()) QDir().mkpath(QFileInfo(file).path());
    if (const QString error = EngineFiles::write(file, source_->toPlainText().toUtf8()); !error.isEmpty()) return error;
    written_ = file;
    bridge().open(file);
    return {};
}

void BuildView::openModel() {
    const QString failure = openAs(EngineFiles::ownFolder() + QStringLiteral("/model.py"));
    if (!failure.isEmpty()) message_->setText(failure);
}

void BuildView::find() {
    search_->setFocus();
    search_->selectAll();
}

void BuildView::addActions(QMenu& menu) {
    menu.addAction(tr("Open the built model"), this, &BuildView::openModel);
    menu.addAction(tr("Save its source as\u2026"), this, [this] {
        const QString file = EngineFiles::getSaveFileName(this, tr("Save source"), QStringLiteral("model.py"),
                                                          tr("Model sources (*.py)"));
        if (file.isEmpty()) return;
        if (const QString failure = openAs(file); !failure.isEmpty()) message_->setText(failure);
    });
    for (int i = 1; i < templates_->count(); ++i)
        menu.addAction(tr("Template: %1").arg(templates_->itemText(i)), this, [this, i] { useTemplate(i); });
}

}  // namespace loupe::views
