// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The filter of the Events panel: terms that all must hold.
//   op:conv*  scope:layer4  phase:backward  dtype:float16  shape:1x64*  backend:onednn
//   time>1ms  bytes>1MiB  absmax>10  min<0  max>1  mean>0  std<1e-3  id>100
//   nan  inf  made  turned  passed  meant (where its NaN or Inf come from)  failed  edited (ran with an edited source)
//   !TERM (not)  anything else: part of the operator's or the module's name

#include <QString>
#include <functional>
#include <vector>

#include "core/record/recording.h"

namespace loupe::views {

class EventFilter {
  public:
    // An empty expression accepts all events.
    static EventFilter parse(const QString& expression);

    bool isEmpty() const { return terms_.empty(); }
    // The error of the expression; empty when it is valid.
    const QString& error() const { return error_; }
    bool accepts(const session::Recording& recording, const session::Event& event) const;

  private:
    using Term = std::function<bool(const session::Recording&, const session::Event&)>;
    static Term parseTerm(const QString& text, QString& error);

    std::vector<Term> terms_;
    QString error_;
};

// "1ms" -> 0.001, "2MiB" -> 2097152, "1e6" -> 1e6; nullopt when it is no number or the unit is unknown.
std::optional<double> parseQuantity(const QString& text);

}  // namespace loupe::views
