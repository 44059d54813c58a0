// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "core/distributed/backend.h"
#include "plugins/gloo/rendezvous.h"

namespace loupe::gloo_plugin {

struct Letters;

// Letters over connections of their own: a head of fixed size, then the bytes. A thread receives, one a rank sends.
class GlooMailbox final : public distributed::Mailbox {
  public:
    explicit GlooMailbox(std::shared_ptr<gloo::Context> context);
    ~GlooMailbox() override;
    void post(int rank, int box, std::string bytes) override;
    std::optional<distributed::Letter> take(int box) override;

  private:
    std::shared_ptr<Letters> letters_;
};

}  // namespace loupe::gloo_plugin
