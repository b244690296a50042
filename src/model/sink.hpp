#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "model/subscriber.hpp"

namespace belfry::model {

enum class SinkKind : std::uint8_t { desktop, command, ntfy, webhook };
std::string_view sink_kind_name(SinkKind kind);
std::optional<SinkKind> parse_sink_kind(std::string_view name);

// A TOML file that says where else a person's inbox rings: on the desktop, in a command, on a phone, at a server. It
// only carries the word; that the person knows is still said by an interface's acknowledgement.
struct Sink {
    std::string id;
    SinkKind kind = SinkKind::desktop;
    base::Duration time_max = base::limits::sink_time_default;  // of one attempt

    // Which notifications; an empty list does not narrow.
    std::vector<std::string> users;
    std::vector<Priority> priorities;
    std::vector<Severity> severities;

    std::vector<std::string> argv;                             // of a command
    std::string url;                                           // of ntfy and webhook, http or https
    std::string topic;                                         // of ntfy
    std::string token;                                         // of ntfy; empty: none
    std::string secret;                                        // of a webhook, the bytes themselves
    std::vector<std::pair<std::string, std::string>> headers;  // of a webhook, besides Belfry's own

    std::string origin;  // the file

    bool operator==(const Sink&) const = default;
};

// The program that shows desktop notifications.
inline constexpr std::string_view desktop_program = "notify-send";

// All sinks as they were read at one moment. Immutable and shared.
struct SinkCatalogue {
    std::vector<Sink> sinks;  // by id, each id once
    std::vector<SubscriberProblem> problems;

    [[nodiscard]] const Sink* find(std::string_view id) const;
    bool operator==(const SinkCatalogue&) const = default;
};

}  // namespace belfry::model
