#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace belfry::base {

// What went wrong, as callers tell failures apart. Each has one stable code in the wire formats (`code_name`) and one
// HTTP status; a new kind of refusal gets a new enumerator, never a new meaning of an old one.
enum class Code {
    invalid,          // the input breaks a rule; `field` names where
    malformed,        // the bytes are not what they claim to be (JSON, TOML, a position)
    too_large,        // a size or count limit; the message names it
    unauthenticated,  // no or unknown credential
    forbidden,        // known, but not allowed
    not_found,
    gone,      // existed, was trimmed or expired
    conflict,  // contradicts what is recorded (another body under the same idempotency key)
    not_acceptable,
    unsupported,  // a media type, a method, a version
    rate_limited,
    overloaded,       // the bounded queue is full: try again
    unavailable,      // the store is down: nothing new is accepted
    outcome_unknown,  // the commit neither succeeded nor failed: ask again with the same key
    timeout,
    io,        // the machine: disk, socket, permission
    internal,  // a bug
};

struct Error {
    Code code = Code::internal;
    std::string message;
    std::string field;     // the input field at fault, dotted; empty where there is none
    std::string reason{};  // a stable word where the code alone does not tell: `stale_lease`; empty: it does

    bool operator==(const Error&) const = default;
};

[[nodiscard]] const char* code_name(Code code);

inline Error error(Code code, std::string message, std::string field = {}, std::string reason = {}) {
    return Error{code, std::move(message), std::move(field), std::move(reason)};
}

// Memory of an error that a result holds. Results of all types share these functions, and a result is hardly larger
// than its value.
[[nodiscard]] Error* keep_error(Error error);
[[nodiscard]] Error* copy_error(const Error* kept);
// Returns `kept` and leaves an error that says that it was moved.
[[nodiscard]] Error* move_error(Error*& kept) noexcept;
void drop_error(Error* kept) noexcept;

// A value or the reason why there is none. `Result<void>` is success or a reason.
//
// The class has its own union instead of std::variant: there are about 900 types of results, and with a variant a group
// of the engine's source files took 24.7 s to compile instead of 16.9 s.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)), ok_(true) {}                   // NOLINT: implicit on purpose
    Result(Error error) : error_(keep_error(std::move(error))), ok_(false) {}  // NOLINT

    Result(const Result& other)
        requires std::is_copy_constructible_v<T>
        : ok_(other.ok_) {
        if (ok_) std::construct_at(&value_, other.value_);
        else error_ = copy_error(other.error_);
    }
    Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
        if (ok_) std::construct_at(&value_, std::move(other.value_));
        else error_ = move_error(other.error_);
    }
    Result& operator=(Result other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
        return *this;
    }
    ~Result() {
        if (ok_) std::destroy_at(&value_);
        else drop_error(error_);
    }

    [[nodiscard]] bool ok() const { return ok_; }
    explicit operator bool() const { return ok_; }

    T& value() & {
        ASSERT(ok_);
        return value_;
    }
    const T& value() const& {
        ASSERT(ok_);
        return value_;
    }
    T&& value() && {
        ASSERT(ok_);
        return std::move(value_);
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() & {
        ASSERT(!ok_);
        return *error_;
    }
    const Error& error() const& {
        ASSERT(!ok_);
        return *error_;
    }
    Error&& error() && {
        ASSERT(!ok_);
        return std::move(*error_);
    }

private:
    union {
        T value_;
        Error* error_;
    };
    bool ok_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(keep_error(std::move(error))) {}  // NOLINT: implicit on purpose
    Result(const Result& other) : error_(other.ok() ? nullptr : copy_error(other.error_)) {}
    Result(Result&& other) noexcept : error_(other.ok() ? nullptr : move_error(other.error_)) {}
    Result& operator=(Result other) noexcept {
        std::swap(error_, other.error_);
        return *this;
    }
    ~Result() {
        if (error_ != nullptr) drop_error(error_);
    }

    [[nodiscard]] bool ok() const { return error_ == nullptr; }
    explicit operator bool() const { return ok(); }

    Error& error() & {
        ASSERT(!ok());
        return *error_;
    }
    const Error& error() const& {
        ASSERT(!ok());
        return *error_;
    }
    Error&& error() && {
        ASSERT(!ok());
        return std::move(*error_);
    }

private:
    Error* error_ = nullptr;
};

}  // namespace belfry::base

#define BELFRY_JOIN_(a, b) a##b
#define BELFRY_JOIN(a, b) BELFRY_JOIN_(a, b)

// TRY(expression): returns its error from this function. TRY_ASSIGN(declaration, expression): or declares the value.
// Both are statements, so that they are safe in coroutines and with every compiler.
#define TRY(expression)                                                                                   \
    do {                                                                                                  \
        if (auto belfry_tried = (expression); !belfry_tried.ok()) return std::move(belfry_tried).error(); \
    } while (false)

#define TRY_ASSIGN(declaration, expression) TRY_ASSIGN_(BELFRY_JOIN(belfry_result_, __LINE__), declaration, expression)
#define TRY_ASSIGN_(result, declaration, expression)    \
    auto result = (expression);                         \
    if (!result.ok()) return std::move(result).error(); \
    declaration = std::move(result).value()
