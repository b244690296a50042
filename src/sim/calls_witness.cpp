#include "sim/calls_witness.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "rules/wake_key.hpp"
#include "sim/expected_journal.hpp"
#include "sim/journal_look.hpp"
#include "store/log_layout.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t messages_max = 10'000;

// What agents have noted for themselves.
base::Result<std::multiset<std::string>> notes_in(store::Database& database) {
    std::multiset<std::string> notes;
    std::optional<base::Error> damaged;
    const auto read = [&](const store::Row& row) {
        auto block = store::decode_block_row(row, model::RetentionClass::events);
        if (!block.ok()) {
            damaged = block.error();
            return;
        }
        for (const model::LogEntry& entry : (*block)->entries) {
            const model::JsonView body{entry.body};
            const auto type = body.member("type");
            const auto payload = body.member("payload");
            if (!type || !payload || type->as_text() != "agent.self.notify") continue;
            if (const auto message = payload->member("message")) notes.insert(message->as_text());
        }
    };
    TRY(database.run(store::statements_of(model::RetentionClass::events).blocks_from,
                     {store::number(std::int64_t{0}), store::number(std::numeric_limits<std::int64_t>::max())}, read));
    if (damaged) return *damaged;
    return notes;
}

std::string line_of(const std::string& id, const ExpectedRecord& record) {
    return record.kind + ' ' + id + " in " + record.category + " of '" + record.parent + "' revision " +
           std::to_string(record.revision) + ": " + record.says;
}

}  // namespace

void CallsWitness::called(const std::string& operation, const ports::CalledTool& reply) {
    if (!reply.result) return complain("a call of " + reply.action.action->tool_name + " has no result");
    if (!reply.is_new) ++sums_.repeats;
    const Answer answer{reply.result->id, reply.result->content.bytes(), reply.is_new};
    const auto [at, is_first] = answers_.emplace(operation, answer);
    if (is_first) return;
    if (reply.is_new) complain("operation " + operation + " was done once more");
    if (at->second.result_id != answer.result_id || at->second.content != answer.content) {
        complain("operation " + operation + " has another result than before");
    }
}

void CallsWitness::planned(const ports::StoredPlan& reply) {
    const model::AgentPlan& plan = reply.plan.plan;
    const auto [at, is_first] = rounds_.emplace(plan.round, plan.actions);
    if (!is_first && (reply.is_new || at->second != plan.actions)) complain("a stored plan is another one now");
}

base::Result<std::vector<CallsWitness::Pair>> CallsWitness::recorded(store::SqlStore& store,
                                                                     const std::string& thread_id) {
    TRY_ASSIGN(std::vector<model::AgentMessage> messages, store.agent_messages().newest(thread_id, messages_max));
    std::ranges::reverse(messages);
    std::map<base::Uuid, model::AgentMessage> begun;
    std::set<std::string> operations;
    std::vector<Pair> pairs;
    for (model::AgentMessage& message : messages) {
        if (message.kind == model::AgentMessageKind::action) {
            if (!operations.insert(message.metadata.operation_id).second) {
                complain("operation " + message.metadata.operation_id + " is recorded twice");
            }
            begun.emplace(message.id, std::move(message));
        } else if (message.kind == model::AgentMessageKind::tool_result) {
            const auto at = begun.find(message.metadata.action_ref_id.value_or(base::Uuid{}));
            if (at == begun.end()) {
                complain("a result is not that of one action");
                continue;
            }
            pairs.push_back({std::move(at->second), std::move(message)});
            begun.erase(at);
        }
    }
    for (const auto& [id, action] : begun) complain("operation " + action.metadata.operation_id + " has no result");
    return pairs;
}

void CallsWitness::compare_answers(const std::vector<Pair>& pairs) {
    std::map<std::string, const Pair*> there;
    for (const Pair& pair : pairs) there.emplace(pair.action.metadata.operation_id, &pair);
    for (const auto& [operation, answer] : answers_) {
        const auto at = there.find(operation);
        if (at == there.end()) complain("operation " + operation + " was answered for and is not recorded");
        else if (at->second->result.id != answer.result_id) complain("operation " + operation + " has a new result");
    }
}

