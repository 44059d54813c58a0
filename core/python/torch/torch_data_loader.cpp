// SPDX-License-Identifier: Apache-2.0
// The loader of core/data over data sets, samplers and collate functions of a program. All of them run on the
// evaluator's thread: workers are simulated there, with PyTorch's dealing of batches and random numbers and a data set
// for each, and without its speed. What they change beyond the data set's own attributes they change for all.
#include "core/python/torch/torch_data_loader.h"

#include <map>

#include "core/base/strings.h"
#include "core/data/error.h"
#include "core/data/loader.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

thread_local const IValue* dataset_of_worker = nullptr;

// Errors of core/data as the exceptions that PyTorch raises.
template <typename Work>
auto with_data_errors(Work&& work) {
    try {
        return work();
    } catch (const data::ArgumentError& error) {
        // A KeyError has the key, and its text is the key's repr.
        const std::string& text = error.message();
        if (std::string_view(error.python_class()) == "KeyError" && text.size() > 1 && text.front() == '\'') {
            throw_key_error(text.substr(1, text.size() - 2));
        }
        throw_error(error.python_class(), error.message());
    } catch (const PythonError&) {
        throw;
    } catch (const Error& error) {
        rethrow_as_python(error);
    }
}

// An exception of a worker is raised again with the worker's name before its traceback, as PyTorch's ExceptionWrapper
// does.
[[noreturn]] void rethrow_of_worker(const PythonError& error) {
    const data::WorkerInfo* worker = data::worker_info();
    if (worker == nullptr) throw;
    const ClassPtr& cls = error.exception()->cls();
    const std::string text = concat("Caught ", cls->name(), " in DataLoader worker process ", worker->id,
                                    ".\nOriginal ", error.traceback(), error.traceback().ends_with('\n') ? "" : "\n");
    raise_value(call(IValue::other(cls), std::vector<IValue>{text}));
}

// Python's random numbers are the worker's while this lives, and go on where they were the last time.
class WorkerRandom {
  public:
    // state: None at first, when the worker's seed seeds them.
    explicit WorkerRandom(IValue& state)
        : state_(state), module_(Evaluator::current()->import_module("random")), before_(get()) {
        const data::WorkerInfo* worker = data::worker_info();
        if (!state_.is_none())
            set(state_);
        else
            call(get_attribute(module_, "seed"), std::vector<IValue>{static_cast<std::int64_t>(worker->seed)});
    }
    WorkerRandom(const WorkerRandom&) = delete;
    WorkerRandom& operator=(const WorkerRandom&) = delete;
    ~WorkerRandom() {
        state_ = get();
        set(before_);
    }

  private:
    IValue get() const { return call(get_attribute(module_, "getstate"), std::vector<IValue>{}); }
    void set(const IValue& state) const { call(get_attribute(module_, "setstate"), std::vector<IValue>{state}); }

    IValue& state_;
    IValue module_;
    IValue before_;
};

// What the processes of PyTorch's workers have for themselves: the data set, a shallow copy for each worker, and random
// numbers.
class WorkerCopies {
  public:
    explicit WorkerCopies(IValue dataset) : dataset_(std::move(dataset)) {}
    // Of the worker that runs; the data set itself outside of workers.
    const IValue& dataset() {
        const data::WorkerInfo* worker = data::worker_info();
        if (worker == nullptr) return dataset_;
        Own& own = own_[worker->id];
        if (own.dataset.is_none())
            own.dataset = python::call(get_attribute(Evaluator::current()->import_module("copy"), "copy"),
                                       std::vector<IValue>{dataset_});
        return own.dataset;
    }
    // Null outside of workers.
    std::unique_ptr<WorkerRandom> random() {
        const data::WorkerInfo* worker = data::worker_info();
        return worker == nullptr ? nullptr : std::make_unique<WorkerRandom>(own_[worker->id].random);
    }
    void forget() { own_.clear(); }

  private:
    struct Own {
        IValue dataset;
        IValue random;
    };
    IValue dataset_;
    std::map<int, Own> own_;
};
using Copies = std::shared_ptr<WorkerCopies>;

