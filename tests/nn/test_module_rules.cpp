// SPDX-License-Identifier: Apache-2.0
// What torch.nn.Module checks, saves, converts and copies, and in which order it calls its hooks.

#include <QtTest>

#include <algorithm>
#include <limits>

#include "core/autograd/engine.h"
#include "core/base/error.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"
#include "core/nn/utils/gradients.h"
#include "core/nn/utils/packed_sequence.h"
#include "core/ops/random/generator.h"

using namespace loupe;
using nn::make_layer;
using nn::Module;
using nn::ModulePtr;

namespace {

Tensor vector_of(std::initializer_list<float> values) {
    return tensor_of<float>(values, {static_cast<std::int64_t>(values.size())});
}
Tensor random(std::initializer_list<std::int64_t> sizes) {
    static const OperatorHandle<> op_randn("aten::randn");
    return op_randn(Dims(sizes), IValue(), IValue(), IValue(), IValue());
}
float first_element(const Tensor& t) { return t.data<float>()[0]; }

template <typename T>
QStringList names(const nn::Named<T>& named) {
    QStringList out;
    for (const auto& entry : named) out.append(QString::fromStdString(entry.first));
    return out;
}

QString message_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return QString::fromStdString(error.message());
    }
    return "no error";
}

bool is_close(const Tensor& a, const Tensor& b, double tolerance = 1e-5) {
    return std::ranges::equal(a.sizes(), b.sizes()) &&
           item(fn::amax(fn::abs(fn::sub(fn::detach(a), fn::detach(b), Scalar(1))), Dims{}, false)).to_double() <=
               tolerance;
}

ModulePtr two_linears() {
    return make_layer("Sequential", {IValue(Ptr<Object>(make_layer("Linear", {2, 3}))),
                                     IValue(Ptr<Object>(make_layer("Linear", {3, 1})))});
}

class ModuleRulesTest : public QObject {
    Q_OBJECT
  private slots:
    void assignments_keep_their_kind();
    void nothing_before_init();
    void lookups_name_what_is_missing();
    void calls_that_do_not_fit();
    void names_with_options();
    void state_hooks_collect_and_rename();
    void state_is_detached_unless_kept();
    void assigned_state_replaces_tensors();
    void conversions_keep_the_parameters();
    void deep_copies_share_within();
    void apply_goes_children_first();
    void hooks_run_in_order();
    void hooks_see_keywords();
    void hooks_that_are_always_called();
    void global_hooks_come_first();
    void backward_pre_hooks_replace();
    void registration_hooks();
    void shared_parameters_accumulate_once();
    void gradients_are_clipped();
    void parameters_to_vector_and_back();
    void fusion_computes_the_same();
    void packed_sequences_run_as_each_alone();
    void containers_are_edited();
    void parameter_lists_print();
    void lazy_layers_become_what_they_are();
    void lazy_layers_take_a_checkpoints_shapes();
};

}  // namespace

void ModuleRulesTest::assignments_keep_their_kind() {
    const auto linear = make_layer("Linear", {2, 2});
    QCOMPARE(message_of([&] { linear->set_attribute("weight", vector_of({1})); }),
             QString("cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)"));
    linear->set_attribute("act", IValue(Ptr<Object>(make_layer("ReLU"))));
    QCOMPARE(message_of([&] { linear->set_attribute("act", 3); }),
             QString("cannot assign 'int' as child module 'act' (torch.nn.Module or None expected)"));
    linear->register_buffer("b", vector_of({1}));
    QCOMPARE(message_of([&] { linear->set_attribute("b", 3); }),
             QString("cannot assign 'int' as buffer 'b' (torch.Tensor or None expected)"));
    linear->set_attribute("b", vector_of({2}));
    QCOMPARE(names(linear->own_buffers()), QStringList{"b"});
    // A module in the place of a buffer; a parameter in the place of a plain value.
    linear->set_attribute("b", IValue(Ptr<Object>(make_layer("Tanh"))));
    QVERIFY(linear->own_buffers().empty());
    linear->set_attribute("scale", 2.0);
    linear->set_attribute("scale", make_parameter(vector_of({1})));
    QCOMPARE(names(linear->own_parameters()), (QStringList{"weight", "bias", "scale"}));
    QCOMPARE(message_of([&] { linear->register_parameter("training", Tensor()); }),
             QString("attribute 'training' already exists"));
    QCOMPARE(message_of([&] { linear->register_module("a.b", make_layer("ReLU")); }),
             QString("module name can't contain \".\", got: a.b"));
    linear->delete_attribute("scale");
    QCOMPARE(message_of([&] { linear->attribute("scale"); }), QString("'Linear' object has no attribute 'scale'"));
}

