// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/call_observer.h"

namespace loupe::python {
namespace {

thread_local CallObserver* observer_of_thread = nullptr;

}  // namespace

CallObserver* call_observer() { return observer_of_thread; }

CallObserverScope::CallObserverScope(CallObserver* observer) : before_(observer_of_thread) {
    observer_of_thread = observer;
}
CallObserverScope::~CallObserverScope() { observer_of_thread = before_; }

}  // namespace loupe::python
