// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/comparison.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QUndoCommand>
#include <cmath>

#include "core/session/queries/pin_reference.h"
#include "core/session/queries/run_differences.h"
#include "views/common/colour_map.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {

using session::AlignmentMend;
using session::Difference;
using session::EventDifference;
using session::RunDifferences;
using session::RunPhase;
using session::RunState;

class MendsEdit : public QUndoCommand {
  public:
    MendsEdit(Comparison& comparison, std::vector<AlignmentMend> before, std::vector<AlignmentMend> after)
        : comparison_(comparison), before_(std::move(before)), after_(std::move(after)) {
        setText(Comparison::tr("mend the alignment"));
    }
    void redo() override { comparison_.useMends(after_); }
    void undo() override { comparison_.useMends(before_); }

  private:
    Comparison& comparison_;
    std::vector<AlignmentMend> before_;
    std::vector<AlignmentMend> after_;
};

Comparison& Comparison::of(SessionBridge& bridge) {
    auto* found = bridge.findChild<Comparison*>(QString(), Qt::FindDirectChildrenOnly);
    return found != nullptr ? *found : *new Comparison(bridge);
}

Comparison::Comparison(SessionBridge& bridge) : QObject(&bridge), bridge_(bridge) {
    connect(&bridge, &SessionBridge::statusChanged, this, &Comparison::takeStatus);
    connect(&bridge, &SessionBridge::timesChanged, this, [this] {
        if (isOn() && !bridge_.isTiming()) compare();
    });
    connect(&bridge, &SessionBridge::recordingChanged, this, [this] {
        all_.clear();
        compared_ = nullptr;
        const bool was_there = std::exchange(differences_, nullptr) != nullptr;
        index();
        if (was_there) emit differencesChanged();
    });
}

const session::PinnedReference* Comparison::current() const {
    for (const session::PinnedReference& each : references_) {
        if (each.id == current_) return &each;
    }
    return nullptr;
}

void Comparison::pin(session::ReferenceSource source) {
    // Beside a run with warm times it has them too.
    source.is_timed = source.is_timed || bridge_.warmTimes() != nullptr;
    is_pinning_ = true;
    failure_.clear();
    emit referencesChanged();
    bridge_.ask(QStringLiteral("pin reference"), session::PinReferenceQuery{source}, this,
                [this](const session::PinnedReference& pinned) {
                    is_pinning_ = false;
                    failure_ = text(pinned.error);
                    failure_kind_ = pinned.error_kind;
                    SessionBridge::LogEntry entry;
                    if (!pinned.error.empty()) {
                        entry.level = SessionBridge::LogEntry::Level::Error;
                        entry.text = tr("no reference: %1").arg(text(pinned.error)).toStdString();
                        bridge_.addLog(entry);
                        emit referencesChanged();
                        emit pinFailed();
                        return;
                    }
                    for (const Said& note : pinned.notes) {
                        entry.level = SessionBridge::LogEntry::Level::Warning;
                        entry.text = note;
                        bridge_.addLog(entry);
                    }
                    adopt(pinned);
                });
}

void Comparison::adopt(const session::PinnedReference& reference) {
    references_.push_back(reference);
    choose(reference.id);
}

void Comparison::unpin(int id) {
    bridge_.ask(QStringLiteral("unpin reference %1").arg(id), session::UnpinReferenceQuery{id}, this,
                [](const std::string&) {});
    std::erase_if(references_, [&](const auto& each) { return id == 0 || each.id == id; });
    if (id == 0)
        all_.clear();
    else
        all_.erase(id);
    choose(references_.empty() ? 0 : references_.back().id);
}

void Comparison::choose(int id) {
    current_ = id;
    const auto found = all_.find(id);
    differences_ = found != all_.end() ? found->second : nullptr;
    const QByteArray kept = QSettings().value(mendsKey()).toByteArray();
    options_.mends.clear();
    for (const auto& value : QJsonDocument::fromJson(kept).array()) {
        const QJsonArray row = value.toArray();
        const int kind = row.at(0).toInt();
        if (kind < 0 || kind > static_cast<int>(last_of(AlignmentMend::Kind()))) continue;
        options_.mends.push_back({static_cast<AlignmentMend::Kind>(kind), row.at(1).toString().toStdString(),
                                  row.at(2).toString().toStdString()});
    }
    index();
    emit referencesChanged();
    emit differencesChanged();
    if (isOn() && differences_ == nullptr) compareWith(id);
}