template <typename Work>
auto in_worker(WorkerCopies& copies, Work&& work) {
    const IValue dataset = copies.dataset();
    const auto random = copies.random();
    const IValue* before = std::exchange(dataset_of_worker, &dataset);
    struct Restore {
        const IValue* before;
        ~Restore() { dataset_of_worker = before; }
    } restore{before};
    try {
        return work();
    } catch (const PythonError& error) {
        rethrow_of_worker(error);
    }
}

class ProgramDataset final : public data::Dataset {
  public:
    ProgramDataset(IValue dataset, Copies copies) : dataset_(std::move(dataset)), copies_(std::move(copies)) {}
    std::int64_t size() const override { return length(dataset_); }
    IValue get(std::int64_t index) const override { return get_by_key(index); }
    IValue get_by_key(const IValue& key) const override {
        return in_worker(*copies_, [&] { return get_item(copies_->dataset(), key); });
    }
    std::optional<std::vector<IValue>> get_together(const std::vector<IValue>& keys) const override {
        const IValue own = copies_->dataset();
        const auto all = own.is_other() ? find_attribute(own, "__getitems__") : std::nullopt;
        if (!all || !python::truth(*all)) return std::nullopt;
        return in_worker(*copies_, [&] { return to_vector(call(*all, std::vector<IValue>{make_list(keys)})); });
    }
    bool is_bound_to_thread() const override { return true; }

  private:
    IValue dataset_;
    Copies copies_;
};

class ProgramStream final : public data::SampleStream {
  public:
    explicit ProgramStream(Copies copies) : copies_(std::move(copies)), samples_(python::iterate(copies_->dataset())) {}
    std::optional<IValue> next() override {
        return in_worker(*copies_, [&] { return samples_->next(); });
    }

  private:
    Copies copies_;
    Ptr<Iterator> samples_;
};

class ProgramIterable final : public data::IterableDataset {
  public:
    explicit ProgramIterable(Copies copies) : copies_(std::move(copies)) {}
    Ptr<data::SampleStream> iterate() const override {
        return in_worker(*copies_, [&]() -> Ptr<data::SampleStream> { return make_ptr<ProgramStream>(copies_); });
    }
    bool is_bound_to_thread() const override { return true; }

  private:
    Copies copies_;
};

class ProgramSampler final : public data::Sampler {
  public:
    explicit ProgramSampler(IValue sampler) : sampler_(std::move(sampler)) {}
    Ptr<data::KeyStream> iterate() override { return make_ptr<Stream>(python::iterate(sampler_)); }
    std::optional<std::int64_t> size() const override { return find_length(sampler_); }

  private:
    class Stream final : public data::KeyStream {
      public:
        explicit Stream(Ptr<Iterator> keys) : keys_(std::move(keys)) {}
        std::optional<IValue> next() override { return keys_->next(); }

      private:
        Ptr<Iterator> keys_;
    };
    IValue sampler_;
};

class ProgramBatches final : public data::BatchKeys {
  public:
    explicit ProgramBatches(IValue sampler) : sampler_(std::move(sampler)) {}
    Ptr<data::BatchKeyStream> iterate() override { return make_ptr<Stream>(python::iterate(sampler_)); }
    std::optional<std::int64_t> size() const override { return find_length(sampler_); }

  private:
    class Stream final : public data::BatchKeyStream {
      public:
        explicit Stream(Ptr<Iterator> batches) : batches_(std::move(batches)) {}
        std::optional<data::Keys> next() override {
            const auto batch = batches_->next();
            if (!batch) return std::nullopt;
            return to_vector(*batch);
        }

      private:
        Ptr<Iterator> batches_;
    };
    IValue sampler_;
};

Ptr<MersenneTwister> generator_given(const IValue& value) {
    if (value.is_none()) return nullptr;
    const auto* object = object_as<GeneratorObject>(value);
    if (object == nullptr) throw_type_error(concat("expected a torch.Generator, got ", type_name(value)));
    const IValue own = object->argument();
    return own.is_none() ? nullptr : own.to_other_as<MersenneTwister>();
}

