// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training loop on a program: batch, forward, loss, backward, step. The window's session and the command line drive
// it.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/data_batches.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/optim/grad_scaler.h"
#include "core/optim/scheduler.h"
#include "core/optim/step_norms.h"
#include "core/record/backward_roots.h"
#include "core/train/trainer_state.h"
#include "core/train/training.h"

namespace loupe::session {

class Trainer {
  public:
    // Opens the data and makes loss, optimiser and schedule; with options.resume they, the model and the random numbers
    // are as they were when the checkpoint was written. Throws Error (Usage, File, Run), before the model is changed.
    Trainer(std::shared_ptr<Program> program, const TrainOptions& options);
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;
    // The training flags of the modules are as they were before.
    ~Trainer();

    const std::shared_ptr<TrainingLog>& log() const { return log_; }
    const std::string& data_summary() const { return sets_.summary; }
    const TrainOptions& options() const { return options_; }
    const std::shared_ptr<const PreparedMethod>& method() const { return method_; }
    // Null: the model's own.
    const nn::ModulePtr& loss() const { return loss_; }
    // Parameters that learn.
    const TensorList& parameters() const { return parameters_; }
    std::int64_t steps_an_epoch() const { return sets_.training->batches(); }
    std::int64_t total_steps() const;
    std::int64_t steps_done() const { return steps_done_; }
    int epoch() const { return epoch_; }
    bool is_done() const;
    // Modules learn (dropout drops, batch normalisation counts) until rest().
    void begin();
    void rest();
    // Other epochs, rates and clipping from now on; data, loss, optimiser and schedule stay.
    void go_on(const TrainOptions& options);

    // The batch of the next step, read when it is asked for first.
    const DataBatch& batch();
    // The model of the batch: forward and loss; then backward. What an observer of a step sees. Throws what the model
    // throws; loss and target that do not fit as the loss's own message.
    // Returns what went wrong with the numbers: "the loss is nan"; empty when nothing did.
    Said compute();
    // The optimiser's step, and the schedule's. The batch is used up. Throws Error (Run) when a learning rate is no
    // number, before anything is changed.
    TrainingStep update();
    // The optimiser evaluates the loss again (LBFGS): update() may throw what the model throws, with parameters moved.
    bool runs_model_in_update() const;
    // Of the last step, in the order of log()->parameters(): gradients since compute(), the others since update().
    const std::vector<ParameterNorms>& norms() const { return norms_; }
    // Buffers and the random generator as they were before compute(); gradients are dropped. Not after update() has
    // begun.
    void undo();
    // Between two steps. With: gradients of the parameters too.
    enum class Gradients { Without, With };
    TrainerState state(Gradients gradients = Gradients::Without) const;
    // The steps after that come out as they did after state(), bit for bit. The log stays as it is.
    void restore(const TrainerState& state);
    // Steps go on in another log: of a training that leaves its own past.
    void set_log(std::shared_ptr<TrainingLog> log) { log_ = std::move(log); }
    // Inputs and target of the batch, as body() takes them, and what they are called.
    std::vector<IValue> arguments();
    FunctionSchema schema() const;
    // The loss of arguments(), which are used up.
    Tensor loss(std::vector<IValue> arguments) const;
    // What backward starts from, of that loss: scaled where a GradScaler does.
    BackwardRoots roots_of(const Tensor& loss) const;
    // Forward, loss and backward of arguments(): to repeat a recorded step.
    std::function<void(std::vector<IValue>)> body() const;

    // Called after update(): at the end of an epoch, or of the training, what it came to until then, with the examples
    // kept aside measured. An epoch that is not whole goes on with the next step.
    std::optional<TrainingEpoch> end_epoch();

    // Writes a dict for torch.load: model_state_dict, optimizer_state_dict, scheduler_state_dict, epoch (those that are
    // whole), step, loss, rng_state, and under "training" what resume needs beside. In the middle of compute() as
    // before it. Throws Error (Usage) in the middle of update(), Error (File) when the place cannot be written.
    void save(const std::filesystem::path& file) const;

  private:
    struct ModuleMode {
        nn::ModulePtr module;
        bool was_training;
    };
    // What the model gives for the inputs, and its loss, in the precision that was chosen.
    std::pair<IValue, Tensor> forward(std::vector<IValue> inputs, const IValue& target) const;
    std::string loss_name() const;
    Tensor loss_of(const IValue& output, const IValue& target) const;
    void choose_precision();
    void measure(TrainingEpoch& epoch);
    double learning_rate() const;
    void fit(DataBatch& batch) const;
    void remember();
    double measure_gradients();
    void measure_steps(const optim::StepNorms& moved);
    void resume(const std::filesystem::path& file);
    void resume_data(const DictObject& training);
    IValue checkpoint() const;
    IValue training_part() const;

    std::shared_ptr<Program> program_;
    TrainOptions options_;
    BatchedData sets_;
    std::shared_ptr<TrainingLog> log_;
    std::shared_ptr<const PreparedMethod> method_;
    nn::ModulePtr loss_;
    TensorList parameters_;
    Ptr<optim::Optimizer> optimizer_;
    Ptr<optim::Scheduler> schedule_;
    bool has_own_step_ = false;           // the loss is the source's training_step
    Device device_;                       // of the parameters; batches go there
    std::optional<ScalarType> autocast_;  // nullopt: everything as it is
    Ptr<optim::GradScaler> scaler_;       // of float16; else null
    std::vector<ModuleMode> modes_;

    std::optional<DataBatch> batch_;
    bool is_epoch_begun_ = false;
    bool is_updating_ = false;
    int epoch_ = 0;
    std::int64_t steps_done_ = 0;
    std::int64_t epoch_steps_ = 0;  // of them in the epoch
    TrainingStep now_;
    Tensor loss_now_;  // of the step, detached
    std::vector<ParameterNorms> norms_;
    // Sums over the epoch.
    double epoch_loss_ = 0;
    double epoch_hits_ = 0;
    std::int64_t epoch_examples_ = 0;
    std::int64_t epoch_rated_ = 0;
    double epoch_began_ = 0;
    double step_began_ = 0;
    // Before the step.
    std::vector<std::pair<Tensor, Tensor>> buffers_before_;
    RandomState random_before_;
    // Before the epoch began, and before the batch was read.
    RandomState epoch_random_;
    RandomState batch_random_;
};

// Throws what read_checkpoint throws, and Error (File) for what is no checkpoint of a training.
TrainingCheckpoint read_training_checkpoint(const std::filesystem::path& file, const TrainOptions& base);

}  // namespace loupe::session
