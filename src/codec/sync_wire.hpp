#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/sync_message.hpp"

// What devices say to each other, as text: one JSON object a message, `{"hello":{…}}`, `{"frame":{…}}`. docs/sync.md
// has the names of its members under "On the wire". Records make up nearly all of it, so what is repeated is written
// once: a frame begins with its hosts and with the kinds and owners of its records, which stand as numbers in what
// follows.
namespace belfry::codec {

[[nodiscard]] std::string sync_message_text(const model::SyncMessage& message);

// Strict in everything that has a bound (base/sync_limits.hpp) and in the order of numbers; members that it does not
// know are passed over. What records mean is not asked here (rules::check_sync_record). `malformed`, `too_large` or
// `invalid`, with the field.
[[nodiscard]] base::Result<model::SyncMessage> read_sync_message(std::string_view text);

}  // namespace belfry::codec
