// notification_corpus FOLDER EVENTS: what the shipped subscribers make of a mix in which they want so many events. Each
// line of output is a notification: its content, the same document as JSON, what Belfry thinks that it costs a model,
// and its events. tokens.mjs counts.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/fail.hpp"
#include "model/raw_json.hpp"
#include "model/value_json.hpp"
#include "notifications/run_engine.hpp"
#include "text/toon.hpp"

namespace belfry::bench {
namespace {

constexpr std::size_t sessions = 100;

// So many that the wanted ones among them are enough, and those themselves: their place is their sequence.
std::vector<model::Event> events_with(std::uint64_t wanted) {
    EventMix mix(MixKind::usual, 1, sessions);
    std::vector<model::Event> events;
    while (mix.wanted() < wanted) events.push_back(mix.next());
    return events;
}

void write_rows(model::JsonWriter& line, const std::string& events_json, const std::vector<model::Event>& events) {
    line.name("events").begin_array();
    model::JsonWalker rows(model::JsonView{events_json});
    while (const auto row = rows.next()) {
        const std::size_t sequence = std::strtoull(row->member("sequence")->as_text().c_str(), nullptr, 10);
        const model::Event& event = events.at(sequence - 1);
        line.begin_object().field("type", event.type);
        line.name("count").raw(row->member("count")->text);
        line.name("payload").raw(event.payload.bytes()).end_object();
    }
    line.end_array();
}

void write(const Told& told, const std::vector<model::Event>& events) {
    const auto document = text::toon_decode(told.content);
    if (!document.ok()) fail("no TOON: " + told.content);
    std::string out;
    model::JsonWriter line(out);
    line.begin_object().field("subscriber", told.subscriber_id).field("content", told.content);
    line.field("estimate", static_cast<long long>(told.model_tokens));
    line.name("document").raw(model::to_json(*document));
    write_rows(line, told.events_json, events);
    line.end_object();
    std::puts(out.c_str());
}

void run(const std::string& folder, std::uint64_t wanted) {
    const std::vector<model::Event> events = events_with(wanted);
    std::vector<Told> told;
    EngineRun plan;
    plan.sessions = sessions;
    plan.told = &told;
    plan.events = events.size();
    plan.folder = folder + "/notification-corpus-" + std::to_string(getpid());
    plan.subscribers = catalogue_of(0);
    run_engine(plan);
    for (const Told& one : told) write(one, events);
}

}  // namespace
}  // namespace belfry::bench

int main(int count, char** words) {
    if (count != 3) belfry::bench::fail("usage: notification_corpus FOLDER EVENTS");
    belfry::bench::run(words[1], std::strtoull(words[2], nullptr, 10));
    return 0;
}
