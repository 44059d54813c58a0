// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rings of references: what a program made is let go with the program.

#include "core/base/ref_counted.h"

namespace loupe::python {

// Objects of a program that can refer to each other in rings: they are let go when the program's owner is.
class Tracked {
  public:
    Tracked(const Tracked&) = delete;
    Tracked& operator=(const Tracked&) = delete;
    virtual void clear_references() = 0;
    virtual RefCounted* tracked_object() = 0;

  protected:
    Tracked();  // joins the list of the TrackingScope on this thread, if there is one
    virtual ~Tracked();

  private:
    friend class TrackedList;
    Tracked* previous_ = nullptr;
    Tracked* next_ = nullptr;
    Ptr<RefCounted> list_;
};

// Everything of one program that can be part of a ring of references.
class TrackedList final : public RefCounted {
  public:
    void add(Tracked& tracked);
    static void remove(Tracked& tracked);
    void clear_all();

  private:
    Tracked* first_ = nullptr;
};

// While it lives, objects made on this thread join the list; null: none does (classes that outlive every program).
class TrackingScope {
  public:
    explicit TrackingScope(TrackedList* list);
    TrackingScope(const TrackingScope&) = delete;
    TrackingScope& operator=(const TrackingScope&) = delete;
    ~TrackingScope();

  private:
    TrackedList* before_;
};

}  // namespace loupe::python
