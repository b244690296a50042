#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "model/severity.hpp"

namespace belfry::model {

// In the order in which they are handed over: the first one first.
enum class Priority : std::uint8_t { critical, high, normal, low };
// A moment of an agent's turn at which text may be put into its context.
enum class InjectAt : std::uint8_t { immediate, turn_start, after_tool, turn_end };
// The three axes of a notification: where it lives, whom it is for, who speaks.
enum class Address : std::uint8_t { session, user };
enum class Target : std::uint8_t { user, agent };
enum class Handler : std::uint8_t { system, agent };

std::string_view priority_name(Priority priority);
std::string_view inject_at_name(InjectAt point);
std::string_view address_name(Address address);
std::string_view target_name(Target target);
std::string_view handler_name(Handler handler);
std::optional<Priority> parse_priority(std::string_view name);
std::optional<InjectAt> parse_inject_at(std::string_view name);
std::optional<Address> parse_address(std::string_view name);
std::optional<Target> parse_target(std::string_view name);
std::optional<Handler> parse_handler(std::string_view name);

// A TOML file that says which events become which notification.
struct Subscriber {
    std::string id;
    std::string name;
    std::string description;
    std::string version;

    std::vector<std::string> types;  // patterns
    std::optional<Severity> severity_min;
    std::vector<std::string> sources;  // empty: any
    bool unmatched = false;            // also what is an error or worse and nobody else wants

    base::Duration window = base::limits::batch_window_default;  // zero: no batching
    std::size_t max_size = base::limits::batch_size_default;
    std::string dedupe_key;  // colon-separated parts; empty: the event's own
    base::Duration dedupe_window = base::limits::dedupe_window_default;  // zero: none

    Priority priority = Priority::normal;
    InjectAt inject_at = InjectAt::turn_start;
    std::string template_name;  // of the content; empty: the fallback content
    std::string text_template;  // of the text for people, the template itself; empty: made from the events
    // Members of the payload that may choose another priority and point for one event: what an agent tells itself.
    std::string priority_from;
    std::string inject_from;
    bool core = false;
    std::string core_reason;  // why nobody can switch it off, for people
    bool visible = true;      // leaves a system message in its session

    // Where the file sets other axes than decision 17a's.
    std::optional<Address> address;
    std::optional<Target> target;
    std::optional<Handler> handler;
    std::optional<base::Duration> ttl;
    std::string directive;

    std::string origin;  // the file; `shipped` for one that came with the binary

    bool operator==(const Subscriber&) const = default;
};

// What is wrong with a file, as a person reads it.
struct SubscriberProblem {
    std::string file;
    std::uint32_t line = 0;  // 0: the file as a whole
    std::uint32_t column = 0;
    std::string field;
    std::string message;
    bool fatal = true;  // false: the subscriber works, but not as its author thinks

    bool operator==(const SubscriberProblem&) const = default;
};

// All subscribers as they were read at one moment. Immutable and shared.
struct Catalogue {
    std::vector<Subscriber> subscribers;                  // by id, each id once
    std::map<std::string, std::string> templates;         // name as subscribers and includes use it → source
    std::map<std::string, std::string> template_origins;  // the same name → the file; `shipped` for one of the binary
    std::vector<SubscriberProblem> problems;

    [[nodiscard]] const Subscriber* find(std::string_view id) const;
};

}  // namespace belfry::model
