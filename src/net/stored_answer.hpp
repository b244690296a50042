#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/connection.hpp"

// Answers as they are stored under an idempotency key.
namespace belfry::net {

// The header field of an answer that was stored by an earlier request.
inline constexpr std::string_view replayed_field = "Idempotent-Replayed: true\r\n";

std::string write_stored_answer(const Answer& answer);
// The views of the answer point into `stored` and `fields`. `fields` holds the stored header fields and
// `replayed_field`.
base::Result<Answer> read_stored_answer(std::string_view stored, std::string& fields);

// The error for a request with an idempotency key on a route that takes none.
base::Error no_idempotency_key(std::string_view why);

}  // namespace belfry::net
