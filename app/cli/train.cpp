// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/session/convert.h"
#include "core/session/trainer.h"

namespace loupe::cli {
namespace {

void print_epoch(const session::TrainingEpoch& epoch, const session::Trainer& trainer) {
    std::printf("epoch %d/%d  loss %.4f", epoch.epoch, trainer.options().epochs, epoch.loss);
    if (epoch.accuracy) std::printf("  accuracy %.2f %%", 100 * *epoch.accuracy);
    if (epoch.held_out_loss) std::printf("  held out: loss %.4f", *epoch.held_out_loss);
    if (epoch.held_out_accuracy) std::printf(", accuracy %.2f %%", 100 * *epoch.held_out_accuracy);
    std::printf("  %.3f s\n", epoch.seconds);
    std::fflush(stdout);
}

std::string steps_as_csv(const session::TrainingLog& log) {
    std::string out = "step,epoch,loss,learning_rate,gradient_norm,accuracy,seconds\n";
    char line[256];
    for (const session::TrainingStep& step : log.steps()) {
        std::snprintf(line, sizeof line, "%lld,%d,%.9g,%.9g,%.9g,%s,%.6f\n", static_cast<long long>(step.step), step.epoch, step.loss,
                      step.learning_rate, step.gradient_norm, step.accuracy ? std::to_string(*step.accuracy).c_str() : "", step.seconds);
        out += line;
    }
    return out;
}

// checkpoint: written at the end of every epoch, and of the training; empty: none.
void train(session::Trainer& trainer, const std::string& checkpoint) {
    trainer.begin();
    while (!trainer.is_done()) {
        std::string wrong;
        try {
            wrong = trainer.compute();
            if (wrong.empty() || !trainer.options().stop_at_nan) trainer.log()->add(trainer.update());
        } catch (const Error&) {
            trainer.undo();
            throw;
        }
        if (!wrong.empty() && trainer.options().stop_at_nan) {
            trainer.undo();
            throw Error(ErrorKind::Run, concat(wrong, " at step ", trainer.steps_done() + 1, " (epoch ", trainer.epoch(), ")"),
                        {.hint = "train it in the window to see where it began, or give --keep-going"});
        }
        if (const auto epoch = trainer.end_epoch()) {
            trainer.log()->add(*epoch);
            print_epoch(*epoch, trainer);
            if (!checkpoint.empty()) trainer.save(checkpoint);
        }
    }
    trainer.rest();
}

}  // namespace

int run_train(const RunArguments& model, const TrainArguments& options) {
    const std::shared_ptr<session::Program> program = open_program(model);
    if (!program) throw Error(ErrorKind::Usage, "the source holds no model to train");
    session::TrainOptions how = options.how;
    std::erase_if(how.data.options, [](const auto& option) { return option.second.empty(); });
    how.data.options.merge(source_options(options.data_options));
    how.seed = model.seed;
    how.threads = model.threads;
    session::Trainer trainer(program, how);
    std::printf("%s, %lld steps an epoch\n", trainer.data_summary().c_str(), static_cast<long long>(trainer.steps_an_epoch()));
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t done_before = trainer.steps_done();
    if (done_before > 0) std::printf("going on after step %lld\n", static_cast<long long>(done_before));
    train(trainer, options.checkpoint_file);
    std::printf("trained %lld steps in %.3f s\n", static_cast<long long>(trainer.steps_done() - done_before),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    if (!options.csv_file.empty()) write_file_atomically(options.csv_file, steps_as_csv(*trainer.log()));
    if (!options.save_file.empty()) session::write_weights_file(program->module().state_dict(), options.save_file);
    return 0;
}

}  // namespace loupe::cli
