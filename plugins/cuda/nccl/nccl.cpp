// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/nccl/nccl.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/device_transport.h"
#include "core/tensor/scalar_type.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/events.h"

namespace loupe::cuda {
namespace {

using distributed::Reduction;
using distributed::Transfer;
using distributed::TransferKind;

// Of the ranks to come to a call together.
constexpr auto kMeeting = std::chrono::seconds(30);

static_assert(sizeof(ncclUniqueId) <= distributed::DeviceTransport::kMostIdBytes);

void check(ncclResult_t status, const char* doing) {
    if (status != ncclSuccess && status != ncclInProgress)
        throw Error(ErrorKind::Run, concat("NCCL error: ", ncclGetErrorString(status), " (", doing, ")"));
}

std::optional<ncclDataType_t> type_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Int8:
            return ncclInt8;
        case ScalarType::UInt8:
        case ScalarType::Bool:
            return ncclUint8;
        case ScalarType::Int32:
            return ncclInt32;
        case ScalarType::Int64:
            return ncclInt64;
        case ScalarType::Float16:
            return ncclFloat16;
        case ScalarType::Float32:
            return ncclFloat32;
        case ScalarType::Float64:
            return ncclFloat64;
        case ScalarType::BFloat16:
            return ncclBfloat16;
        default:
            return std::nullopt;
    }
}

// Bits that are true in one rank, or in all, for a sum or a product of booleans, as PyTorch has it.
std::optional<ncclRedOp_t> operation_of(Reduction reduction, ScalarType dtype) {
    if (dtype == ScalarType::Bool && reduction == Reduction::Sum) return ncclMax;
    if (dtype == ScalarType::Bool && reduction == Reduction::Product) return ncclMin;
    if (dtype == ScalarType::Bool && reduction == Reduction::Avg) return std::nullopt;
    switch (reduction) {
        case Reduction::Sum:
            return ncclSum;
        case Reduction::Avg:
            return ncclAvg;
        case Reduction::Product:
            return ncclProd;
        case Reduction::Min:
            return ncclMin;
        case Reduction::Max:
            return ncclMax;
        default:
            return std::nullopt;
    }
}

// Reached when the transfer is done; until then an error of any rank ends it.
class NcclRequest final : public distributed::Request {
  public:
    NcclRequest(ncclComm_t comm, cudaStream_t stream) : comm_(comm) {
        cuda::check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "starting a transfer of NCCL");
        cuda::check(cudaEventRecord(done_, stream), "starting a transfer of NCCL");
    }
    NcclRequest(const NcclRequest&) = delete;
    NcclRequest& operator=(const NcclRequest&) = delete;
    ~NcclRequest() override { cudaEventDestroy(done_); }

    bool test() override {
        ncclResult_t status = ncclSuccess;
        check(ncclCommGetAsyncError(comm_, &status), "looking at a transfer");
        check(status, "a transfer between ranks");
        const cudaError_t reached = cudaEventQuery(done_);
        if (reached == cudaErrorNotReady) return false;
        cuda::check(reached, "a transfer of NCCL");
        return true;
    }

  private:
    ncclComm_t comm_;
    cudaEvent_t done_ = nullptr;
};

class NcclCommunicator final : public distributed::Communicator {
  public:
    NcclCommunicator(const ncclUniqueId& id, int rank, int size, Device device)
        : rank_(rank), size_(size), device_(device) {
        use(device);
        cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making NCCL's stream");
        // Nothing waits inside NCCL: a rank that does not come is an error here, not a silent hang.
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        try {
            check(ncclCommInitRankConfig(&comm_, size, id, rank, &config), "meeting the other ranks");
            settle("meeting the other ranks");
        } catch (...) {
            leave();
            throw;
        }
    }
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;
    // What is under way is of a run that was left, and would wait for ranks that do not come.
    ~NcclCommunicator() override { leave(); }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::unique_ptr<distributed::Request> start(const Transfer& t) override {
        use(device_);
        if (t.ready)
            cuda::check(cudaStreamWaitEvent(stream_, native_event(*t.ready), 0), "waiting for the program's work");
        run(t);
        settle("starting a transfer");
        return std::make_unique<NcclRequest>(comm_, stream_);
    }
    // Groups are split over the backend that ranks agree over; each then has a communicator of its own.
    std::unique_ptr<distributed::Communicator> split(int /*colour*/) override {
        throw Error(ErrorKind::Internal, "a communicator of NCCL is not split");
    }

