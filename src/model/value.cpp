#include "model/value.hpp"

#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/number.hpp"

namespace belfry::model {

namespace {

// Trees deeper than this are taken apart with a list instead of the stack.
constexpr int release_depth_max = 128;
// Objects with more members than this are compared through a table.
constexpr std::size_t scan_members_max = 16;

void* allocate(std::size_t bytes) {
    void* memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

bool numbers_equal(const Value& a, const Value& b) {
    using Kind = Value::Kind;
    if (a.kind() == b.kind()) {
        switch (a.kind()) {
            case Kind::integer: return a.as_integer() == b.as_integer();
            case Kind::natural: return a.as_natural() == b.as_natural();
            case Kind::real: return a.as_real() == b.as_real();
            default: return a.text() == b.text();
        }
    }
    if (a.kind() != Kind::real && b.kind() != Kind::real) return false;
    const Value& real = a.kind() == Kind::real ? a : b;
    const Value& other = a.kind() == Kind::real ? b : a;
    if (other.kind() == Kind::integer && std::abs(real.as_real()) < 0x1p53) {
        return real.as_real() == static_cast<double>(other.as_integer());
    }
    // Beyond 53 bits a double stands for the number that it prints as.
    std::string text;
    append_real(text, real.as_real());
    std::string digits;
    if (other.kind() == Kind::integer) {
        append_integer(digits, other.as_integer());
    } else if (other.kind() == Kind::natural) {
        append_natural(digits, other.as_natural());
    } else {
        digits = other.text();
    }
    return text == digits;
}

bool objects_equal(std::span<const Member> a, std::span<const Member> b) {
    if (a.size() != b.size()) return false;
    std::unordered_map<std::string_view, const Value*> table;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].key() == b[i].key()) {
            if (!(a[i].value == b[i].value)) return false;
            continue;
        }
        const Value* other = nullptr;
        if (b.size() <= scan_members_max) {
            for (const Member& member : b) {
                if (member.key() == a[i].key()) other = &member.value;
            }
        } else {
            if (table.empty()) {
                for (const Member& member : b) table.emplace(member.key(), &member.value);
            }
            const auto found = table.find(a[i].key());
            if (found != table.end()) other = found->second;
        }
        if (other == nullptr || !(a[i].value == *other)) return false;
    }
    return true;
}

}  // namespace

Value::Value(Kind kind, std::string_view text) : Value(kind) {
    if (text.size() <= inline_max) {
        bytes_[1] = static_cast<std::uint8_t>(text.size());
        if (!text.empty()) std::memcpy(bytes_ + 2, text.data(), text.size());
        return;
    }
    auto* block = static_cast<Text*>(allocate(sizeof(Text) + text.size()));
    block->size = text.size();
    std::memcpy(block->bytes(), text.data(), text.size());
    bytes_[1] = on_heap;
    set_word(block);
}

Value& Value::operator=(const Value& other) {
    if (this != &other) {
        Value copy(other);
        *this = std::move(copy);
    }
    return *this;
}

Value Value::natural(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return integer(static_cast<std::int64_t>(value));
    return {Kind::natural, value};
}

Value Value::big(std::string_view canonical) {
    return {Kind::big, canonical};
}

Value Value::array(std::size_t capacity) {
    Value made(Kind::array);
    if (capacity > 0) {
        auto* block = static_cast<Block<Value>*>(allocate(sizeof(Block<Value>) + capacity * sizeof(Value)));
        block->size = 0;
        block->capacity = capacity;
        made.set_word(block);
    }
    return made;
}

Value Value::object(std::size_t capacity) {
    Value made(Kind::object);
    if (capacity > 0) {
        auto* block = static_cast<Block<Member>*>(allocate(sizeof(Block<Member>) + capacity * sizeof(Member)));
        block->size = 0;
        block->capacity = capacity;
        made.set_word(block);
    }
    return made;
}

double Value::to_real() const {
    switch (kind()) {
        case Kind::boolean: return as_boolean() ? 1.0 : 0.0;
        case Kind::integer: return static_cast<double>(as_integer());
        case Kind::natural: return static_cast<double>(as_natural());
        case Kind::real: return as_real();
        case Kind::big: return nearest_double(text());
        default: return 0.0;
    }
}

