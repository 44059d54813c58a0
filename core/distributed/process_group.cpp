// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/process_group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/device_transport.h"
#include "core/distributed/last_act.h"
#include "core/distributed/world.h"

namespace loupe::distributed {
namespace {

[[noreturn]] void refuse(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

std::size_t count_of(const Tensor& t) { return static_cast<std::size_t>(t.numel()); }

void copy(const Tensor& to, const Tensor& from) { gradient_arithmetic().copy(to, from); }

bool is_direct(const Tensor& t) { return t.is_host_memory() && t.is_contiguous(); }

// In host memory, one after the other.
Tensor staged(const Tensor& t) {
    if (is_direct(t)) return t;
    Tensor out = empty(t.sizes(), t.dtype());
    copy(out, t);
    return out;
}
// The same without the elements.
Tensor place_for(const Tensor& t) { return is_direct(t) ? t : empty(t.sizes(), t.dtype()); }

// Does something carry them where they are? All of one device.
bool are_carried(const TensorList& tensors, Reduction reduction = Reduction::Sum) {
    const Device device = tensors.front().device();
    const DeviceTransport* transport = device.is_cpu() ? nullptr : device_transport(device.type);
    return transport != nullptr && std::ranges::all_of(tensors, [&](const Tensor& t) {
               return t.device() == device && t.is_contiguous() && transport->takes(t.dtype(), reduction);
           });
}
// Where a transfer reads, and where it writes.
Tensor source_of(const Tensor& t, bool is_carried) { return is_carried ? t : staged(t); }
Tensor target_of(const Tensor& t, bool is_carried) { return is_carried ? t : place_for(t); }
void* bytes_of(const Tensor& t, bool is_carried) { return is_carried ? t.address() : t.raw_data(); }
Tensor like(const Tensor& t, bool is_carried) {
    return empty(t.sizes(), t.dtype(), is_carried ? t.device() : Device());
}

Tensor flat_for(const TensorList& tensors) {
    std::int64_t count = 0;
    for (const Tensor& t : tensors) count += t.numel();
    return empty(IntSpan(&count, 1), tensors.empty() ? ScalarType::Float32 : tensors.front().dtype());
}

// fn(tensor, its elements in the flat one).
template <typename Function>
void each_part(const Tensor& flat, const TensorList& tensors, Function function) {
    std::int64_t offset = flat.storage_offset();
    for (const Tensor& t : tensors) {
        const Tensor packed = empty(t.sizes(), ScalarType::UInt8);  // only for its strides
        function(t, flat.view_as_strided(t.sizes(), packed.strides(), offset));
        offset += t.numel();
    }
}
Tensor flattened(const TensorList& tensors) {
    const Tensor flat = flat_for(tensors);
    each_part(flat, tensors, [](const Tensor& t, const Tensor& part) { copy(part, t); });
    return flat;
}

void check_same(const TensorList& tensors, const Tensor& like, const char* what) {
    for (const Tensor& t : tensors) {
        if (t.dtype() != like.dtype()) {
            refuse(concat("Tensors must have the same dtype: ", what, " got ", dtype_name(t.dtype()), " and ",
                          dtype_name(like.dtype())));
        }
        if (t.numel() != like.numel())
            refuse(concat(what, ": tensors must have the same size, got ", shape_text(t), " and ", shape_text(like)));
    }
}
void check_list(const TensorList& tensors, int size, const char* what) {
    if (tensors.size() != static_cast<std::size_t>(size)) {
        refuse(concat("ProcessGroup::", what, ": tensor list must be the same size as the group: ", tensors.size(),
                      " tensors, ", size, " ranks"));
    }
}
void check_dense(const TensorList& tensors) {
    for (const Tensor& t : tensors) {
        if (t.is_sparse()) refuse("collectives of sparse tensors are not there; give to_dense()");
    }
}

// value[i] *= factor, as the tensor's operator does.
void multiply(const Tensor& t, double factor) {
    static const auto product = [](auto* data, std::size_t count, double by) {
        for (std::size_t i = 0; i < count; ++i)
            data[i] = static_cast<std::remove_reference_t<decltype(data[i])>>(data[i] * by);
    };
    if (t.dtype() == ScalarType::Float32) return product(t.data<float>(), count_of(t), factor);
    if (t.dtype() == ScalarType::Float64) return product(t.data<double>(), count_of(t), factor);
    const Tensor wide = empty(t.sizes(), ScalarType::Float64);
    copy(wide, t);
    product(wide.data<double>(), count_of(wide), factor);
    copy(t, wide);
}

void mark_written(const TensorList& tensors) {
    for (const Tensor& t : tensors) t.storage()->bump_version();
}

}  // namespace

struct ProcessGroup::Parts {
    TensorList given;    // as the program gave them
    TensorList results;  // what it gets back
    TensorList kept;     // memory that the transfer reads and writes
    std::function<void()> on_progress = {};
    std::function<void()> finish = {};
    Reduction reduction = Reduction::Sum;
    bool is_carried = false;  // on the device of what was given
};

ProcessGroup::ProcessGroup(std::string name, std::string backend, Channel& channel, std::chrono::milliseconds timeout)
    : name_(std::move(name)), backend_(std::move(backend)), channel_(channel), timeout_(timeout) {
    rank_ = channel.data->rank();
    sent_.resize(channel.ranks.size());
    received_.resize(channel.ranks.size());
}
ProcessGroup::~ProcessGroup() = default;

Announcement ProcessGroup::announce(std::string operation, std::string detail) {
    if (name_ != "0") detail += concat(detail.empty() ? "" : " ", "in group ", name_);
    return {.operation = std::move(operation),
            .detail = std::move(detail),
            .place = place_of_program(),
            .sequence = ++sequence_};
}

WorkPtr ProcessGroup::launch(Transfer transfer, Announcement announcement, Parts parts) {
    settle();
    if (parts.is_carried) {
        transfer.device = parts.given.front().device();
        transfer.ready = device_interface(transfer.device.type)->make_event(transfer.device);
        transfer.ready->record();
        announcement.detail += concat(" over ", device_transport(transfer.device.type)->name());
    }
    auto state = std::make_shared<WorkState>();
    auto work = make_ptr<Work>(*this, state, std::move(announcement));
    work->results_ = std::move(parts.results);
    work->kept_ = std::move(parts.kept);
    work->finish_ = std::move(parts.finish);
    const bool is_message = transfer.kind == TransferKind::Send || transfer.kind == TransferKind::Receive;
    work->waits_for_ =
        is_message && transfer.peer >= 0 ? std::vector<int>{ranks()[static_cast<std::size_t>(transfer.peer)]} : ranks();
    if (CollectiveObserver* observer = collective_observer())
        work->note_ = observer->on_launch(*this, *work, transfer, parts.reduction, parts.given);
    under_way_.push_back(work);
    if (!is_message && size() == World::instance().size()) World::instance().note_launch();
    note_last_act(work->announcement().line());
    World::instance().progress().submit(
        channel_, {work->announcement(), std::move(transfer), std::move(state), std::move(parts.on_progress)});
    return work;
}

void ProcessGroup::settle() {
    std::erase_if(under_way_, [](const WorkPtr& work) {
        if (!work->is_completed()) return false;
        CollectiveObserver* observer = collective_observer();
        if (observer != nullptr && !work->is_settled_ && work->note_ != static_cast<std::size_t>(-1))
            observer->on_done(work->note_, *work, nullptr);
        return true;
    });
}

void ProcessGroup::note_waited(Work& work, Clock::time_point from) {
    CollectiveObserver* observer = collective_observer();
    if (observer != nullptr && work.note_ != static_cast<std::size_t>(-1)) observer->on_done(work.note_, work, &from);
}

WorkPtr ProcessGroup::all_reduce(const TensorList& tensors, Reduction reduction, double factor,
                                 const std::string& name) {
    if (tensors.empty()) refuse("all_reduce takes at least one tensor");
    check_dense(tensors);
    check_reduction(reduction, tensors.front().dtype());
    for (const Tensor& t : tensors) {
        if (t.dtype() != tensors.front().dtype()) refuse("Tensors must have the same dtype");
    }
    const bool is_one = tensors.size() == 1;
    const bool is_carried = is_one && size() > 1 && are_carried(tensors, reduction);
    const Tensor buffer = is_one ? source_of(tensors.front(), is_carried) : flattened(tensors);
    if (reduction == Reduction::PremulSum) multiply(buffer, factor);
    Transfer t;
    t.kind = TransferKind::AllReduce;
    t.reduction = is_carried ? reduction : wire_reduction(reduction);
    t.dtype = buffer.dtype();
    t.send = t.receive = bytes_of(buffer, is_carried);
    t.count = count_of(buffer);
    Parts parts{.given = tensors, .results = tensors, .kept = {buffer}, .reduction = reduction};
    parts.is_carried = is_carried;
    if (reduction == Reduction::Avg && size() > 1 && !is_carried)
        parts.on_progress = [t, ranks = size()] { divide(t.dtype, t.receive, t.count, ranks); };
    parts.finish = [tensors, buffer, is_one] {
        if (!is_one)
            each_part(buffer, tensors, [](const Tensor& to, const Tensor& part) { copy(to, part); });
        else if (!buffer.is_same(tensors.front()))
            copy(tensors.front(), buffer);
        else
            mark_written(tensors);
    };
    return launch(std::move(t), announce(name, concat(reduction_name(reduction), " ", shapes_text(tensors))),
                  std::move(parts));
}

WorkPtr ProcessGroup::broadcast(const Tensor& tensor, int root, const std::string& name) {
    check_dense({tensor});
    if (root < 0 || root >= size()) refuse(concat("broadcast from rank ", root, " of a group of ", size()));
    const bool is_carried = size() > 1 && are_carried({tensor});
    const Tensor buffer = source_of(tensor, is_carried);
    Transfer t;
    t.kind = TransferKind::Broadcast;
    t.dtype = buffer.dtype();
    t.send = t.receive = bytes_of(buffer, is_carried);
    t.count = count_of(buffer);
    t.peer = root;
    Parts parts{.given = {tensor}, .results = {tensor}, .kept = {buffer}};
    parts.is_carried = is_carried;
    parts.finish = [tensor, buffer] {
        if (buffer.is_same(tensor)) return mark_written({tensor});
        copy(tensor, buffer);
    };
    return launch(std::move(t), announce(name, concat("from rank ", root, " ", shape_text(tensor))), std::move(parts));
}

WorkPtr ProcessGroup::reduce(const Tensor& tensor, Reduction reduction, int root) {
    check_dense({tensor});
    check_reduction(reduction, tensor.dtype());
    if (root < 0 || root >= size()) refuse(concat("reduce to rank ", root, " of a group of ", size()));
    const Tensor buffer = staged(tensor);
    const bool is_root = root == rank();
    Transfer t;
    t.kind = TransferKind::Reduce;
    t.reduction = wire_reduction(reduction);
    t.dtype = buffer.dtype();
    t.send = t.receive = buffer.raw_data();
    t.count = count_of(buffer);
    t.peer = root;
    Parts parts{.given = {tensor}, .results = {tensor}, .kept = {buffer}, .reduction = reduction};
    if (reduction == Reduction::Avg && is_root && size() > 1)
        parts.on_progress = [t, ranks = size()] { divide(t.dtype, t.receive, t.count, ranks); };
    parts.finish = [tensor, buffer, is_root] {
        if (!is_root) return;
        if (buffer.is_same(tensor)) return mark_written({tensor});
        copy(tensor, buffer);
    };
    return launch(std::move(t),
                  announce("reduce", concat(reduction_name(reduction), " to rank ", root, " ", shape_text(tensor))),
                  std::move(parts));
}

WorkPtr ProcessGroup::all_gather_into(const Tensor& out, const Tensor& in, const std::string& name) {
    check_dense({out, in});
    if (out.dtype() != in.dtype()) refuse("output tensor must have the same type as input tensor");
    if (out.numel() != in.numel() * size())
        refuse("output tensor size must be equal to world_size times input tensor size");
    const bool is_carried = size() > 1 && are_carried({in, out});
    const Tensor send = source_of(in, is_carried), receive = target_of(out, is_carried);
    Transfer t;
    t.kind = TransferKind::AllGather;
    t.dtype = in.dtype();
    t.send = bytes_of(send, is_carried);
    t.receive = bytes_of(receive, is_carried);
    t.count = count_of(in);
    Parts parts{.given = {in}, .results = {out}, .kept = {send, receive}};
    parts.is_carried = is_carried;
    // The input may be its own place in the output: MPI does not take that.
    const auto* from = static_cast<const std::byte*>(t.send);
    const auto* to = static_cast<const std::byte*>(t.receive);
    if (from >= to && from < to + receive.bytes()) {
        const Tensor own = like(in, is_carried);
        copy(own, in);
        t.send = bytes_of(own, is_carried);
        parts.kept.push_back(own);
    }
    parts.finish = [out, receive] {
        if (receive.is_same(out)) return mark_written({out});
        copy(out, receive);
    };
    return launch(std::move(t), announce(name, shape_text(in)), std::move(parts));
}

WorkPtr ProcessGroup::all_gather(const TensorList& out, const Tensor& in) {
    check_dense(out);
    check_list(out, size(), "all_gather");
    check_same(out, in, "all_gather");
    const Tensor flat = flat_for(out), send = staged(in);
    Transfer t;
    t.kind = TransferKind::AllGather;
    t.dtype = in.dtype();
    t.send = send.raw_data();
    t.receive = flat.raw_data();
    t.count = count_of(in);
    Parts parts{.given = {in}, .results = out, .kept = {send, flat}};
    parts.finish = [out, flat] { each_part(flat, out, [](const Tensor& to, const Tensor& part) { copy(to, part); }); };
    return launch(std::move(t), announce("all_gather", shape_text(in)), std::move(parts));
}

WorkPtr ProcessGroup::reduce_scatter_from(const Tensor& out, const Tensor& in, Reduction reduction,
                                          const std::string& name, double factor) {
    check_dense({out, in});
    check_reduction(reduction, in.dtype());
    if (out.dtype() != in.dtype()) refuse("input tensor must be the same type as the output tensor.");
    if (in.numel() != out.numel() * size())
        refuse("input tensor must be the same size as output size times world size");
    const bool is_carried = size() > 1 && are_carried({in, out}, reduction);
    Tensor send = source_of(in, is_carried);
    if (reduction == Reduction::PremulSum) {
        if (send.is_same(in)) {
            send = empty(in.sizes(), in.dtype());
            copy(send, in);
        }
        multiply(send, factor);
    }
    // A part of the input may be where the output goes.
    const Tensor receive = like(out, is_carried);
    Transfer t;
    t.kind = TransferKind::ReduceScatter;
    t.reduction = is_carried ? reduction : wire_reduction(reduction);
    t.dtype = in.dtype();
    t.send = bytes_of(send, is_carried);
    t.receive = bytes_of(receive, is_carried);
    t.count = count_of(out);
    Parts parts{.given = {in}, .results = {out}, .kept = {send, receive}, .reduction = reduction};
    parts.is_carried = is_carried;
    if (reduction == Reduction::Avg && size() > 1 && !is_carried)
        parts.on_progress = [t, ranks = size()] { divide(t.dtype, t.receive, t.count, ranks); };
    parts.finish = [out, receive] { copy(out, receive); };
    return launch(std::move(t), announce(name, concat(reduction_name(reduction), " ", shape_text(in))),
                  std::move(parts));
}

WorkPtr ProcessGroup::reduce_scatter(const Tensor& out, const TensorList& in, Reduction reduction) {
    check_dense(in);
    check_list(in, size(), "reduce_scatter");
    check_same(in, out, "reduce_scatter");
    return reduce_scatter_from(out, flattened(in), reduction, "reduce_scatter");
}

WorkPtr ProcessGroup::all_to_all_single(const Tensor& out, const Tensor& in,
                                        const std::vector<std::int64_t>& out_splits,
                                        const std::vector<std::int64_t>& in_splits) {
    check_dense({out, in});
    if (out.dtype() != in.dtype()) refuse("Tensors are not the same type");
    const auto counts = [&](const Tensor& t, const std::vector<std::int64_t>& splits) {
        const std::int64_t rows = t.dim() == 0 ? 1 : t.size(0);
        const std::int64_t row = rows == 0 ? 0 : t.numel() / rows;
        if (splits.empty() && rows % size() != 0) refuse("Tensor's dim 0 does not divide equally across group size");
        if (!splits.empty() && splits.size() != static_cast<std::size_t>(size()))
            refuse("Number of tensor splits not equal to group size");
        if (!splits.empty() && std::accumulate(splits.begin(), splits.end(), std::int64_t{0}) != rows)
            refuse("Split sizes doesn't match total dim 0 size");
        std::vector<std::size_t> all;
        for (int r = 0; r < size(); ++r) {
            const std::int64_t part = splits.empty() ? rows / size() : splits[static_cast<std::size_t>(r)];
            if (part < 0) refuse("Split sizes are not negative");
            all.push_back(static_cast<std::size_t>(part * row));
        }
        return all;
    };
    const bool is_carried = size() > 1 && are_carried({in, out});
    const Tensor send = source_of(in, is_carried), receive = target_of(out, is_carried);
    Transfer t;
    t.kind = TransferKind::AllToAll;
    t.dtype = in.dtype();
    t.send_counts = counts(in, in_splits);
    t.receive_counts = counts(out, out_splits);
    t.send = bytes_of(send, is_carried);
    t.receive = bytes_of(receive, is_carried);
    Parts parts{.given = {in}, .results = {out}, .kept = {send, receive}};
    parts.is_carried = is_carried;
    parts.finish = [out, receive] {
        if (receive.is_same(out)) return mark_written({out});
        copy(out, receive);
    };
    std::string detail(dtype_name(in.dtype()));
    if (in_splits.empty() && out_splits.empty()) detail = shape_text(in);
    return launch(std::move(t), announce("all_to_all_single", detail), std::move(parts));
}

WorkPtr ProcessGroup::all_to_all(const TensorList& out, const TensorList& in) {
    check_dense(in);
    check_list(in, size(), "alltoall");
    check_list(out, size(), "alltoall");
    for (const Tensor& each : out) {
        if (each.dtype() != in.front().dtype()) refuse("Tensors must have the same dtype");
    }
    const Tensor send = flattened(in), receive = flat_for(out);
    Transfer t;
    t.kind = TransferKind::AllToAll;
    t.dtype = send.dtype();
    for (const Tensor& each : in) t.send_counts.push_back(count_of(each));
    for (const Tensor& each : out) t.receive_counts.push_back(count_of(each));
    t.send = send.raw_data();
    t.receive = receive.raw_data();
    Parts parts{.given = in, .results = out, .kept = {send, receive}};
    parts.finish = [out, receive] {
        each_part(receive, out, [](const Tensor& to, const Tensor& part) { copy(to, part); });
    };
    return launch(std::move(t), announce("all_to_all", std::string(dtype_name(send.dtype()))), std::move(parts));
}

WorkPtr ProcessGroup::gather(const TensorList& out, const Tensor& in, int root) {
    check_dense({in});
    const bool is_root = root == rank();
    if (is_root) {
        check_list(out, size(), "gather");
        check_same(out, in, "gather");
    }
    const Tensor send = staged(in), flat = is_root ? flat_for(out) : Tensor();
    Transfer t;
    t.kind = TransferKind::Gather;
    t.dtype = in.dtype();
    t.send = send.raw_data();
    t.receive = is_root ? flat.raw_data() : nullptr;
    t.count = count_of(in);
    t.peer = root;
    Parts parts{.given = {in}, .results = out, .kept = {send, flat}};
    parts.finish = [out, flat, is_root] {
        if (is_root) each_part(flat, out, [](const Tensor& to, const Tensor& part) { copy(to, part); });
    };
    return launch(std::move(t), announce("gather", concat("to rank ", root, " ", shape_text(in))), std::move(parts));
}

WorkPtr ProcessGroup::scatter(const Tensor& out, const TensorList& in, int root) {
    check_dense({out});
    const bool is_root = root == rank();
    if (is_root) {
        check_list(in, size(), "scatter");
        check_same(in, out, "scatter");
    }
    const Tensor flat = is_root ? flattened(in) : Tensor(), receive = place_for(out);
    Transfer t;
    t.kind = TransferKind::Scatter;
    t.dtype = out.dtype();
    t.send = is_root ? flat.raw_data() : nullptr;
    t.receive = receive.raw_data();
    t.count = count_of(out);
    t.peer = root;
    Parts parts{.given = in, .results = {out}, .kept = {flat, receive}};
    parts.finish = [out, receive] {
        if (receive.is_same(out)) return mark_written({out});
        copy(out, receive);
    };
    return launch(std::move(t), announce("scatter", concat("from rank ", root, " ", shape_text(out))),
                  std::move(parts));
}

WorkPtr ProcessGroup::barrier(const std::string& name) { return launch({}, announce(name, ""), {}); }

WorkPtr ProcessGroup::send(const Tensor& tensor, int to, int tag) {
    check_dense({tensor});
    if (to == rank() || to < 0 || to >= size()) refuse(concat("send to rank ", to, " of a group of ", size()));
    const Tensor buffer = staged(tensor);
    Transfer t;
    t.kind = TransferKind::Send;
    t.dtype = buffer.dtype();
    t.send = buffer.raw_data();
    t.count = count_of(buffer);
    t.peer = to;
    t.tag = tag;
    Announcement announcement{.operation = "send",
                              .detail = shape_text(tensor),
                              .place = place_of_program(),
                              .sequence = ++sent_[static_cast<std::size_t>(to)]};
    return launch(std::move(t), std::move(announcement), {.given = {tensor}, .results = {tensor}, .kept = {buffer}});
}

WorkPtr ProcessGroup::receive(const Tensor& tensor, int from, int tag) {
    check_dense({tensor});
    if (from == rank() || from < -1 || from >= size())
        refuse(concat("recv from rank ", from, " of a group of ", size()));
    const Tensor buffer = place_for(tensor);
    Transfer t;
    t.kind = TransferKind::Receive;
    t.dtype = buffer.dtype();
    t.receive = buffer.raw_data();
    t.count = count_of(buffer);
    t.peer = from;
    t.tag = tag;
    Announcement announcement{.operation = "recv",
                              .detail = shape_text(tensor),
                              .place = place_of_program(),
                              .sequence = from < 0 ? 1 : ++received_[static_cast<std::size_t>(from)]};
    Parts parts{.given = {tensor}, .results = {tensor}, .kept = {buffer}};
    parts.finish = [tensor, buffer] {
        if (buffer.is_same(tensor)) return mark_written({tensor});
        copy(tensor, buffer);
    };
    return launch(std::move(t), std::move(announcement), std::move(parts));
}

std::vector<std::string> ProcessGroup::all_gather_bytes(std::string bytes, const std::string& name) {
    const auto length = static_cast<std::int64_t>(bytes.size());
    const std::int64_t ranks = size();
    const Tensor mine = tensor_of<std::int64_t>({length}, {1}), lengths = empty(IntSpan(&ranks, 1), ScalarType::Int64);
    all_gather_into(lengths, mine, name)->wait();
    const std::int64_t most = *std::max_element(lengths.data<std::int64_t>(), lengths.data<std::int64_t>() + ranks);
    const std::int64_t total = most * ranks;
    const Tensor in = zeros(IntSpan(&most, 1), ScalarType::UInt8), out = empty(IntSpan(&total, 1), ScalarType::UInt8);
    if (!bytes.empty()) std::memcpy(in.raw_data(), bytes.data(), bytes.size());
    all_gather_into(out, in, name)->wait();
    std::vector<std::string> all;
    for (std::int64_t r = 0; r < ranks; ++r) {
        all.emplace_back(static_cast<const char*>(out.raw_data()) + r * most,
                         static_cast<std::size_t>(lengths.data<std::int64_t>()[r]));
    }
    return all;
}

namespace {

std::string seconds_text(double seconds) { return concat(static_cast<std::int64_t>(seconds), " s"); }

// What a rank does that has not come to a collective.
std::string status_text(int rank, const RankStatus& status) {
    switch (status.kind) {
        case RankStatus::Kind::Ended:
            return concat("rank ", rank, " has run to its end without it");
        case RankStatus::Kind::Failed:
            return concat("rank ", rank, " has ended: ", status.text);
        case RankStatus::Kind::Silent:
            return concat("rank ", rank, " does not answer");
        case RankStatus::Kind::Waiting:
            return concat("rank ", rank, " waits in ", status.text);
        case RankStatus::Kind::Parked:
            return concat("rank ", rank, " is parked ", status.text);
        case RankStatus::Kind::Idle:
            return concat("rank ", rank, " runs nothing");
        case RankStatus::Kind::Working:
            break;
    }
    return concat("rank ", rank, " computes, for ", seconds_text(status.since), status.text.empty() ? "" : ": ",
                  status.text);
}

}  // namespace

void ProcessGroup::forget_run() {
    under_way_.clear();
    forget_passes();
    sequence_ = 0;
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
}

// Ranks that the wait is for are those that have not come to the same. One that computes may come yet; where none of
// them, and none that they wait for, computes, nothing will happen.
ProcessGroup::Delay ProcessGroup::look_at_delay(const Announcement& announcement, const std::vector<int>& waits_for,
                                                std::chrono::milliseconds time) {
    World& world = World::instance();
    std::vector<int> everyone(static_cast<std::size_t>(world.size()));
    std::iota(everyone.begin(), everyone.end(), 0);
    const std::vector<RankStatus> statuses = world.progress().ask(everyone, time);
    const double patience = std::chrono::duration<double>(world.patience()).count();
    const auto what = [](const std::string& line) { return line.substr(0, line.find(", ", line.find(" (number "))); };
    const auto is_message = [](const std::string& line) {
        return line.starts_with("send ") || line.starts_with("recv ");
    };
    std::vector<int> open;
    std::vector<char> seen(everyone.size(), 0);
    seen[static_cast<std::size_t>(world.rank())] = 1;
    const auto add_late = [&](const std::vector<int>& ranks, const std::string& line) {
        for (const int rank : ranks) {
            const auto place = static_cast<std::size_t>(rank);
            if (place >= seen.size() || seen[place] != 0) continue;
            const RankStatus& status = statuses[place];
            const bool has_come =
                !is_message(line) && status.kind == RankStatus::Kind::Waiting && what(status.text) == what(line);
            if (has_come) continue;
            seen[place] = 1;
            open.push_back(rank);
        }
    };
    add_late(waits_for, announcement.line());
    Delay delay;
    for (const int rank : open)
        delay.line +=
            concat(delay.line.empty() ? "" : "; ", status_text(rank, statuses[static_cast<std::size_t>(rank)]));
    delay.is_final = !open.empty();
    while (!open.empty()) {
        const RankStatus& status = statuses[static_cast<std::size_t>(open.back())];
        open.pop_back();
        using Kind = RankStatus::Kind;
        const bool waits = status.kind == Kind::Waiting;
        const bool may_come = status.kind == Kind::Working || status.kind == Kind::Parked || status.kind == Kind::Idle;
        delay.is_parked = delay.is_parked || status.kind == Kind::Parked || status.kind == Kind::Idle;
        if (may_come || (waits && status.since < patience / 2)) delay.is_final = false;
        if (waits) add_late(status.waits_for, status.text);
    }
    return delay;
}

}  // namespace loupe::distributed
