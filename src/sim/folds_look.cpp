#include "sim/folds_look.hpp"

#include <algorithm>
#include <limits>

#include "rules/rule_summary.hpp"

namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::SummaryPlace;

constexpr std::size_t thread_max = 100'000;
constexpr store::Sql select_threads{"SELECT DISTINCT thread_id FROM agent_messages"};
constexpr store::Sql select_rows{"SELECT thread_id FROM agent_threads"};
constexpr store::Sql select_places{"SELECT message_id FROM memory_summaries"};
constexpr store::Sql select_jobs{"SELECT job_id FROM fold_jobs ORDER BY created_at, job_id"};

base::Result<std::vector<std::string>> texts(store::Database& database, const store::Sql& sql) {
    std::vector<std::string> found;
    TRY(database.run(sql, {}, [&](const store::Row& row) { found.emplace_back(row.bytes(0)); }));
    return found;
}

base::Uuid uuid_of(const std::string& bytes) {
    base::Uuid id;
    std::copy_n(bytes.begin(), std::min(bytes.size(), id.bytes.size()), id.bytes.begin());
    return id;
}

bool is_raw(const AgentMessage& message) {
    return message.kind != AgentMessageKind::summary;
}

// Of summaries with what lies apart.
base::Result<std::vector<AgentMessage>> whole_thread(store::SqlStore& store, const std::string& thread_id) {
    TRY_ASSIGN(std::vector<AgentMessage> chain, store.agent_messages().newest(thread_id, thread_max));
    std::ranges::reverse(chain);
    for (AgentMessage& message : chain) {
        if (!message.content_entry_id) continue;
        TRY_ASSIGN(const auto whole, store.agent_messages().find(std::span(&message.id, 1)));
        if (!whole.empty()) message.content = whole.front().content;
    }
    return chain;
}

}  // namespace

std::string content_of(const model::MemorySummary& summary) {
    std::string json;
    model::JsonWriter writer(json);
    model::append_memory_summary(writer, summary);
    return json;
}

std::vector<AgentMessage> FoldsLook::span(const std::string& thread_id, std::int64_t from, std::int64_t through) const {
    std::vector<AgentMessage> found;
    const auto at = threads.find(thread_id);
    if (at == threads.end()) return found;
    std::ranges::copy_if(at->second, std::back_inserter(found), [&](const AgentMessage& one) {
        return is_raw(one) && one.position >= from && one.position <= through;
    });
    return found;
}

std::vector<AgentMessage> FoldsLook::raw(const std::string& thread_id) const {
    return span(thread_id, 0, std::numeric_limits<std::int64_t>::max());
}

const AgentMessage* FoldsLook::message(const std::string& thread_id, const base::Uuid& id) const {
    const auto at = threads.find(thread_id);
    if (at == threads.end()) return nullptr;
    const auto found = std::ranges::find(at->second, id, &AgentMessage::id);
    return found == at->second.end() ? nullptr : &*found;
}

std::vector<SummaryPlace> FoldsLook::below(const base::Uuid& id) const {
    std::vector<SummaryPlace> found;
    for (const auto& [own, place] : places) {
        if (place.folded_into == id) found.push_back(place);
    }
    std::ranges::sort(found, {}, &SummaryPlace::position);
    return found;
}

std::string FoldsLook::by_rules(const SummaryPlace& place) const {
    if (place.depth == 1) {
        return content_of(rules::summarize_messages(span(place.thread_id, place.start_position, place.end_position)));
    }
    std::vector<rules::FoldedSummary> folded;
    for (const SummaryPlace& one : below(place.message_id)) {
        const AgentMessage* const message = this->message(one.thread_id, one.message_id);
        if (message != nullptr) folded.push_back({*message, model::memory_summary_of(message->content.view())});
    }
    return content_of(rules::summarize_summaries(folded));
}

bool FoldsLook::is_same_memory(const FoldsLook& other) const {
    const auto pointers = [](const FoldsLook& look) {
        std::map<std::string, std::tuple<std::optional<base::Uuid>, std::optional<base::Uuid>, std::int64_t>> all;
        for (const auto& [id, record] : look.agents) {
            all[id] = {record.state.latest_summary_message_id, record.state.recent_head_message_id,
                       record.runtime.hot_message_count};
        }
        return all;
    };
    return threads == other.threads && rows == other.rows && places == other.places &&
           pointers(*this) == pointers(other);
}

base::Result<FoldsLook> look_at_folds(store::SqlStore& store, const std::vector<std::string>& agents) {
    FoldsLook look;
    ports::MemoryQuestions& memory = store.memory().questions();
    TRY_ASSIGN(std::vector<model::AgentRecord> records, store.agents().find(agents));
    for (model::AgentRecord& record : records) look.agents.emplace(record.agent.id, std::move(record));
    TRY_ASSIGN(const auto threads, texts(store.database(), select_threads));
    for (const std::string& id : threads) {
        TRY_ASSIGN(look.threads[id], whole_thread(store, id));
    }
    TRY_ASSIGN(const auto rows, texts(store.database(), select_rows));
    for (const std::string& id : rows) {
        TRY_ASSIGN(auto row, memory.thread(id));
        if (row) look.rows.emplace(id, std::move(*row));
    }
    TRY_ASSIGN(const auto places, texts(store.database(), select_places));
    for (const std::string& id : places) {
        TRY_ASSIGN(auto place, memory.summary(uuid_of(id)));
        if (place) look.places.emplace(place->message_id, std::move(*place));
    }
    TRY_ASSIGN(const auto jobs, texts(store.database(), select_jobs));
    for (const std::string& id : jobs) {
        TRY_ASSIGN(auto job, memory.job(uuid_of(id)));
        if (job) look.jobs.push_back(std::move(*job));
    }
    return look;
}

}  // namespace belfry::sim
