// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/stop_signals.h"
#include "app/cli/written_files.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/model/convert.h"
#include "core/train/trainer.h"

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

// Progress, on standard error, as it is no result.
void print_findings(const std::vector<session::TrainingFinding>& findings) {
    for (const session::TrainingFinding& finding : findings) std::fprintf(stderr, "step %lld: %s\n", static_cast<long long>(finding.step), finding.text.c_str());
}

// checkpoint: written at the end of every epoch, and of the training; empty: none. False: a signal stopped it, after a whole step.
bool train(session::Trainer& trainer, const std::string& checkpoint) {
    trainer.begin();
    // A signal waits for the end of a step, or cancels its forward and backward pass, which do not change parameters.
    allow_time_to_stop();
    const CancelScope whole(nullptr);
    while (!trainer.is_done()) {
        if (stop_signal() != 0) return false;
        std::string wrong;
        try {
            {
                const CancelScope stops(&stop_flag());
                wrong = trainer.compute();
            }
            if (wrong.empty() || !trainer.options().stop_at_nan) {
                const session::TrainingStep done = trainer.update();
                print_findings(trainer.log()->add(done, trainer.norms()));
            }
        } catch (const Error& error) {
            trainer.undo();
            if (error.kind() == ErrorKind::Cancelled) return false;
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
    return true;
}

// Writes the requested files of the completed steps. Returns their names.
std::vector<std::string> write_results(const session::Trainer& trainer, nn::Module& module, const TrainArguments& options, bool is_done) {
    std::vector<std::string> written;
    // At the end of a training the last epoch has written it.
    if (!is_done && !options.checkpoint_file.empty()) {
        trainer.save(options.checkpoint_file);
        written.push_back(options.checkpoint_file);
    }
    if (!options.csv_file.empty()) {
        write_file_atomically(options.csv_file, steps_as_csv(*trainer.log()));
        written.push_back(options.csv_file);
    }
    if (!options.save_file.empty()) {
        session::write_weights_file(module.state_dict(), options.save_file);
        written.push_back(options.save_file);
    }
    return written;
}

void check_files(const RunArguments& model, const TrainArguments& options) {
    // A training may be continued in its own files.
    const NamedFile csv{"--csv", options.csv_file}, save{"--save", options.save_file}, checkpoint{"--checkpoint", options.checkpoint_file};
    const NamedFile program{"the model", model.model}, data{"--data", options.how.data.path};
    const NamedFile weights{"--weights", model.weights}, resume{"--resume", options.how.resume};
    check_written_files({csv, save, checkpoint}, {program, data});
    check_written_files({csv, save}, {resume});
    check_written_files({csv, checkpoint}, {weights});
}

}  // namespace

int run_train(const RunArguments& model, const TrainArguments& options) {
    check_files(model, options);
    RunArguments opening = model;
    opening.written = {options.csv_file, options.save_file, options.checkpoint_file};
    const std::shared_ptr<session::Program> program = open_program(opening);
    if (!program) throw Error(ErrorKind::Usage, "the source holds no model to train");
    session::TrainOptions how = options.how;
    std::erase_if(how.data.options, [](const auto& option) { return option.second.empty(); });
    how.data.options.merge(source_options(options.data_options));
    how.seed = model.seed;
    how.threads = model.threads;
    if (!how.data.path.empty()) program->permit_reading(how.data.path);
    session::Trainer trainer(program, how);
    std::printf("%s, %lld steps an epoch\n", trainer.data_summary().c_str(), static_cast<long long>(trainer.steps_an_epoch()));
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t done_before = trainer.steps_done();
    if (done_before > 0) std::printf("going on after step %lld\n", static_cast<long long>(done_before));
    const bool is_done = train(trainer, options.checkpoint_file);
    const CancelScope whole(nullptr);
    std::printf("trained %lld steps in %.3f s\n", static_cast<long long>(trainer.steps_done() - done_before),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    if (const session::TrainingVerdict verdict = trainer.log()->verdict(); !verdict.text.empty()) std::fprintf(stderr, "%s\n", verdict.text.c_str());
    const std::vector<std::string> written = write_results(trainer, program->module(), options, is_done);
    if (!is_done) {
        throw Error(ErrorKind::Cancelled, concat("stopped by ", stop_signal_name(), " after step ", trainer.steps_done(), " (epoch ", trainer.epoch(), ")",
                                                 written.empty() ? "; nothing was to be written" : concat("; wrote ", join(written, ", "))));
    }
    return 0;
}

}  // namespace loupe::cli
