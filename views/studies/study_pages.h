// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The results of a study, drawn by their kinds: a tab each where there are several.

#include <QTabWidget>

#include "core/study/studies/study.h"

class QSlider;

namespace loupe::views {

class PointsPlot;
class StudyMapPicture;
class TileGrid;
class TokenChips;
class WordsTable;

class StudyPages : public QTabWidget {
    Q_OBJECT

  public:
    explicit StudyPages(QWidget* parent = nullptr);

    void setResult(const session::StudyResult& result);
    const session::StudyResult& result() const { return result_; }
    void fit();

    // Of the result that is shown; null: it has none of that kind.
    StudyMapPicture* map() { return map_; }
    TokenChips* chips() { return chips_; }
    WordsTable* words() { return words_; }
    TileGrid* tiles() { return tiles_; }
    PointsPlot* points() { return points_; }

  signals:
    void hovered(const QString& words);
    // A module's output is to be looked at; slice: of it, empty: all.
    void moduleWanted(const QString& path, const QString& slice);

  private:
    QWidget* makeMap(const session::StudyMap& map);
    QWidget* makeTokens(const session::StudyTokens& tokens);
    QWidget* makeWords(const session::StudyWords& words);
    QWidget* makeTiles(const session::StudyTiles& tiles);
    QWidget* makePoints(const session::StudyPoints& points);

    session::StudyResult result_;
    StudyMapPicture* map_ = nullptr;
    TokenChips* chips_ = nullptr;
    WordsTable* words_ = nullptr;
    TileGrid* tiles_ = nullptr;
    PointsPlot* points_ = nullptr;
};

}  // namespace loupe::views
