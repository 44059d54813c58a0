// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared ownership with the count inside the object.

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>

namespace loupe {

class RefCounted {
  public:
    RefCounted() = default;
    RefCounted(const RefCounted&) = delete;
    RefCounted& operator=(const RefCounted&) = delete;
    virtual ~RefCounted() = default;

    std::uint32_t use_count() const { return count_.load(std::memory_order_relaxed); }

  private:
    friend void intrusive_ptr_add_ref(const RefCounted* object) {
        object->count_.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(const RefCounted* object) {
        // The sole owner needs no read-modify-write: no other thread can add a reference.
        if (object->count_.load(std::memory_order_acquire) == 1 ||
            object->count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete object;
        }
    }

    mutable std::atomic<std::uint32_t> count_{0};
};

template <typename T>
using Ptr = boost::intrusive_ptr<T>;

template <typename T, typename... Args>
Ptr<T> make_ptr(Args&&... args) {
    return Ptr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace loupe
