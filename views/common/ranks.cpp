// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/ranks.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/session/queries/save_recording.h"
#include "core/session/rank_file_name.h"
#include "views/common/format.h"
#include "views/common/theme.h"

namespace loupe::views {
namespace {

constexpr int kSoon = 150;      // milliseconds
constexpr int kGrowing = 1000;  // while a run goes on
constexpr double kApart = 4;    // powers of two from the middle to the end of the colours

double middleOf(const RankCells& cells) {
    std::vector<double> numbers;
    for (const RankCell& cell : cells) {
        if (cell.kind == RankCell::Kind::Number) numbers.push_back(cell.number);
    }
    if (numbers.empty()) return 0;
    const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), half, numbers.end());
    return *half;
}

// From the colour of borders, where it is as the others, to blue below and orange above.
QColor colourOfCell(double number, double middle) {
    const Theme& theme = Theme::instance();
    double apart = 0;  // -1 to 1
    if (number != middle)
        apart = number <= 0 || middle <= 0 ? (number < middle ? -1 : 1)
                                           : std::clamp(std::log2(number / middle) / kApart, -1.0, 1.0);
    const QColor from = theme.colour(Theme::Colour::Border);
    const QColor to = apart < 0 ? QColor(0x56, 0xb4, 0xe9) : QColor(0xe6, 0x9f, 0x00);  // Okabe and Ito
    const auto mix = [part = std::sqrt(std::abs(apart))](int a, int b) { return static_cast<int>(a + (b - a) * part); };
    return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

QRectF cellRect(const QRectF& room, std::size_t count, std::size_t at) {
    const double wide = std::min(14.0, room.width() / static_cast<double>(count));
    const double gap = wide > 5 ? 1 : 0;
    return {room.left() + wide * static_cast<double>(at), room.top(), wide - gap, room.height()};
}

}  // namespace

Ranks& Ranks::of(SessionBridge& bridge) {
    auto* found = bridge.findChild<Ranks*>(QString(), Qt::FindDirectChildrenOnly);
    return found != nullptr ? *found : *new Ranks(bridge);
}

Ranks::Ranks(SessionBridge& bridge) : QObject(&bridge), bridge_(bridge) {
    waiting_.setSingleShot(true);
    connect(&waiting_, &QTimer::timeout, this, &Ranks::study);
    connect(&bridge, &SessionBridge::seatsChanged, this, [this] {
        makeSteps();
        if (!isOn()) take(nullptr, {});
        studySoon();
        emit changed();
    });
    connect(&bridge, &SessionBridge::seatGrown, this, [this](std::size_t seat) {
        takeStatus(seat);
        studySoon();
    });
}

QString Ranks::nameOf(std::size_t seat) const { return tr("Rank %1").arg(bridge_.rankAt(seat)); }

int Ranks::seatOf(int rank) const {
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        if (bridge_.rankAt(seat) == rank) return static_cast<int>(seat);
    }
    return -1;
}

QColor Ranks::colourOf(std::size_t seat) const { return Theme::instance().series(static_cast<int>(seat)); }

int Ranks::placeOf(std::size_t seat) const {
    return report_ && seat < bridge_.seatCount() ? report_->set.place_of(bridge_.rankAt(seat)) : -1;
}

// --- where they are

void Ranks::makeSteps() {
    if (!bridge_.hasRunningRanks()) {
        steps_ = nullptr;
        said_.clear();
    }
    if (!bridge_.hasRunningRanks() || steps_) return;
    session::RankSteps::Ranks ranks;
    ranks.session = [this](std::size_t seat) -> session::Session& { return bridge_.sessionAt(seat); };
    ranks.name = [this](std::size_t seat) { return "rank " + std::to_string(bridge_.rankAt(seat)); };
    ranks.post = [target = QPointer<Ranks>(this)](std::function<void()> work) {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [target, work = std::move(work)] {
                if (!target) return;
                work();
                emit target->moved();
            },
            Qt::QueuedConnection);
    };
    steps_ = std::make_unique<session::RankSteps>(bridge_.seatCount(), std::move(ranks));
    said_.assign(bridge_.seatCount(), {});
}

