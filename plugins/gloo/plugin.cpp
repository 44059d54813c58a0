// SPDX-License-Identifier: Apache-2.0
// Ranks that torchrun started, or any launcher that sets its variables, over Gloo.

#include <numeric>

#include "core/plugin/plugin.h"
#include "plugins/gloo/communicator.h"
#include "plugins/gloo/mailbox.h"

namespace {

using namespace loupe;

class GlooBackend final : public distributed::Backend {
  public:
    const char* name() const override { return "gloo"; }
    bool joins(const distributed::LaunchFacts& facts) const override {
        return facts.launcher == distributed::Launcher::Torchrun && facts.world_size > 1;
    }
    std::unique_ptr<distributed::Communicator> join(const distributed::LaunchFacts& facts) override {
        rendezvous_ = std::make_unique<gloo_plugin::Rendezvous>(facts);
        return std::make_unique<gloo_plugin::GlooCommunicator>(*rendezvous_, "world", everyone());
    }
    std::unique_ptr<distributed::Mailbox> open_mailbox() override {
        return std::make_unique<gloo_plugin::GlooMailbox>(rendezvous_->connect("letters", everyone()));
    }
    void leave() override { rendezvous_.reset(); }
    // The other ranks have letters that say how this one ended.
    void abort(int) override {}

  private:
    std::vector<int> everyone() const {
        std::vector<int> all(static_cast<std::size_t>(rendezvous_->size()));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    std::unique_ptr<gloo_plugin::Rendezvous> rendezvous_;
};

void register_all(const PluginRegistries& registries) {
    // Never destroyed: its threads may be in the library when the process ends.
    static GlooBackend& backend = *new GlooBackend;
    registries.add_backend(backend);
}

const PluginTable table{.name = "gloo",
                        .description = "Programs on many ranks, which torchrun starts, over Gloo.",
                        .needs = "Gloo",
                        .register_all = register_all};

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() { return &table; }
