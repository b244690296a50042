#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Parts that observations of every kind share: routings, answers, names of notifications.
namespace observer {

// The three axes. `code()` is the short form of the audits: "uus", "sua", …
struct Routing {
    bool address_session = false;  // Address SESSION, else USER
    bool target_agent = false;     // Target AGENT, else USER
    bool handler_agent = false;    // Handler AGENT, else SYSTEM
    bool operator==(const Routing&) const = default;

    // USER·USER·SYSTEM or SESSION·USER·SYSTEM: Belfry shows the raw text.
    bool is_alert() const { return !target_agent && !handler_agent; }
    // *·USER·AGENT: an agent must tell the user.
    bool is_must_tell() const { return !target_agent && handler_agent; }
    // *·AGENT·AGENT: an internal matter; the agent decides.
    bool is_decide() const { return target_agent && handler_agent; }
    // *·AGENT·SYSTEM: context for agents; the user is blind to it.
    bool is_passive() const { return target_agent && !handler_agent; }

    std::string code() const {
        return {address_session ? 's' : 'u', target_agent ? 'a' : 'u', handler_agent ? 'a' : 's'};
    }
    static Routing from_code(std::string_view code) {
        return {.address_session = code.size() > 0 && code[0] == 's',
                .target_agent = code.size() > 1 && code[1] == 'a',
                .handler_agent = code.size() > 2 && code[2] == 'a'};
    }
};

// The answer to a request. Status 0: no answer came (timeout, broken connection, kill -9), so the request may or may
// not have taken effect. Statuses 502 and 503 and 504 count as "perhaps" too.
struct Answer {
    std::int64_t status = 0;
    std::string reason = {};  // `reason` or `code` of the problem document

    bool is_accepted() const { return status >= 200 && status < 300; }
    bool is_rejected() const { return status >= 400 && status < 500; }
    bool is_unknown() const { return !is_accepted() && !is_rejected(); }
};

// A named notification in a request of an agent's runtime: handle or id, with or without a lease and a version.
struct ItemName {
    std::string id = {};  // handle (n7) or id, as the caller wrote it
    std::optional<std::int64_t> lease = {};
    std::optional<std::int64_t> version = {};
};

}  // namespace observer