// Events that come while a status stays say nothing new.
void Ranks::takeStatus(std::size_t seat) {
    if (!steps_ || seat >= said_.size()) return;
    const session::Status& status = bridge_.statusAt(seat);
    session::Status& said = said_[seat];
    const bool is_same = said.state == status.state && said.reached == status.reached &&
                         said.progress == status.progress && said.next_op == status.next_op &&
                         said.next_scope == status.next_scope && said.next_source.line == status.next_source.line;
    if (is_same) return;
    said = status;
    steps_->take_status(seat, status);
    emit moved();
}

bool Ranks::hasParked() const {
    return steps_ && bridge_.ordersAllRanks() && steps_->parked_leader(bridge_.currentSeat()).has_value();
}

bool Ranks::hasRunning() const {
    for (std::size_t seat = 0; steps_ && bridge_.ordersAllRanks() && seat < bridge_.seatCount(); ++seat) {
        const session::RunState state = bridge_.statusAt(seat).state;
        if (state == session::RunState::Running || state == session::RunState::Opening) return true;
    }
    return false;
}

// One that was ended by a signal before those that ended because of it.
int Ranks::deadSeat() const {
    int found = -1;
    for (std::size_t seat = 0; steps_ && seat < bridge_.seatCount(); ++seat) {
        const session::EngineEnd end = bridge_.sessionAt(seat).engine_end();
        using Kind = session::EngineEnd::Kind;
        if (end.kind == Kind::Crashed || end.kind == Kind::Killed) return static_cast<int>(seat);
        if (end.kind != Kind::None && found < 0) found = static_cast<int>(seat);
    }
    return found;
}

QString Ranks::whereIs(std::size_t seat) const {
    const session::Status& status = bridge_.statusAt(seat);
    switch (status.state) {
        case session::RunState::Opening:
            return tr("opening");
        case session::RunState::Running:
            return status.progress.empty() ? tr("running") : text(status.progress);
        case session::RunState::Failed:
            return text(status.error);
        case session::RunState::Paused:
            break;
        default:
            return {};
    }
    const auto place = steps_ && seat < bridge_.seatCount() ? steps_->place(seat) : std::nullopt;
    QString said =
        tr("parked %1")
            .arg(place ? text(session::place_text(*place)) : tr("before %1").arg(shortOpName(status.next_op)));
    if (!status.why.empty()) said += QStringLiteral(" (%1)").arg(text(status.why));
    const QString standing = steps_ ? text(steps_->standing_text(seat)) : QString();
    return standing.isEmpty() ? said : QStringLiteral("%1; %2").arg(said, standing);
}

// --- what is found

void Ranks::studySoon() {
    if (!isOn()) return;
    is_stale_ = true;
    if (is_studying_ || waiting_.isActive()) return;
    waiting_.start(bridge_.isBusy() ? kGrowing : kSoon);
}

void Ranks::study() {
    if (!isOn() || is_studying_) return;
    std::vector<session::RankSource> sources;
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        if (const auto recording = bridge_.recordingAt(seat))
            sources.push_back({recording, nameOf(seat).toStdString(), bridge_.rankAt(seat)});
    }
    is_stale_ = false;
    if (sources.size() < 2) return;
    is_studying_ = true;
    QThreadPool::globalInstance()->start([guard = QPointer<Ranks>(this), sources] {
        auto found = std::make_shared<Found>();
        QString problem;
        try {
            found->report = session::study_ranks(session::join_ranks(sources));
            found->events = std::make_unique<session::RankEvents>(found->report.set);
            found->modules = session::module_layers(found->report.set);
        } catch (const Error& error) {
            found = nullptr;
            problem = text(error.message());
        }
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, found, problem] {
                if (guard) {
                    guard->is_studying_ = false;
                    guard->take(found, problem);
                    if (guard->is_stale_) guard->studySoon();
                }
            },
            Qt::QueuedConnection);
    });
}