void ModuleRulesTest::nothing_before_init() {
    const auto net = make_ptr<Module>(Ptr<RefCounted>(), "Net");
    QCOMPARE(message_of([&] { net->set_attribute("x", make_parameter(vector_of({1}))); }),
             QString("cannot assign parameters before Module.__init__() call"));
    QCOMPARE(message_of([&] { net->set_attribute("x", IValue(Ptr<Object>(make_layer("ReLU")))); }),
             QString("cannot assign module before Module.__init__() call"));
    QCOMPARE(message_of([&] { net->register_buffer("x", vector_of({1})); }),
             QString("cannot assign buffer before Module.__init__() call"));
    nn::init_layer(*net, *nn::find_layer("Linear"), {{2, 3}, {}});
    QCOMPARE(QString::fromStdString(net->str()), QString("Net(in_features=2, out_features=3, bias=True)"));
}

void ModuleRulesTest::lookups_name_what_is_missing() {
    const auto net = two_linears();
    QCOMPARE(message_of([&] { net->get_parameter("0.nope"); }), QString("Linear has no attribute `nope`"));
    QCOMPARE(message_of([&] { net->get_parameter("0.in_features"); }), QString("`in_features` is not an nn.Parameter"));
    QCOMPARE(message_of([&] { net->submodule("0.weight"); }), QString("`weight` is not an nn.Module"));
    QCOMPARE(message_of([&] { net->get_buffer("0.weight"); }), QString("`weight` is not a buffer"));
}

void ModuleRulesTest::calls_that_do_not_fit() {
    const TorchReleaseScope release(TorchRelease::V1_13);  // whose texts these are
    QCOMPARE(message_of([&] { make_layer("Linear", {1}); }),
             QString("Linear.__init__() missing 1 required positional argument: 'out_features'"));
    QCOMPARE(message_of([&] {
                 make_layer("Linear", {1, 2}, {{"foo", IValue(3)}});
             }),
             QString("Linear.__init__() got an unexpected keyword argument 'foo'"));
    QCOMPARE(message_of([&] {
                 make_layer("Linear", {1, 2, true, IValue(), IValue(), 5});
             }),
             QString("Linear.__init__() takes from 3 to 6 positional arguments but 7 were given"));
    QCOMPARE(message_of([&] {
                 make_layer("Linear", {2, 3})->call({});
             }),
             QString("Linear.forward() missing 1 required positional argument: 'input'"));
    QCOMPARE(message_of([&] { make_layer("ModuleList")->call({1}); }),
             QString("Module [ModuleList] is missing the required \"forward\" function"));
    QCOMPARE(message_of([&] {
                 make_layer("BatchNorm2d", {3})->call({random({2, 3})});
             }),
             QString("expected 4D input (got 2D input)"));
    QCOMPARE(message_of([&] {
                 make_layer("Conv2d", {3, 4, 3}, {{"groups", IValue(2)}});
             }),
             QString("in_channels must be divisible by groups"));
    QCOMPARE(message_of([&] {
                 make_layer("LSTM", {3, 4})->call({random({2, 5, 4})});
             }),
             QString("input.size(-1) must be equal to input_size. Expected 3, got 4"));
    QCOMPARE(message_of([&] {
                 make_layer("GRU", {3, 4})->call({random({2, 5, 3}), random({1, 5, 3})});
             }),
             QString("Expected hidden size (1, 5, 4), got [1, 5, 3]"));
    QCOMPARE(message_of([&] {
                 make_layer("GRU", {3, 4})->call({random({3})});
             }),
             QString("input must have 3 dimensions, got 2"));
    QCOMPARE(message_of([&] { make_layer("Sequential", {3}); }), QString("int is not a Module subclass"));
    QCOMPARE(message_of([&] { make_layer("ModuleList", {3}); }),
             QString("ModuleList.extend should be called with an iterable, but got int"));
    const IValue size = make_ptr<TupleObject>(std::vector<IValue>{20, 20});
    QCOMPARE(message_of([&] {
                 make_layer("ConvTranspose2d", {2, 3, 3, 2})->call({random({1, 2, 3, 3}), size});
             }),
             QString("requested an output size of (20, 20), but valid sizes range from [7, 7] to [8, 8] (for an input "
                     "of torch.Size([3, 3]))"));
}

