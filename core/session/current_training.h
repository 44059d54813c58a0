// SPDX-License-Identifier: Apache-2.0
#pragma once
// The training of the model that is open, and the states from which its steps can be run again. The engine thread's.

#include <memory>

#include "core/session/shown_run.h"
#include "core/session/status.h"
#include "core/train/trainer.h"

namespace loupe::session {

struct CurrentTraining {
    std::unique_ptr<Trainer> trainer;  // null: nothing was trained
    TrainerStates states;
    // While the trainer is at an earlier step: the end of the training, and the run that was shown there.
    std::unique_ptr<TrainerState> end;
    std::unique_ptr<ShownRun> end_run;
    bool is_restored = false;  // it is of a session before

    // Where it stands, for a status that begins anew.
    void note_in(Status& status) const {
        if (trainer == nullptr) return;
        status.training_step = trainer->steps_done();
        status.training_end = end ? end->steps_done : 0;
    }
    void forget_end() {
        end.reset();
        end_run.reset();
    }
    void clear() {
        trainer.reset();
        forget_end();
        is_restored = false;
        states.clear();
    }
};

}  // namespace loupe::session
