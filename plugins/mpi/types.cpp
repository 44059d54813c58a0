// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/types.h"

#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::mpi {
namespace {

using distributed::Reduction;

// A type of the dtype's size that names it: the operation learns by it what it adds.
MPI_Datatype named_type(ScalarType dtype) {
    static std::map<ScalarType, MPI_Datatype> types;
    const auto [place, is_new] = types.emplace(dtype, MPI_DATATYPE_NULL);
    if (is_new) {
        check(MPI_Type_contiguous(static_cast<int>(element_size(dtype)), MPI_BYTE, &place->second),
              "MPI_Type_contiguous");
        check(MPI_Type_commit(&place->second), "MPI_Type_commit");
    }
    return place->second;
}

template <ScalarType kDtype, Reduction kReduction>
void combine_all(void* from, void* into, int* count, MPI_Datatype*) {
    distributed::combine(kReduction, kDtype, from, into, static_cast<std::size_t>(*count));
}

template <ScalarType kDtype>
MPI_User_function* function_of(Reduction reduction) {
    switch (reduction) {
        case Reduction::Product:
            return combine_all<kDtype, Reduction::Product>;
        case Reduction::Min:
            return combine_all<kDtype, Reduction::Min>;
        case Reduction::Max:
            return combine_all<kDtype, Reduction::Max>;
        case Reduction::BitAnd:
            return combine_all<kDtype, Reduction::BitAnd>;
        case Reduction::BitOr:
            return combine_all<kDtype, Reduction::BitOr>;
        case Reduction::BitXor:
            return combine_all<kDtype, Reduction::BitXor>;
        default:
            return combine_all<kDtype, Reduction::Sum>;
    }
}

MPI_User_function* function_of(ScalarType dtype, Reduction reduction) {
    switch (dtype) {
#define LOUPE_FUNCTION(name, type, number, text, graph_text, kind) \
    case ScalarType::name:                                         \
        return function_of<ScalarType::name>(reduction);
        LOUPE_DTYPES(LOUPE_FUNCTION)
#undef LOUPE_FUNCTION
    }
    return nullptr;
}

MPI_Op own_operation(ScalarType dtype, Reduction reduction) {
    static std::map<std::pair<ScalarType, Reduction>, MPI_Op> operations;
    const auto [place, is_new] = operations.emplace(std::pair(dtype, reduction), MPI_OP_NULL);
    if (is_new) check(MPI_Op_create(function_of(dtype, reduction), 1, &place->second), "MPI_Op_create");
    return place->second;
}

// Those for which MPI has loops of its own; NaN of MIN and MAX is lost in these, so floating-point ones are not here.
MPI_Datatype own_type(ScalarType dtype, Reduction reduction) {
    const bool is_ordered = reduction == Reduction::Min || reduction == Reduction::Max;
    switch (dtype) {
        case ScalarType::Float32:
            return is_ordered ? MPI_DATATYPE_NULL : MPI_FLOAT;
        case ScalarType::Float64:
            return is_ordered ? MPI_DATATYPE_NULL : MPI_DOUBLE;
        case ScalarType::UInt8:
            return MPI_UINT8_T;
        case ScalarType::Int8:
            return MPI_INT8_T;
        case ScalarType::Int16:
            return MPI_INT16_T;
        case ScalarType::Int32:
            return MPI_INT32_T;
        case ScalarType::Int64:
            return MPI_INT64_T;
        default:
            return MPI_DATATYPE_NULL;
    }
}

MPI_Op operation_of(Reduction reduction) {
    switch (reduction) {
        case Reduction::Product:
            return MPI_PROD;
        case Reduction::Min:
            return MPI_MIN;
        case Reduction::Max:
            return MPI_MAX;
        case Reduction::BitAnd:
            return MPI_BAND;
        case Reduction::BitOr:
            return MPI_BOR;
        case Reduction::BitXor:
            return MPI_BXOR;
        default:
            return MPI_SUM;
    }
}

}  // namespace

void check(int status, const char* what) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw Error(ErrorKind::Run, concat(what, ": ", text));
}

MPI_Datatype moved_type(ScalarType dtype) { return named_type(dtype); }

ReducedType reduced_type(ScalarType dtype, Reduction reduction) {
    if (const MPI_Datatype own = own_type(dtype, reduction); own != MPI_DATATYPE_NULL)
        return {own, operation_of(reduction)};
    return {named_type(dtype), own_operation(dtype, reduction)};
}

}  // namespace loupe::mpi
