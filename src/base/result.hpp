#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

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

// A value or the reason why there is none. `Result<void>` is success or a reason.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        ASSERT(ok());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        ASSERT(ok());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        ASSERT(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() & {
        ASSERT(!ok());
        return *std::get_if<1>(&state_);
    }
    const Error& error() const& {
        ASSERT(!ok());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        ASSERT(!ok());
        return std::move(*std::get_if<1>(&state_));
    }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

    [[nodiscard]] bool ok() const { return !error_.has_value(); }
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
    std::optional<Error> error_;
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
