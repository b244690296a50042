#include "rules/wake_key.hpp"

#include <set>
#include <vector>

#include "base/hash.hpp"
#include "rules/canonical_json.hpp"

namespace belfry::rules {
namespace {

// Collects the parts of one key. No two lists of parts give the same bytes.
class KeyMaker {
public:
    explicit KeyMaker(std::string_view kind) { add(kind); }

    KeyMaker& add(std::string_view part) {
        const std::uint64_t size = part.size();
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes_ += static_cast<char>((size >> static_cast<unsigned>(shift)) & 0xFFU);
        }
        bytes_ += part;
        return *this;
    }
    KeyMaker& add_number(std::int64_t number) { return add(std::to_string(number)); }
    KeyMaker& add_number(std::uint64_t number) { return add(std::to_string(number)); }
    KeyMaker& add_set(const std::set<std::string_view>& members) {
        add_number(std::uint64_t{members.size()});
        for (const std::string_view member : members) add(member);
        return *this;
    }

    [[nodiscard]] std::string key() const {
        const base::Sha256 hash = base::sha256(bytes_);
        return base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
    }

private:
    std::string bytes_;
};

}  // namespace

std::string batch_id(std::span<const model::ChangeUnit> units) {
    const auto by_value = [](const model::ChangeUnit* a, const model::ChangeUnit* b) { return *a < *b; };
    std::set<const model::ChangeUnit*, decltype(by_value)> sorted(by_value);
    for (const model::ChangeUnit& unit : units) sorted.insert(&unit);
    KeyMaker maker("wake.batch");
    maker.add_number(std::uint64_t{sorted.size()});
    for (const model::ChangeUnit* unit : sorted) {
        maker.add(unit->host).add_number(unit->counter).add(unit->kind).add(unit->id);
    }
    return maker.key();
}

std::string link_key(std::string_view relation, std::string_view from_id, std::string_view to_id) {
    return KeyMaker("journal.link").add(relation).add(from_id).add(to_id).key();
}

std::string subscription_run_key(std::string_view agent_id, std::string_view subscription_id,
                                 std::string_view batch_id) {
    return KeyMaker("wake.subscription").add(agent_id).add(subscription_id).add(batch_id).key();
}

std::string event_run_key(std::string_view agent_id, std::string_view subscription_id,
                          std::span<const std::string> event_ids) {
    const std::set<std::string_view> sorted(event_ids.begin(), event_ids.end());
    return KeyMaker("wake.events").add(agent_id).add(subscription_id).add_set(sorted).key();
}

std::string timer_run_key(std::string_view agent_id, std::string_view timer_id, base::Timestamp scheduled_at) {
    return KeyMaker("wake.timer").add(agent_id).add(timer_id).add_number(scheduled_at.us).key();
}

std::string turn_run_key(std::string_view agent_id, std::string_view session_id, std::string_view turn_id) {
    return KeyMaker("wake.turn").add(agent_id).add(session_id).add(turn_id).key();
}

std::string manual_run_key(std::string_view agent_id, std::string_view request_id) {
    return KeyMaker("wake.manual").add(agent_id).add(request_id).key();
}

std::string run_thread_id(std::string_view agent_id, std::string_view run_key) {
    return std::string(agent_id).append(":run:").append(run_key);
}

std::string session_thread_id(std::string_view agent_id, std::string_view session_id) {
    return std::string(agent_id).append(":session:").append(session_id);
}

std::string operation_id(std::string_view run_key, std::uint64_t ordinal, std::string_view tool) {
    return KeyMaker("wake.operation").add(run_key).add_number(ordinal).add(tool).key();
}

std::string arguments_hash(const model::Value& arguments) {
    std::string text;
    append_canonical_json(text, arguments);
    return KeyMaker("wake.arguments").add(text).key();
}

std::string token_set_key(std::span<const model::ChangeToken> tokens) {
    std::vector<std::string> texts;
    texts.reserve(tokens.size());
    for (const model::ChangeToken& token : tokens) texts.push_back(to_text(token));
    return KeyMaker("wake.tokens").add_set({texts.begin(), texts.end()}).key();
}

}  // namespace belfry::rules
