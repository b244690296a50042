#include "engine/idempotency.hpp"

#include "base/assert.hpp"
#include "base/limits.hpp"

namespace belfry::engine {
namespace {

using base::Code;

constexpr const char* field = "Idempotency-Key";

std::string_view view(const std::array<std::uint8_t, 16>& fingerprint) {
    return {reinterpret_cast<const char*>(fingerprint.data()), fingerprint.size()};
}

std::string request_key(const ports::Command& command) {
    std::string key(ports::request_key_prefix);
    key += command.principal.id;
    key += '\0';
    key += command.idempotency->text;
    return key;
}

}  // namespace

base::Result<void> Idempotency::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> Idempotency::load_keys(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> keys;
    for (const ports::Command* command : commands) {
        if (command->idempotency) keys.push_back(request_key(*command));
    }
    if (keys.empty()) return {};
    const base::Timestamp not_before = unit.now - base::limits::idempotency_kept;
    TRY_ASSIGN(std::vector<ports::RememberedAnswer> found, unit.store.idempotency().find(keys, not_before));
    for (ports::RememberedAnswer& answer : found) {
        std::string key = answer.key;
        known_.insert_or_assign(std::move(key), std::move(answer));
    }
    return {};
}

base::Result<bool> Idempotency::answer_repeat(ports::Command& command, Capability& capability) {
    if (!command.idempotency) return false;
    const auto before = known_.find(request_key(command));
    if (before == known_.end()) return false;
    const ports::RememberedAnswer& known = before->second;
    if (known.fingerprint != view(command.idempotency->fingerprint)) {
        command.refuse(base::error(Code::conflict,
                                   "Idempotency-Key was used with another request during the last 24 hours", field));
    } else if (known.answer.empty()) {
        command.refuse(base::error(
            Code::gone, "the request was carried out before; an erasure has removed its stored answer", field));
    } else {
        TRY(capability.replay(command, known.answer));
    }
    return true;
}

void Idempotency::remember(const ports::Command& command, const Capability& capability) {
    if (!command.idempotency) return;
    ASSERT(command.is_settled());
    std::optional<std::string> answer = capability.stored_answer(command);
    if (!answer) return;
    std::string key = request_key(command);
    fresh_.push_back(key);
    ports::RememberedAnswer remembered{key, std::string(view(command.idempotency->fingerprint)), std::move(*answer)};
    known_.insert_or_assign(std::move(key), std::move(remembered));
}

base::Result<void> Idempotency::erase_answers(Unit& unit) {
    for (auto& [key, known] : known_) {
        if (known.answer.starts_with(ports::personal_answer)) known.answer.clear();
    }
    return unit.store.idempotency().erase_personal();
}

base::Result<void> Idempotency::flush(Unit& unit) {
    if (fresh_.empty()) return {};
    std::vector<ports::RememberedAnswer> answers;
    answers.reserve(fresh_.size());
    for (const std::string& key : fresh_) answers.push_back(known_.at(key));
    return unit.store.idempotency().put(answers, unit.now);
}

void Idempotency::committed(Effects&) {
    dropped();
}

void Idempotency::dropped() {
    known_.clear();
    fresh_.clear();
}

}  // namespace belfry::engine