// While a run goes on it is compared where it parks and when it ends.
void Comparison::takeStatus() {
    const RunState state = bridge_.status().state;
    const bool stands = state == RunState::Finished || state == RunState::Failed || state == RunState::Paused;
    if (!stands || !isOn() || !bridge_.recording()) return;
    if (compared_ == bridge_.recording() && compared_events_ == bridge_.recording()->event_count()) return;
    compare();
}

void Comparison::compare() {
    for (const session::PinnedReference& each : references_) compareWith(each.id);
}

void Comparison::compareWith(int id) {
    const auto recording = bridge_.recording();
    if (!recording) return;
    compared_ = recording;
    compared_events_ = recording->event_count();
    bridge_.ask(QStringLiteral("run differences %1").arg(id), session::RunDifferencesQuery{id, options_}, this,
                [this, id, recording](const RunDifferences& found) {
                    if (recording == bridge_.recording()) take(id, found);
                });
}

void Comparison::take(int id, const RunDifferences& found) {
    if (!found.error.empty()) {
        failure_ = text(found.error);
        emit referencesChanged();
        return;
    }
    all_[id] = std::make_shared<const RunDifferences>(found);
    if (id == current_) {
        differences_ = all_[id];
        index();
    }
    emit differencesChanged();
}

void Comparison::index() {
    by_event_.clear();
    by_module_.clear();
    by_parameter_.clear();
    if (differences_ == nullptr) return;
    for (const EventDifference& row : differences_->events) {
        if (row.here == 0) continue;
        if (by_event_.size() <= row.here) by_event_.resize(row.here + 1, nullptr);
        by_event_[row.here] = &row;
    }
    for (const auto& row : differences_->modules) {
        if (row.presence != session::Presence::OnlyThere) by_module_[row.here] = &row;
    }
    for (const auto& row : differences_->parameters) {
        if (row.presence != session::Presence::OnlyThere) by_parameter_[row.here] = &row;
    }
}

const EventDifference* Comparison::ofEvent(session::EventId event) const {
    return event < by_event_.size() ? by_event_[event] : nullptr;
}

const session::ModuleDifference* Comparison::ofModule(const std::string& path) const {
    const auto found = by_module_.find(path);
    return found != by_module_.end() ? found->second : nullptr;
}

const session::ParameterDifference* Comparison::ofParameter(const std::string& name) const {
    const auto found = by_parameter_.find(name);
    return found != by_parameter_.end() ? found->second : nullptr;
}

const session::ReferenceEvent* Comparison::partnerOf(session::EventId event) const {
    const EventDifference* row = ofEvent(event);
    return row != nullptr && row->there != 0 ? &differences_->reference_events[row->there - 1] : nullptr;
}

session::EventId Comparison::ownOf(const std::function<bool(const session::ReferenceEvent&)>& is_wanted) const {
    if (differences_ == nullptr) return 0;
    for (const EventDifference& row : differences_->events) {
        const bool is_pair = row.here != 0 && row.there != 0;
        if (is_pair && is_wanted(differences_->reference_events[row.there - 1])) return row.here;
    }
    return 0;
}

QString Comparison::headline() const { return differences_ != nullptr ? text(differences_->headline()) : QString(); }

void Comparison::setTolerance(std::optional<double> rtol, std::optional<double> atol) {
    if (options_.rtol == rtol && options_.atol == atol) return;
    options_.rtol = rtol;
    options_.atol = atol;
    compare();
}

void Comparison::setMends(std::vector<AlignmentMend> mends) {
    if (mends == options_.mends) return;
    bridge_.undoStack()->push(new MendsEdit(*this, options_.mends, std::move(mends)));
}

// By the two models.
QString Comparison::mendsKey() const {
    const session::PinnedReference* reference = current();
    const QString own = bridge_.model() ? text(bridge_.model()->path) : QString();
    const QString other = reference == nullptr ? QString()
                          : reference->model   ? text(reference->model->path)
                                               : text(reference->label);
    return QStringLiteral("compare/mends/%1").arg(qHash(own + QLatin1Char('\n') + other, 0), 0, 16);
}

