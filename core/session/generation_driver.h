// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes text token by token with the model of a session. Used on the engine thread alone.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/generate.h"
#include "core/model/key_cache.h"
#include "core/model/token_names.h"
#include "core/session/generation.h"
#include "core/session/run_driver.h"

namespace loupe::session {

class GenerationDriver {
  public:
    GenerationDriver(Publisher& publisher, Settings& settings, const RunControl& control, ModelHolder& model,
                     RunRecorder& recorder, RunDriver& runs)
        : publisher_(publisher),
          settings_(settings),
          control_(control),
          model_(model),
          recorder_(recorder),
          runs_(runs) {}

    // Throws Error (Usage) for settings that do not fit or a text that has ended, what TextModel throws where the model
    // takes no text, and what running throws: the tokens that came stay.
    void generate(const GenerateRequest& request);
    // Another model, or none.
    void clear();

  private:
    RunOptions run_options(const GenerateRequest& request) const;
    std::uint64_t weights_now() const;
    void begin(const GenerateRequest& request);
    void run_recorded(RunOptions options, std::size_t step);
    void run_unrecorded();
    void look_at(const GenerateRequest& request);
    void note_token(double seconds);
    void note_cache();
    void place_in_run(CachedLayer& layer, const Tensor& key, const Tensor& value) const;
    void publish() const;

    Publisher& publisher_;
    Settings& settings_;
    const RunControl& control_;
    ModelHolder& model_;
    RunRecorder& recorder_;
    RunDriver& runs_;

    std::unique_ptr<TextGenerator> generator_;  // null: nothing was generated
    std::uint64_t weights_ = 0;                 // what they were then: see weights_now()
    Generation made_;
    std::vector<KeptLayer> shown_cache_;  // what the shown run gave; empty: none
    bool has_traced_prompt_ = false, has_traced_step_ = false;
};

}  // namespace loupe::session
