// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/forecast.h"

#include "core/model/error_text.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

// Parked, it forecasts with the times that there are: what needs a run of its own is refused where that begins.
MemoryForecast forecast_answer(const ForecastQuery& query, QueryContext& context) {
    return context.forecast(query.changes);
}

void carry_forecast(const ForecastQuery&, const Error& error, MemoryForecast& forecast) {
    forecast.error = headline_of(error);
}

}  // namespace

const QueryRecord& ForecastQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ForecastQuery, forecast_answer, carry_forecast>({.name = "forecast"});
    return kRecord;
}

}  // namespace loupe::session