void Comparison::useMends(std::vector<AlignmentMend> mends) {
    options_.mends = std::move(mends);
    QJsonArray rows;
    for (const AlignmentMend& mend : options_.mends)
        rows.append(QJsonArray{static_cast<int>(mend.kind), text(mend.here), text(mend.there)});
    if (rows.isEmpty())
        QSettings().remove(mendsKey());
    else
        QSettings().setValue(mendsKey(), QJsonDocument(rows).toJson(QJsonDocument::Compact));
    if (isOn()) compareWith(current_);
}

QString Comparison::whyNoDivergence(RunPhase phase) const {
    if (!isOn()) return tr("no reference is pinned");
    if (differences_ == nullptr) return tr("nothing has been compared yet");
    const auto& first = phase == RunPhase::Forward ? differences_->forward : differences_->backward;
    return first ? QString() : tr("there is no divergence");
}

void Comparison::goToDivergence(RunPhase phase) {
    if (!whyNoDivergence(phase).isEmpty()) return;
    const auto& first = phase == RunPhase::Forward ? differences_->forward : differences_->backward;
    bridge_.setCurrentEvent(first->here);
    // Of several results the one that is another.
    const auto& outputs = bridge_.recording()->event(first->here).outputs;
    const auto output = static_cast<std::size_t>(first->output);
    if (output < outputs.size() && outputs[output] != 0) bridge_.setCurrentValue(outputs[output]);
}

void Comparison::show(const session::PinnedReference& reference, const RunDifferences& differences) {
    references_.push_back(reference);
    current_ = reference.id;
    take(reference.id, differences);
    emit referencesChanged();
}

// --- texts and colours

QString differenceHeader(DifferenceColumn column) {
    static const char* const kHeaders[] = {QT_TRANSLATE_NOOP("loupe::views::Comparison", "\u0394 max"),
                                           QT_TRANSLATE_NOOP("loupe::views::Comparison", "\u0394 relative"),
                                           QT_TRANSLATE_NOOP("loupe::views::Comparison", "ULP"),
                                           QT_TRANSLATE_NOOP("loupe::views::Comparison", "Cosine"),
                                           QT_TRANSLATE_NOOP("loupe::views::Comparison", "SNR")};
    return Comparison::tr(kHeaders[static_cast<int>(column)]);
}

QString differenceTip(DifferenceColumn column) {
    switch (column) {
        case DifferenceColumn::MaxAbs:
            return Comparison::tr("Greatest absolute difference from the reference");
        case DifferenceColumn::Relative:
            return Comparison::tr(
                "Greatest difference relative to the reference's element; the absolute one where that is 0");
        case DifferenceColumn::Ulp:
            return Comparison::tr("Most representable numbers between two elements, of the coarser dtype");
        case DifferenceColumn::Cosine:
            return Comparison::tr("Cosine of the angle between both tensors: 1 is the same direction");
        case DifferenceColumn::Snr:
            break;
    }
    return Comparison::tr("Signal to noise: 10 log10 of the reference's energy to that of the difference, in dB");
}

QString differenceText(const Difference& numbers, DifferenceColumn column) {
    switch (column) {
        case DifferenceColumn::MaxAbs:
            return numbers.is_same() ? QStringLiteral("0") : numberText(numbers.max_abs);
        case DifferenceColumn::Relative:
            return numbers.is_same() ? QStringLiteral("0") : numberText(numbers.max_rel);
        case DifferenceColumn::Ulp:
            return numbers.max_ulp < 0 ? QStringLiteral("\u2013") : QString::number(numbers.max_ulp, 'g', 4);
        case DifferenceColumn::Cosine:
            return QString::number(numbers.cosine, 'f', 6);
        case DifferenceColumn::Snr:
            break;
    }
    return numbers.is_same() ? Comparison::tr("equal")
                             : QStringLiteral("%1 dB").arg(QString::number(numbers.snr_db, 'f', 1));
}

QColor differenceColour(double snr_db) {
    if (std::isinf(snr_db) && snr_db > 0) return Theme::instance().colour(Theme::Colour::Raised);
    // 140 dB is what float32 rounds.
    const double share = std::clamp(1 - snr_db / 140, 0.0, 1.0);
    return QColor::fromRgb(colourAt(ColourMap::Cividis, share));
}

QString differenceText(const EventDifference& row) {
    if (row.there == 0) return Comparison::tr("only in this run");
    if (row.here == 0) return Comparison::tr("only in the reference");
    if (!row.why.empty()) return text(row.why);
    return row.numbers ? text(session::difference_text(*row.numbers)) : Comparison::tr("not compared");
}

}  // namespace loupe::views