void ModuleRulesTest::names_with_options() {
    const auto net = two_linears();
    net->register_module("again", net->get_submodule("0"));
    QCOMPARE(names(net->named_parameters({.prefix = "net"})),
             (QStringList{"net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"}));
    QVERIFY(net->named_parameters({.recurse = false}).empty());
    QCOMPARE(net->named_parameters({.remove_duplicate = false}).size(), std::size_t{6});
    QCOMPARE(names(net->named_modules({.remove_duplicate = false})), (QStringList{"", "0", "1", "again"}));
    QCOMPARE(names(net->named_children()), (QStringList{"0", "1"}));
}

void ModuleRulesTest::state_hooks_collect_and_rename() {
    const auto net = two_linears();
    QStringList seen;
    net->get_submodule("1")->register_state_dict_pre_hook(
        [&](Module&, const std::string& prefix, bool) { seen.append(QString::fromStdString(prefix)); });
    RemovableHandle handle = net->get_submodule("1")->register_state_dict_hook(
        [](Module&, nn::Named<Tensor>& state, const std::string& prefix) {
            state.emplace_back(prefix + "extra", vector_of({5}));
        });
    QCOMPARE(names(net->state_dict("net.")),
             (QStringList{"net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias", "net.1.extra"}));
    QCOMPARE(seen, QStringList{"net.1."});
    handle.remove();

    nn::Named<Tensor> old = two_linears()->state_dict();
    for (auto& entry : old) {
        if (entry.first.starts_with("1.")) entry.first = "last" + entry.first.substr(1);
    }
    const auto renamed = two_linears();
    renamed->register_load_state_dict_pre_hook(
        [](Module&, nn::Named<Tensor>& state, const std::string&, bool, nn::LoadReport&) {
            for (auto& entry : state) {
                if (entry.first.starts_with("last.")) entry.first = "1" + entry.first.substr(4);
            }
        });
    QVERIFY(renamed->load_state_dict(old).is_clean());
    QVERIFY(is_close(renamed->get_parameter("1.weight"), old[2].second, 0));

    const auto forgiving = two_linears();
    forgiving->register_load_state_dict_post_hook([](Module&, nn::LoadReport& report) { report.missing_keys.clear(); });
    old.resize(2);
    QVERIFY(forgiving->load_state_dict(old).is_clean());
}

void ModuleRulesTest::state_is_detached_unless_kept() {
    const auto linear = make_layer("Linear", {2, 2});
    QVERIFY(!requires_grad(linear->state_dict()[0].second));
    QVERIFY(linear->state_dict("", true)[0].second.is_same(linear->get_parameter("weight")));
    QCOMPARE(make_layer("BatchNorm1d", {2})->state_versions()[0].second, 2);
}

void ModuleRulesTest::assigned_state_replaces_tensors() {
    const auto linear = make_layer("Linear", {2, 2});
    const Tensor before = linear->get_parameter("weight");
    const auto state = make_layer("Linear", {2, 2})->state_dict();
    linear->assign_state_dict(state);
    QVERIFY(!linear->get_parameter("weight").is_same(before));
    QCOMPARE(linear->get_parameter("weight").raw_data(), state[0].second.raw_data());
    QVERIFY(is_parameter(linear->get_parameter("weight")) && requires_grad(linear->get_parameter("weight")));
}

