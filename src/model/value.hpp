#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.hpp"

namespace belfry::model {

struct Member;

// A tree of JSON's kinds, as rules and templates read it. It owns all of itself, takes sixteen bytes, moves for the
// price of two words and copies deeply. Strings of up to fourteen bytes live inside the value.
//
// Numbers keep their value: an integer is `integer` where 64 signed bits hold it, `natural` where only 64 unsigned bits
// do; any other number is `real` where the double nearest to it prints as the same number, and else `big`, its
// canonical decimal text (see model/number.hpp).
//
// An object keeps the order in which its members came. Its keys are distinct: `set` sees to that, `append` leaves it to
// the caller, who already knows.
class Value {
public:
    enum class Kind : std::uint8_t { null, boolean, integer, natural, real, big, string, array, object };

    Value() noexcept { std::memset(bytes_, 0, sizeof bytes_); }
    Value(const Value& other) {
        if (other.is_flat()) {
            std::memcpy(bytes_, other.bytes_, sizeof bytes_);
        } else {
            std::memset(bytes_, 0, sizeof bytes_);
            copy_from(other);
        }
    }
    Value(Value&& other) noexcept {
        std::memcpy(bytes_, other.bytes_, sizeof bytes_);
        std::memset(other.bytes_, 0, sizeof other.bytes_);
    }
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept {
        // What is assigned may live inside what is replaced, so it is taken first.
        unsigned char taken[16];
        std::memcpy(taken, other.bytes_, sizeof taken);
        std::memset(other.bytes_, 0, sizeof other.bytes_);
        if (owns()) release(0);
        std::memcpy(bytes_, taken, sizeof taken);
        return *this;
    }
    ~Value() {
        if (owns()) release(0);
    }

    static Value boolean(bool value) { return Value(Kind::boolean, std::uint64_t{value ? 1U : 0U}); }
    static Value integer(std::int64_t value) { return Value(Kind::integer, value); }
    static Value natural(std::uint64_t value);  // an `integer` where it fits one
    static Value real(double value) {           // null for what is no number
        return value - value == 0 ? Value(Kind::real, value) : Value();
    }
    static Value big(std::string_view canonical);
    static Value string(std::string_view utf8) {
        if (utf8.size() > inline_max) return Value(Kind::string, utf8);
        return short_string(utf8.data(), utf8.size());
    }
    static Value array(std::size_t capacity = 0);
    static Value object(std::size_t capacity = 0);

    // Assign a number in place: one that is made elsewhere and moved here waits for its own stores.
    void set_integer(std::int64_t value) { set_number(Kind::integer, std::bit_cast<std::uint64_t>(value)); }
    void set_real(double finite) { set_number(Kind::real, std::bit_cast<std::uint64_t>(finite)); }

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(bytes_[0]); }
    [[nodiscard]] bool is_null() const { return kind() == Kind::null; }
    [[nodiscard]] bool is_string() const { return kind() == Kind::string; }
    [[nodiscard]] bool is_array() const { return kind() == Kind::array; }
    [[nodiscard]] bool is_object() const { return kind() == Kind::object; }
    [[nodiscard]] bool is_primitive() const { return kind() < Kind::array; }
    [[nodiscard]] bool is_number() const { return kind() >= Kind::integer && kind() <= Kind::big; }

    // Its sixteen bytes are all of it.
    [[nodiscard]] bool is_flat() const {
        return !owns() || (bytes_[0] <= static_cast<std::uint8_t>(Kind::string) && bytes_[1] != on_heap);
    }

    [[nodiscard]] bool as_boolean() const { return word<std::uint64_t>() != 0; }
    [[nodiscard]] std::int64_t as_integer() const { return word<std::int64_t>(); }
    [[nodiscard]] std::uint64_t as_natural() const { return word<std::uint64_t>(); }
    [[nodiscard]] double as_real() const { return word<double>(); }
    // Any number as the nearest double.
    [[nodiscard]] double to_real() const;
    // The bytes of a string or of a big number; they live as long as this value stays where it is, unchanged.
    [[nodiscard]] std::string_view text() const {
        if (kind() != Kind::string && kind() != Kind::big) return {};
        if (bytes_[1] != on_heap) return {reinterpret_cast<const char*>(bytes_ + 2), bytes_[1]};
        const auto* block = word<const Text*>();
        return {block->bytes(), block->size};
    }
    // Of two strings: the same as comparing their texts, but faster where they are short.
    [[nodiscard]] bool same_text(const Value& other) const {
        if (bytes_[1] != on_heap || other.bytes_[1] != on_heap)
            return std::memcmp(bytes_, other.bytes_, sizeof bytes_) == 0;
        return text() == other.text();
    }

    [[nodiscard]] inline std::span<const Value> items() const;     // of an array; of anything else none
    [[nodiscard]] inline std::span<const Member> members() const;  // of an object; of anything else none
    [[nodiscard]] std::size_t size() const {
        return word<const void*>() == nullptr || is_primitive() ? 0 : word<const Head*>()->size;
    }
    [[nodiscard]] const Value* find(std::string_view key) const;
    [[nodiscard]] Value& item(std::size_t index);  // of an array

