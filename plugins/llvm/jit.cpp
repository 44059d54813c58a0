// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/runtime/fuse/kernel_files.h"
#include "core/runtime/fuse/stream_copy.h"
#include "plugins/llvm/code_generator.h"
#include "plugins/llvm/listing.h"

namespace loupe::llvm_fuser {
namespace {

using runtime::FusedKernel;
using runtime::FusedKernelText;

// Raised when the generator makes other code of the same expression.
constexpr int kGeneratorVersion = 4;

template <typename T>
T value_or_throw(llvm::Expected<T> expected) {
    if (!expected) throw Error(ErrorKind::Plugin, concat("LLVM: ", llvm::toString(expected.takeError())));
    if constexpr (std::is_reference_v<T>)
        return *expected;
    else
        return std::move(*expected);
}
void check(llvm::Error error) {
    if (error) throw Error(ErrorKind::Plugin, concat("LLVM: ", llvm::toString(std::move(error))));
}

using Function = void (*)(std::byte* const* arrays, std::int64_t n, void* const* functions);
using RowFunction = void (*)(std::byte* const* arrays, std::int64_t n, void* const* functions,
                             const std::int64_t* strides, std::int64_t rows, std::byte* scratch);

class Compiler;

class CompiledKernel final : public FusedKernel {
  public:
    CompiledKernel(const FusedExpression& expression, const std::vector<bool>& is_number, Compiler& compiler)
        : expression_(expression), is_number_(is_number), compiler_(compiler) {
        for (const std::uint32_t value : called_values(expression_, is_number_)) {
            const FusedStep& step = expression_.steps[value - expression_.inputs.size()];
            if (step.rows) {
                row_params_.push_back(step.rows->params());
                functions_.push_back(reinterpret_cast<void*>(step.rows->kernel));
                functions_.push_back(&row_params_.back());
                continue;
            }
            functions_.push_back(reinterpret_cast<void*>(step.kernel));
            functions_.push_back(const_cast<Scalar*>(step.params.data()));
        }
        row_bytes_ = expression_.is_of_rows() ? row_scratch_bytes(expression_, is_number_, 64) / 64 : 0;
        functions_.push_back(reinterpret_cast<void*>(&runtime::stream_copy));
        for (const std::uint32_t output : expression_.outputs)
            result_bytes_ += element_size(expression_.dtype_of(output));
    }

    void run(std::byte* const* arrays, std::int64_t n) const override {
        const Function streaming = n * result_bytes_ >= kStreamedBytes ? streaming_function() : nullptr;
        (streaming != nullptr ? streaming : function)(arrays, n, functions_.data());
    }
    void run_rows(std::byte* const* arrays, const std::int64_t* strides, std::int64_t rows,
                  std::int64_t n) const override {
        thread_local std::vector<std::byte> memory;
        // Each buffer is rounded up to lines.
        const auto bytes = static_cast<std::size_t>(row_bytes_ * ((std::max(n, kRowBlock) + 63) / 64 * 64)) + 64;
        if (memory.size() < bytes) memory.resize(bytes);
        std::byte* const scratch = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
        reinterpret_cast<RowFunction>(reinterpret_cast<void*>(function))(arrays, n, functions_.data(), strides, rows,
                                                                         scratch);
    }
    FusedKernelText text() const override;
    ~CompiledKernel() override;

    Function function = nullptr;
    double compile_seconds = 0;
    bool from_disk = false;

  private:
    // Of results that leave the caches before they are read again.
    static constexpr std::int64_t kStreamedBytes = 8 << 20;

    Function streaming_function() const;

    FusedExpression expression_;
    std::vector<bool> is_number_;
    std::vector<void*> functions_;
    std::deque<RowParams> row_params_;
    std::int64_t row_bytes_ = 0;  // of scratch memory, for an element of a row
    std::int64_t result_bytes_ = 0;
    Compiler& compiler_;
    mutable std::once_flag streaming_once_;
    mutable Function streaming_ = nullptr;
};

// One per process. The latest kernels are kept although unused.
class Compiler {
  public:
    static Compiler& instance() {
        static Compiler* const compiler = new Compiler;
        return *compiler;
    }

