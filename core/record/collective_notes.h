// SPDX-License-Identifier: Apache-2.0
#pragma once
// Notes a run's collectives in its recording.

#include <unordered_map>

#include "core/distributed/process_group.h"
#include "core/record/recorder.h"

namespace loupe::session {

class CollectiveNotes final : private distributed::CollectiveObserver {
  public:
    // The recording gets this process's rank, where its program has several. While it lives, collectives of this thread
    // are noted.
    explicit CollectiveNotes(Recorder& recorder);

  private:
    std::size_t on_launch(const distributed::ProcessGroup& group, const distributed::Work& work,
                          const distributed::Transfer& transfer, distributed::Reduction reduction,
                          const TensorList& given) override;
    void on_done(std::size_t note, const distributed::Work& work,
                 const distributed::Clock::time_point* waited_from) override;

    Recorder& recorder_;
    std::unordered_map<std::size_t, Collective> open_;
    const distributed::CollectiveObserverScope scope_;
};

}  // namespace loupe::session
