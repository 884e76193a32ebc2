// Runs formulas over the rows of a view: what a loop in Lua would compute, for games that run without LuaJIT's compiler. The
// Lua half parses them (lua/script/formula.lua) into steps of a stack machine, each of which works on a block of rows
// at once.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "lua/bind/ffi_function.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/world_link.hpp"
#include "views/empty.hpp"
#include "views/rows/view_rows.hpp"
#include "world/math.hpp"

namespace revenant {

namespace {

constexpr std::size_t blockRows = 128;
constexpr std::size_t mostOperands = 16;  // known to formula.lua, too

using Operand = std::array<double, blockRows>;

// The operations, in the order of formula.lua. A statement ends with its Store.
enum class Code : int {
    Number,
    LoadF32,
    LoadF64,
    LoadI32,
    LoadU32,
    LoadU8,
    StoreF32,
    StoreF64,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Abs,
    Floor,
    Ceil,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Exp,
    Log,
    Atan2,
    Pow,
    Mod,
    Min,
    Max,
};

// Three numbers: Number has its value; Load and Store have a column's place, and a field's offset.
struct Step {
    double code, first, second;

    Code kind() const noexcept { return static_cast<Code>(static_cast<int>(code)); }
};

// A field of some rows.
struct Cells {
    std::span<std::byte* const> rows;
    std::size_t offset;
};

// A row that lacks one of a statement's components is left as it is.
using Presence = std::array<bool, blockRows>;

template <class T>
void load(const Cells& cells, Operand& to, Presence& isWhole) noexcept {
    for (std::size_t i = 0; i < cells.rows.size(); ++i) {
        T value;
        std::memcpy(&value, cells.rows[i] + cells.offset, sizeof value);
        to[i] = static_cast<double>(value);
        isWhole[i] = isWhole[i] && !isEmpty(cells.rows[i]);
    }
}

template <class T>
void store(const Cells& cells, const Operand& from, const Presence& isWhole) noexcept {
    for (std::size_t i = 0; i < cells.rows.size(); ++i) {
        if (!isWhole[i] || isEmpty(cells.rows[i])) continue;
        const T value = static_cast<T>(from[i]);
        std::memcpy(cells.rows[i] + cells.offset, &value, sizeof value);
    }
}

// One block of rows, from the first step of a formula to the last.
class Block {
public:
    Block(const ComponentsView& view, std::size_t first, std::size_t count) noexcept
        : view_(view), first_(first), count_(count) {
        isWhole_.fill(true);
    }

    void run(const Step& step) noexcept {
        switch (step.kind()) {
            case Code::Number: return operands_[size_++].fill(step.first);
            case Code::LoadF32: return push<float>(step);
            case Code::LoadF64: return push<double>(step);
            case Code::LoadI32: return push<std::int32_t>(step);
            case Code::LoadU32: return push<std::uint32_t>(step);
            case Code::LoadU8: return push<std::uint8_t>(step);
            case Code::StoreF32: return pop<float>(step);
            case Code::StoreF64: return pop<double>(step);
            case Code::Add: return two([](double a, double b) { return a + b; });
            case Code::Subtract: return two([](double a, double b) { return a - b; });
            case Code::Multiply: return two([](double a, double b) { return a * b; });
            case Code::Divide: return two([](double a, double b) { return a / b; });
            case Code::Negate: return one([](double a) { return -a; });
            case Code::Abs: return one([](double a) { return std::fabs(a); });
            case Code::Floor: return one([](double a) { return std::floor(a); });
            case Code::Ceil: return one([](double a) { return std::ceil(a); });
            case Code::Sqrt: return one(math::sqrt);
            case Code::Sin: return one(math::sin);
            case Code::Cos: return one(math::cos);
            case Code::Tan: return one(math::tan);
            case Code::Asin: return one(math::asin);
            case Code::Acos: return one(math::acos);
            case Code::Atan: return one(math::atan);
            case Code::Exp: return one(math::exp);
            case Code::Log: return one(math::log);
            case Code::Atan2: return two(math::atan2);
            case Code::Pow: return two(math::pow);
            case Code::Mod: return two(math::mod);
            case Code::Min: return two([](double a, double b) { return b < a ? b : a; });
            case Code::Max: return two([](double a, double b) { return b > a ? b : a; });
        }
    }

private:
    Cells cellsOf(const Step& step) const noexcept {
        const Column& column = view_.getColumns()[static_cast<std::size_t>(step.first)];
        return {{ViewRows::of(view_).pointersByRow(ViewRows::of(column)) + first_, count_},
                static_cast<std::size_t>(step.second)};
    }

    template <class T>
    void push(const Step& step) noexcept {
        load<T>(cellsOf(step), operands_[size_++], isWhole_);
    }

    template <class T>
    void pop(const Step& step) noexcept {
        store<T>(cellsOf(step), operands_[--size_], isWhole_);
        isWhole_.fill(true);
    }

    template <class Function>
    void one(Function function) noexcept {
        Operand& of = operands_[size_ - 1];
        for (std::size_t i = 0; i < count_; ++i) of[i] = function(of[i]);
    }

    template <class Function>
    void two(Function function) noexcept {
        --size_;
        Operand& left = operands_[size_ - 1];
        const Operand& right = operands_[size_];
        for (std::size_t i = 0; i < count_; ++i) left[i] = function(left[i], right[i]);
    }

    const ComponentsView& view_;
    std::size_t first_, count_;
    std::array<Operand, mostOperands> operands_;
    std::size_t size_ = 0;
    Presence isWhole_;
};

// REQUIRES: the Lua half has made the steps, and opened the columns that they write.
int compute(std::uint32_t link, std::uint32_t view, const double* numbers, int steps) noexcept {
    return guarded([&] {
        const ComponentsView& of = *WorldLink::require(link).views.at(view).view;
        const std::size_t count = of.count();
        ViewRows::of(of).headsByRow();  // may throw, which a block must not
        for (std::size_t first = 0; first < count; first += blockRows) {
            Block block(of, first, std::min(blockRows, count - first));
            for (const double* step = numbers; step != numbers + steps * 3; step += 3)
                block.run({step[0], step[1], step[2]});
        }
    });
}

}  // namespace

std::span<const FfiFunction> formulaFunctions() {
    static const FfiFunction functions[] = {ffiFunction("compute", &compute)};
    return functions;
}

}  // namespace revenant
