// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/pending.h"

#include <unordered_map>

namespace loupe::distributed {
namespace {

// Each holds its tensor, so that the storage's address stays its own.
std::unordered_map<const Storage*, WorkPtr>& all_pending() {
    thread_local std::unordered_map<const Storage*, WorkPtr> all;
    return all;
}

}  // namespace

void remember_pending(const Tensor& tensor, const WorkPtr& work) {
    all_pending().insert_or_assign(tensor.storage().get(), work);
}

void wait_pending(const Tensor& tensor) {
    const auto found = all_pending().find(tensor.storage().get());
    if (found == all_pending().end()) return;
    const WorkPtr work = found->second;
    all_pending().erase(found);
    work->wait();
}

}  // namespace loupe::distributed
