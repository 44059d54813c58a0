// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Zones on a time axis, in lanes, found by what is visible: of a million zones a frame touches only as many as the
// screen has pixels. Zones too small to be seen alone are merged with those beside them, and counted.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/session/recording.h"

namespace loupe::views {

struct Zone {
    double start = 0;  // seconds
    double end = 0;
    std::uint32_t id = 0;       // event, or frame
    std::uint32_t colour = 0;   // of the caller's
};

// Zones that do not overlap, by time. Over them lie levels of a tree with `kFan` children a node, each with its extent.
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
    // Calls draw for what is between from and to, in order; pieces of several zones are shorter than `smallest`
    // seconds each in their zones, and stand closer than that.
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

struct TimelineStatistics {
    std::size_t count = 0;
    double seconds = 0;
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
    void reset(const session::Recording* recording);
    // Takes in events up to the count.
    void update(std::size_t event_count);

    const std::vector<Lane>& frames() const { return frames_; }  // by depth: the flame graph
    const Lane& forward() const { return forward_; }
    const Lane& backward() const { return backward_; }
    const Curve& memory() const { return memory_; }
    double begin() const { return begin_; }
    double end() const { return end_; }
    const session::Recording* recording() const { return recording_; }
    TimelineStatistics statistics(double from, double to) const;

  private:
    void addFrames(const session::Event& event);

    const session::Recording* recording_ = nullptr;
    std::size_t seen_ = 0;
    std::vector<Lane> frames_;
    std::vector<std::uint32_t> open_;  // frames around the last event, the outermost first
    Lane forward_;
    Lane backward_;
    Curve memory_;
    double begin_ = 0;
    double end_ = 0;
};

}  // namespace loupe::views
