#include "rules/fold.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/summary_limits.hpp"
#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;
using model::AgentMessageKind;
using model::FoldFault;
using model::FoldJob;
using model::FoldState;
using model::MemorySettings;
using model::Summarizer;

constexpr std::size_t error_bytes_max = 500;
constexpr std::size_t summaries_fold_most = 16;

// How many from the oldest on make no more tokens than one fold takes; one at least.
template <class Entry, class Cost>
std::size_t within_tokens(std::span<const Entry> entries, Cost&& cost) {
    std::int64_t tokens = 0;
    std::size_t count = 0;
    while (count < entries.size()) {
        tokens += std::clamp<std::int64_t>(cost(entries[count]), 0, limits::fold_tokens_max + 1);
        if (count > 0 && tokens > limits::fold_tokens_max) break;
        ++count;
    }
    return count;
}

struct UuidHash {
    std::size_t operator()(const base::Uuid& id) const {
        return std::hash<std::string_view>{}({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
    }
};

// An action and its result, by their places.
struct Pair {
    std::size_t action = 0;
    std::size_t result = 0;
};

std::vector<Pair> pairs_of(std::span<const AgentMessage> messages) {
    std::unordered_map<base::Uuid, std::size_t, UuidHash> actions;
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].kind == AgentMessageKind::action) actions[messages[i].id] = i;
        if (messages[i].kind != AgentMessageKind::tool_result || !messages[i].metadata.action_ref_id) continue;
        const auto action = actions.find(*messages[i].metadata.action_ref_id);
        if (action != actions.end()) pairs.push_back({action->second, i});
    }
    return pairs;
}

// The next place at or before `end`, and at or after it, that lies in no pair.
std::size_t end_before(std::size_t end, std::span<const Pair> pairs) {
    for (bool is_moved = true; is_moved;) {
        is_moved = false;
        for (const Pair& pair : pairs) {
            if (pair.action >= end || end > pair.result) continue;
            end = pair.action;
            is_moved = true;
        }
    }
    return end;
}
std::size_t end_after(std::size_t end, std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {  // by their results, so that one look is enough
        if (pair.action < end && end <= pair.result) end = pair.result + 1;
    }
    return end;
}

std::size_t without_half_pairs(std::size_t end, std::size_t most, std::span<const AgentMessage> hot) {
    if (end == 0 || end == hot.size()) return end;
    const std::vector<Pair> pairs = pairs_of(hot);
    if (const std::size_t before = end_before(end, pairs); before > 0) return before;
    const std::size_t after = end_after(end, pairs);
    return after <= most ? after : end;
}

base::Duration pause_after(std::int64_t attempts) {
    base::Duration pause = limits::fold_pause_first;
    for (std::int64_t i = 1; i < attempts && pause < limits::fold_pause_max; ++i) pause = pause * 2;
    return std::min(pause, limits::fold_pause_max);
}

base::Error too_large(std::string_view field, std::string message) {
    return base::error(Code::too_large, std::move(message), std::string(field));
}

base::Result<void> check_text(std::string_view text, std::size_t bytes_max, std::string_view field) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return base::error(Code::invalid, "must not be empty", std::string(field));
    }
    if (text.size() > bytes_max) return too_large(field, "is longer than " + std::to_string(bytes_max) + " bytes");
    return {};
}

template <class Entry, class Text>
base::Result<void> check_list(const std::vector<Entry>& list, std::size_t count_max, std::string_view field,
                              Text&& text) {
    if (list.size() > count_max) return too_large(field, "has more than " + std::to_string(count_max) + " entries");
    for (std::size_t i = 0; i < list.size(); ++i) {
        TRY(check_text(text(list[i]), limits::summary_item_bytes_max,
                       std::string(field) + "[" + std::to_string(i) + "]"));
    }
    return {};
}

base::Result<void> check_number(std::int64_t number, std::string_view field) {
    if (number >= 0 && number <= limits::summary_count_max) return {};
    return base::error(Code::invalid, "must lie between 0 and " + std::to_string(limits::summary_count_max),
                       std::string(field));
}

