// SPDX-License-Identifier: Apache-2.0
#pragma once
// MPI's types and operations for the engine's.

#include <mpi.h>

#include "core/distributed/reduction.h"

namespace loupe::mpi {

// Throws Error (Run) with MPI's words.
void check(int status, const char* what);

// Of elements that are only moved: any dtype.
MPI_Datatype moved_type(ScalarType dtype);
// Of elements that are reduced, with the operation that takes them.
struct ReducedType {
    MPI_Datatype type;
    MPI_Op operation;
};
ReducedType reduced_type(ScalarType dtype, distributed::Reduction reduction);

}  // namespace loupe::mpi
