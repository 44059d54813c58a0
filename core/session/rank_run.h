// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run of a session whose process is one of several ranks, as the others hear of it. Of one rank it does nothing.

#include <string>
#include <string_view>

#include "core/base/said.h"
#include "core/distributed/world.h"
#include "core/session/publisher.h"

namespace loupe::session {

// What Status::progress begins with while the run waits in a collective; behind it stand which, and for whom.
inline constexpr std::string_view kWaitsIn = "waits in ";

// On the engine thread. The run begins: collectives of runs before are none of it. Waits are shown in the status, and
// long ones logged.
class RunAmongRanks final : private distributed::WaitObserver {
  public:
    // opens: what runs is a program that is opened.
    RunAmongRanks(Publisher& publisher, bool opens);
    RunAmongRanks(const RunAmongRanks&) = delete;
    RunAmongRanks& operator=(const RunAmongRanks&) = delete;
    ~RunAmongRanks() override;

  private:
    void on_waiting(const std::string& line) override;
    void on_waited() override;
    void on_long_wait(const std::string& line) override;
    void show(Said progress);

    Publisher& publisher_;
    const bool opens_;
    const distributed::WaitObserverScope waits_;
};

// While it lives the run is parked there: others wait for it without an end.
class RankParked {
  public:
    explicit RankParked(std::string place);
    RankParked(const RankParked&) = delete;
    RankParked& operator=(const RankParked&) = delete;
    ~RankParked();
};

}  // namespace loupe::session
