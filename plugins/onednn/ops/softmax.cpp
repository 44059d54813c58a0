// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax over rows. The input is looked through first, as a NaN in a row would not reach the whole
// row; for long rows that eats the gain. The gradients are ours: that of softmax takes as long with either, and that of
// log_softmax would lose NaN.
#include <limits>

#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

template <typename Primitive>
struct Plan {
    Layout rows;
    typename Primitive::primitive_desc descriptor;
    Primitive primitive;

    Plan(std::int64_t count, std::int64_t length)
        : rows({count, length}, Memory::data_type::f32, Memory::format_tag::ab),
          descriptor(softmax_forward<Primitive>(engine(), rows, 1)),
          primitive(descriptor) {}
};

template <typename Primitive>
PlanCache<Plan<Primitive>>& plans() {
    static auto* cache = new PlanCache<Plan<Primitive>>;
    return *cache;
}

// self, dim, half_to_float
bool accepts(Arguments a, std::string* why) {
    if (!accepts_float32(a, {0}, why)) return false;
    const Tensor x = a[0].to_tensor();
    constexpr std::int64_t kFewest = 4096;
    constexpr std::int64_t kLongest = 4096;
    if (x.numel() < kFewest) return decline(why, "too few elements");
    const std::int64_t dim = a[1].to_int();
    if (dim != -1 && dim != x.dim() - 1) return decline(why, "not over the last dimension");
    if (!x.is_contiguous()) return decline(why, "not contiguous");
    if (x.size(-1) > kLongest) return decline(why, "rows so long that the portable kernel is as fast");
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return all_within(x, -kInfinity, std::numeric_limits<float>::max()) || decline(why, "NaN or inf in the input");
}

template <typename Primitive>
void run(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    const Tensor y = buffer_for(out);
    const std::int64_t length = x.size(-1);
    const std::int64_t count = x.numel() / length;
    const Plan<Primitive>& plan =
        plans<Primitive>().get(Key().add(count).add(length), [&] { return Plan<Primitive>(count, length); });
    execute(plan.primitive,
            {{DNNL_ARG_SRC, memory_at(plan.rows, x.raw_data())}, {DNNL_ARG_DST, memory_at(plan.rows, y.raw_data())}},
            plan.descriptor.scratchpad_desc());
    put_back(out, y);
}

}  // namespace

void register_softmax(const PluginRegistries& registries) {
    registries.add_kernel("aten::_softmax", DeviceType::Cpu, {"onednn", run<dnnl::softmax_forward>, accepts});
    registries.add_kernel("aten::_log_softmax", DeviceType::Cpu, {"onednn", run<dnnl::logsoftmax_forward>, accepts});
}

}  // namespace loupe::onednn