    Ptr<const FusedKernel> compile(const FusedExpression& expression, const std::vector<bool>& is_number) {
        const std::scoped_lock lock(mutex_);
        const std::string key = key_of(expression, is_number, false);
        if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
        const auto begin = std::chrono::steady_clock::now();
        auto kernel = make_ptr<CompiledKernel>(expression, is_number, *this);
        kernel->function = function_of(key, expression, is_number, false, &kernel->from_disk);
        kernel->compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (order_.size() >= kMostKernels) {
            kernels_.erase(order_.front());
            order_.pop_front();
        }
        order_.push_back(key);
        return kernels_[key] = kernel;
    }

    // Frees its code, which is no longer used.
    void forget(Function function) {
        const std::scoped_lock lock(mutex_);
        const auto found = loaded_.find(function);
        if (found == loaded_.end()) return;
        llvm::consumeError(jit_->getExecutionSession().removeJITDylib(*found->second));
        loaded_.erase(found);
    }

    Function compile_streaming(const FusedExpression& expression, const std::vector<bool>& is_number) {
        const std::scoped_lock lock(mutex_);
        return function_of(key_of(expression, is_number, true), expression, is_number, true, nullptr);
    }

    // The code is compiled once more, with locations.
    std::pair<Listing, Listing> ir_and_assembly(const FusedExpression& expression, const std::vector<bool>& is_number) {
        const std::scoped_lock lock(mutex_);
        llvm::LLVMContext context;
        const auto module = optimised(context, expression, is_number, {has_fma_, false, true});
        const auto printed = llvm::CloneModule(*module);
        return {list_ir(*printed), list_assembly(emitted(*module, llvm::CGFT_AssemblyFile))};
    }

  private:
    static constexpr std::size_t kMostKernels = 512;

