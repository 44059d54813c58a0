// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <span>

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

// A NaN has a sign, which says nothing: "nan", never "-nan".
double shown(double loss) { return std::isnan(loss) ? std::abs(loss) : loss; }

void print_epoch(const session::TrainingEpoch& epoch, const session::Trainer& trainer) {
    std::printf("epoch %d/%d  loss %.4f", epoch.epoch, trainer.options().epochs, shown(epoch.loss));
    if (epoch.accuracy) std::printf("  accuracy %.2f %%", 100 * *epoch.accuracy);
    if (epoch.held_out_loss) std::printf("  held out: loss %.4f", shown(*epoch.held_out_loss));
    if (epoch.held_out_accuracy) std::printf(", accuracy %.2f %%", 100 * *epoch.held_out_accuracy);
    std::printf("  %.3f s\n", epoch.seconds);
    std::fflush(stdout);
}

std::string steps_as_csv(const session::TrainingLog& log) {
    std::string out = "step,epoch,loss,learning_rate,gradient_norm,accuracy,seconds\n";
    char line[256];
    for (const session::TrainingStep& step : log.steps()) {
        std::snprintf(line, sizeof line, "%lld,%d,%.9g,%.9g,%.9g,%s,%.6f\n", static_cast<long long>(step.step),
                      step.epoch, shown(step.loss), step.learning_rate, shown(step.gradient_norm),
                      step.accuracy ? std::to_string(*step.accuracy).c_str() : "", step.seconds);
        out += line;
    }
    return out;
}

// Progress, on standard error, as it is no result.
void print_findings(const std::vector<session::TrainingFinding>& findings) {
    for (const session::TrainingFinding& finding : findings)
        std::fprintf(stderr, "step %lld: %s\n", static_cast<long long>(finding.step), finding.text.text().c_str());
}

// How a training ended.
struct Ending {
    enum class How {
        Done,
        Stopped,       // by a signal, after a whole step
        NotFinite,     // the loss was NaN or Inf
        Failed,        // after a whole step
        HalfStep,      // in the middle of the optimizer's step
        NoCheckpoint,  // that of an epoch could not be written
    };
    How how = How::Done;
    std::exception_ptr error = nullptr;  // of all but the first two

    bool is_failure() const { return error != nullptr; }
};

// Forward, loss and backward; what is wrong with the numbers. As before it when it throws.
std::string compute(session::Trainer& trainer) try {
    const CancelScope stops(&stop_flag());
    return trainer.compute();
} catch (const std::exception&) {
    trainer.undo();
    throw;
}

// checkpoint: written at the end of every epoch, and of the training; empty: none. how: what an error means just then.
Ending::How train(session::Trainer& trainer, const std::string& checkpoint, Ending::How& how) {
    trainer.begin();
    // A signal waits for the end of a step, or cancels its forward and backward pass, which do not change parameters.
    allow_time_to_stop();
    const CancelScope whole(nullptr);
    while (!trainer.is_done()) {
        if (stop_signal() != 0) return Ending::How::Stopped;
        const std::string wrong = compute(trainer);
        if (!wrong.empty() && trainer.options().stop_at_nan) {
            trainer.undo();
            how = Ending::How::NotFinite;
            throw Error(ErrorKind::Run,
                        concat(wrong, " at step ", trainer.steps_done() + 1, " (epoch ", trainer.epoch(), ")"),
                        {.hint = "train it in the window to see where it began, or give --keep-going"});
        }
        how = Ending::How::HalfStep;
        const session::TrainingStep done = trainer.update();
        how = Ending::How::Failed;
        print_findings(trainer.log()->add(done, trainer.norms()));
        if (const auto epoch = trainer.end_epoch()) {
            trainer.log()->add(*epoch);
            print_epoch(*epoch, trainer);
            how = Ending::How::NoCheckpoint;
            if (!checkpoint.empty()) trainer.save(checkpoint);
            how = Ending::How::Failed;
        }
    }
    trainer.rest();
    return Ending::How::Done;
}

Ending train_to_the_end(session::Trainer& trainer, const std::string& checkpoint) {
    Ending::How how = Ending::How::Failed;
    try {
        return {train(trainer, checkpoint, how)};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) return {Ending::How::Stopped};
        return {how, std::current_exception()};
    } catch (const std::exception&) {
        return {how, std::current_exception()};
    }
}

struct Results {
    std::vector<std::string> written;
    std::vector<std::exception_ptr> failures;

    // A file that cannot be written does not prevent the others.
    void write(const std::string& file, const std::function<void()>& write_file) {
        if (file.empty()) return;
        try {
            write_file();
            written.push_back(file);
        } catch (const std::exception&) {
            failures.push_back(std::current_exception());
        }
    }
    std::string text() const { return written.empty() ? std::string() : concat("wrote ", join(written, ", ")); }
};