void Ranks::take(const std::shared_ptr<const Found>& found, const QString& problem) {
    if (found && !isOn()) return;  // it is of ranks that are gone
    found_ = found;
    report_ = found ? std::shared_ptr<const session::RankReport>(found, &found->report) : nullptr;
    problem_ = problem;
    emit studied();
}

// --- from one rank to another

void Ranks::goTo(std::size_t seat) {
    if (seat >= bridge_.seatCount() || seat == bridge_.currentSeat()) return;
    const int from = placeOf(bridge_.currentSeat());
    const int to = placeOf(seat);
    session::EventId same = 0;
    if (found_ && from >= 0 && to >= 0)
        same = found_->events->on(static_cast<std::size_t>(from), bridge_.currentEvent(), static_cast<std::size_t>(to));
    bridge_.setCurrentSeat(seat);
    if (same != 0) bridge_.setCurrentEvent(same);
}

void Ranks::step(int by) {
    const auto count = static_cast<int>(bridge_.seatCount());
    if (count < 2) return;
    goTo(static_cast<std::size_t>((static_cast<int>(bridge_.currentSeat()) + by + count) % count));
}

void Ranks::goTo(const session::RankDifference::Spot& spot) {
    const int seat = seatOf(spot.rank);
    if (seat < 0) return;
    bridge_.setCurrentSeat(static_cast<std::size_t>(seat));
    if (spot.event != 0) bridge_.setCurrentEvent(spot.event);
    if (spot.value != 0) bridge_.setCurrentValue(spot.value);
}

// --- saving

QString Ranks::whyNotSaved() const {
    if (!isOn()) return tr("the run has one process");
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        using State = session::RunState;
        const State state = bridge_.statusAt(seat).state;
        if (state == State::Opening || state == State::Running || state == State::Paused)
            return tr("the run of rank %1 is not at its end").arg(bridge_.rankAt(seat));
        if (!bridge_.recordingAt(seat)) return tr("nothing has run yet on rank %1").arg(bridge_.rankAt(seat));
    }
    return {};
}

// Whichever rank is current when the answers come.
void Ranks::saveAll(const QString& file, const QString& attached, QObject* receiver,
                    std::function<void(const QStringList& failures)> reply) {
    struct Answers {
        QStringList failures;
        std::size_t open = 0;
    };
    const auto answers = std::make_shared<Answers>();
    answers->open = bridge_.seatCount();
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        const int rank = bridge_.rankAt(seat);
        const auto answered = [target = QPointer<Ranks>(this), guard = QPointer<QObject>(receiver), answers, reply,
                               rank](const std::string& failure) {
            if (!target || !guard) return;
            if (!failure.empty()) answers->failures << tr("rank %1: %2").arg(rank).arg(text(failure));
            if (--answers->open > 0) return;
            SessionBridge& bridge = target->bridge_;
            if (answers->failures.isEmpty()) bridge.setUnsaved(bridge.hasUnsavedTraining(), false);
            reply(answers->failures);
        };
        bridge_.sessionAt(seat).ask(
            "save recording",
            session::SaveRecordingQuery{session::rank_file(file.toStdString(), rank), attached.toStdString()},
            [answered](const std::string& failure) {
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(), [answered, failure] { answered(failure); }, Qt::QueuedConnection);
            });
    }
}

// --- cells

void Ranks::setMeasure(session::LayerMeasure measure) {
    if (measure == measure_) return;
    measure_ = measure;
    emit changed();
}

RankCell Ranks::cellOf(const session::Recording& recording, session::ValueId value, session::EventId event) const {
    RankCell cell;
    cell.event = event;
    cell.value = value;
    if (value == 0) return cell;
    const auto& statistics = recording.value(value).statistics;
    if (!statistics) return cell;
    const session::LayerCell layer{true, *statistics, event, value};
    if (statistics->has_nan_or_inf() && measure_ != session::LayerMeasure::NotFinite) {
        cell.kind = RankCell::Kind::NotFinite;
        cell.number = layer.number(session::LayerMeasure::NotFinite);
        return cell;
    }
    cell.number = layer.number(measure_);
    if (!std::isnan(cell.number)) cell.kind = RankCell::Kind::Number;
    return cell;
}