void ModuleRulesTest::conversions_keep_the_parameters() {
    const auto norm = make_layer("BatchNorm1d", {2});
    const Tensor weight = norm->get_parameter("weight");
    set_grad(weight, vector_of({1, 2}));
    norm->to({.dtype = ScalarType::Float64});
    QVERIFY(norm->get_parameter("weight").is_same(weight));
    QCOMPARE(weight.dtype(), ScalarType::Float64);
    QCOMPARE(grad_of(weight).dtype(), ScalarType::Float64);
    QCOMPARE(norm->get_buffer("running_mean").dtype(), ScalarType::Float64);
    QCOMPARE(norm->get_buffer("num_batches_tracked").dtype(), ScalarType::Int64);
    QCOMPARE(message_of([&] { norm->to({.dtype = ScalarType::Int32}); }),
             QString("nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int32"));
    norm->to_type(ScalarType::Float16);
    QCOMPARE(norm->get_buffer("num_batches_tracked").dtype(), ScalarType::Float16);
}

void ModuleRulesTest::deep_copies_share_within() {
    const TorchReleaseScope release(TorchRelease::V1_13);  // whose texts these are
    const auto net = two_linears();
    net->register_module("again", net->get_submodule("0"));
    net->get_submodule("1")->set_attribute("tied", net->get_parameter("0.bias"));
    const auto copy = net->deep_copy();
    QVERIFY(!copy->get_parameter("0.weight").is_same(net->get_parameter("0.weight")));
    QVERIFY(is_close(copy->get_parameter("0.weight"), net->get_parameter("0.weight"), 0));
    QVERIFY(copy->get_submodule("again").get() == copy->get_submodule("0").get());
    QVERIFY(copy->get_parameter("1.tied").is_same(copy->get_parameter("0.bias")));
    QCOMPARE(copy->str(), net->str());
    const Tensor x = random({4, 2});
    QVERIFY(
        is_close(copy->get_submodule("0")->call({x}).to_tensor(), net->get_submodule("0")->call({x}).to_tensor(), 0));
    net->set_attribute("made", fn::mul(net->get_parameter("0.bias"), net->get_parameter("0.bias")));
    QCOMPARE(
        message_of([&] { net->deep_copy(); }),
        QString(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"));
}

void ModuleRulesTest::apply_goes_children_first() {
    QStringList order;
    two_linears()->apply([&](Module& module) { order.append(QString::fromStdString(module.class_name())); });
    QCOMPARE(order, (QStringList{"Linear", "Linear", "Sequential"}));
}

void ModuleRulesTest::hooks_run_in_order() {
    const auto relu = make_layer("ReLU");
    QStringList order;
    const auto pre = [&](const char* name) {
        return nn::ForwardPreHook(
            [&order, name](Module&, const std::vector<IValue>&) -> std::optional<std::vector<IValue>> {
                order.append(name);
                return std::nullopt;
            });
    };
    const auto post = [&](const char* name) {
        return nn::ForwardHook(
            [&order, name](Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
                order.append(name);
                return std::nullopt;
            });
    };
    relu->register_forward_pre_hook(pre("pre 1"));
    relu->register_forward_pre_hook(pre("pre 0"), true);
    relu->register_forward_hook(post("post 1"));
    relu->register_forward_hook(post("post 0"), true);
    relu->call({vector_of({1})});
    QCOMPARE(order, (QStringList{"pre 0", "pre 1", "post 0", "post 1"}));
}

void ModuleRulesTest::hooks_see_keywords() {
    const auto linear = make_layer("Linear", {2, 2});
    linear->register_forward_pre_hook(
        nn::ForwardPreHookWithKeywords([](Module&, const CallArguments& given) -> std::optional<CallArguments> {
            return CallArguments{{given.keywords.at(0).second}, {}};
        }));
    std::size_t count = 0;
    linear->register_forward_hook(
        nn::ForwardHookWithKeywords([&](Module&, const CallArguments& given, const IValue&) -> std::optional<IValue> {
            count = given.positional.size();
            return IValue(7);
        }));
    QCOMPARE(linear->invoke({{}, {{"input", IValue(random({3, 2}))}}}).to_int(), std::int64_t{7});
    QCOMPARE(count, std::size_t{1});
}

void ModuleRulesTest::hooks_that_are_always_called() {
    const auto linear = make_layer("Linear", {2, 2});
    int calls = 0;
    bool had_output = true;
    linear->register_forward_hook([&](Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
        throw Error(ErrorKind::Run, "the hook failed");
    });
    linear->register_always_called_forward_hook(
        [&](Module&, const CallArguments&, const IValue& output) -> std::optional<IValue> {
            ++calls;
            had_output = !output.is_none();
            return std::nullopt;
        });
    QCOMPARE(message_of([&] { linear->call({random({3, 2})}); }), QString("the hook failed"));
    QCOMPARE(calls, 1);
    QVERIFY(!had_output);
    QVERIFY(message_of([&] { linear->call({random({3, 5})}); }).contains("3x5"));
    QCOMPARE(calls, 2);
}

void ModuleRulesTest::global_hooks_come_first() {
    const auto relu = make_layer("ReLU");
    QStringList order;
    RemovableHandle handle = nn::register_global_forward_hook(
        [&](Module& module, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
            order.append("global " + QString::fromStdString(module.class_name()));
            return std::nullopt;
        });
    relu->register_forward_hook([&](Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> {
        order.append("own");
        return std::nullopt;
    });
    relu->call({vector_of({1})});
    handle.remove();
    make_layer("Tanh")->call({vector_of({1})});
    QCOMPARE(order, (QStringList{"global ReLU", "own"}));
}

void ModuleRulesTest::backward_pre_hooks_replace() {
    const auto relu = make_layer("ReLU");
    relu->register_full_backward_pre_hook([](Module&, const TensorList& grads) -> std::optional<TensorList> {
        return TensorList{fn::mul_scalar(grads[0], Scalar(3.0))};
    });
    float seen = 0;
    relu->register_full_backward_hook(
        [&](Module&, const TensorList&, const TensorList& outputs) -> std::optional<TensorList> {
            seen = first_element(outputs[0]);
            return std::nullopt;
        });
    const Tensor x = vector_of({2});
    set_requires_grad(x, true);
    backward({relu->call({x}).to_tensor()}, {vector_of({1})});
    QCOMPARE(seen, 3.0F);
    QCOMPARE(first_element(grad_of(x)), 3.0F);
}

void ModuleRulesTest::registration_hooks() {
    QStringList seen;
    RemovableHandle parameters = nn::register_parameter_registration_hook(
        [&](Module&, const std::string& name, const Tensor&) -> std::optional<Tensor> {
            seen.append(QString::fromStdString(name));
            return std::nullopt;
        });
    RemovableHandle modules = nn::register_module_registration_hook(
        [&](Module&, const std::string& name, const ModulePtr&) -> std::optional<ModulePtr> {
            seen.append("module " + QString::fromStdString(name));
            return std::nullopt;
        });
    two_linears();
    parameters.remove();
    modules.remove();
    two_linears();
    QCOMPARE(seen, (QStringList{"weight", "bias", "weight", "bias", "module 0", "module 1"}));
}

void ModuleRulesTest::shared_parameters_accumulate_once() {
    const auto first = make_layer("Linear", {1, 1}, {{"bias", false}});
    const auto second = make_layer("Linear", {1, 1}, {{"bias", false}});
    second->set_attribute("weight", first->get_parameter("weight"));
    const auto net = make_layer("Sequential", {IValue(Ptr<Object>(first)), IValue(Ptr<Object>(second))});
    QCOMPARE(net->named_parameters().size(), std::size_t{1});
    const float w = first_element(first->get_parameter("weight"));
    backward({net->call({tensor_of<float>({1}, {1, 1})}).to_tensor()}, {tensor_of<float>({1}, {1, 1})});
    QCOMPARE(first_element(grad_of(first->get_parameter("weight"))), 2 * w);  // of w * w
}

void ModuleRulesTest::gradients_are_clipped() {
    const Tensor a = vector_of({0, 0});
    const Tensor b = vector_of({0});
    set_grad(a, vector_of({3, 0}));
    set_grad(b, vector_of({4}));
    QCOMPARE(item(nn::clip_grad_norm_({a, b}, 1)).to_double(), 5.0);
    QVERIFY(is_close(grad_of(a), vector_of({0.6F, 0})));
    QVERIFY(is_close(grad_of(b), vector_of({0.8F})));
    nn::clip_grad_value_({a, b}, 0.7);
    QVERIFY(is_close(grad_of(b), vector_of({0.7F})));
    set_grad(b, vector_of({std::numeric_limits<float>::infinity()}));
    QVERIFY(
        message_of([&] { nn::clip_grad_norm_({b}, 1, 2, true); })
            .startsWith(
                "The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be clipped."));
}

void ModuleRulesTest::parameters_to_vector_and_back() {
    const auto net = two_linears();
    TensorList parameters;
    for (const auto& [name, parameter] : net->named_parameters()) parameters.push_back(parameter);
    const Tensor flat = nn::parameters_to_vector(parameters);
    QCOMPARE(flat.numel(), std::int64_t{13});
    nn::vector_to_parameters(fn::detach(fn::mul_scalar(flat, Scalar(2.0))), parameters);
    QVERIFY(is_close(nn::parameters_to_vector(parameters), fn::mul_scalar(flat, Scalar(2.0)), 0));
    QVERIFY(net->get_parameter("0.weight").is_same(parameters[0]));
}

void ModuleRulesTest::fusion_computes_the_same() {
    seed_generators(1);
    const auto norm_of = [](const char* name, std::int64_t features, const Tensor& sample) {
        const auto norm = make_layer(name, {features});
        norm->call({sample});
        norm->eval();
        return norm;
    };
    const Tensor x = random({2, 3, 6, 6});
    const auto conv = make_layer("Conv2d", {3, 4, 3});
    const auto bn = norm_of("BatchNorm2d", 4, random({5, 4, 3, 3}));
    QCOMPARE(message_of([&] { nn::fuse_conv_bn_eval(conv, bn); }), QString("Fusion only for eval!"));
    conv->eval();
    const auto fused = nn::fuse_conv_bn_eval(conv, bn);
    QVERIFY(is_close(fused->call({x}).to_tensor(), bn->call({conv->call({x})}).to_tensor()));
    const auto transposed = make_layer("ConvTranspose2d", {3, 4, 3}, {{"bias", false}});
    transposed->eval();
    QVERIFY(is_close(nn::fuse_conv_bn_eval(transposed, bn, true)->call({x}).to_tensor(),
                     bn->call({transposed->call({x})}).to_tensor()));
    const auto linear = make_layer("Linear", {3, 4});
    linear->eval();
    const auto bn1 = norm_of("BatchNorm1d", 4, random({7, 4}));
    const Tensor rows = random({5, 3});
    QVERIFY(is_close(nn::fuse_linear_bn_eval(linear, bn1)->call({rows}).to_tensor(),
                     bn1->call({linear->call({rows})}).to_tensor()));
}

void ModuleRulesTest::packed_sequences_run_as_each_alone() {
    seed_generators(2);
    const TensorList sequences{random({2, 3}), random({4, 3}), random({3, 3})};
    for (const char* name : {"RNN", "LSTM", "GRU"}) {
        const auto net = make_layer(name, {3, 5}, {{"num_layers", IValue(2)}, {"bidirectional", true}});
        const auto packed = nn::pack_sequence(sequences, false);
        const IValue out = net->call({packed.to_value()});
        const auto outputs = nn::unpack_sequence(nn::packed_sequence_of(out.to_tuple().elements[0]));
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            const IValue alone = net->call({sequences[i]});
            QVERIFY(is_close(outputs[i], alone.to_tuple().elements[0].to_tensor()));
            const IValue& state = out.to_tuple().elements[1];
            const IValue& own = alone.to_tuple().elements[1];
            const Tensor h = (state.is_tuple() ? state.to_tuple().elements[0] : state).to_tensor();
            const Tensor own_h = (own.is_tuple() ? own.to_tuple().elements[0] : own).to_tensor();
            QVERIFY(is_close(fn::select(h, 1, static_cast<std::int64_t>(i)), own_h));
        }
    }
    const auto [padded, lengths] = nn::pad_packed_sequence(nn::pack_sequence(sequences, false), true, -1.0);
    QCOMPARE(item(fn::select(lengths, 0, 1)).to_int(), std::int64_t{4});
    QCOMPARE(item(fn::select(fn::select(fn::select(padded, 0, 0), 0, 3), 0, 0)).to_double(), -1.0);
    QVERIFY(message_of([&] { nn::pack_sequence(sequences); }).contains("sorted in decreasing order"));
}

void ModuleRulesTest::containers_are_edited() {
    const auto net =
        make_layer("Sequential", {IValue(Ptr<Object>(make_layer("ReLU"))), IValue(Ptr<Object>(make_layer("Tanh")))});
    const auto method = [&](const char* name, std::vector<IValue> arguments) {
        const nn::LayerMethod* found = nn::find_method(*net->layer(), name);
        return nn::call_method(*net, *found, {std::move(arguments), {}});
    };
    method("append", {IValue(Ptr<Object>(make_layer("Sigmoid")))});
    method("insert", {0, IValue(Ptr<Object>(make_layer("Identity")))});
    method("__delitem__", {-2});
    QCOMPARE(QString::fromStdString(net->str()),
             QString("Sequential(\n  (0): Identity()\n  (1): ReLU()\n  (2): Sigmoid()\n)"));
    QCOMPARE(message_of([&] { method("__getitem__", {3}); }), QString("index 3 is out of range"));
    QCOMPARE(QString::fromStdString(nn::as_module(method("_slice", {1, 3, 1}))->str()),
             QString("Sequential(\n  (1): ReLU()\n  (2): Sigmoid()\n)"));
}

void ModuleRulesTest::parameter_lists_print() {
    const IValue values =
        make_ptr<ListObject>(types::any(), std::vector<IValue>{random({2, 3}), make_parameter(random({4})), 5});
    QCOMPARE(QString::fromStdString(make_layer("ParameterList", {values})->str()),
             QString("ParameterList(\n    (0): Parameter containing: [torch.float32 of size 2x3]\n    (1): Parameter "
                     "containing: "
                     "[torch.float32 of size 4]\n    (2): Object of type: int\n)"));
}

void ModuleRulesTest::lazy_layers_become_what_they_are() {
    struct Case {
        const char* lazy;
        std::vector<IValue> arguments;
        const char* name;
        std::vector<IValue> full;
        Tensor input;
    };
    const std::vector<Case> cases{
        {"LazyLinear", {4}, "Linear", {3, 4}, random({2, 3})},
        {"LazyConv2d", {4, 3}, "Conv2d", {3, 4, 3}, random({2, 3, 5, 5})},
        {"LazyConv1d", {4, 3}, "Conv1d", {3, 4, 3}, random({3, 5})},
        {"LazyConvTranspose3d", {4, 2}, "ConvTranspose3d", {3, 4, 2}, random({1, 3, 2, 2, 2})},
        {"LazyBatchNorm2d", {}, "BatchNorm2d", {3}, random({2, 3, 5, 5})},
        {"LazyInstanceNorm1d", {}, "InstanceNorm1d", {3, 1e-5, 0.1, true, true}, random({2, 3, 5})},
    };
    for (const Case& each : cases) {
        const auto lazy = make_layer(each.lazy, each.arguments);
        QCOMPARE(QString::fromStdString(lazy->class_name()), QString(each.lazy));
        QVERIFY(lazy->has_uninitialized());
        const Tensor parameter = lazy->get_parameter("weight");
        seed_generators(4);
        const Tensor y = lazy->call({each.input}).to_tensor();
        QVERIFY(!lazy->has_uninitialized());
        QVERIFY(lazy->get_parameter("weight").is_same(parameter));
        // The weights are those that the layer itself draws.
        seed_generators(4);
        const auto full = make_layer(each.name, each.full);
        QCOMPARE(lazy->str(), full->str());
        QVERIFY(is_close(parameter, full->get_parameter("weight"), 0));
        QVERIFY(is_close(lazy->get_parameter("bias"), full->get_parameter("bias"), 0));
        QVERIFY(is_close(y, full->call({each.input}).to_tensor(), 0));
    }
}

void ModuleRulesTest::lazy_layers_take_a_checkpoints_shapes() {
    const auto full = make_layer("Linear", {3, 4});
    const auto lazy = make_layer("LazyLinear", {4});
    QVERIFY(lazy->load_state_dict(full->state_dict()).is_clean());
    const Tensor x = random({2, 3});
    QVERIFY(is_close(lazy->call({x}).to_tensor(), full->call({x}).to_tensor(), 0));
    QCOMPARE(lazy->str(), full->str());
}

QTEST_APPLESS_MAIN(ModuleRulesTest)
#include "test_module_rules.moc"