// What was asked for, of the steps that were done.
Results write_results(const session::Trainer& trainer, nn::Module& module, const TrainArguments& options,
                      Ending::How how) {
    using How = Ending::How;
    Results results;
    // At the end of a training the last epoch has written it.
    if (how == How::Stopped || how == How::Failed) {
        results.write(options.checkpoint_file, [&] { trainer.save(options.checkpoint_file); });
    }
    results.write(options.csv_file, [&] { write_file_atomically(options.csv_file, steps_as_csv(*trainer.log())); });
    if (how != How::NotFinite && how != How::HalfStep) {
        results.write(options.save_file, [&] { session::write_weights_file(module.state_dict(), options.save_file); });
    }
    return results;
}

// All but the error that the command ends with.
void print_failures(std::span<const std::exception_ptr> failures) {
    for (const std::exception_ptr& failure : failures) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            print_notice(error.what());
        }
    }
}

// Throws what a training ends with that did not come to its end, or whose results could not all be written.
void end_training(const session::Trainer& trainer, const Ending& ending, const Results& results) {
    if (ending.how == Ending::How::Stopped) {
        print_failures(results.failures);
        const std::string wrote = results.written.empty() ? "nothing was written" : results.text();
        const std::string place = trainer.steps_done() == 0
                                      ? " before the first step was done"
                                      : concat(" after step ", trainer.steps_done(), " (epoch ", trainer.epoch(), ")");
        throw Error(ErrorKind::Cancelled, concat("stopped by ", stop_signal_name(), place, "; ", wrote));
    }
    if (!ending.is_failure() && results.failures.empty()) return;
    if (!results.written.empty()) print_notice(results.text());
    if (ending.is_failure()) {
        print_failures(results.failures);
        std::rethrow_exception(ending.error);
    }
    print_failures(std::span(results.failures).subspan(1));
    std::rethrow_exception(results.failures.front());
}

void check_files(const RunArguments& model, const TrainArguments& options) {
    // A training may be continued in its own files.
    const NamedFile csv{"--csv", options.csv_file}, save{"--save", options.save_file},
        checkpoint{"--checkpoint", options.checkpoint_file};
    const NamedFile program{"the model", model.model}, data{"--data", options.how.data.path};
    const NamedFile weights{"--weights", model.weights}, resume{"--resume", options.how.resume};
    check_written_files({csv, save, checkpoint}, {program, data});
    check_written_files({csv, save}, {resume});
    check_written_files({csv, checkpoint}, {weights});
    const auto extensions = session::weights_extensions();
    if (!save.path.empty() && !std::ranges::count(extensions, std::filesystem::path(save.path).extension().string()))
        throw Error(ErrorKind::Usage,
                    concat("--save writes weights: give a name that ends in ", join(extensions, ", ")),
                    {.file = save.path});
    for (const NamedFile& file : {csv, save, checkpoint}) check_can_be_written(file);
}

// Which the default loss is, where there is one.
bool has_own_loss(const session::Program& program) {
    const auto* source = program.source();
    return source != nullptr && (source->has_training_step() || source->loss_arguments() > 0);
}

// An .npy file holds one tensor.
void check_npy(const session::Program& program, const std::string& save_file) {
    if (std::filesystem::path(save_file).extension() != ".npy") return;
    const std::size_t count = program.module().state_dict().size();
    if (count == 1) return;
    throw Error(ErrorKind::Usage, concat("--save: the model holds ", count, " tensors; a .npy file holds one"),
                {.file = save_file, .hint = "write an .npz instead"});
}

}  // namespace

int run_train(const RunArguments& model, const TrainArguments& options) {
    check_files(model, options);
    RunArguments opening = model;
    opening.written = {options.csv_file, options.save_file, options.checkpoint_file};
    const std::shared_ptr<session::Program> program = open_program(opening);
    if (!program) throw Error(ErrorKind::Usage, "the source holds no model to train");
    check_npy(*program, options.save_file);
    session::TrainOptions how = options.how;
    std::erase_if(how.data.options, [](const auto& option) { return option.second.empty(); });
    how.data.options.merge(source_options(options.data_options));
    if (how.loss.empty()) how.loss = has_own_loss(*program) ? "own" : session::TrainOptions().loss;
    how.seed = model.seed;
    how.threads = model.threads;
    if (!how.data.path.empty()) program->permit_reading(how.data.path);
    program->to(parse_device(model.device));
    session::Trainer trainer(program, how);
    std::printf("%s, %lld steps an epoch\n", trainer.data_summary().c_str(),
                static_cast<long long>(trainer.steps_an_epoch()));
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t done_before = trainer.steps_done();
    if (done_before > 0) std::printf("going on after step %lld\n", static_cast<long long>(done_before));
    const Ending ending = train_to_the_end(trainer, options.checkpoint_file);
    const CancelScope whole(nullptr);
    std::printf("trained %lld steps in %.3f s\n", static_cast<long long>(trainer.steps_done() - done_before),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    if (const session::TrainingVerdict verdict = trainer.log()->verdict(); !verdict.text.empty())
        std::fprintf(stderr, "%s\n", verdict.text.text().c_str());
    // Where nothing was learned, files of before stay.
    const bool has_learned = trainer.steps_done() > done_before || ending.how == Ending::How::Done;
    Results results;
    if (has_learned) results = write_results(trainer, program->module(), options, ending.how);
    end_training(trainer, ending, results);
    return 0;
}

}  // namespace loupe::cli
