// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observer of the tensors that autograd nodes save for backward.

#include "core/tensor/tensor.h"

namespace loupe {

class SavingObserver {
  public:
    virtual ~SavingObserver() = default;
    // A node of the calling thread saves the tensor. Not called for tensors that a pack hook took.
    virtual void on_saved(const Tensor& t) = 0;
};

namespace detail {
extern constinit thread_local SavingObserver* thread_saving;
}
inline SavingObserver* saving_observer() { return detail::thread_saving; }
// Null removes it.
inline void set_saving_observer(SavingObserver* observer) { detail::thread_saving = observer; }

}  // namespace loupe