IValue iterator_over(Ptr<data::KeyStream> keys) {
    return IValue::other(make_iterator(
        "generator", [keys = std::move(keys)] { return with_data_errors([&] { return keys->next(); }); }));
}

// (n, replacement, num_samples, generator)
IValue random_keys(CallArguments arguments) {
    check_positional(arguments, "random_keys", 4, 4);
    const auto& given = arguments.positional;
    return with_data_errors([&] {
        data::RandomSampler sampler(to_index(given[0]), python::truth(given[1]), to_index(given[2]),
                                    generator_given(given[3]));
        return iterator_over(sampler.iterate());
    });
}

// (indices, generator)
IValue subset_keys(CallArguments arguments) {
    check_positional(arguments, "subset_keys", 2, 2);
    data::SubsetRandomSampler sampler(to_vector(arguments.positional[0]), generator_given(arguments.positional[1]));
    return iterator_over(sampler.iterate());
}

// (weights, num_samples, replacement, generator)
IValue weighted_keys(CallArguments arguments) {
    check_positional(arguments, "weighted_keys", 4, 4);
    const auto& given = arguments.positional;
    return with_data_errors([&] {
        data::WeightedRandomSampler sampler(given[0].to_tensor(), to_index(given[1]), python::truth(given[2]),
                                            generator_given(given[3]));
        return iterator_over(sampler.iterate());
    });
}

// (total, lengths, generator): a list of lists of indices
IValue split_indices(CallArguments arguments) {
    check_positional(arguments, "split_indices", 3, 3);
    const auto& given = arguments.positional;
    std::vector<double> lengths;
    for (const IValue& length : to_vector(given[1])) lengths.push_back(to_float(length));
    return with_data_errors([&] {
        const auto sizes = data::split_lengths(to_index(given[0]), lengths);
        const auto generator = generator_given(given[2]);
        const auto order = data::random_permutation(to_index(given[0]), generator ? *generator : default_generator());
        std::vector<IValue> parts;
        auto begin = order.begin();
        for (const std::int64_t size : sizes) {
            parts.push_back(make_list(std::vector<IValue>(begin, begin + size)));
            begin += size;
        }
        return make_list(std::move(parts));
    });
}

// Values of a program that are no IValue of their own kind.
std::optional<IValue> collate_other(const std::vector<IValue>& samples) {
    if (object_as<BytesObject>(samples.front()) != nullptr) return make_list(samples);
    if (find_length(samples.front()) && find_attribute(samples.front(), "__getitem__")) {
        std::vector<IValue> rows;
        for (const IValue& sample : samples) rows.push_back(make_list(to_vector(sample)));
        return data::default_collate(rows, collate_other, [](const IValue& value) { return class_of(value)->repr(); });
    }
    return std::nullopt;
}

IValue default_collate(CallArguments arguments) {
    check_positional(arguments, "default_collate", 1, 1);
    return with_data_errors([&] {
        return data::default_collate(to_vector(arguments.positional[0]), collate_other,
                                     [](const IValue& value) { return class_of(value)->repr(); });
    });
}

IValue default_convert(CallArguments arguments) {
    check_positional(arguments, "default_convert", 1, 1);
    return data::default_convert(arguments.positional[0]);
}

// None, or (id, num_workers, seed, dataset).
IValue worker_info(CallArguments) {
    const data::WorkerInfo* info = data::worker_info();
    if (info == nullptr) return {};
    return make_tuple({info->id, info->num_workers, static_cast<std::int64_t>(info->seed),
                       dataset_of_worker != nullptr ? *dataset_of_worker : IValue()});
}

class LoaderObject final : public PythonObject {
  public:
    LoaderObject(std::unique_ptr<data::DataLoader> made, Copies own)
        : loader(std::move(made)), copies(std::move(own)) {}
    const std::unique_ptr<data::DataLoader> loader;
    const Copies copies;
    std::string type_name() const override { return "_Loader"; }
};

