// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/attention/attention_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "views/attention/attention_picture.h"
#include "views/attention/head_tiles.h"
#include "views/common/elided_fields.h"
#include "views/common/elided_label.h"
#include "views/common/empty_hint.h"
#include "views/common/file_output.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/theme.h"

namespace loupe::views {

ViewDescription AttentionView::describe() {
    return {
        QStringLiteral("attention"), tr("Attention"),
        tr("Which tokens attend to which: the weights of one layer and head, a row a query, a column a key. Those of "
           "scaled_dot_product_attention are computed from what it was given."),
        QStringLiteral("attention"), Place::Right};
}

AttentionView::AttentionView(SessionBridge& bridge, QWidget* parent) : View(bridge, parent) {
    auto* bar = new PanelBar(this);
    sites_ = new ElidedComboBox(this);
    sites_->setObjectName(QStringLiteral("attentionSites"));
    sites_->setAccessibleName(tr("Layer"));
    sites_->setToolTip(tr("Where the model attends, in the order of the run"));
    sites_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    sites_->setMinimumContentsLength(16);
    sites_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(sites_, &QComboBox::activated, this, &AttentionView::chooseSite);
    bar->addWidget(sites_);
    heads_ = bar->choice(tr("Head"), tr("One head, or the mean of all"));
    heads_->setObjectName(QStringLiteral("attentionHeads"));
    connect(heads_, &QComboBox::activated, this, [this](int index) { chooseHead(index - 1); });
    batch_ = new QSpinBox(this);
    batch_->setPrefix(tr("batch "));
    batch_->setAccessibleName(tr("Of the batch"));
    batch_->setToolTip(tr("Which example of the batch"));
    batch_->hide();
    connect(batch_, &QSpinBox::valueChanged, this, &AttentionView::askMap);
    bar->addWidget(batch_);
    facts_ = bar->note(90);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    auto* above = new QWidget(splitter);
    auto* column = new QVBoxLayout(above);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    picture_ = new AttentionPicture(above);
    column->addWidget(picture_, 1);
    hover_ = new QLabel(QStringLiteral(" "), above);
    hover_->setObjectName(QStringLiteral("attentionHover"));
    hover_->setFont(Theme::instance().monoFont());
    hover_->setProperty("faint", true);
    hover_->setTextFormat(Qt::PlainText);
    hover_->setContentsMargins(8, 1, 8, 2);
    hover_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(hover_);
    tiles_ = new HeadTiles(splitter);
    splitter->addWidget(above);
    splitter->addWidget(tiles_);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setSizes({420, 70});
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter, 1);
    hint_ = new EmptyHint(this);
    connect(picture_, &AttentionPicture::hovered, this,
            [this](const QString& words) { hover_->setText(words.isEmpty() ? QStringLiteral(" ") : words); });
    connect(picture_, &AttentionPicture::clicked, picture_, &AttentionPicture::setMarked);
    connect(tiles_, &HeadTiles::chosenChanged, this, &AttentionView::chooseHead);
    connect(&bridge, &SessionBridge::recordingChanged, this, &AttentionView::askSites);
    connect(&bridge, &SessionBridge::statusChanged, this, &AttentionView::askSites);
    connect(&bridge, &SessionBridge::currentChanged, this, &AttentionView::followCurrent);
    showSites({});
}

QString AttentionView::said() const { return hover_->text().trimmed(); }

// --- where the model attends

void AttentionView::comeIntoSight() { askSites(); }

void AttentionView::askSites() {
    const auto& recording = bridge().recording();
    if (bridge().isBusy() && !bridge().isPaused()) return;
    const std::size_t events = recording ? recording->event_count() : 0;
    if (!recording || events == 0) {
        found_in_ = nullptr;
        is_due_ = false;
        return showSites({});
    }
    if (found_in_ == recording && found_at_ == events && !is_due_) return;
    is_due_ = !isInSight();
    if (is_due_) return;
    found_in_ = recording;
    found_at_ = events;
    waiting_ = true;
    bridge().ask(QStringLiteral("attention.sites"), session::AttentionsQuery{}, this,
                 [this](const session::Attentions& found) { showSites(found); });
}

void AttentionView::showSites(const session::Attentions& found) {
    waiting_ = false;
    // The same layers again keep what was chosen.
    const int before = found.sites.size() == found_.size() ? sites_->currentIndex() : -1;
    found_ = found.sites;
    sites_->clear();
    for (const session::AttentionSite& site : found_) {
        const QString name = site.scope.empty() ? tr("#%1").arg(site.event) : text(site.scope);
        sites_->addItem(
            tr("%1: %2, %3\u00d7%4").arg(name, counted(site.heads, "head")).arg(site.queries).arg(site.keys));
    }
    if (found_.empty()) {
        picture_->setMap({});
        tiles_->setHeads({});
        facts_->setText({});
        return showHint(text(found.error));
    }
    hint_->say({});
    const int index = std::clamp(before, 0, static_cast<int>(found_.size()) - 1);
    sites_->setCurrentIndex(index);
    askMap();
}

