#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

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
    Value(const Value& other) : Value() { copy_from(other); }
    Value(Value&& other) noexcept {
        std::memcpy(bytes_, other.bytes_, sizeof bytes_);
        std::memset(other.bytes_, 0, sizeof other.bytes_);
    }
    Value& operator=(const Value& other);
    Value& operator=(Value&& other) noexcept;
    ~Value() {
        if (owns()) release(0);
    }

    static Value boolean(bool value);
    static Value integer(std::int64_t value);
    static Value natural(std::uint64_t value);  // an `integer` where it fits one
    static Value real(double value);            // null for what is no number
    static Value big(std::string_view canonical);
    static Value string(std::string_view utf8) { return Value(Kind::string, utf8); }
    static Value array(std::size_t capacity = 0);
    static Value object(std::size_t capacity = 0);

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(bytes_[0]); }
    [[nodiscard]] bool is_null() const { return kind() == Kind::null; }
    [[nodiscard]] bool is_string() const { return kind() == Kind::string; }
    [[nodiscard]] bool is_array() const { return kind() == Kind::array; }
    [[nodiscard]] bool is_object() const { return kind() == Kind::object; }
    [[nodiscard]] bool is_primitive() const { return kind() < Kind::array; }
    [[nodiscard]] bool is_number() const { return kind() >= Kind::integer && kind() <= Kind::big; }

    [[nodiscard]] bool as_boolean() const { return word<std::uint64_t>() != 0; }
    [[nodiscard]] std::int64_t as_integer() const { return word<std::int64_t>(); }
    [[nodiscard]] std::uint64_t as_natural() const { return word<std::uint64_t>(); }
    [[nodiscard]] double as_real() const { return word<double>(); }
    // Any number as the nearest double.
    [[nodiscard]] double to_real() const;
    // The bytes of a string or of a big number; they live as long as this value stays where it is, unchanged.
    [[nodiscard]] std::string_view text() const;

    [[nodiscard]] std::span<const Value> items() const;     // of an array; of anything else none
    [[nodiscard]] std::span<const Member> members() const;  // of an object; of anything else none
    [[nodiscard]] std::size_t size() const;                 // of an array or object
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
    struct Text;
    template <class T>
    struct Block;

    static constexpr std::size_t inline_max = 14;
    static constexpr std::uint8_t on_heap = 0xFF;

    Value(Kind kind, std::string_view text);
    explicit Value(Kind kind) : Value() { bytes_[0] = static_cast<std::uint8_t>(kind); }

    template <class T>
    [[nodiscard]] T word() const {
        T value;
        std::memcpy(&value, bytes_ + 8, sizeof value);
        return value;
    }
    template <class T>
    void set_word(T value) {
        static_assert(sizeof value == 8);
        std::memcpy(bytes_ + 8, &value, sizeof value);
    }
    [[nodiscard]] bool owns() const { return bytes_[0] >= static_cast<std::uint8_t>(Kind::big); }
    void release(int depth) noexcept;
    void copy_from(const Value& other);
    template <class T>
    static void free_block(Block<T>* block, int depth) noexcept;
    template <class T>
    Block<T>* block_with_room();

    alignas(8) unsigned char bytes_[16];  // kind, length of an inline text, then its bytes; or a word at offset 8
};

struct Member {
    Value name;  // a string
    Value value;

    [[nodiscard]] std::string_view key() const { return name.text(); }
};

// Makes the kind that holds the number exactly out of a token of JSON's number grammar.
Value number_value(std::string_view token);

}  // namespace belfry::model
