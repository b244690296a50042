#include "sim/catalogue.hpp"

#include <algorithm>
#include <array>

namespace belfry::sim {
namespace {

using model::InjectAt;
using model::Priority;
using model::Subscriber;

Subscriber subscriber(std::string id, std::vector<std::string> types, std::string dedupe_key, int window_ms,
                      int dedupe_ms) {
    Subscriber made;
    made.id = std::move(id);
    made.name = made.id;
    made.description = "made up";
    made.version = "1.0.0";
    made.types = std::move(types);
    made.dedupe_key = std::move(dedupe_key);
    made.window = base::milliseconds(window_ms);
    made.dedupe_window = base::milliseconds(dedupe_ms);
    return made;
}

// Every key but that of what Belfry itself concludes holds the event's own, which tells whether it named a user.
std::vector<Subscriber> steady() {
    std::vector<Subscriber> all{
        subscriber("batched", {"sim.*"}, "", 2000, 5000),
        subscriber("plain", {"sim.thing"}, "payload.dk", 0, 20'000),
        subscriber("every", {"ci.*"}, "", 1500, 0),
        subscriber("alarm", {"sim.*", "ci.*"}, "type:payload.dk", 2000, 10'000),
        subscriber("small", {"sim.thing.happened"}, "source:payload.dk", 9000, 60'000),
        subscriber("severe", {"sim.*", "tool.other"}, "", 500, 3000),
        subscriber("mill_only", {"sim.*", "ci.*", "tool.*"}, "payload.dk", 4000, 4000),
        subscriber("chosen", {"tool.other"}, "", 3000, 15'000),
        subscriber("people", {"ci.build.done"}, "", 1000, 1000),
        subscriber("notes", {"agent.self.*"}, "payload.message", 1000, 5000),
        subscriber("house", {"agent.turn.*", "agent.loop.*", "budget.*", "tool.call.*"}, "", 3000, 8000)};
    const auto named = [&](const char* id) -> Subscriber& { return *std::ranges::find(all, id, &Subscriber::id); };
    named("every").max_size = 5;
    named("alarm").severity_min = model::Severity::error;
    named("alarm").priority = Priority::critical;
    named("alarm").inject_at = InjectAt::immediate;
    named("small").max_size = 2;
    named("small").inject_at = InjectAt::after_tool;
    named("severe").severity_min = model::Severity::warning;
    named("severe").visible = false;
    named("severe").priority = Priority::low;
    named("severe").inject_at = InjectAt::turn_end;
    named("mill_only").sources = {"mill"};
    named("mill_only").core = true;
    named("mill_only").priority = Priority::high;
    named("chosen").priority_from = "priority";
    named("chosen").inject_from = "at";
    named("people").target = model::Target::user;
    named("notes").priority_from = "priority";
    named("notes").inject_from = "deliver_at";
    return all;
}

}  // namespace

model::SinkCatalogue draw_sinks() {
    model::SinkCatalogue catalogue;
    model::Sink all;
    all.id = "all";
    model::Sink some;
    some.id = "some";
    some.users = {"ada"};
    some.severities = {model::Severity::error, model::Severity::critical};
    catalogue.sinks = {all, some};
    return catalogue;
}

model::Catalogue draw_catalogue(SeededRandom& random) {
    model::Catalogue catalogue;
    catalogue.subscribers = steady();
    if (!random.one_in(3)) {
        constexpr std::array<int, 4> windows{0, 1000, 5000, 10'000};
        constexpr std::array<int, 4> dedupe_windows{0, 2000, 10'000, 60'000};
        Subscriber guest = subscriber(guest_subscriber, {"sim.*", "ci.build.done"}, "", windows[random.below(4)],
                                      dedupe_windows[random.below(4)]);
        if (random.one_in(2)) guest.dedupe_key = "type:payload.dk";
        if (random.one_in(3)) guest.severity_min = model::Severity::warning;
        if (random.one_in(4)) guest.types = {"tool.other"};
        if (random.one_in(4)) guest.sources = {"loom", "engine"};
        if (random.one_in(4)) guest.priority_from = "priority";
        guest.max_size = 1 + random.below(8);
        guest.priority = static_cast<Priority>(random.below(4));
        guest.inject_at = static_cast<InjectAt>(random.below(4));
        if (random.one_in(2)) guest.handler = model::Handler::agent;
        if (random.one_in(2)) guest.target = model::Target::user;
        if (random.one_in(3)) guest.ttl = base::seconds(static_cast<std::int64_t>(1 + random.below(600)));
        catalogue.subscribers.push_back(std::move(guest));
    }
    std::ranges::sort(catalogue.subscribers, {}, &Subscriber::id);
    return catalogue;
}

}  // namespace belfry::sim
