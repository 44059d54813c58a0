// SPDX-License-Identifier: Apache-2.0
#include "core/record/collective_notes.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/distributed/world.h"

namespace loupe::session {
namespace {

RankFacts rank_of_process(double began) {
    const distributed::World& world = distributed::World::instance();
    RankFacts facts;
    facts.rank = world.rank();
    facts.world_size = world.size();
    facts.local_rank = world.facts().local_rank;
    facts.host = world.host();
    facts.pid = getpid();
    facts.program = world.facts().program;
    facts.began = began;
    return facts;
}

// Names of operations as torch.distributed has them; roots and peers are numbers in the group.
int peer_of(const distributed::ProcessGroup& group, const distributed::Transfer& transfer) {
    const auto place = static_cast<std::size_t>(transfer.peer);
    return transfer.peer < 0 || place >= group.ranks().size() ? -1 : group.ranks()[place];
}

bool reduces(distributed::TransferKind kind) {
    using Kind = distributed::TransferKind;
    return kind == Kind::AllReduce || kind == Kind::Reduce || kind == Kind::ReduceScatter;
}

}  // namespace

CollectiveNotes::CollectiveNotes(Recorder& recorder) : recorder_(recorder), scope_(this) {
    if (distributed::World::instance().size() == 1) return;
    // What the recording's clock has counted lies behind it.
    const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    recorder_.set_rank(rank_of_process(now - recorder_.seconds_at(distributed::Clock::now())));
}

std::size_t CollectiveNotes::on_launch(const distributed::ProcessGroup& group, const distributed::Work& work,
                                       const distributed::Transfer& transfer, distributed::Reduction reduction,
                                       const TensorList& given) {
    Collective note;
    note.group = group.name();
    note.sequence = work.announcement().sequence;
    note.operation = work.announcement().operation;
    if (reduces(transfer.kind)) note.reduction = distributed::reduction_name(reduction);
    if (!given.empty()) note.dtype = dtype_name(given.front().dtype());
    for (const Tensor& t : given) {
        note.shapes.emplace_back(t.sizes().begin(), t.sizes().end());
        note.bytes += static_cast<std::int64_t>(t.bytes());
    }
    note.ranks = group.ranks();
    note.peer = peer_of(group, transfer);
    const Recorder::Place place = recorder_.place_now();
    note.event = place.event;
    note.scope = place.scope;
    note.place.file = place.file;
    note.place.line = place.line;
    note.launched = std::max(0.0, recorder_.seconds_at(distributed::Clock::now()));
    const std::size_t index = recorder_.add_collective(note);
    open_.emplace(index, std::move(note));
    return index;
}

void CollectiveNotes::on_done(std::size_t index, const distributed::Work& work,
                              const distributed::Clock::time_point* waited_from) {
    const auto found = open_.find(index);
    if (found == open_.end()) return;
    Collective& note = found->second;
    if (const auto completed = work.state()->completed())
        note.completed = std::max(note.launched, recorder_.seconds_at(*completed));
    note.error = work.error();
    if (waited_from != nullptr) {
        note.waited_from = std::max(note.launched, recorder_.seconds_at(*waited_from));
        note.waited_until = std::max(*note.waited_from, recorder_.seconds_at(distributed::Clock::now()));
        if (const EventId event = recorder_.place_now().event; event != note.event) note.waited_by = event;
    }
    recorder_.change_collective(index, note);
    open_.erase(found);
}

}  // namespace loupe::session