base::Result<void> check_numbers(const model::MemorySummary& summary) {
    for (const auto& [kind, count] : summary.counts) {
        if (!model::parse_agent_message_kind(kind)) {
            return base::error(Code::invalid, "is no kind of messages", "counts." + kind);
        }
        TRY(check_number(count, "counts." + kind));
    }
    for (const auto* const events : {&summary.errors, &summary.effects}) {
        for (const model::MemoryEvent& event : *events) TRY(check_number(event.times, "times"));
    }
    return check_number(summary.left_out, "left_out");
}

base::Uuid id_from(std::initializer_list<std::string> parts) {
    std::string bytes;
    // Each part with its length: no two lists of parts are the same bytes.
    for (const std::string& part : parts) bytes.append(std::to_string(part.size())).append(":").append(part);
    const base::Sha256 hash = base::sha256(bytes);
    base::Uuid id;
    std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0FU) | 0x80U);  // version 8
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3FU) | 0x80U);  // the variant of RFC 9562
    return id;
}

}  // namespace

std::size_t choose_fold(std::span<const std::int64_t> costs, std::int64_t budget) {
    if (costs.empty()) return 0;
    std::size_t first = costs.size() - 1;  // that stays
    std::int64_t left = budget - std::max<std::int64_t>(costs[first], 0);
    while (first > 0 && std::max<std::int64_t>(costs[first - 1], 0) <= left) {
        left -= std::max<std::int64_t>(costs[first - 1], 0);
        --first;
    }
    return first;
}

bool is_at_rest(const model::AgentThread& thread, base::Timestamp now) {
    return thread.is_closed || now >= thread.last_at + limits::thread_idle_before_fold;
}

bool is_fold_due(const model::AgentThread& thread, const MemorySettings& settings, base::Timestamp now) {
    if (thread.hot_messages <= 0) return false;
    if (is_at_rest(thread, now)) return true;
    // The newest stays, so one alone is never too much.
    return thread.hot_messages > 1 &&
           (thread.hot_messages > settings.hot_messages || thread.hot_tokens > settings.hot_tokens);
}

std::optional<base::Timestamp> fold_due_at(const model::AgentThread& thread) {
    if (thread.hot_messages <= 0) return std::nullopt;
    return thread.is_closed ? thread.last_at : thread.last_at + limits::thread_idle_before_fold;
}

bool is_summary_behind(const model::AgentThread& thread, const MemorySettings& settings) {
    return thread.hot_messages > settings.hot_messages + static_cast<std::int64_t>(limits::unsummarized_read_max);
}

std::size_t choose_span(std::span<const AgentMessage> hot, const model::AgentThread& thread,
                        const MemorySettings& settings, base::Timestamp now) {
    if (hot.empty() || !is_fold_due(thread, settings, now)) return 0;
    std::size_t wanted = hot.size();
    std::size_t most = hot.size();
    if (!is_at_rest(thread, now)) {
        std::vector<std::int64_t> costs(hot.size());
        std::ranges::transform(hot, costs.begin(), &AgentMessage::tokens_approx);
        const auto stay = static_cast<std::size_t>(std::max<std::int64_t>(settings.hot_messages / 2, 1));
        // What is not here yet is hot as well: there may be more than can be looked at.
        const auto all = std::max(hot.size(), static_cast<std::size_t>(thread.hot_messages));
        const std::size_t by_count = all > stay ? std::min(all - stay, hot.size()) : 0;
        const bool is_whole = all == hot.size();
        wanted = std::max(by_count, is_whole ? choose_fold(costs, settings.hot_tokens / 2) : 0);
        if (is_whole) most = hot.size() - 1;
        wanted = std::min(wanted, most);
    }
    const auto tokens_of = [](const AgentMessage& message) { return message.tokens_approx; };
    most = std::min({most, limits::fold_messages_max, within_tokens(hot, tokens_of)});
    return without_half_pairs(std::min(wanted, most), most, hot);
}

