// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/studies/study_pages.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>

#include "core/study/studies/study_picture.h"
#include "views/common/format.h"
#include "views/common/panel_bar.h"
#include "views/common/tile_grid.h"
#include "views/common/token_chips.h"
#include "views/studies/points_plot.h"
#include "views/studies/study_map.h"
#include "views/studies/words_table.h"

namespace loupe::views {

namespace {

constexpr int kTileSide = 84;

QVBoxLayout* columnOf(QWidget* page) {
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

}  // namespace

StudyPages::StudyPages(QWidget* parent) : QTabWidget(parent) {
    setTabBarAutoHide(true);
    setDocumentMode(true);
}

void StudyPages::setResult(const session::StudyResult& result) {
    result_ = result;
    map_ = nullptr;
    chips_ = nullptr;
    words_ = nullptr;
    tiles_ = nullptr;
    points_ = nullptr;
    while (count() > 0) {
        QWidget* page = widget(0);
        removeTab(0);
        page->deleteLater();
    }
    for (const auto& each : result_.maps) addTab(makeMap(each), text(each.title));
    for (const auto& each : result_.tokens) addTab(makeTokens(each), text(each.title));
    for (const auto& each : result_.words) addTab(makeWords(each), text(each.title));
    for (const auto& each : result_.tiles) addTab(makeTiles(each), text(each.title));
    for (const auto& each : result_.points) addTab(makePoints(each), text(each.title));
}

QWidget* StudyPages::makeMap(const session::StudyMap& map) {
    auto* page = new QWidget(this);
    auto* column = columnOf(page);
    map_ = new StudyMapPicture(page);
    map_->setMap(map);
    connect(map_, &StudyMapPicture::hovered, this, &StudyPages::hovered);
    column->addWidget(map_, 1);
    if (map.under.rgb.empty()) return page;
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(10, 2, 10, 4);
    auto* from = new QLabel(tr("Input"), page);
    auto* to = new QLabel(tr("Map"), page);
    for (QLabel* each : {from, to}) each->setProperty("faint", true);
    auto* strength = new QSlider(Qt::Horizontal, page);
    strength->setObjectName(QStringLiteral("studyStrength"));
    strength->setAccessibleName(tr("Strength of the map over the input"));
    strength->setToolTip(tr("How strongly the map lies over the input"));
    strength->setRange(0, 100);
    strength->setValue(65);
    strength->setMaximumWidth(220);
    connect(strength, &QSlider::valueChanged, map_,
            [picture = map_](int value) { picture->setStrength(value / 100.0); });
    bar->addWidget(from);
    bar->addWidget(strength);
    bar->addWidget(to);
    bar->addStretch(1);
    column->addLayout(bar);
    return page;
}

QWidget* StudyPages::makeTokens(const session::StudyTokens& tokens) {
    chips_ = new TokenChips(this);
    chips_->setTokens(tokens.tokens);
    chips_->setScores(tokens.scores);
    connect(chips_, &TokenChips::chosenChanged, this, [this, scores = tokens.scores](int token) {
        const auto at = static_cast<std::size_t>(token);
        if (token >= 0 && at < scores.size()) emit hovered(tr("#%1: %2").arg(token).arg(scores[at], 0, 'g', 6));
    });
    return chips_;
}

QWidget* StudyPages::makeWords(const session::StudyWords& words) {
    words_ = new WordsTable(this);
    words_->setWords(words);
    connect(words_, &WordsTable::hovered, this, &StudyPages::hovered);
    connect(words_, &WordsTable::clicked, this, [this, rows = words.rows](int row, int) {
        const std::string& module = rows[static_cast<std::size_t>(row)].module;
        if (!module.empty()) emit moduleWanted(text(module), {});
    });
    return words_;
}

QWidget* StudyPages::makeTiles(const session::StudyTiles& tiles) {
    tiles_ = new TileGrid(kTileSide, this);
    tiles_->setAccessibleName(text(tiles.title));
    std::vector<TileGrid::Tile> shown;
    for (const auto& each : tiles.tiles) {
        const QString tip = tr("channel %1: activity %2, colours from %3 to %4; a click shows this channel in Tensor")
                                .arg(each.channel)
                                .arg(numberText(each.activity), numberText(each.low), numberText(each.high));
        shown.push_back({imageOf(session::picture_of(tiles, each)), QString::number(each.channel), tip});
    }
    tiles_->setTiles(std::move(shown));
    connect(tiles_, &TileGrid::chosenChanged, this, [this, tiles](int tile) {
        tiles_->setChosen(tile);
        if (tile < 0) return;
        const auto& chosen = tiles.tiles[static_cast<std::size_t>(tile)];
        emit hovered(tr("channel %1: activity %2, from %3 to %4")
                         .arg(chosen.channel)
                         .arg(numberText(chosen.activity),
                              numberText(static_cast<double>(*std::ranges::min_element(chosen.values))),
                              numberText(static_cast<double>(*std::ranges::max_element(chosen.values)))));
        emit moduleWanted(text(tiles.module), QStringLiteral("[%1, %2]").arg(tiles.sample).arg(chosen.channel));
    });
    return tiles_;
}

QWidget* StudyPages::makePoints(const session::StudyPoints& points) {
    auto* page = new QWidget(this);
    auto* column = columnOf(page);
    points_ = new PointsPlot(page);
    auto* bar = new PanelBar(page);
    QLineEdit* search = bar->search(tr("Find by name"), tr("Find points by name"));
    search->setObjectName(QStringLiteral("studySearch"));
    connect(search, &QLineEdit::textChanged, points_, &PointsPlot::setSearch);
    bar->note()->setText(tr("Colour: %1").arg(text(points.colour_title)));
    column->addLayout(bar);
    points_->setToolTip(tr("The wheel zooms, the mouse drags, a double click shows all"));
    points_->setPoints(points);
    connect(points_, &PointsPlot::hovered, this, &StudyPages::hovered);
    column->addWidget(points_, 1);
    return page;
}

void StudyPages::fit() {
    if (points_ != nullptr) points_->fit();
}

}  // namespace loupe::views
