// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/code_generator.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "plugins/llvm/step_generator.h"

namespace loupe::llvm_fuser {

using runtime::FusedOperand;

namespace {

constexpr std::int64_t kBlockBytes = 64 * 1024;  // of all buffers
constexpr std::int64_t kLargestBlock = 2048;     // elements
constexpr std::int64_t kSmallestBlock = 256;

class CodeGenerator {
  public:
    CodeGenerator(llvm::LLVMContext& context, const FusedExpression& expression, const std::vector<bool>& is_number,
                  const Target& target)
        : context_(context),
          e_(expression),
          is_number_(is_number),
          streams_(target.streams),
          has_locations_(target.has_locations),
          schedule_(make_schedule(expression, is_number)),
          module_(std::make_unique<llvm::Module>("fused", context)),
          b_(context),
          elements_(b_, target.has_fma) {}

    std::unique_ptr<llvm::Module> generate() {
        make_function();
        find_stages();
        b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
        if (has_locations_) make_subprogram();
        if (e_.is_of_rows()) find_row_block();
        load_pointers();
        make_buffers();
        fill_constants();
        if (e_.is_of_rows()) {
            emit_rows();
        } else if (schedule_.has_calls || streams_) {
            emit_loop("block", function_->getArg(1), block_, [&](llvm::Value* at) {
                base_ = at;
                llvm::Value* rest = b_.CreateSub(function_->getArg(1), at);
                length_ = b_.CreateSelect(b_.CreateICmpSLT(rest, b_.getInt64(static_cast<std::uint64_t>(block_))), rest,
                                          b_.getInt64(static_cast<std::uint64_t>(block_)));
                emit_stages();
                if (streams_) stream_outputs();
            });
        } else {
            base_ = b_.getInt64(0);
            length_ = function_->getArg(1);
            emit_stages();
        }
        b_.CreateRetVoid();
        return std::move(module_);
    }

  private:
    // A run of elements: the caller's from an offset on, or a buffer of the block.
    struct Place {
        llvm::Value* pointer = nullptr;
        bool is_array = false;
        llvm::Value* stride = nullptr;  // bytes from row to row
    };

    const FusedStep& step(std::uint32_t value) const { return e_.steps[value - e_.inputs.size()]; }
    bool is_input(std::uint32_t value) const { return value < e_.inputs.size(); }
    bool is_call(std::uint32_t value) const { return !is_input(value) && !is_native(step(value)); }

    void make_function() {
        llvm::Type* bytes = b_.getInt8PtrTy();
        std::vector<llvm::Type*> arguments{bytes->getPointerTo(), b_.getInt64Ty(), bytes->getPointerTo()};
        if (e_.is_of_rows())
            arguments.insert(arguments.end(), {b_.getInt64Ty()->getPointerTo(), b_.getInt64Ty(), bytes});
        auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
        function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kFunctionName, *module_);
        function_->getArg(0)->setName("arrays");
        function_->getArg(1)->setName("n");
        function_->getArg(2)->setName("functions");
        if (e_.is_of_rows()) {
            function_->getArg(3)->setName("strides");
            function_->getArg(4)->setName("rows");
            function_->getArg(5)->setName("scratch");
        }
        function_->addFnAttr(llvm::Attribute::NoUnwind);
    }

