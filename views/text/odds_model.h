// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The places of a text, a row each: what comes there, how likely the model held it, and what it held likeliest.

#include <QAbstractTableModel>
#include <functional>
#include <vector>

#include "core/session/queries/next_tokens.h"

namespace loupe::views {

class OddsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Place, Token, Actual, Probability, Rank, Entropy, FirstChoice };
    static constexpr int kChoices = 5;
    static constexpr int kColumns = FirstChoice + kChoices;
    static constexpr std::int64_t kPage = 64;

    // ask: for the places from this one on, kPage of them; they come by add().
    using Ask = std::function<void(std::int64_t first)>;
    OddsModel(Ask ask, QObject* parent) : QAbstractTableModel(parent), ask_(std::move(ask)) {}

    void clear();
    // Of a new run the first part; else the part that was asked for.
    void add(const session::NextTokens& part, bool is_new);
    const std::vector<session::PlaceOdds>& odds() const { return odds_; }
    std::int64_t places() const { return places_; }
    std::int64_t firstPlace() const { return first_place_; }
    // The row of a place of the run's tokens; -1: it has none, or not yet.
    int rowOf(std::int64_t place) const;
    // Of the rows there are: the mean of -log p of what came, and of how many; nan without one.
    double meanLoss(std::int64_t* count) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    // What its scores are of: a model that fills gaps has scores of the token that stands there.
    void setFillsGaps(bool value) { fills_gaps_ = value; }

  private:
    QString shown(const session::PlaceOdds& odds, int column) const;

    Ask ask_;
    std::vector<session::PlaceOdds> odds_;
    std::int64_t places_ = 0;
    std::int64_t first_place_ = 0;
    bool is_asked_ = false;
    bool fills_gaps_ = false;
};

}  // namespace loupe::views
