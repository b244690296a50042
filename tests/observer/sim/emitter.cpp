#include <charconv>

#include "base/hash.hpp"
#include "edge.hpp"
#include "parties.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/intake.hpp"

namespace observer::sim {
namespace {

constexpr int tries_max = 6;

std::unique_ptr<ports::EmitNotification> make_command(const Emitted& asked) {
    auto command = std::make_unique<ports::EmitNotification>();
    model::Notification& draft = command->draft;
    draft.scope = {asked.user, asked.session, asked.agent};
    set_routing(draft, asked.routing);
    draft.text = asked.text;
    draft.priority = *model::parse_priority(asked.priority);
    draft.deduplication_key = asked.deduplication_key;
    draft.ttl = base::milliseconds(asked.ttl_ms);
    command->lease = asked.lease;
    command->caused_by = asked.caused_by;
    return command;
}

// The answer that is stored under an idempotency key: status, version and id.
std::string stored_of(std::int64_t status, const model::Notification& made) {
    return std::to_string(status) + " " + std::to_string(made.version) + " " + id_text(made.id.uuid);
}

void read_stored(std::string_view stored, Emitted& seen) {
    const char* const end = stored.data() + stored.size();
    const auto status = std::from_chars(stored.data(), end, seen.answer.status);
    const auto version = std::from_chars(status.ptr + 1, end, seen.version);
    seen.id.assign(version.ptr + 1, end);
}

}  // namespace

void Emitter::act() {
    act_once();
    later(10, 150, [this] { act(); });
}

void Emitter::act_once() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 6) emit_event();
    else if (choice < 22) update_by_key();
    else if (choice < 32 && !stage_.agents.empty()) emit_to_agent();
    else emit_any();
}

void Emitter::emit_any() {
    EmitWish wish;
    wish.user = choose(stage_.users);
    wish.code = choose({"uus", "sus", "uua", "uua", "sua", "uas", "sas", "saa", "uaa", "uaa"});
    if (wish.code[0] == 's' || random_.one_in(5)) wish.session = choose(stage_.sessions[wish.user]);
    wish.is_idempotent = random_.percent(30);
    emit(wish);
}

void Emitter::update_by_key() {
    EmitWish wish;
    wish.user = choose(stage_.users);
    wish.code = choose({"uus", "uua", "uaa", "uas"});
    wish.key = wish.code + "-" + std::to_string(random_.below(3));
    if (random_.one_in(2)) wish.lease = 1 + static_cast<std::int64_t>(random_.below(2));
    emit(wish);
}

void Emitter::emit_to_agent() {
    const auto& [agent, user] = choose(stage_.agents);
    EmitWish wish;
    wish.user = user;
    wish.agent = agent;
    wish.code = agent == "coder" ? choose({"uua", "uaa"}) : choose({"uua", "uaa", "sua", "saa"});
    wish.ttl_s = agent == "robot" ? 30 * 86'400 : choose_number({2, 10, 40});
    if (wish.code[0] == 's') wish.session = agent + "-talk";
    emit(wish);
}

void Emitter::emit(const EmitWish& wish, Then then) {
    Emitted asked;
    asked.caller = name_;
    asked.role = role_;
    asked.user = wish.user;
    asked.session = wish.session;
    asked.agent = wish.agent;
    asked.routing = Routing::from_code(wish.code);
    asked.mark = stage_.recorder.mark('m');
    asked.text = asked.mark + " " + wish.code + " for " + wish.user;
    asked.priority = choose({"normal", "normal", "high", "critical", "low"});
    asked.deduplication_key = wish.key;
    asked.lease = wish.lease;
    asked.caused_by = wish.caused_by;
    const std::int64_t ttl_s = wish.ttl_s                   ? wish.ttl_s
                               : asked.routing.is_passive() ? 30
                                                            : choose_number({1, 2, 3, 3, 10, 60});
    asked.ttl_ms = ttl_s * 1000;
    if (wish.is_idempotent) asked.idempotency_key = "key-" + asked.mark.substr(1, asked.mark.size() - 2);
    const int wanted = wish.is_idempotent ? static_cast<int>(1 + random_.below(2)) : 1;
    try_emit(asked, tries_max, wanted, then);
}