    // The expression is the kernel's source.
    void make_subprogram() {
        llvm::DIBuilder debug(*module_);
        llvm::DIFile* file = debug.createFile("expression", "");
        debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "tensorloupe", true, "", 0, {},
                                llvm::DICompileUnit::DebugDirectivesOnly);
        subprogram_ = debug.createFunction(file, kFunctionName, {}, file, 0,
                                           debug.createSubroutineType(debug.getOrCreateTypeArray({})), 0,
                                           llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
        function_->setSubprogram(subprogram_);
        debug.finalize();
        module_->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
        b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, 0, 0, subprogram_));
    }

    // In this scope instructions compute a value of the expression, which has a line of its own.
    class ValueScope {
      public:
        ValueScope(CodeGenerator& generator, std::uint32_t value)
            : b_(generator.b_), before_(b_.getCurrentDebugLocation()) {
            if (generator.subprogram_ != nullptr)
                b_.SetCurrentDebugLocation(
                    llvm::DILocation::get(generator.context_, value + 1, 0, generator.subprogram_));
        }
        ValueScope(const ValueScope&) = delete;
        ValueScope& operator=(const ValueScope&) = delete;
        ~ValueScope() { b_.SetCurrentDebugLocation(before_); }

      private:
        Builder& b_;
        llvm::DebugLoc before_;
    };

    void find_stages() {
        for (std::size_t s = 0; s < schedule_.stages.size(); ++s) {
            for (const std::uint32_t value : schedule_.stages[s].loop) stage_of_[value] = s;
        }
    }

    llvm::Value* load_pointer(llvm::Value* table, std::size_t i, const std::string& name) {
        llvm::Value* slot = b_.CreateConstGEP1_64(b_.getInt8PtrTy(), table, i);
        return b_.CreateLoad(b_.getInt8PtrTy(), slot, name);
    }
    llvm::Value* typed(llvm::Value* pointer, ScalarType dtype) {
        return b_.CreateBitCast(pointer, elements_.memory_type(dtype)->getPointerTo());
    }

    void load_pointers() {
        const std::size_t outputs = e_.outputs.size();
        for (std::size_t o = 0; o < outputs; ++o) {
            const ScalarType dtype = e_.dtype_of(e_.outputs[o]);
            const ValueScope scope(*this, e_.outputs[o]);
            llvm::Value* pointer = load_pointer(function_->getArg(0), o, concat("out", o));
            outputs_.push_back(pointer);
            if (!streams_) places_[{e_.outputs[o], dtype}] = {typed(pointer, dtype), true};
        }
        for (std::uint32_t i = 0; i < e_.inputs.size(); ++i) {
            const ValueScope scope(*this, i);
            llvm::Value* raw = load_pointer(function_->getArg(0), outputs + i, concat("in", i));
            inputs_.push_back(raw);
            llvm::Value* pointer = typed(raw, e_.inputs[i]);
            if (!is_number_[i]) {
                places_[{i, e_.inputs[i]}] = {pointer, true};
                continue;
            }
            numbers_[i] =
                elements_.from_memory(b_.CreateLoad(elements_.memory_type(e_.inputs[i]), pointer), e_.inputs[i]);
        }
        std::size_t slot = 0;
        for (const Stage& stage : schedule_.stages) {
            for (const std::uint32_t value : stage.calls) {
                const ValueScope scope(*this, value);
                llvm::Value* function = load_pointer(function_->getArg(2), slot, step(value).kind.name());
                llvm::Value* params = load_pointer(function_->getArg(2), slot + 1, "params");
                callees_[value] = {function, params};
                slot += 2;
            }
        }
        if (streams_) stream_ = load_pointer(function_->getArg(2), slot, "stream");
    }

    void make_buffers() {
        const std::vector<Stored> buffers = buffers_of(e_, schedule_, streams_);
        std::int64_t bytes = 1;
        for (const Stored& stored : buffers) bytes += element_size(stored.as);
        block_ = std::clamp(kBlockBytes / bytes / 64 * 64, kSmallestBlock, kLargestBlock);
        for (const Stored& stored : buffers) {
            if (!e_.is_of_rows()) {
                places_[stored] = {allocate(stored.as), false, nullptr};
                continue;
            }
            const runtime::RowShape shape = e_.shapes[stored.value];
            llvm::Value* element = b_.getInt64(static_cast<std::uint64_t>(element_size(stored.as)));
            llvm::Value* stride = shape == runtime::RowShape::Columns  ? b_.getInt64(0)
                                  : shape == runtime::RowShape::PerRow ? element
                                                                       : b_.CreateMul(function_->getArg(1), element);
            llvm::Value* all = shape == runtime::RowShape::Columns ? b_.CreateMul(function_->getArg(1), element)
                                                                   : b_.CreateMul(stride, row_block_);
            places_[stored] = {typed(take_scratch(all), stored.as), false, stride};
        }
    }

    void find_row_block() {
        llvm::Value* fitting = b_.CreateSDiv(b_.getInt64(static_cast<std::uint64_t>(kRowBlock)), function_->getArg(1));
        row_block_ = b_.CreateSelect(b_.CreateICmpSLT(fitting, b_.getInt64(1)), b_.getInt64(1), fitting);
    }
    llvm::Value* take_scratch(llvm::Value* bytes) {
        llvm::Value* pointer =
            b_.CreateGEP(b_.getInt8Ty(), function_->getArg(5), scratch_ == nullptr ? b_.getInt64(0) : scratch_);
        llvm::Value* padded = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(63)), b_.getInt64(~std::uint64_t{63}));
        scratch_ = scratch_ == nullptr ? padded : b_.CreateAdd(scratch_, padded);
        return pointer;
    }

    // A piece of the scratch memory, of the length of a row in an expression of rows; else of a block.
    llvm::Value* allocate(ScalarType dtype) {
        if (e_.is_of_rows()) {
            return typed(take_scratch(b_.CreateMul(function_->getArg(1),
                                                   b_.getInt64(static_cast<std::uint64_t>(element_size(dtype))))),
                         dtype);
        }
        auto* array = llvm::ArrayType::get(elements_.memory_type(dtype), static_cast<std::uint64_t>(block_));
        llvm::AllocaInst* buffer = b_.CreateAlloca(array);
        buffer->setAlignment(llvm::Align(64));
        return typed(buffer, dtype);
    }

    // Numbers that calls read as arrays.
    void fill_constants() {
        if (!schedule_.has_calls) return;
        llvm::Value* count = function_->getArg(1);
        if (!e_.is_of_rows()) {
            llvm::Value* whole = b_.getInt64(static_cast<std::uint64_t>(block_));
            count = b_.CreateSelect(b_.CreateICmpSLT(count, whole), count, whole);
        }
        for (const Stored& stored : schedule_.constants) {
            const ValueScope scope(*this, stored.value);
            fill(places_.at(stored).pointer,
                 elements_.convert(numbers_.at(stored.value), e_.inputs[stored.value], stored.as), stored.as, count);
        }
        for (const Literal& literal : literals_of(e_, schedule_)) {
            const FusedOperand& operand = step(literal.value).inputs[literal.operand];
            const ValueScope scope(*this, literal.value);
            llvm::Value* buffer = allocate(operand.as);
            literals_[literal] = buffer;
            fill(buffer, elements_.number(operand.number.data(), operand.as), operand.as, count);
        }
    }

    void fill(llvm::Value* buffer, llvm::Value* element, ScalarType as, llvm::Value* count) {
        llvm::Value* stored = elements_.to_memory(element, as);
        emit_loop("fill", count, 1,
                  [&](llvm::Value* i) { b_.CreateStore(stored, b_.CreateGEP(elements_.memory_type(as), buffer, i)); });
    }

    // Some rows at once: for short ones the overhead of calls dominates.
    void emit_rows() {
        base_ = b_.getInt64(0);
        length_ = function_->getArg(1);
        std::vector<llvm::Value*> strides;
        for (std::size_t array = 0; array < outputs_.size() + inputs_.size(); ++array) {
            strides.push_back(
                b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), function_->getArg(3), array)));
        }
        llvm::Value* rows = function_->getArg(4);
        emit_loop("rows", rows, row_block_, [&](llvm::Value* first) {
            llvm::Value* rest = b_.CreateSub(rows, first);
            row_count_ = b_.CreateSelect(b_.CreateICmpSLT(rest, row_block_), rest, row_block_);
            const auto place = [&](llvm::Value* array, llvm::Value* stride, ScalarType dtype) {
                return Place{typed(b_.CreateGEP(b_.getInt8Ty(), array, b_.CreateMul(first, stride)), dtype), true,
                             stride};
            };
            for (std::size_t o = 0; o < outputs_.size(); ++o) {
                const ScalarType dtype = e_.dtype_of(e_.outputs[o]);
                places_[{e_.outputs[o], dtype}] = place(outputs_[o], strides[o], dtype);
            }
            for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
                places_[{i, e_.inputs[i]}] = place(inputs_[i], strides[outputs_.size() + i], e_.inputs[i]);
            }
            emit_row_stages();
        });
    }

    // Row by row: values per row, then the loop over elements.
    void emit_row_stages() {
        for (std::size_t s = 0; s < schedule_.stages.size(); ++s) {
            stage_ = s;
            const auto& stores = schedule_.stages[s].stores;
            if (!stores.empty()) {
                emit_loop("row", row_count_, b_.getInt64(1), [&](llvm::Value* row) {
                    row_ = row;
                    row_known_.clear();
                    emit_row_values(s);
                    if (std::any_of(stores.begin(), stores.end(),
                                    [&](const Stored& stored) { return !is_per_row(e_, stored.value); }))
                        emit_stage_loop(s);
                });
            }
            for (const std::uint32_t value : schedule_.stages[s].calls) emit_row_call(value);
        }
    }
    llvm::Value* row_pointer(const Place& place, llvm::Value* row) {
        return b_.CreateGEP(b_.getInt8Ty(), b_.CreateBitCast(place.pointer, b_.getInt8PtrTy()),
                            b_.CreateMul(row, place.stride));
    }

    // for (i = 0; i < end; ++i) body(i), the iterations of which do not depend on each other; or by a step.
    template <typename Body>
    void emit_loop(const std::string& name, llvm::Value* end, std::int64_t step_size, Body&& body) {
        emit_loop(name, end, b_.getInt64(static_cast<std::uint64_t>(step_size)), std::forward<Body>(body),
                  step_size == 1);
    }
    template <typename Body>
    void emit_loop(const std::string& name, llvm::Value* end, llvm::Value* step_size, Body&& body,
                   bool is_parallel = false) {
        llvm::BasicBlock* before = b_.GetInsertBlock();
        auto* inside = llvm::BasicBlock::Create(context_, name, function_);
        auto* after = llvm::BasicBlock::Create(context_, name + ".end", function_);
        b_.CreateCondBr(b_.CreateICmpSGT(end, b_.getInt64(0)), inside, after);
        b_.SetInsertPoint(inside);
        llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2, "i");
        i->addIncoming(b_.getInt64(0), before);
        body(static_cast<llvm::Value*>(i));
        llvm::Value* next = b_.CreateNSWAdd(i, step_size);
        i->addIncoming(next, b_.GetInsertBlock());
        llvm::BranchInst* back = b_.CreateCondBr(b_.CreateICmpSLT(next, end), inside, after);
        if (is_parallel) mark_parallel(inside, back);
        b_.SetInsertPoint(after);
    }

    void mark_parallel(llvm::BasicBlock* body, llvm::BranchInst* back) {
        llvm::MDNode* group = llvm::MDNode::getDistinct(context_, {});
        for (llvm::Instruction& instruction : *body) {
            if (instruction.mayReadOrWriteMemory()) instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
        }
        llvm::Metadata* parallel =
            llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), group});
        llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, {nullptr, parallel});
        loop->replaceOperandWith(0, loop);
        back->setMetadata(llvm::LLVMContext::MD_loop, loop);
    }

    void emit_stages() {
        for (std::size_t s = 0; s < schedule_.stages.size(); ++s) {
            stage_ = s;
            if (!schedule_.stages[s].stores.empty()) emit_stage_loop(s);
            for (const std::uint32_t value : schedule_.stages[s].calls) emit_call(value);
        }
    }

    // In registers before the loops that read them.
    void emit_row_values(std::size_t s) {
        known_.clear();
        index_ = b_.getInt64(0);
        for (std::uint32_t value = 0; value < e_.shapes.size(); ++value) {
            if (!is_per_row(e_, value) || row_known_.contains(value)) continue;
            const bool is_kept = !is_input(value) && !is_call(value) && stage_of_.at(value) < s &&
                                 places_.contains({value, step(value).dtype});
            const bool is_made =
                is_kept || is_input(value) || (is_call(value) ? call_stage(value) < s : stage_of_.at(value) == s);
            if (is_made) row_known_[value] = make_value(value);
        }
        for (const Stored& stored : schedule_.stages[s].stores) {
            if (is_per_row(e_, stored.value)) emit_store(stored);
        }
    }
    std::size_t call_stage(std::uint32_t value) const {
        while (step(value).kind.family == runtime::LoopFamily::Also) --value;
        for (std::size_t s = 0; s < schedule_.stages.size(); ++s) {
            const auto& calls = schedule_.stages[s].calls;
            if (std::find(calls.begin(), calls.end(), value) != calls.end()) return s;
        }
        return 0;
    }

    void emit_store(const Stored& stored) {
        const ValueScope scope(*this, stored.value);
        llvm::Value* element = elements_.convert(value_of(stored.value), e_.dtype_of(stored.value), stored.as);
        b_.CreateStore(elements_.to_memory(element, stored.as), address(stored));
    }

    void emit_stage_loop(std::size_t s) {
        emit_loop(concat("stage", s), length_, 1, [&](llvm::Value* i) {
            known_.clear();
            index_ = i;
            for (const Stored& stored : schedule_.stages[s].stores) {
                if (!is_per_row(e_, stored.value)) emit_store(stored);
            }
        });
    }

    llvm::Value* address(const Stored& stored) {
        const Place& place = places_.at(stored);
        if (e_.is_of_rows())
            return b_.CreateGEP(elements_.memory_type(stored.as), typed(row_pointer(place, row_), stored.as), index_);
        llvm::Value* at = place.is_array ? b_.CreateAdd(base_, index_) : index_;
        return b_.CreateGEP(elements_.memory_type(stored.as), place.pointer, at);
    }
    llvm::Value* load(const Stored& stored) {
        return elements_.from_memory(b_.CreateLoad(elements_.memory_type(stored.as), address(stored)), stored.as);
    }

    // The element in a register, rounded to its dtype.
    llvm::Value* value_of(std::uint32_t value) {
        if (is_input(value) && is_number_[value]) return numbers_.at(value);
        if (const auto found = row_known_.find(value); found != row_known_.end()) return found->second;
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        return known_[value] = make_value(value);
    }

    llvm::Value* make_value(std::uint32_t value) {
        const ValueScope scope(*this, value);
        if (is_input(value)) return load({value, e_.inputs[value]});
        const FusedStep& made = step(value);
        if (is_call(value)) return elements_.convert(load({value, made.result_as}), made.result_as, made.dtype);
        if (stage_of_.at(value) != stage_) return load({value, made.dtype});
        std::vector<llvm::Value*> inputs;
        for (const FusedOperand& operand : made.inputs) {
            inputs.push_back(operand.is_number
                                 ? elements_.number(operand.number.data(), operand.as)
                                 : elements_.convert(value_of(operand.value), e_.dtype_of(operand.value), operand.as));
        }
        return elements_.convert(elements_.step(made, inputs), made.result_as, made.dtype);
    }

    llvm::Value* block_pointer(llvm::Value* pointer, bool is_array, ScalarType as) {
        if (is_array) pointer = b_.CreateGEP(elements_.memory_type(as), pointer, base_);
        return b_.CreateBitCast(pointer, b_.getInt8PtrTy());
    }

    void emit_call(std::uint32_t value) {
        const FusedStep& made = step(value);
        const ValueScope scope(*this, value);
        const auto place_pointer = [&](const Stored& stored) {
            const Place& place = places_.at(stored);
            return block_pointer(place.pointer, place.is_array, stored.as);
        };
        std::vector<llvm::Value*> pointers;
        pointers.push_back(place_pointer({value, made.result_as}));
        for (std::size_t i = 0; i < made.inputs.size(); ++i) {
            const FusedOperand& operand = made.inputs[i];
            pointers.push_back(operand.is_number ? block_pointer(literals_.at(Literal{value, i}), false, operand.as)
                                                 : place_pointer({operand.value, operand.as}));
        }
        emit_elementwise_call(value, pointers, length_);
    }
    void emit_elementwise_call(std::uint32_t value, const std::vector<llvm::Value*>& pointers, llvm::Value* count) {
        llvm::Type* bytes = b_.getInt8PtrTy();
        auto* type = llvm::FunctionType::get(b_.getVoidTy(), {bytes, bytes->getPointerTo(), b_.getInt64Ty()}, false);
        const auto [function, params] = callees_.at(value);
        b_.CreateCall(type, b_.CreateBitCast(function, type->getPointerTo()),
                      {params, filled_table(pointers, bytes), count});
    }

    // Outputs, then inputs, of a call in an expression of rows.
    std::vector<Place> call_places(std::uint32_t value) {
        const FusedStep& made = step(value);
        std::vector<Place> places;
        for (std::uint32_t r = 0; r < (made.rows ? made.rows->outputs : 1); ++r)
            places.push_back(places_.at({value + r, step(value + r).result_as}));
        for (std::size_t i = 0; i < made.inputs.size(); ++i) {
            const FusedOperand& operand = made.inputs[i];
            if (operand.is_number)
                places.push_back({literals_.at(Literal{value, i}), false, b_.getInt64(0)});
            else
                places.push_back(places_.at({operand.value, operand.as}));
        }
        return places;
    }

    void emit_row_call(std::uint32_t value) {
        const ValueScope scope(*this, value);
        const std::vector<Place> places = call_places(value);
        std::vector<llvm::Value*> pointers, strides;
        if (step(value).rows) {
            for (const Place& place : places) {
                pointers.push_back(b_.CreateBitCast(place.pointer, b_.getInt8PtrTy()));
                strides.push_back(place.stride);
            }
            llvm::Type *bytes = b_.getInt8PtrTy(), *integer = b_.getInt64Ty();
            auto* type = llvm::FunctionType::get(
                b_.getVoidTy(), {bytes, bytes->getPointerTo(), integer->getPointerTo(), integer, integer}, false);
            const auto [function, params] = callees_.at(value);
            b_.CreateCall(type, b_.CreateBitCast(function, type->getPointerTo()),
                          {params, filled_table(pointers, bytes), filled_table(strides, integer), row_count_, length_});
            return;
        }
        // All rows at once where they are contiguous.
        llvm::Value* unit = is_per_row(e_, value) ? b_.getInt64(1) : length_;
        llvm::Value* is_packed = b_.getTrue();
        for (std::size_t i = 0; i < places.size(); ++i) {
            const ScalarType as = i == 0 ? step(value).result_as : step(value).inputs[i - 1].as;
            llvm::Value* packed = b_.CreateMul(unit, b_.getInt64(static_cast<std::uint64_t>(element_size(as))));
            is_packed = b_.CreateAnd(is_packed, b_.CreateICmpEQ(places[i].stride, packed));
        }
        llvm::Value* count = b_.CreateSelect(is_packed, b_.CreateMul(unit, row_count_), unit);
        emit_loop("call", b_.CreateSelect(is_packed, b_.getInt64(1), row_count_), b_.getInt64(1),
                  [&](llvm::Value* row) {
                      pointers.clear();
                      for (const Place& place : places) pointers.push_back(row_pointer(place, row));
                      emit_elementwise_call(value, pointers, count);
                  });
    }

    void stream_outputs() {
        llvm::Type* bytes = b_.getInt8PtrTy();
        auto* type = llvm::FunctionType::get(b_.getVoidTy(), {bytes, bytes, b_.getInt64Ty()}, false);
        for (std::size_t o = 0; o < outputs_.size(); ++o) {
            const ScalarType dtype = e_.dtype_of(e_.outputs[o]);
            const ValueScope scope(*this, e_.outputs[o]);
            llvm::Value* element = b_.getInt64(static_cast<std::uint64_t>(element_size(dtype)));
            llvm::Value* to = b_.CreateGEP(b_.getInt8Ty(), outputs_[o], b_.CreateMul(base_, element));
            llvm::Value* from = b_.CreateBitCast(places_.at({e_.outputs[o], dtype}).pointer, bytes);
            b_.CreateCall(type, b_.CreateBitCast(stream_, type->getPointerTo()),
                          {to, from, b_.CreateMul(length_, element)});
        }
    }

    llvm::Value* filled_table(const std::vector<llvm::Value*>& values, llvm::Type* type) {
        llvm::Value* table = nullptr;
        {
            llvm::IRBuilderBase::InsertPointGuard guard(b_);
            b_.SetInsertPoint(&function_->getEntryBlock(), function_->getEntryBlock().begin());
            table = b_.CreateBitCast(b_.CreateAlloca(llvm::ArrayType::get(type, values.size())), type->getPointerTo());
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            b_.CreateStore(values[i], b_.CreateConstGEP1_64(type, table, i));
        return table;
    }

    llvm::LLVMContext& context_;
    const FusedExpression& e_;
    const std::vector<bool>& is_number_;
    bool streams_;
    bool has_locations_;
    llvm::DISubprogram* subprogram_ = nullptr;  // null without locations
    Schedule schedule_;
    std::vector<llvm::Value*> outputs_;
    llvm::Value* stream_ = nullptr;
    std::unique_ptr<llvm::Module> module_;
    Builder b_;
    StepGenerator elements_;
    llvm::Function* function_ = nullptr;
    std::map<std::uint32_t, std::size_t> stage_of_;
    std::map<Stored, Place> places_;
    std::map<std::uint32_t, llvm::Value*> numbers_;
    std::map<std::uint32_t, std::pair<llvm::Value*, llvm::Value*>> callees_;
    std::map<Literal, llvm::Value*> literals_;
    std::vector<llvm::Value*> inputs_;
    llvm::Value* scratch_ = nullptr;  // the free part
    std::map<std::uint32_t, llvm::Value*> row_known_;
    llvm::Value* row_block_ = nullptr;  // rows per iteration
    llvm::Value* row_count_ = nullptr;  // rows that are done now
    llvm::Value* row_ = nullptr;        // in the block
    std::int64_t block_ = kLargestBlock;
    llvm::Value* base_ = nullptr;  // of the block
    llvm::Value* length_ = nullptr;
    std::size_t stage_ = 0;  // whose loop is being made
    llvm::Value* index_ = nullptr;
    std::map<std::uint32_t, llvm::Value*> known_;
};

}  // namespace

std::unique_ptr<llvm::Module> generate(llvm::LLVMContext& context, const FusedExpression& expression,
                                       const std::vector<bool>& is_number, const Target& target) {
    return CodeGenerator(context, expression, is_number, target).generate();
}

std::int64_t row_scratch_bytes(const FusedExpression& expression, const std::vector<bool>& is_number, std::int64_t n) {
    const Schedule schedule = make_schedule(expression, is_number);
    const auto padded = [n](ScalarType as) { return (n * element_size(as) + 63) / 64 * 64; };
    std::int64_t bytes = 0;
    for (const Stored& stored : buffers_of(expression, schedule, false)) bytes += padded(stored.as);
    for (const Literal& literal : literals_of(expression, schedule)) {
        bytes += padded(expression.steps[literal.value - expression.inputs.size()].inputs[literal.operand].as);
    }
    return bytes;
}

std::vector<std::uint32_t> called_values(const FusedExpression& expression, const std::vector<bool>& is_number) {
    std::vector<std::uint32_t> values;
    for (const Stage& stage : make_schedule(expression, is_number).stages)
        values.insert(values.end(), stage.calls.begin(), stage.calls.end());
    return values;
}

}  // namespace loupe::llvm_fuser
