// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/line_bundles.h"

#include <algorithm>
#include <map>

#include "views/common/at.h"

namespace loupe::views {
namespace {

// Ranks that a line spans to be long.
constexpr int kLong = 2;

// State of a value during the sweep down: its current carrier, and its remaining long lines.
struct Traveller {
    int carrier = 0;
    std::vector<int> left;  // lines of the request, the nearest target first
};

class Bundler {
  public:
    Bundler(const LevelRequest& request, const std::vector<int>& values) : request_(request), rank_(ranksOf(request)) {
        std::map<std::pair<int, int>, Traveller> travellers;  // by box and value
        for (std::size_t i = 0; i < request.lines.size(); ++i) {
            const auto& line = request.lines[i];
            const int line_id = static_cast<int>(i);
            if (targetRank(line_id) - rank_[at(line.from)] < kLong) {
                bundles_.lines.push_back({line.from, line.to, {line_id}});
                continue;
            }
            Traveller& traveller = travellers[{line.from, values[i]}];
            traveller.carrier = line.from;
            traveller.left.push_back(line_id);
        }
        for (auto& [key, traveller] : travellers) {
            std::sort(traveller.left.begin(), traveller.left.end(), [&](int a, int b) {
                return std::pair(targetRank(a), target(a)) < std::pair(targetRank(b), target(b));
            });
            travellers_.push_back(std::move(traveller));
        }
        for (Traveller& traveller : travellers_) wait(traveller);
        while (!waiting_.empty()) arrive(waiting_.begin()->first);
    }

    Bundles take() { return std::move(bundles_); }

  private:
    int target(int line) const { return request_.lines[at(line)].to; }
    int targetRank(int line) const { return rank_[at(target(line))]; }

    std::vector<int> targetsLeft(const Traveller& traveller) const {
        std::vector<int> all;
        for (const int line : traveller.left) all.push_back(target(line));
        return all;
    }

    void wait(Traveller& traveller) { waiting_[targetRank(traveller.left.front())].push_back(&traveller); }

    // Values at a rank with the same remaining targets become one line.
    void arrive(int rank) {
        std::map<std::vector<int>, std::vector<Traveller*>> together;
        for (Traveller* traveller : waiting_[rank]) together[targetsLeft(*traveller)].push_back(traveller);
        waiting_.erase(rank);
        for (auto& [targets, group] : together) {
            if (targets.size() == 1) {
                end(group);
                continue;
            }
            const int waypoint = static_cast<int>(request_.boxes.size()) + bundles_.waypoints++;
            gather(group, waypoint);
            const auto here =
                std::count_if(targets.begin(), targets.end(), [&](int box) { return rank_[at(box)] == rank; });
            for (std::ptrdiff_t i = 0; i < here; ++i) {
                BundledLine branch{waypoint, targets[static_cast<std::size_t>(i)], {}};
                for (const Traveller* traveller : group)
                    branch.lines.push_back(traveller->left[static_cast<std::size_t>(i)]);
                bundles_.lines.push_back(std::move(branch));
            }
            for (Traveller* traveller : group) {
                traveller->left.erase(traveller->left.begin(), traveller->left.begin() + here);
                traveller->carrier = waypoint;
                if (!traveller->left.empty()) wait(*traveller);
            }
        }
    }

    // From each value's carrier to the waypoint, one line per carrier.
    void gather(const std::vector<Traveller*>& group, int waypoint) {
        std::map<int, BundledLine> by_carrier;
        for (const Traveller* traveller : group) {
            BundledLine& line = by_carrier[traveller->carrier];
            line.lines.insert(line.lines.end(), traveller->left.begin(), traveller->left.end());
        }
        for (auto& [carrier, line] : by_carrier) bundles_.lines.push_back({carrier, waypoint, std::move(line.lines)});
    }

    // To the last box of the group's path; one line per carrier.
    void end(const std::vector<Traveller*>& group) {
        std::map<int, BundledLine> by_carrier;
        for (Traveller* traveller : group) {
            by_carrier[traveller->carrier].lines.push_back(traveller->left.front());
            traveller->left.clear();
        }
        for (auto& [carrier, line] : by_carrier)
            bundles_.lines.push_back({carrier, target(line.lines.front()), std::move(line.lines)});
    }

    const LevelRequest& request_;
    std::vector<int> rank_;
    std::vector<Traveller> travellers_;
    std::map<int, std::vector<Traveller*>> waiting_;  // by the rank of the next target
    Bundles bundles_;
};

}  // namespace

Bundles bundleLines(const LevelRequest& request, const std::vector<int>& values) {
    return Bundler(request, values).take();
}

}  // namespace loupe::views