    Value& push(Value value);                          // onto an array
    Value& append(std::string_view key, Value value);  // onto an object that does not have this key
    Value& append(Value name, Value value);            // the same; the name is a string
    Value& set(std::string_view key, Value value);     // replaces, or appends
    Value& member(std::size_t index);                  // the value of an object's member

    // By value: numbers mathematically, objects whatever the order of their members.
    bool operator==(const Value& other) const;

private:
    // What follows each of these lies behind it, in the same allocation.
    struct Text {
        std::size_t size;
        char* bytes() { return reinterpret_cast<char*>(this + 1); }
        [[nodiscard]] const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    };
    struct Head {
        std::size_t size;
        std::size_t capacity;
    };
    template <class T>
    struct Block : Head {
        T* data() { return reinterpret_cast<T*>(this + 1); }
        [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(this + 1); }
    };

    static constexpr std::size_t inline_max = 14;
    static constexpr std::size_t word_bytes = 8;
    static constexpr std::uint8_t on_heap = 0xFF;

    Value(Kind kind, std::string_view text);
    explicit Value(Kind kind) : Value() { bytes_[0] = static_cast<std::uint8_t>(kind); }
    template <class T>
    Value(Kind kind, T word) : Value(kind) {
        set_word(word);
    }

    void set_number(Kind kind, std::uint64_t word) {
        if (owns()) release(0);
        const auto low = static_cast<std::uint64_t>(kind);
        std::memcpy(bytes_, &low, sizeof low);
        std::memcpy(bytes_ + 8, &word, sizeof word);
    }

    template <class T>
    [[nodiscard]] T word() const {
        static_assert(sizeof(T) == word_bytes);
        T value;
        std::memcpy(&value, bytes_ + 8, word_bytes);
        return value;
    }
    template <class T>
    void set_word(T value) {
        static_assert(sizeof(T) == word_bytes);
        std::memcpy(bytes_ + 8, &value, word_bytes);
    }
    // Up to fourteen bytes, put together in registers: a value written byte by byte and then moved as a whole would
    // wait for its own stores.
    static Value short_string(const char* from, std::size_t size) {
        static_assert(std::endian::native == std::endian::little);
        const auto load = [](const char* at, std::size_t bytes) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, bytes);
            return word;
        };
        std::uint64_t first = 0;
        std::uint64_t rest = 0;
        if (size >= 8) {
            first = load(from, 8);
            if (size > 8) rest = load(from + size - 8, 8) >> (8 * (16 - size));
        } else if (size >= 4) {
            first = load(from, 4) | load(from + size - 4, 4) << (8 * (size - 4));
        } else if (size > 0) {
            first = load(from, 1) | load(from + size / 2, 1) << (8 * (size / 2)) |
                    load(from + size - 1, 1) << (8 * (size - 1));
        }
        const std::uint64_t low = static_cast<std::uint64_t>(Kind::string) | size << 8U | first << 16U;
        const std::uint64_t high = first >> 48U | rest << 16U;
        Value made;
        std::memcpy(made.bytes_, &low, 8);
        std::memcpy(made.bytes_ + 8, &high, 8);
        return made;
    }
    [[nodiscard]] bool owns() const { return bytes_[0] >= static_cast<std::uint8_t>(Kind::big); }
    void release(int depth) noexcept;
    void copy_from(const Value& other);
    template <class T>
    static void free_block(Block<T>* block, int depth) noexcept;
    template <class T>
    Block<T>* block_with_room() {
        auto* block = word<Block<T>*>();
        if (block != nullptr && block->size < block->capacity) [[likely]]
            return block;
        grow(sizeof(T));
        return word<Block<T>*>();
    }
    void grow(std::size_t element);

    alignas(8) unsigned char bytes_[16];  // kind, length of an inline text, then its bytes; or a word at offset 8
};

struct Member {
    Value name;  // a string
    Value value;

    [[nodiscard]] std::string_view key() const { return name.text(); }
};

inline std::span<const Value> Value::items() const {
    const auto* block = kind() == Kind::array ? word<const Block<Value>*>() : nullptr;
    if (block == nullptr) return {};
    return {block->data(), block->size};
}

inline std::span<const Member> Value::members() const {
    const auto* block = kind() == Kind::object ? word<const Block<Member>*>() : nullptr;
    if (block == nullptr) return {};
    return {block->data(), block->size};
}

inline Value& Value::push(Value value) {
    ASSERT(is_array());
    auto* block = block_with_room<Value>();
    return *new (block->data() + block->size++) Value(std::move(value));
}

inline Value& Value::append(Value name, Value value) {
    ASSERT(is_object() && name.is_string());
    auto* block = block_with_room<Member>();
    return (new (block->data() + block->size++) Member{std::move(name), std::move(value)})->value;
}

// Makes the kind that holds the number exactly out of a token of JSON's number grammar.
Value number_value(std::string_view token);

}  // namespace belfry::model
