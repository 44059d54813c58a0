// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/events/event_filter.h"

#include <QObject>
#include <QRegularExpression>
#include <cmath>
#include <map>

#include "views/common/format.h"

namespace loupe::views {

using session::Event;
using session::FiniteStatistics;
using session::Recording;

namespace {

// Glob over UTF-8 without allocating: events are many. Case is that of ASCII letters, ignored.
bool matches(std::string_view text, std::string_view pattern) {
    std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || same(pattern[p], text[t])) && pattern[p] != '*') {
            ++t, ++p;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string_view withoutNamespace(std::string_view op) {
    const auto colons = op.rfind("::");
    return colons == std::string_view::npos ? op : op.substr(colons + 2);
}

const session::Value* firstOutput(const Recording& recording, const Event& event) {
    return event.outputs.empty() ? nullptr : &recording.value(event.outputs.front());
}

std::optional<double> statistic(const Recording& recording, const Event& event,
                                double (*get)(const FiniteStatistics&)) {
    const session::Value* value = firstOutput(recording, event);
    if (!value || !value->statistics || !value->statistics->finite) return std::nullopt;
    return get(*value->statistics->finite);
}

using Quantity = std::function<std::optional<double>(const Recording&, const Event&)>;

const std::map<QString, Quantity>& quantities() {
    const auto of = [](double (*get)(const FiniteStatistics&)) -> Quantity {
        return [get](const Recording& recording, const Event& event) { return statistic(recording, event, get); };
    };
    static const std::map<QString, Quantity> all{
        {"time", [](const Recording&, const Event& event) { return std::optional(event.duration); }},
        {"setup", [](const Recording&, const Event& event) { return std::optional(event.setup.total()); }},
        {"id", [](const Recording&, const Event& event) { return std::optional(static_cast<double>(event.id)); }},
        {"bytes",
         [](const Recording& recording, const Event& event) -> std::optional<double> {
             const session::Value* value = firstOutput(recording, event);
             return value ? std::optional(static_cast<double>(value->bytes)) : std::nullopt;
         }},
        {"memory",
         [](const Recording&, const Event& event) { return std::optional(static_cast<double>(event.memory_after)); }},
        {"flops", [](const Recording&, const Event& event) { return std::optional(event.flops); }},
        {"min", of([](const FiniteStatistics& s) { return s.min; })},
        {"max", of([](const FiniteStatistics& s) { return s.max; })},
        {"mean", of([](const FiniteStatistics& s) { return s.mean; })},
        {"absmax", of([](const FiniteStatistics& s) { return s.abs_max; })},
        {"norm", of([](const FiniteStatistics& s) { return s.norm; })},
        {"std", of([](const FiniteStatistics& s) { return s.standard_deviation(); })},
    };
    return all;
}

bool compares(double a, const QString& sign, double b) {
    if (sign == QLatin1String(">")) return a > b;
    if (sign == QLatin1String("<")) return a < b;
    if (sign == QLatin1String(">=")) return a >= b;
    if (sign == QLatin1String("<=")) return a <= b;
    return a == b;
}

bool below(std::string_view scope, std::string_view module) {
    if (module.find_first_of("*?") != std::string_view::npos) return matches(scope, module);
    return scope.substr(0, module.size()) == module && (scope.size() == module.size() || scope[module.size()] == '.');
}

}  // namespace

std::optional<double> parseQuantity(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\\s*([a-zµ]*)$"),
                                         QRegularExpression::CaseInsensitiveOption);
    // Small units divide: 100us is then exactly the double 1e-4.
    struct Unit {
        double times = 1;
        double by = 1;
    };
    static const std::map<QString, Unit> units{{"", {}},
                                               {"ns", {1, 1e9}},
                                               {"us", {1, 1e6}},
                                               {"µs", {1, 1e6}},
                                               {"ms", {1, 1e3}},
                                               {"s", {}},
                                               {"b", {}},
                                               {"k", {1e3, 1}},
                                               {"m", {1e6, 1}},
                                               {"g", {1e9, 1}},
                                               {"kb", {1e3, 1}},
                                               {"mb", {1e6, 1}},
                                               {"gb", {1e9, 1}},
                                               {"kib", {1024, 1}},
                                               {"mib", {1048576, 1}},
                                               {"gib", {1073741824, 1}}};
    const auto match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const auto unit = units.find(match.captured(2).toLower());
    bool ok = false;
    const double number = match.captured(1).toDouble(&ok);
    if (!ok || unit == units.end()) return std::nullopt;
    return number * unit->second.times / unit->second.by;
}

EventFilter::Term EventFilter::parseRanks(const QString& wanted, const CellsOf& cells, QString& error) {
    using Kind = RankCell::Kind;
    const auto mixes = [cells](const std::function<bool(const RankCell&, const RankCell&)>& is_other) -> Term {
        return [cells, is_other](const Recording&, const Event& event) {
            const RankCells all = cells ? cells(event.id) : RankCells();
            return std::any_of(all.begin(), all.end(),
                               [&](const RankCell& each) { return is_other(all.front(), each); });
        };
    };
    if (wanted == QLatin1String("differ"))
        return mixes([](const RankCell& a, const RankCell& b) {
            return a.kind != b.kind || (a.kind != Kind::None && a.number != b.number);
        });
    if (wanted == QLatin1String("missing"))
        return mixes([](const RankCell& a, const RankCell& b) { return (a.event == 0) != (b.event == 0); });
    if (wanted == QLatin1String("nan"))
        return mixes([](const RankCell& a, const RankCell& b) {
            return (a.kind == Kind::NotFinite) != (b.kind == Kind::NotFinite);
        });
    error = QObject::tr("ranks:%1 is not known; there are ranks:differ, ranks:missing, ranks:nan").arg(wanted);
    return {};
}