// Sends the request until it was answered `wanted` times; without an idempotency key only once.
void Emitter::try_emit(const Emitted& asked, int tries, int wanted, const Then& then) {
    auto command = make_command(asked);
    const auto heard = [this, began = stage_.recorder.tick(), tries, wanted, then](const Emitted& seen) {
        stage_.recorder.add(name_, seen, began);
        stage_.know(seen.id);
        const int left = wanted - (seen.id.empty() ? 0 : 1);
        const bool is_last =
            seen.idempotency_key.empty() || left == 0 || seen.answer.is_rejected() || tries == 1 || stage_.is_ending;
        if (is_last) {
            if (then) then(seen);
            return;
        }
        Emitted again = seen;
        again.answer = {};
        again.id.clear();
        again.version = 0;
        after(20'000, [this, again, tries, left, then] { try_emit(again, tries - 1, left, then); });
    };
    if (!asked.idempotency_key.empty()) {
        command->idempotency = ports::IdempotencyKey{asked.idempotency_key, base::fingerprint(asked.text)};
        command->store = [](const base::Result<ports::EmittedNotification>& result) -> std::optional<std::string> {
            if (!result.ok()) return std::nullopt;
            return stored_of(result->is_new ? 201 : 200, result->notification);
        };
        command->replayed = [heard, asked](const std::string& stored) {
            Emitted seen = asked;
            read_stored(stored, seen);
            heard(seen);
        };
    }
    stage_.node.ask<ports::EmitNotification>(std::move(command), token_, [heard, asked](const auto* result) {
        Emitted seen = asked;
        seen.answer = answer_of(result, 201);
        if (result != nullptr && result->ok()) {
            seen.id = id_text((*result)->notification.id.uuid);
            seen.version = (*result)->notification.version;
        }
        heard(seen);
    });
}

void Emitter::emit_event() {
    EventEmitted asked;
    asked.caller = name_;
    asked.role = role_;
    asked.type = "w.f";
    asked.mark = stage_.recorder.mark('m');
    asked.source = asked.mark;  // stands early in the text, because facts may be cut where a budget is small
    asked.severity = "error";
    asked.user = choose(stage_.users);
    asked.expect = "inbox";
    asked.idempotency_key = "event-" + asked.mark.substr(1, asked.mark.size() - 2);
    try_event(asked, 3);
}

void Emitter::try_event(const EventEmitted& asked, int tries) {
    model::Event event;
    event.type = asked.type;
    event.source = asked.source;
    event.severity = model::Severity::error;
    event.user_id = asked.user;
    event.payload = model::RawJson::trusted(R"({"what":"failed"})");
    auto command = std::make_unique<ports::EmitEvents>();
    command->idempotency = ports::IdempotencyKey{asked.idempotency_key, base::fingerprint(asked.source)};
    command->entries.push_back({std::move(event), base::fingerprint(asked.source)});
    stage_.node.ask<ports::EmitEvents>(
        std::move(command), token_,
        [this, began = stage_.recorder.tick(), asked, tries](const base::Result<ports::EmitReply>* result) {
            EventEmitted seen = asked;
            seen.answer = answer_of(result, 201);
            if (result != nullptr && result->ok()) {
                const ports::Admission& entry = (*result)->entries.front();
                if (entry.ok()) seen.id = id_text(entry->id.uuid);
                else seen.answer = failure_of(entry.error());
            }
            stage_.recorder.add(name_, seen, began);
            if (seen.answer.status == 0 && tries > 1)
                after(20'000, [this, asked, tries] { try_event(asked, tries - 1); });
        });
}

}  // namespace observer::sim
