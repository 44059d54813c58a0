// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_run.h"

#include <utility>

namespace loupe::session {

using distributed::RankStatus;
using distributed::World;

RunAmongRanks::RunAmongRanks(Publisher& publisher, bool opens) : publisher_(publisher), opens_(opens), waits_(this) {
    World::instance().begin_run(opens);
}
RunAmongRanks::~RunAmongRanks() {
    World::instance().end_run();
    World::instance().set_status(opens_ ? RankStatus::Kind::Idle : RankStatus::Kind::Ended, {});
}

void RunAmongRanks::on_waiting(const std::string& line) { show(engine::said("waits in %1", line)); }
void RunAmongRanks::on_waited() { show({}); }
void RunAmongRanks::on_long_wait(const std::string& line) { publisher_.log(Publisher::Level::Warning, line); }

void RunAmongRanks::show(Said progress) {
    publisher_.change_status([&](Status& status) { status.progress = std::move(progress); });
}

RankParked::RankParked(std::string place) { World::instance().set_status(RankStatus::Kind::Parked, std::move(place)); }
RankParked::~RankParked() { World::instance().set_status(RankStatus::Kind::Working, {}); }

}  // namespace loupe::session
