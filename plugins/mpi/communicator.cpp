// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/communicator.h"

#include <climits>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/mpi/types.h"

namespace loupe::mpi {
namespace {

using distributed::Transfer;
using distributed::TransferKind;

// MPI counts elements in int.
int count_of(std::size_t count) {
    if (count > INT_MAX)
        throw Error(ErrorKind::Run, concat("MPI moves at most ", INT_MAX, " elements at once, and these are ", count),
                    {.hint = "split the tensor"});
    return static_cast<int>(count);
}

struct Counts {
    std::vector<int> counts, places;
    explicit Counts(const std::vector<std::size_t>& of) {
        std::size_t place = 0;
        for (const std::size_t count : of) {
            counts.push_back(count_of(count));
            places.push_back(count_of(place));
            place += count;
        }
    }
};

class MpiRequest final : public distributed::Request {
  public:
    explicit MpiRequest(const Transfer& transfer) : sends_(transfer.send_counts), receives_(transfer.receive_counts) {}
    bool test() override {
        int is_done = 0;
        MPI_Status status;
        check(MPI_Test(&request_, &is_done, &status), "MPI_Test");
        if (is_done != 0 && source_ < 0) source_ = status.MPI_SOURCE;
        return is_done != 0;
    }
    int source() const override { return source_; }

    MPI_Request request_ = MPI_REQUEST_NULL;
    // Read by MPI until the request is done.
    const Counts sends_, receives_;

  private:
    int source_ = -1;
};

int start_reduction(const Transfer& t, MPI_Comm comm, int rank, MPI_Request* request) {
    const auto [type, operation] = reduced_type(t.dtype, t.reduction);
    const int count = count_of(t.count);
    const void* send = t.send == t.receive ? MPI_IN_PLACE : t.send;
    switch (t.kind) {
        case TransferKind::AllReduce:
            return MPI_Iallreduce(send, t.receive, count, type, operation, comm, request);
        case TransferKind::ReduceScatter:
            return MPI_Ireduce_scatter_block(t.send, t.receive, count, type, operation, comm, request);
        default:
            break;
    }
    if (rank != t.peer) send = t.send;
    return MPI_Ireduce(send, t.receive, count, type, operation, t.peer, comm, request);
}

int start_move(const Transfer& t, MPI_Comm comm, const Counts& sends, const Counts& receives, MPI_Request* request) {
    const MPI_Datatype type = moved_type(t.dtype);
    const int count = count_of(t.count);
    switch (t.kind) {
        case TransferKind::Broadcast:
            return MPI_Ibcast(t.receive, count, type, t.peer, comm, request);
        case TransferKind::AllGather:
            return MPI_Iallgather(t.send, count, type, t.receive, count, type, comm, request);
        case TransferKind::AllToAll:
            return MPI_Ialltoallv(t.send, sends.counts.data(), sends.places.data(), type, t.receive,
                                  receives.counts.data(), receives.places.data(), type, comm, request);
        case TransferKind::Gather:
            return MPI_Igather(t.send, count, type, t.receive, count, type, t.peer, comm, request);
        case TransferKind::Scatter:
            return MPI_Iscatter(t.send, count, type, t.receive, count, type, t.peer, comm, request);
        case TransferKind::Send:
            return MPI_Isend(t.send, count, type, t.peer, t.tag, comm, request);
        case TransferKind::Receive:
            return MPI_Irecv(t.receive, count, type, t.peer < 0 ? MPI_ANY_SOURCE : t.peer, t.tag, comm, request);
        default:
            return MPI_Ibarrier(comm, request);
    }
}

bool is_reduction(TransferKind kind) {
    return kind == TransferKind::AllReduce || kind == TransferKind::ReduceScatter || kind == TransferKind::Reduce;
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm own) : comm_(own) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

// Not freed: that is a collective, and ranks let go in any order. There are few.
MpiCommunicator::~MpiCommunicator() = default;

std::unique_ptr<distributed::Request> MpiCommunicator::start(const Transfer& transfer) {
    auto request = std::make_unique<MpiRequest>(transfer);
    const int status = is_reduction(transfer.kind)
                           ? start_reduction(transfer, comm_, rank_, &request->request_)
                           : start_move(transfer, comm_, request->sends_, request->receives_, &request->request_);
    check(status, "MPI");
    return request;
}

std::unique_ptr<distributed::Communicator> MpiCommunicator::split(int colour) {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, colour < 0 ? MPI_UNDEFINED : colour, rank_, &part), "MPI_Comm_split");
    if (part == MPI_COMM_NULL) return nullptr;
    return std::make_unique<MpiCommunicator>(part);
}

}  // namespace loupe::mpi