EventFilter::Term EventFilter::parseRank(const QString& wanted, const CellsOf& cells, QString& error) {
    bool is_number = false;
    const auto rank = static_cast<std::size_t>(wanted.toUInt(&is_number));
    if (!is_number) {
        error = QObject::tr("%1 is no number of a rank").arg(wanted);
        return {};
    }
    return [cells, rank](const Recording&, const Event& event) {
        const RankCells all = cells ? cells(event.id) : RankCells();
        return rank < all.size() && all[rank].event != 0;
    };
}

EventFilter::Term EventFilter::parseTerm(const QString& term, const CellsOf& cells, QString& error) {
    static const QRegularExpression comparison(QStringLiteral("^([a-z]+)(>=|<=|>|<|=)(.+)$"));
    if (term == QLatin1String("nan")) return [](const Recording&, const Event& event) { return event.has_nan; };
    if (term == QLatin1String("inf")) return [](const Recording&, const Event& event) { return event.has_inf; };
    const std::pair<QLatin1String, session::NotFinite> kinds[]{{QLatin1String("made"), session::NotFinite::Made},
                                                               {QLatin1String("turned"), session::NotFinite::Turned},
                                                               {QLatin1String("passed"), session::NotFinite::PassedOn},
                                                               {QLatin1String("meant"), session::NotFinite::Meant}};
    for (const auto& [name, kind] : kinds) {
        if (term == name)
            return [kind = kind](const Recording&, const Event& event) { return event.not_finite == kind; };
    }
    if (term == QLatin1String("failed")) return [](const Recording&, const Event& event) { return event.failed; };
    if (term == QLatin1String("edited"))
        return [](const Recording& recording, const Event& event) {
            const auto edit = recording.edit();
            return edit != nullptr && event.id >= edit->event;
        };
    if (const auto match = comparison.match(term); match.hasMatch()) {
        const auto quantity = quantities().find(match.captured(1));
        const auto limit = parseQuantity(match.captured(3));
        if (quantity == quantities().end() || !limit) {
            error = quantity == quantities().end()
                        ? QObject::tr(
                              "%1 is no quantity; there are time, bytes, memory, flops, min, max, mean, std, absmax, "
                              "norm, id")
                              .arg(match.captured(1))
                        : QObject::tr("%1 is no number with a unit like ms or MiB").arg(match.captured(3));
            return {};
        }
        return [get = quantity->second, sign = match.captured(2), limit = *limit](const Recording& recording,
                                                                                  const Event& event) {
            const auto value = get(recording, event);
            return value && compares(*value, sign, limit);
        };
    }
    const qsizetype colon = term.indexOf(QLatin1Char(':'));
    // "aten::relu" is a name, "op:aten::relu" a term.
    if (colon > 0 && !term.mid(colon).startsWith(QLatin1String("::"))) {
        const QString key = term.left(colon);
        const std::string wanted = term.mid(colon + 1).toStdString();
        if (key == QLatin1String("ranks")) return parseRanks(term.mid(colon + 1), cells, error);
        if (key == QLatin1String("rank")) return parseRank(term.mid(colon + 1), cells, error);
        if (key == QLatin1String("op"))
            return [wanted](const Recording&, const Event& event) {
                return matches(withoutNamespace(event.op), wanted) || matches(event.op, wanted);
            };
        if (key == QLatin1String("scope"))
            return [wanted](const Recording&, const Event& event) { return below(event.scope, wanted); };
        if (key == QLatin1String("backend"))
            return [wanted](const Recording&, const Event& event) { return matches(event.backend, wanted); };
        if (key == QLatin1String("phase"))
            return [wanted = wanted + "*"](const Recording&, const Event& event) {
                return matches(session::phase_name(event.phase), wanted);
            };
        if (key == QLatin1String("dtype"))
            return [wanted](const Recording& recording, const Event& event) {
                const session::Value* value = firstOutput(recording, event);
                return value && matches(value->dtype, wanted);
            };
        if (key == QLatin1String("shape"))
            return [wanted](const Recording& recording, const Event& event) {
                const session::Value* value = firstOutput(recording, event);
                return value && matches(session::shape_text(value->shape), wanted);
            };
        error = QObject::tr("%1: is not known; there are op:, scope:, phase:, dtype:, shape:, backend:, ranks:, rank:")
                    .arg(key);
        return {};
    }
    return [pattern = "*" + term.toStdString() + "*"](const Recording&, const Event& event) {
        return matches(event.op, pattern) || matches(event.scope, pattern);
    };
}

EventFilter EventFilter::parse(const QString& expression, const CellsOf& cells) {
    EventFilter filter;
    for (QString word : expression.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const bool negated = word.startsWith(QLatin1Char('!')) && word.size() > 1;
        if (negated) word.remove(0, 1);
        Term term = parseTerm(word, cells, filter.error_);
        if (!term) continue;
        if (negated) {
            filter.terms_.push_back(
                [term](const Recording& recording, const Event& event) { return !term(recording, event); });
        } else {
            filter.terms_.push_back(std::move(term));
        }
    }
    return filter;
}

bool EventFilter::accepts(const Recording& recording, const Event& event) const {
    return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return term(recording, event); });
}

}  // namespace loupe::views
