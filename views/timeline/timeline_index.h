// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Zones on a time axis, in lanes, indexed by visible range: of a million zones a frame visits only as many as the
// screen has pixels. Zones too small to be visible are merged with their neighbours, and counted.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/record/recording.h"
#include "views/timeline/stream_waits.h"

namespace loupe::views {

struct Zone {
    double start = 0;  // seconds
    double end = 0;
    std::uint32_t id = 0;      // event, or frame
    std::uint32_t colour = 0;  // of the caller's
    double setup = 0;          // seconds at its start that set its kernel up
};

// Zones that do not overlap, by time, and a tree over them with `kFan` children per node, each with its extent.
class Lane {
  public:
    static constexpr std::size_t kFan = 16;
    static constexpr std::size_t kLevels = 5;

    // start must not be below that of the zone before.
    void add(const Zone& zone);
    void extendLast(double end);
    std::size_t size() const { return zones_.size(); }
    const Zone& zone(std::size_t index) const { return zones_[index]; }

    struct Piece {
        double start = 0;
        double end = 0;
        std::size_t first = 0;  // zones first ... first + count - 1
        std::size_t count = 0;
    };
    // Calls draw for zones between from and to, in order; merged pieces consist of zones shorter than `smallest`
    // seconds with gaps shorter than that.
    void visit(double from, double to, double smallest, const std::function<void(const Piece&)>& draw) const;
    // The zone at a time; none: size().
    std::size_t at(double time) const;

  private:
    struct Node {
        double start = std::numeric_limits<double>::max();
        double end = std::numeric_limits<double>::lowest();
    };
    void descend(std::size_t level, std::size_t index, double from, double to, double smallest, Piece& open,
                 const std::function<void(const Piece&)>& draw) const;
    void put(const Piece& piece, double smallest, Piece& open, const std::function<void(const Piece&)>& draw) const;

    std::vector<Zone> zones_;
    std::vector<std::vector<Node>> levels_;
};

// A value over time (bytes alive), with the greatest of every stretch.
class Curve {
  public:
    void add(double time, double value);
    std::size_t size() const { return times_.size(); }
    double greatest() const { return greatest_; }
    // The greatest value in each of `columns` equal parts of [from, to).
    std::vector<double> sample(double from, double to, int columns) const;

  private:
    static constexpr std::size_t kFan = 16;
    static constexpr std::size_t kLevels = 5;
    double greatestBetween(std::size_t first, std::size_t last) const;

    std::vector<double> times_;
    std::vector<double> values_;
    std::vector<std::vector<double>> levels_;
    double greatest_ = 0;
};

// What events allocated, or let go of: a mark an event, in order of time.
class MemoryMarks {
  public:
    // time must not be below that of the mark before.
    void add(double time, session::EventId event, std::uint32_t count, std::int64_t bytes);
    const Lane& lane() const { return lane_; }
    // Of the marks of a piece.
    std::uint64_t count(const Lane::Piece& piece) const;
    std::int64_t bytes(const Lane::Piece& piece) const;
    std::int64_t greatest() const { return greatest_; }  // of one event

  private:
    Lane lane_;
    std::vector<std::uint64_t> counts_{0};  // of all marks before
    std::vector<std::int64_t> bytes_{0};
    std::int64_t greatest_ = 0;
};

struct TimelineStatistics {
    std::size_t count = 0;
    double seconds = 0;  // without set-up
    double setup = 0;
    double waited = 0;  // for data
    struct Stream {
        std::string name;
        double busy = 0;  // seconds of the range
    };
    std::vector<Stream> streams;
    struct Kind {
        std::string op;
        std::size_t count = 0;
        double seconds = 0;
    };
    std::vector<Kind> kinds;  // the slowest first
};

// All lanes of a recording, filled as it grows.
class TimelineIndex {
  public:
    // warm: its warm times, by which zones are laid out; null: by the run's times.
    void reset(const session::Recording* recording, std::shared_ptr<const session::OperatorTimes> warm = nullptr);
    bool isWarm() const { return warm_ != nullptr; }
    const session::OperatorTimes* warm() const { return warm_.get(); }
    // The position of the event on the axis.
    Zone zoneOf(session::EventId event) const;
    // Of all added events; 0 for warm ones.
    double setupSeconds() const { return setup_; }
    // Takes in events up to the count.
    void update(std::size_t event_count);