    Compiler() {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        auto builder = value_or_throw(llvm::orc::JITTargetMachineBuilder::detectHost());
        builder.setRelocationModel(llvm::Reloc::PIC_);
        builder.setCodeGenOptLevel(llvm::CodeGenOpt::Aggressive);
        machine_ = value_or_throw(builder.createTargetMachine());
        has_fma_ = machine_->getTargetFeatureString().contains("+fma");
        jit_ = value_or_throw(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
    }

    Function function_of(const std::string& key, const FusedExpression& expression, const std::vector<bool>& is_number,
                         bool streams, bool* from_disk) {
        if (const auto cached = runtime::read_kernel_file(key)) {
            if (const Function loaded = try_load(*cached)) {
                if (from_disk != nullptr) *from_disk = true;
                return loaded;
            }
        }
        llvm::LLVMContext context;
        const std::string object =
            emitted(*optimised(context, expression, is_number, {has_fma_, streams}), llvm::CGFT_ObjectFile);
        const Function function = load(object);
        runtime::write_kernel_file(key, object);
        return function;
    }

    std::string key_of(const FusedExpression& expression, const std::vector<bool>& is_number, bool streams) const {
        std::string key = concat(kGeneratorVersion, " ", LLVM_VERSION_STRING, " ", machine_->getTargetCPU().str(), " ",
                                 machine_->getTargetFeatureString().str(), "\n");
        for (const bool number : is_number) key += number ? '1' : 'a';
        return concat(key, streams ? " streams\n" : "\n", expression.str());
    }

    std::unique_ptr<llvm::Module> optimised(llvm::LLVMContext& context, const FusedExpression& expression,
                                            const std::vector<bool>& is_number, const Target& target) {
        auto module = generate(context, expression, is_number, target);
        module->setDataLayout(machine_->createDataLayout());
        module->setTargetTriple(machine_->getTargetTriple().str());
        for (llvm::Function& function : *module) {
            function.addFnAttr("target-cpu", machine_->getTargetCPU());
            function.addFnAttr("target-features", machine_->getTargetFeatureString());
            if (machine_->getTargetFeatureString().contains("+avx512vl"))
                function.addFnAttr("prefer-vector-width", "512");
        }
        llvm::LoopAnalysisManager loops;
        llvm::FunctionAnalysisManager functions;
        llvm::CGSCCAnalysisManager graphs;
        llvm::ModuleAnalysisManager modules;
        llvm::PassBuilder passes(machine_.get());
        passes.registerModuleAnalyses(modules);
        passes.registerCGSCCAnalyses(graphs);
        passes.registerFunctionAnalyses(functions);
        passes.registerLoopAnalyses(loops);
        passes.crossRegisterProxies(loops, functions, graphs, modules);
        passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(*module, modules);
        return module;
    }

    std::string emitted(llvm::Module& module, llvm::CodeGenFileType type) {
        llvm::SmallVector<char, 0> bytes;
        llvm::raw_svector_ostream out(bytes);
        llvm::legacy::PassManager passes;
        if (machine_->addPassesToEmitFile(passes, out, nullptr, type))
            throw Error(ErrorKind::Plugin, "LLVM emits no code for this machine");
        passes.run(module);
        return {bytes.data(), bytes.size()};
    }

    Function load(const std::string& object) {
        auto& library = value_or_throw(jit_->createJITDylib(concat("kernel", ++libraries_)));
        library.addGenerator(value_or_throw(
            llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit_->getDataLayout().getGlobalPrefix())));
        const llvm::StringRef bytes(object.data(), object.size());
        check(jit_->addObjectFile(library, llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel")));
        const llvm::JITEvaluatedSymbol symbol = value_or_throw(jit_->lookup(library, kFunctionName));
        const auto function = reinterpret_cast<Function>(static_cast<std::uintptr_t>(symbol.getAddress()));
        loaded_[function] = &library;
        return function;
    }

    Function try_load(const std::string& object) {
        try {
            return load(object);
        } catch (const Error&) {
            return nullptr;
        }
    }

    std::recursive_mutex mutex_;  // recursive: a destroyed kernel deregisters itself
    std::unique_ptr<llvm::TargetMachine> machine_;
    bool has_fma_ = false;
    std::unique_ptr<llvm::orc::LLJIT> jit_;
    std::size_t libraries_ = 0;
    std::unordered_map<Function, llvm::orc::JITDylib*> loaded_;
    std::unordered_map<std::string, Ptr<const FusedKernel>> kernels_;
    std::deque<std::string> order_;  // the oldest first
};

CompiledKernel::~CompiledKernel() {
    if (function != nullptr) compiler_.forget(function);
    if (streaming_ != nullptr) compiler_.forget(streaming_);
}

Function CompiledKernel::streaming_function() const {
    std::call_once(streaming_once_, [this] { streaming_ = compiler_.compile_streaming(expression_, is_number_); });
    return streaming_;
}

FusedKernelText CompiledKernel::text() const {
    auto [ir, assembly] = compiler_.ir_and_assembly(expression_, is_number_);
    FusedKernelText text{"llvm",          expression_.str(), {},       std::move(ir.text), std::move(assembly.text),
                         compile_seconds, from_disk,         "LLVM IR"};
    text.ir_of = std::move(ir.line_of);
    text.assembly_of = std::move(assembly.line_of);
    return text;
}

}  // namespace

void start() { Compiler::instance(); }

Ptr<const FusedKernel> compile(const FusedExpression& expression, const std::vector<bool>& is_number,
                               std::string* why) {
    std::string reason = refusal(expression);
    if (reason.empty()) return Compiler::instance().compile(expression, is_number);
    if (why != nullptr) *why = std::move(reason);
    return nullptr;
}

}  // namespace loupe::llvm_fuser

extern "C" __attribute__((visibility("default"))) const loupe::llvm_fuser::CompilerEntry loupe_llvm_compiler;
const loupe::llvm_fuser::CompilerEntry loupe_llvm_compiler = {[]() -> loupe::llvm_fuser::CompileFunction {
    loupe::llvm_fuser::start();
    return &loupe::llvm_fuser::compile;
}};