std::size_t choose_summaries(std::span<const model::SummaryPlace> places) {
    if (places.size() <= limits::summaries_kept_max) return 0;
    const std::size_t wanted = std::min(places.size() - limits::summaries_kept_max / 2, summaries_fold_most);
    const auto tokens_of = [](const model::SummaryPlace& place) { return place.tokens; };
    const std::size_t count = std::min(wanted, within_tokens(places, tokens_of));
    return std::min(std::max(count, limits::summaries_fold_least), places.size() - 1);
}

base::Uuid summary_id(std::string_view agent_id, std::string_view thread_id, std::int64_t depth,
                      const base::Uuid& start, const base::Uuid& end) {
    return id_from({"belfry.memory.summary", std::string(agent_id), std::string(thread_id), std::to_string(depth),
                    base::format_uuid(start), base::format_uuid(end)});
}

base::Uuid remade_summary_id(const base::Uuid& id) {
    return id_from({"belfry.memory.summary.remade", base::format_uuid(id)});
}

std::string memory_thread_of(std::string_view agent_id) {
    return std::string(agent_id).append(":memory");
}

Summarizer first_summarizer(const model::Agent& agent, std::int64_t tokens) {
    const bool has_model = agent.workflow == model::WorkflowKind::model || !agent.memory.base_url.empty();
    if (!has_model) return Summarizer::rules;
    const bool is_worth_it = tokens >= model_tokens_min;
    return agent.memory.summarizer.value_or(is_worth_it ? Summarizer::model : Summarizer::rules);
}

void fail_fold(FoldJob& job, FoldFault fault, std::string_view why, base::Timestamp now) {
    job.lease_until.reset();
    job.updated_at = now;
    if (fault == FoldFault::stopped) {
        job.state = FoldState::pending;
        job.attempts = std::max<std::int64_t>(job.attempts - 1, 0);
        job.next_attempt_at = now;
        return;
    }
    job.last_error = one_line(why, error_bytes_max);
    const bool was_model = job.summarizer == Summarizer::model;
    // Not before rules were tried: they need no model.
    if (!was_model && job.attempts >= limits::fold_attempts_max) {
        job.state = FoldState::failed_terminal;
        return;
    }
    job.state = FoldState::pending;
    const bool gives_up = was_model && (fault == FoldFault::refused || job.attempts >= limits::fold_model_attempts_max);
    if (gives_up) job.summarizer = Summarizer::rules;
    // Rules have not been tried yet, and who was lost was not refused: neither has to wait.
    const bool is_at_once = gives_up || fault == FoldFault::lost;
    job.next_attempt_at = is_at_once ? now : now + pause_after(job.attempts);
}

base::Result<void> check_memory_summary(const model::MemorySummary& summary) {
    TRY(check_text(summary.text, limits::summary_text_bytes_max, "text"));
    const auto text_of = [](const model::MemoryItem& item) -> std::string_view { return item.text; };
    const auto what_of = [](const model::MemoryEvent& event) -> std::string_view { return event.what; };
    TRY(check_list(summary.goals, limits::summary_items_max, "goals", text_of));
    TRY(check_list(summary.decisions, limits::summary_items_max, "decisions", text_of));
    TRY(check_list(summary.open_loops, limits::summary_items_max, "open_loops", text_of));
    TRY(check_list(summary.closed_loops, limits::summary_items_max, "closed_loops", text_of));
    TRY(check_list(summary.errors, limits::summary_events_max, "errors", what_of));
    TRY(check_list(summary.effects, limits::summary_events_max, "effects", what_of));
    TRY(check_numbers(summary));
    if (summary.to < summary.from) return base::error(Code::invalid, "must not be before from", "to");
    std::string json;
    model::JsonWriter writer(json);
    model::append_memory_summary(writer, summary);
    if (json.size() <= limits::summary_bytes_max) return {};
    return too_large("summary", "is longer than " + std::to_string(limits::summary_bytes_max) + " bytes");
}

}  // namespace belfry::rules