const Value* Value::find(std::string_view key) const {
    for (const Member& member : members()) {
        if (member.key() == key) return &member.value;
    }
    return nullptr;
}

Value& Value::item(std::size_t index) {
    ASSERT(index < items().size());
    return word<Block<Value>*>()->data()[index];
}

Value& Value::member(std::size_t index) {
    ASSERT(index < members().size());
    return word<Block<Member>*>()->data()[index].value;
}

void Value::grow(std::size_t element) {
    auto* block = word<Head*>();
    const std::size_t capacity = block == nullptr ? 4 : block->capacity * 2;
    // A value is its sixteen bytes wherever they lie, so a block may move as bytes.
    auto* grown = static_cast<Head*>(std::realloc(block, sizeof(Head) + capacity * element));
    if (grown == nullptr) throw std::bad_alloc();
    if (block == nullptr) grown->size = 0;
    grown->capacity = capacity;
    set_word(grown);
}

Value& Value::append(std::string_view key, Value value) {
    return append(string(key), std::move(value));
}

Value& Value::set(std::string_view key, Value value) {
    ASSERT(is_object());
    const auto all = members();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].key() == key) return member(i) = std::move(value);
    }
    return append(key, std::move(value));
}

void Value::copy_from(const Value& other) {
    switch (other.kind()) {
        case Kind::array: {
            Value made = array(other.size());
            for (const Value& item : other.items()) made.push(item);
            *this = std::move(made);
            return;
        }
        case Kind::object: {
            Value made = object(other.size());
            for (const Member& member : other.members()) made.append(member.key(), member.value);
            *this = std::move(made);
            return;
        }
        case Kind::string:
        case Kind::big:
            if (other.bytes_[1] == on_heap) {
                *this = Value(other.kind(), other.text());
                return;
            }
            [[fallthrough]];
        default: std::memcpy(bytes_, other.bytes_, sizeof bytes_);
    }
}

template <class T>
void Value::free_block(Block<T>* block, int depth) noexcept {
    if (block == nullptr) return;
    std::vector<Value> later;
    const auto drop = [&](Value& value) {
        if (!value.owns()) return;
        if (depth < release_depth_max) {
            value.release(depth + 1);
        } else {
            later.push_back(std::move(value));
        }
    };
    for (std::size_t i = 0; i < block->size; ++i) {
        if constexpr (std::is_same_v<T, Member>) {
            drop(block->data()[i].name);
            drop(block->data()[i].value);
        } else {
            drop(block->data()[i]);
        }
    }
    std::free(block);
    // Each of these hangs its own children into the list before it goes, so the stack stays as it is.
    while (!later.empty()) {
        Value value = std::move(later.back());
        later.pop_back();
        const std::size_t count = value.is_primitive() ? 0 : value.size();
        for (std::size_t i = 0; i < count; ++i) {
            Value& child = value.is_array() ? value.item(i) : value.member(i);
            if (!child.is_primitive()) later.push_back(std::move(child));
        }
    }
}

void Value::release(int depth) noexcept {
    switch (kind()) {
        case Kind::big:
        case Kind::string:
            if (bytes_[1] == on_heap) std::free(word<Text*>());
            break;
        case Kind::array: free_block(word<Block<Value>*>(), depth); break;
        case Kind::object: free_block(word<Block<Member>*>(), depth); break;
        default: break;
    }
}

bool Value::operator==(const Value& other) const {
    if (is_number() && other.is_number()) return numbers_equal(*this, other);
    if (kind() != other.kind()) return false;
    switch (kind()) {
        case Kind::null: return true;
        case Kind::boolean: return as_boolean() == other.as_boolean();
        case Kind::string: return text() == other.text();
        case Kind::array: {
            const auto a = items();
            const auto b = other.items();
            if (a.size() != b.size()) return false;
            for (std::size_t i = 0; i < a.size(); ++i) {
                if (!(a[i] == b[i])) return false;
            }
            return true;
        }
        case Kind::object: return objects_equal(members(), other.members());
        default: return false;
    }
}

}  // namespace belfry::model
