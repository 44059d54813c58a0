// SPDX-License-Identifier: Apache-2.0
// Of tests of windows that are built with ThreadSanitizer: Qt is not, and its queues of events and tasks wait in ways
// that it does not see. What is given to another thread through them stands here in front of Qt's own, and says that it
// was given.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <functional>
#include <memory>

namespace {

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Calls a slot behind what its sender did before.
class GivenSlot final : public QtPrivate::QSlotObjectBase {
  public:
    explicit GivenSlot(QtPrivate::QSlotObjectBase* slot) : QSlotObjectBase(&act), slot_(slot) { __tsan_release(this); }

  private:
    static void act(int which, QSlotObjectBase* self, QObject* receiver, void** arguments, bool* is_same) {
        __tsan_acquire(self);
        auto* const given = static_cast<GivenSlot*>(self);
        switch (which) {
            case Destroy:
                given->slot_->destroyIfLastRef();
                delete given;
                break;
            case Call:
                given->slot_->call(receiver, arguments);
                break;
            case Compare:
                *is_same = false;
                break;
            default:
                break;
        }
    }

    QtPrivate::QSlotObjectBase* slot_;
};

void run_given(std::function<void()>* task) {
    const std::unique_ptr<std::function<void()>> kept(task);
    (*kept)();
}

}  // namespace

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
    static const auto own = next<bool (*)(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*)>(
        "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
    return own(object, new GivenSlot(slot), type, result);
}

void QThreadPool::start(std::function<void()> task, int priority) {
    static const auto own =
        next<void (*)(QThreadPool*, std::function<void()>, int)>("_ZN11QThreadPool5startESt8functionIFvvEEi");
    auto* const given = new std::function<void()>(std::move(task));
    __tsan_release(given);
    // Where the pool has put it is not known before it is taken.
    own(
        this, [ this, given ]() __attribute__((no_sanitize("thread"))) {
            __tsan_acquire(given);
            run_given(given);
            __tsan_release(this);
        },
        priority);
}

bool QThreadPool::waitForDone(int milliseconds) {
    static const auto own = next<bool (*)(QThreadPool*, int)>("_ZN11QThreadPool11waitForDoneEi");
    const bool is_done = own(this, milliseconds);
    __tsan_acquire(this);
    return is_done;
}