void AttentionView::showHint(const QString& why) {
    const auto& recording = bridge().recording();
    const bool hasRun = recording && recording->event_count() > 0;
    hint_->say(!bridge().model()          ? tr("Open a model with attention, and run it.")
               : !why.isEmpty() && hasRun ? why
               : hasRun
                   ? tr("This run has no attention: no softmax whose result is a factor of a matrix product, and no "
                        "scaled_dot_product_attention.")
                   : tr("Run the model (F5): where it attends is shown here."));
}

void AttentionView::chooseSite(int index) {
    if (index < 0 || index >= static_cast<int>(found_.size())) return;
    choosing_ = true;
    bridge().setCurrentEvent(found_[static_cast<std::size_t>(index)].event);
    choosing_ = false;
    askMap();
}

// The attention of the current event's module, or of one that it stands in.
void AttentionView::followCurrent() {
    if (choosing_ || found_.empty() || found_in_ != bridge().recording()) return;
    const auto event = bridge().currentEvent();
    const auto exact = std::ranges::find(found_, event, &session::AttentionSite::event);
    const std::string scope = bridge().currentModule().toStdString();
    const auto found =
        exact != found_.end() ? exact : std::ranges::find_if(found_, [&](const session::AttentionSite& site) {
            return !scope.empty() && (site.scope == scope || site.scope.starts_with(scope + "."));
        });
    if (found == found_.end()) return;
    // A module that holds several stays with the one that is shown.
    const auto shown = static_cast<std::size_t>(std::max(0, sites_->currentIndex()));
    const bool isInside = exact == found_.end() && shown < found_.size() &&
                          (found_[shown].scope == scope || found_[shown].scope.starts_with(scope + "."));
    const int index = static_cast<int>(found - found_.begin());
    if (isInside || index == sites_->currentIndex()) return;
    sites_->setCurrentIndex(index);
    askMap();
}

// --- one of them

void AttentionView::chooseHead(int head) {
    head_ = head;
    askMap();
}

void AttentionView::askMap() {
    const int index = sites_->currentIndex();
    if (index < 0 || index >= static_cast<int>(found_.size())) return;
    const session::AttentionSite& site = found_[static_cast<std::size_t>(index)];
    head_ = head_ < site.heads ? head_ : -1;
    {
        const QSignalBlocker blocker(heads_);
        heads_->clear();
        heads_->addItem(tr("mean of %1").arg(counted(site.heads, "head")));
        for (std::int64_t head = 0; head < site.heads; ++head) heads_->addItem(tr("head %1").arg(head));
        heads_->setCurrentIndex(head_ + 1);
        const QSignalBlocker batchBlocker(batch_);
        batch_->setRange(0, static_cast<int>(std::max<std::int64_t>(0, site.batches - 1)));
        batch_->setVisible(site.batches > 1);
    }
    session::AttentionMapQuery query;
    query.event = site.event;
    query.head = head_;
    query.batch = batch_->value();
    waiting_ = true;
    bridge().ask(QStringLiteral("attention.map"), query, this,
                 [this](const session::AttentionMap& map) { showMap(map); });
}

void AttentionView::showMap(const session::AttentionMap& map) {
    waiting_ = false;
    if (!map.error.empty()) {
        picture_->setMap({});
        tiles_->setHeads({});
        facts_->setText({});
        return hint_->say(text(map.error));
    }
    hint_->say({});
    picture_->setMap(map);
    tiles_->setHeads(map.heads);
    tiles_->setChosen(head_);
    facts_->setText(map.site.is_fused ? tr("computed from query, key and mask") : QString());
    facts_->setVisible(map.site.is_fused);  // an empty line would take room from the layer's name
    facts_->setToolTip(map.site.is_fused
                           ? tr("scaled_dot_product_attention does not give its weights: they are computed here, "
                                "in float32, from the queries, keys and mask that it was given")
                           : QString());
}

// --- actions

void AttentionView::find() { sites_->setFocus(); }
void AttentionView::fit() { picture_->fit(); }

void AttentionView::savePicture() {
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save picture"), QStringLiteral("attention.png"), tr("Pictures (*.png)"));
    if (file.isEmpty()) return;
    const QString error = saveImage(picture_->grab().toImage(), file);
    if (!error.isEmpty()) bridge().addLog({SessionBridge::LogEntry::Level::Error, error.toStdString(), 0, -1, {}, {}});
}

void AttentionView::addActions(QMenu& menu) {
    const bool isShown = !picture_->map().map.weights.empty();
    menu.addAction(tr("Save picture of attention as .png..."), this, &AttentionView::savePicture)->setEnabled(isShown);
    menu.addAction(tr("Copy the attention weights"), this,
                   [this] {
                       const auto& tile = picture_->map().map;
                       QStringList lines;
                       for (int i = 0; i < tile.rows; ++i) {
                           QStringList row;
                           for (int j = 0; j < tile.columns; ++j)
                               row += QString::number(
                                   static_cast<double>(tile.weights[static_cast<std::size_t>(i * tile.columns + j)]),
                                   'g', 6);
                           lines += row.join(QLatin1Char('\t'));
                       }
                       QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
                   })
        ->setEnabled(isShown);
}

}  // namespace loupe::views
