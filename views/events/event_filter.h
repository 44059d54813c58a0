// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The filter of the Events panel: terms that all must hold.
//   op:conv*  scope:layer4  phase:backward  dtype:float16  shape:1x64*  backend:onednn
//   time>1ms  bytes>1MiB  absmax>10  min<0  max>1  mean>0  std<1e-3  id>100
//   nan  inf  made  turned  passed  meant (where its NaN or Inf come from)  failed  edited (ran with an edited source)
//   ranks:differ  ranks:missing  ranks:nan  (on some ranks and not on all)  rank:2 (rank 2 has it too)
//   !TERM (not)  anything else: part of the operator's or the module's name

#include <QString>
#include <functional>
#include <vector>

#include "core/record/recording.h"
#include "views/common/ranks.h"

namespace loupe::views {

class EventFilter {
  public:
    // What an event's output is like on each rank; empty: there is one process.
    using CellsOf = std::function<RankCells(session::EventId)>;
    // An empty expression accepts all events.
    static EventFilter parse(const QString& expression, const CellsOf& cells = {});

    bool isEmpty() const { return terms_.empty(); }
    // The error of the expression; empty when it is valid.
    const QString& error() const { return error_; }
    bool accepts(const session::Recording& recording, const session::Event& event) const;

  private:
    using Term = std::function<bool(const session::Recording&, const session::Event&)>;
    static Term parseTerm(const QString& text, const CellsOf& cells, QString& error);
    static Term parseRank(const QString& wanted, const CellsOf& cells, QString& error);
    static Term parseRanks(const QString& wanted, const CellsOf& cells, QString& error);

    std::vector<Term> terms_;
    QString error_;
};

// "1ms" -> 0.001, "2MiB" -> 2097152, "1e6" -> 1e6; nullopt when it is no number or the unit is unknown.
std::optional<double> parseQuantity(const QString& text);

}  // namespace loupe::views
