#include "sim/planner.hpp"

#include <array>

#include "base/hash.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t history_max = 200;
constexpr std::array<const char*, 4> types{"sim.thing.happened", "sim.thing", "ci.build.done", "tool.other"};
const std::array<std::string, 5> users{"", "ada", "grace", "mary", "katherine"};
const std::array<std::string, 2> agents{"weaver", "carder"};
constexpr std::array<const char*, 3> sources{"loom", "engine", "mill"};
constexpr std::array<const char*, 4> priorities{"normal", "low", "critical", "no such priority"};
constexpr std::array<const char*, 4> points{"turn_start", "after_tool", "immediate", "turn_end"};

model::Principal producer(std::uint64_t number) {
    model::Principal who;
    who.id = "token:producer" + std::to_string(number);
    who.role = model::Role::emitter;
    return who;
}

void stamp(SentRequest& request) {
    std::string all;
    for (const SentEvent& entry : request.entries) all.append(entry.fingerprint.begin(), entry.fingerprint.end());
    request.fingerprint = base::fingerprint(all);
}

}  // namespace

const std::string& some_person(SeededRandom& random) {
    return users[1 + random.below(users.size() - 1)];
}

const std::string& some_agent(SeededRandom& random) {
    return agents[random.below(agents.size())];
}

void Planner::mark(SentEvent& entry) {
    entry.marker = "mk-" + base::hex(random_.bytes(8));
    // Most are small; some fill several pages, so that their blocks overflow.
    const std::uint64_t draw = random_.below(100);
    const std::size_t pad = draw < 70 ? random_.below(300) : draw < 98 ? random_.below(2500) : random_.below(40000);
    std::string payload;
    model::JsonWriter writer(payload);
    writer.begin_object().field("marker", entry.marker).field("message", "it says " + entry.marker);
    writer.field("dk", entry.event.dedupe_key);
    writer.field("priority", priorities[random_.below(priorities.size())]);
    writer.field("at", points[random_.below(points.size())]);
    writer.field("pad", std::string(pad, static_cast<char>('a' + count_ % 26)));
    writer.end_object();
    entry.event.payload = model::RawJson::trusted(std::move(payload));
}

SentEvent Planner::event() {
    SentEvent entry;
    model::Event& event = entry.event;
    event.type = types[random_.below(types.size())];
    event.source = sources[random_.below(sources.size())];
    event.user_id = users[random_.below(users.size())];
    event.dedupe_key = "dk" + std::to_string(random_.below(3)) + (event.user_id.empty() ? nobodys : "");
    if (random_.one_in(2)) event.session_id = places_.some(random_);
    if (random_.one_in(5)) event.agent_id = agents.front();
    if (random_.one_in(3)) event.severity = static_cast<model::Severity>(random_.below(5));
    mark(entry);
    ++count_;
    if (random_.one_in(3)) event.source_id = "id" + std::to_string(count_);
    if (random_.one_in(12)) break_rule(entry);
    entry.fingerprint = base::fingerprint(entry.marker);
    return entry;
}

void Planner::break_rule(SentEvent& entry) {
    switch (random_.below(4)) {
        case 0: entry.event.type = "nodots"; break;
        case 1: entry.event.source.clear(); break;
        case 2: entry.event.type = "tool.call.failure"; break;  // without the payload that this type needs
        default: entry.broken = base::error(base::Code::malformed, "not an object"); break;
    }
}

SentRequest Planner::fresh() {
    SentRequest request;
    request.principal = producer(random_.below(3));
    const std::uint64_t count = random_.one_in(4) ? 2 + random_.below(10) : 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        request.entries.push_back(event());
    }
    if (random_.one_in(3)) request.key = "key" + std::to_string(count_);
    if (count > 1 && random_.one_in(10)) {
        request.entries.back() = request.entries.front();
        mark(request.entries.back());
    }
    stamp(request);
    return request;
}

SentRequest Planner::repeat(const SentRequest& before) {
    SentRequest request = before;
    for (SentEvent& entry : request.entries) mark(entry);
    return request;
}

// The same key, or the same event id, with another body.
SentRequest Planner::reuse(const SentRequest& before) {
    SentRequest request = repeat(before);
    SentEvent& entry = request.entries.front();
    const std::string source_id = entry.event.source_id;
    const std::string source = entry.event.source;
    entry = event();
    entry.event.source_id = source_id;
    entry.event.source = source;
    if (random_.one_in(2)) request.key.clear();
    stamp(request);
    return request;
}

SentRequest Planner::request() {
    if (!history_.empty() && random_.percent(20)) {
        const SentRequest& before = history_[random_.below(history_.size())];
        return random_.percent(75) ? repeat(before) : reuse(before);
    }
    SentRequest request = fresh();
    history_.push_back(request);
    if (history_.size() > history_max) history_.pop_front();
    return request;
}

SentMint Planner::mint() {
    SentMint mint;
    mint.name = "token" + std::to_string(++count_);
    if (random_.one_in(2)) mint.user_id = some_person(random_);
    if (random_.one_in(3)) mint.life = base::seconds(static_cast<std::int64_t>(1 + random_.below(7200)));
    return mint;
}

SentErase Planner::erase() {
    return {some_person(random_)};
}

}  // namespace belfry::sim