IValue attribute(const IValue& loader, const char* name) { return get_attribute(loader, name); }

data::LoaderOptions options_of(const IValue& loader, bool is_iterable, const Copies& copies) {
    data::LoaderOptions options;
    const IValue batch_size = attribute(loader, "batch_size");
    const IValue batch_sampler = attribute(loader, "batch_sampler");
    const bool makes_batches = is_iterable ? !batch_size.is_none() : !batch_sampler.is_none();
    if (is_iterable) {
        options.batch_size = makes_batches ? std::optional(to_index(batch_size)) : std::nullopt;
        options.drop_last = python::truth(attribute(loader, "drop_last"));
    } else if (makes_batches) {
        options.batch_sampler = make_ptr<ProgramBatches>(batch_sampler);
    } else {
        options.batch_size = std::nullopt;
        options.sampler = make_ptr<ProgramSampler>(attribute(loader, "sampler"));
    }
    options.num_workers = static_cast<int>(to_index(attribute(loader, "num_workers")));
    if (options.num_workers > 0)
        options.prefetch_factor = static_cast<int>(to_index(attribute(loader, "prefetch_factor")));
    options.persistent_workers = python::truth(attribute(loader, "persistent_workers"));
    options.generator = generator_given(attribute(loader, "generator"));
    options.collate = [copies, collate = attribute(loader, "collate_fn"), makes_batches](std::vector<IValue> samples) {
        return in_worker(*copies, [&] {
            return call(collate, std::vector<IValue>{makes_batches ? make_list(std::move(samples)) : samples.front()});
        });
    };
    if (const IValue init = attribute(loader, "worker_init_fn"); !init.is_none()) {
        options.worker_init = [init, copies](int worker) {
            in_worker(*copies, [&] { return call(init, std::vector<IValue>{worker}); });
        };
    }
    return options;
}

// (DataLoader, is_iterable)
IValue make_loader(CallArguments arguments) {
    check_positional(arguments, "loader", 2, 2);
    const IValue& loader = arguments.positional[0];
    const bool is_iterable = python::truth(arguments.positional[1]);
    return with_data_errors([&] {
        const IValue dataset = attribute(loader, "dataset");
        const auto copies = std::make_shared<WorkerCopies>(dataset);
        data::LoaderOptions options = options_of(loader, is_iterable, copies);
        auto made =
            is_iterable
                ? std::make_unique<data::DataLoader>(make_ptr<ProgramIterable>(copies), std::move(options))
                : std::make_unique<data::DataLoader>(make_ptr<ProgramDataset>(dataset, copies), std::move(options));
        return IValue::other(make_ptr<LoaderObject>(std::move(made), copies));
    });
}

IValue iterate_loader(CallArguments arguments) {
    check_positional(arguments, "iterate", 1, 1);
    const IValue held = arguments.positional[0];
    auto* object = object_as<LoaderObject>(held);
    if (object == nullptr) throw_type_error("expected a loader");
    const bool has_workers = object->loader->options().num_workers > 0;
    if (!object->loader->options().persistent_workers) object->copies->forget();
    auto stream = with_data_errors([&] { return object->loader->iterate(); });
    return IValue::other(
        make_iterator(has_workers ? "_MultiProcessingDataLoaderIter" : "_SingleProcessDataLoaderIter",
                      [held, stream = std::move(stream)] { return with_data_errors([&] { return stream->next(); }); }));
}

}  // namespace

void fill_torch_data(PythonModule& module) {
    using Body = NativeCallable::Body;
    module.define("random_keys", Body(random_keys));
    module.define("subset_keys", Body(subset_keys));
    module.define("weighted_keys", Body(weighted_keys));
    module.define("split_indices", Body(split_indices));
    module.define("default_collate", Body(default_collate));
    module.define("default_convert", Body(default_convert));
    module.define("worker_info", Body(worker_info));
    module.define("loader", Body(make_loader));
    module.define("iterate", Body(iterate_loader));
}

}  // namespace loupe::python