  private:
    void leave() {
        if (comm_ != nullptr) ncclCommAbort(comm_);
        if (stream_ != nullptr) cudaStreamDestroy(stream_);
    }
    // Until NCCL has done what the last call asked of it.
    void settle(const char* doing);
    void run(const Transfer& t);
    void all_to_all(const Transfer& t, ncclDataType_t type);

    const int rank_;
    const int size_;
    const Device device_;
    ncclComm_t comm_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

void NcclCommunicator::settle(const char* doing) {
    const auto until = std::chrono::steady_clock::now() + kMeeting;
    for (;;) {
        ncclResult_t status = ncclSuccess;
        check(ncclCommGetAsyncError(comm_, &status), doing);
        check(status, doing);
        if (status != ncclInProgress) return;
        if (std::chrono::steady_clock::now() > until)
            throw Error(ErrorKind::Run,
                        concat("NCCL: the other ranks have not come within ", kMeeting.count(), " s (", doing, ")"));
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

void NcclCommunicator::run(const Transfer& t) {
    const auto type = type_of(t.dtype);
    const auto operation = operation_of(t.reduction, t.dtype);
    if (!type || !operation) throw Error(ErrorKind::Internal, "NCCL does not carry these elements");
    switch (t.kind) {
        case TransferKind::AllReduce:
            return check(ncclAllReduce(t.send, t.receive, t.count, *type, *operation, comm_, stream_), "all_reduce");
        case TransferKind::Broadcast:
            return check(ncclBroadcast(t.send, t.receive, t.count, *type, t.peer, comm_, stream_), "broadcast");
        case TransferKind::AllGather:
            return check(ncclAllGather(t.send, t.receive, t.count, *type, comm_, stream_), "all_gather");
        case TransferKind::ReduceScatter:
            return check(ncclReduceScatter(t.send, t.receive, t.count, *type, *operation, comm_, stream_),
                         "reduce_scatter");
        case TransferKind::AllToAll:
            return all_to_all(t, *type);
        default:
            throw Error(ErrorKind::Internal, "NCCL does not carry this transfer");
    }
}

// To and from all ranks at once, this one among them.
void NcclCommunicator::all_to_all(const Transfer& t, ncclDataType_t type) {
    const std::size_t size = element_size(t.dtype);
    const auto* from = static_cast<const std::byte*>(t.send);
    auto* to = static_cast<std::byte*>(t.receive);
    check(ncclGroupStart(), "all_to_all");
    for (int rank = 0; rank < size_; ++rank) {
        const std::size_t sent = t.send_counts[static_cast<std::size_t>(rank)];
        const std::size_t received = t.receive_counts[static_cast<std::size_t>(rank)];
        if (sent > 0) check(ncclSend(from, sent, type, rank, comm_, stream_), "all_to_all");
        if (received > 0) check(ncclRecv(to, received, type, rank, comm_, stream_), "all_to_all");
        from += sent * size;
        to += received * size;
    }
    check(ncclGroupEnd(), "all_to_all");
}

class NcclTransport final : public distributed::DeviceTransport {
  public:
    const char* name() const override { return "nccl"; }
    DeviceType device() const override { return DeviceType::Cuda; }
    bool takes(ScalarType dtype, Reduction reduction) const override {
        return type_of(dtype) && operation_of(reduction, dtype);
    }
    std::string new_id() override {
        ncclUniqueId id;
        check(ncclGetUniqueId(&id), "making an id for the ranks");
        return {reinterpret_cast<const char*>(&id), sizeof id};
    }
    std::unique_ptr<distributed::Communicator> join(const std::string& bytes, int rank, int size,
                                                    Device device) override {
        ncclUniqueId id;
        if (bytes.size() != sizeof id) throw Error(ErrorKind::Run, "what rank 0 sent is no id of NCCL");
        std::memcpy(&id, bytes.data(), sizeof id);
        return std::make_unique<NcclCommunicator>(id, rank, size, device);
    }
};

}  // namespace

void register_nccl(const PluginRegistries& registries) {
    static NcclTransport transport;
    registries.add_device_transport(transport);
}

}  // namespace loupe::cuda
