// SPDX-License-Identifier: Apache-2.0
#include "tests/formats/lite_machine.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/value/schema.h"

namespace loupe {
namespace {

const std::vector<IValue>& elements(const IValue& tuple) { return tuple.to_tuple().elements; }

class Machine {
  public:
    Machine(const IValue& code, std::vector<IValue> inputs) : stack_(std::move(inputs)) {
        for (const IValue& field : elements(code)) {
            const std::string& name = elements(field)[0].to_string();
            const IValue& value = elements(field)[1];
            if (name == "register_size")
                registers_.resize(static_cast<std::size_t>(value.to_int()) + 1);
            else if (name == "instructions")
                instructions_ = elements(value);
            else if (name == "operators")
                operators_ = elements(value);
            else if (name == "constants")
                constants_ = elements(value);
            else
                types_ = elements(value);
        }
    }

    std::vector<IValue> run() {
        for (std::size_t pc = 0;;) {
            const auto& instruction = elements(instructions_.at(pc));
            name_ = instruction[0].to_string();
            x_ = instruction[1].to_int();
            n_ = static_cast<std::size_t>(instruction[2].to_int());
            if (name_ == "RET") return std::move(stack_);
            std::int64_t next = 1;
            if (name_ == "JMP")
                next = x_;
            else if (name_ == "JF")
                next = pop().to_bool() ? 1 : x_;
            else if (name_ == "LOOP")
                next = loop();
            else
                step();
            pc = static_cast<std::size_t>(static_cast<std::int64_t>(pc) + next);
        }
    }

  private:
    IValue pop() {
        IValue top = std::move(stack_.back());
        stack_.pop_back();
        return top;
    }
    std::vector<IValue> pop_many(std::size_t count) {
        std::vector<IValue> values(std::make_move_iterator(stack_.end() - static_cast<std::ptrdiff_t>(count)),
                                   std::make_move_iterator(stack_.end()));
        stack_.resize(stack_.size() - count);
        return values;
    }
    IValue& at(std::int64_t x) { return registers_.at(static_cast<std::size_t>(x)); }
    TypePtr type() const { return parse_type(types_.at(static_cast<std::size_t>(x_)).to_string()); }

    // The stack: count, most, condition, carried values.
    std::int64_t loop() {
        const std::size_t base = stack_.size() - (n_ + 1);
        const std::int64_t count = stack_[base].to_int();
        if (count < stack_[base + 1].to_int() && stack_[base + 2].to_bool()) {
            stack_[base + 2] = count;
            stack_[base] = count + 1;
            // The body takes its inputs from the top; count and most stay below.
            return 1;
        }
        stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(base),
                     stack_.begin() + static_cast<std::ptrdiff_t>(base) + 3);
        return x_;
    }

    void step() {
        if (name_ == "LOAD")
            stack_.push_back(at(x_));
        else if (name_ == "MOVE")
            stack_.push_back(std::exchange(at(x_), IValue()));
        else if (name_ == "STORE")
            at(x_) = pop();
        else if (name_ == "STOREN") {
            for (std::size_t i = n_; i-- > 0;) at(x_ + static_cast<std::int64_t>(i)) = pop();
        } else if (name_ == "DROP")
            pop();
        else if (name_ == "DROPR")
            at(x_) = IValue();
        else if (name_ == "LOADC")
            stack_.push_back(constants_.at(static_cast<std::size_t>(x_)));
        else if (name_ == "GET_ATTR")
            stack_.push_back(pop().to_object()->slot(static_cast<std::size_t>(x_)));
        else if (name_ == "SET_ATTR") {
            IValue value = pop();
            pop().to_object()->set_slot(static_cast<std::size_t>(x_), std::move(value));
        } else if (name_ == "OP" || name_ == "OPN")
            call(elements(operators_.at(static_cast<std::size_t>(x_))));
        else
            build();
    }

    void build() {
        if (name_ == "LIST_CONSTRUCT")
            stack_.emplace_back(make_ptr<ListObject>(type()->element(), pop_many(n_)));
        else if (name_ == "TUPLE_CONSTRUCT")
            stack_.emplace_back(make_ptr<TupleObject>(pop_many(static_cast<std::size_t>(x_))));
        else if (name_ == "NAMED_TUPLE_CONSTRUCT")
            stack_.emplace_back(make_ptr<TupleObject>(pop_many(n_)));
        else if (name_ == "DICT_CONSTRUCT") {
            const TypePtr dict_type = type();
            auto dict = make_ptr<DictObject>(dict_type->contained()[0], dict_type->contained()[1]);
            const std::vector<IValue> pairs = pop_many(n_);
            for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) dict->set(pairs[i], pairs[i + 1]);
            stack_.emplace_back(std::move(dict));
        } else if (name_ == "LIST_UNPACK") {
            const IValue list = pop();
            stack_.insert(stack_.end(), list.to_list().elements.begin(), list.to_list().elements.end());
        } else if (name_ == "TUPLE_INDEX") {
            std::int64_t i = pop().to_int();
            const IValue tuple = pop();
            const auto size = static_cast<std::int64_t>(elements(tuple).size());
            stack_.push_back(elements(tuple).at(static_cast<std::size_t>(i < 0 ? i + size : i)));
        } else if (name_ == "TUPLE_SLICE") {
            const IValue tuple = pop();
            const auto first = elements(tuple).begin() + x_;
            stack_.emplace_back(
                make_ptr<TupleObject>(std::vector<IValue>(first, first + static_cast<std::ptrdiff_t>(n_))));
        } else if (name_ == "UN_INITIALIZED")
            stack_.emplace_back();
        else if (name_ == "ISINSTANCE") {
            const IValue value = pop();
            bool is_one = false;
            for (std::size_t i = 0; i < n_; ++i)
                is_one |= is_instance(value, *parse_type(types_.at(static_cast<std::size_t>(x_) + i).to_string()));
            stack_.emplace_back(is_one);
        } else if (name_ == "RAISE_EXCEPTION") {
            pop();
            throw Error(ErrorKind::Run, pop().to_string());
        } else if (name_ == "WARN") {
            pop_many(2);
        } else {
            throw Error(ErrorKind::Internal, concat("the machine knows no ", name_));
        }
    }

    void call(const std::vector<IValue>& entry) {
        const std::string &name = entry[0].to_string(), &overload = entry[1].to_string();
        if (name == "prim::TupleUnpack") {
            const IValue tuple = pop();
            stack_.insert(stack_.end(), elements(tuple).begin(), elements(tuple).end());
            return;
        }
        if (name == "prim::unchecked_cast" || name == "aten::_unwrap_optional") return;
        if (name == "prim::Print") return void(pop_many(n_));
        const Operator* op = find_operator(overload.empty() ? name : concat(name, ".", overload));
        if (op == nullptr) throw Error(ErrorKind::Internal, concat("no operator ", name, ".", overload));
        const std::vector<IValue> arguments =
            pop_many(entry[2].to_int() < 0 ? n_ : static_cast<std::size_t>(entry[2].to_int()));
        std::vector<IValue> results(std::max<std::size_t>(op->result_count(), 1));
        call_operator(*op, arguments, results.data());
        for (std::size_t i = 0; i < op->result_count(); ++i) stack_.push_back(std::move(results[i]));
    }

    std::vector<IValue> stack_, registers_, instructions_, operators_, constants_, types_;
    std::string name_;
    std::int64_t x_ = 0;
    std::size_t n_ = 0;
};

}  // namespace

std::vector<IValue> run_lite(const IValue& code, std::vector<IValue> inputs) {
    return Machine(code, std::move(inputs)).run();
}

}  // namespace loupe