RankCells Ranks::cellsOf(session::EventId event) const {
    RankCells cells;
    const int from = placeOf(bridge_.currentSeat());
    if (!isOn() || !found_ || from < 0) return cells;
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        RankCell cell;
        const int place = placeOf(seat);
        if (place >= 0) {
            const session::Recording& recording = *report_->set.ranks[static_cast<std::size_t>(place)].recording;
            const session::EventId own = place == from ? event
                                                       : found_->events->on(static_cast<std::size_t>(from), event,
                                                                            static_cast<std::size_t>(place));
            if (own != 0 && own <= recording.event_count()) {
                const auto& outputs = recording.event(own).outputs;
                cell = cellOf(recording, outputs.empty() ? 0 : outputs.front(), own);
            }
        }
        cells.push_back(cell);
    }
    return cells;
}

RankCells Ranks::cellsOfModule(const std::string& path) const {
    RankCells cells;
    if (!isOn() || !found_) return cells;
    const auto row = std::find_if(found_->modules.begin(), found_->modules.end(),
                                  [&](const session::LayerRow& each) { return each.name == path; });
    if (row == found_->modules.end()) return cells;
    for (std::size_t seat = 0; seat < bridge_.seatCount(); ++seat) {
        const int place = placeOf(seat);
        RankCell cell;
        if (place >= 0) {
            const session::LayerCell& found = row->cells[static_cast<std::size_t>(place)];
            if (found.is_there)
                cell = cellOf(*report_->set.ranks[static_cast<std::size_t>(place)].recording, found.value, found.event);
        }
        cells.push_back(cell);
    }
    return cells;
}

QString Ranks::tipOf(const RankCells& cells) const {
    QStringList lines;
    for (std::size_t seat = 0; seat < cells.size() && seat < bridge_.seatCount(); ++seat) {
        const RankCell& cell = cells[seat];
        QString said = tr("nothing");
        if (cell.kind == RankCell::Kind::NotFinite)
            said = tr("%1 % NaN or Inf").arg(cell.number * 100, 0, 'g', 3);
        else if (cell.kind == RankCell::Kind::Number && measure_ == session::LayerMeasure::NotFinite)
            said = tr("%1 % NaN or Inf").arg(cell.number * 100, 0, 'g', 3);
        else if (cell.kind == RankCell::Kind::Number)
            said = numberText(cell.number);
        lines << tr("%1: %2").arg(nameOf(seat), said);
    }
    return lines.join(QLatin1Char('\n'));
}

session::RankSteps* stepsOfAll(SessionBridge& bridge) {
    return bridge.ordersAllRanks() && bridge.hasRunningRanks() ? Ranks::of(bridge).steps() : nullptr;
}

void paintRankCells(QPainter& painter, const QRectF& room, const RankCells& cells, int current) {
    const double middle = middleOf(cells);
    const Theme& theme = Theme::instance();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const QRectF cell = cellRect(room, cells.size(), i);
        switch (cells[i].kind) {
            case RankCell::Kind::Number:
                painter.fillRect(cell, colourOfCell(cells[i].number, middle));
                break;
            case RankCell::Kind::NotFinite:
                painter.fillRect(cell, theme.notFinite());
                break;
            case RankCell::Kind::None:
                painter.setPen(theme.colour(Theme::Colour::Grid));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
                break;
        }
        if (static_cast<int>(i) != current) continue;
        painter.setPen(QPen(theme.colour(Theme::Colour::Text), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

int rankCellAt(const QRectF& room, const RankCells& cells, double x) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const QRectF cell = cellRect(room, cells.size(), i);
        if (x >= cell.left() && x <= cell.right() + 1) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace loupe::views