base::Result<void> CallsWitness::compare(store::SqlStore& store, const model::Wake& wake) {
    TRY_ASSIGN(const std::vector<Pair> pairs, recorded(store, wake.thread_id));
    compare_answers(pairs);
    ExpectedJournal expected;
    sums_.calls = pairs.size();
    sums_.succeeded = sums_.refused = 0;
    for (const Pair& pair : pairs) {
        ++(pair.result.metadata.error_code.empty() ? sums_.succeeded : sums_.refused);
        if (!complaints_.empty()) return {};
        std::string wrong = expected.apply(pair.action, pair.result);
        if (!wrong.empty()) complain(std::move(wrong));
    }
    return compare_journal(store, expected);
}

base::Result<void> CallsWitness::compare_journal(store::SqlStore& store, const ExpectedJournal& expected) {
    TRY_ASSIGN(const JournalLook look, look_at_journal(store, {"ada"}));
    std::map<std::string, ExpectedRecord> there;
    for (const auto& [key, record] : look.records) there.emplace(key.second, expected_of(record));
    for (const auto& [id, record] : there) {
        const auto at = expected.records().find(id);
        if (at == expected.records().end()) complain("no call has made " + line_of(id, record));
        else if (at->second != record)
            complain("there is " + line_of(id, record) + " and not " + line_of(id, at->second));
    }
    for (const auto& [id, record] : expected.records()) {
        if (!there.contains(id)) complain("what a call has made is missing: " + line_of(id, record));
    }
    std::set<ExpectedJournal::Link> links;
    for (const auto& [name, link] : look.links) links.insert({link.relation, link.from_id, link.to_id});
    if (links != expected.links()) complain("links are not those that calls have made");
    TRY_ASSIGN(const auto notes, notes_in(store.database()));
    if (notes != expected.notes()) {
        complain("there are " + std::to_string(notes.size()) + " notes, and calls have made " +
                 std::to_string(expected.notes().size()));
    }
    compare_changes(look, expected);
    return {};
}

// Each revision is one line in the log of changes: the first ones of what there was in the beginning by their person,
// all others by the agent.
void CallsWitness::compare_changes(const JournalLook& look, const ExpectedJournal& expected) {
    using Lines = std::map<std::pair<std::string, bool>, std::int64_t>;
    Lines wanted;
    for (const auto& [id, record] : expected.records()) wanted[{id, true}] = record.revision;
    for (const auto& [relation, from, to] : expected.links()) wanted[{rules::link_key(relation, from, to), true}] = 1;
    for (const model::JournalRecord& record : ExpectedJournal::beginning()) {
        wanted[{record.id, false}] = 1;
        if (--wanted[{record.id, true}] == 0) wanted.erase({record.id, true});
    }
    Lines there;
    for (const model::Change& change : look.changes) {
        if (change.unit.kind.starts_with("agent")) continue;
        ++there[{change.unit.id, change.origin.kind == model::ChangeOrigin::Kind::agent}];
    }
    sums_.mutations = 0;
    for (const auto& [key, count] : there) sums_.mutations += key.second ? static_cast<std::uint64_t>(count) : 0;
    if (there == wanted) return;
    for (const auto& [key, count] : there) {
        const auto at = wanted.find(key);
        if (at == wanted.end() || at->second != count) {
            return complain("the log has " + std::to_string(count) + " changes of " + key.first + ", and not " +
                            std::to_string(at == wanted.end() ? 0 : at->second));
        }
    }
    complain("the log of changes misses some");
}

base::Result<void> CallsWitness::compare_end(store::SqlStore& store, const model::Wake& wake,
                                             const std::vector<std::string>& operations) {
    TRY(compare(store, wake));
    TRY_ASSIGN(const std::vector<Pair> pairs, recorded(store, wake.thread_id));
    std::set<std::string> missing(operations.begin(), operations.end());
    TRY_ASSIGN(const std::vector<model::AgentPlan> plans, store.agent_messages().plans(wake.run_key));
    for (const model::AgentPlan& plan : plans) {
        for (const model::PlannedAction& action : plan.actions) missing.insert(action.operation_id);
        const auto heard = rounds_.find(plan.round);
        if (heard == rounds_.end() || heard->second != plan.actions) complain("a stored plan is not the one of then");
    }
    if (plans.size() != rounds_.size()) complain("there are not as many plans as were stored");
    for (const Pair& pair : pairs) missing.erase(pair.action.metadata.operation_id);
    for (const std::string& operation : missing) complain("operation " + operation + " was never done");
    return {};
}

}  // namespace belfry::sim