    // By depth: the flame graph, of forward and then of backward. A zone's colour is its depth, with kBackward of a
    // module in backward.
    static constexpr std::uint32_t kBackward = 1U << 16;
    const std::vector<Lane>& frames() const { return frames_; }
    const Lane& forward() const { return forward_; }
    const Lane& backward() const { return backward_; }
    // Of a run with work on devices: what the engine's thread did, launches and operators of the CPU. Empty without a
    // device, and of warm times.
    const Lane& host() const { return host_; }
    // What a device did, when it did it, by its streams, and where one had nothing to do.
    struct Stream {
        std::string name;  // "cuda:0"; "cuda:0, stream 3"
        Lane lane;
        std::vector<StreamWait> waits;  // in order
    };
    const std::vector<Stream>& streams() const { return streams_; }
    // Where the host gave the event to its device; null: it was not, or it is not known when.
    const Zone* launchOf(session::EventId event) const;
    // By thread of the team, 1, 2, ...: pieces of parallel loops. A zone's id is its event.
    const std::vector<Lane>& workers() const { return workers_; }
    // What loaders of data did, as far as the recording knows it by now; of warm times nothing. True: it is more than
    // before.
    bool takeLoads();
    // Of the loop, which waits for batches or makes them itself, and of each worker; two of a worker where passes over
    // data overlap. A zone's id is the index of loads().
    struct Loader {
        bool is_loop = false;
        std::uint32_t worker = 0;
        Lane lane;
    };
    const std::vector<Loader>& loaders() const { return loaders_; }
    const std::vector<session::LoadSpan>& loads() const { return loads_; }
    // Null: no edit began in the run, or none that has come to its event.
    const session::EditStart* edit() const { return edit_ && edit_->event <= seen_ ? edit_.get() : nullptr; }
    const Curve& memory() const { return memory_; }
    // Of blocks that begin in the run. Their ends are known when it does not go on.
    void markMemory();
    const MemoryMarks& allocated() const { return allocated_; }
    const MemoryMarks& freed() const { return freed_; }
    double begin() const { return begin_; }
    double end() const { return end_; }
    const session::Recording* recording() const { return recording_; }
    TimelineStatistics statistics(double from, double to) const;

  private:
    void addFrames(const session::Event& event, const Zone& zone);
    void addHost(const session::Event& event);
    StreamWait waitBefore(const session::Event& event, double idle, const Stream& own) const;
    void addWorkers(const session::Event& event);
    Zone nextZone(const session::Event& event) const;
    std::uint32_t frameOf(const session::Event& event);

    const session::Recording* recording_ = nullptr;
    std::shared_ptr<const session::OperatorTimes> warm_;
    std::size_t seen_ = 0;
    std::vector<Lane> frames_;
    std::vector<std::uint32_t> open_;  // frames around the last event, the outermost first
    session::RunPhase open_phase_ = session::RunPhase::Forward;
    std::unordered_map<std::string_view, std::uint32_t> frame_of_scope_;
    std::uint32_t named_frames_ = 0;
    std::vector<std::uint32_t> place_;  // of each event in its lane
    double setup_ = 0;
    Lane forward_;
    Lane backward_;
    Lane host_;
    std::vector<std::uint32_t> host_place_;  // of each event in it
    std::vector<Stream> streams_;
    std::vector<Lane> workers_;
    std::vector<session::LoadSpan> loads_;
    std::vector<Loader> loaders_;
    std::shared_ptr<const session::EditStart> edit_;
    Curve memory_;
    MemoryMarks allocated_;
    MemoryMarks freed_;
    double begin_ = 0;
    double end_ = 0;
    double last_start_ = 0;
};

}  // namespace loupe::views
