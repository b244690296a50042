#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "base/memory_limits.hpp"
#include "base/summary_limits.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/chat_history.hpp"
#include "rules/fold.hpp"
#include "rules/model_tokens.hpp"
#include "sim/folds_witness.hpp"

namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::FoldState;
using model::MemoryFate;
using model::MemoryMark;
using model::SummaryPlace;
using Meaning = Said::Meaning;

// About what all headings together take.
constexpr std::int64_t headings_tokens = 60;
// What Belfry may write for a model beside the content of a message.
constexpr std::int64_t note_tokens = 60;

// Returns the tokens of the messages that a model agent is told.
std::int64_t tokens_for_model(const ports::WakeGrant& grant) {
    std::vector<AgentMessage> messages = grant.context->memory.messages;
    messages.insert(messages.end(), grant.context->messages.begin(), grant.context->messages.end());
    std::int64_t tokens = 0;
    for (const model::ChatMessage& one : rules::chat_history(messages, {})) {
        tokens += rules::estimate_model_tokens(one.text);
        for (const model::ToolCall& call : one.calls) tokens += rules::estimate_model_tokens(call.arguments.bytes());
    }
    return tokens;
}

bool covers(const SummaryPlace& place, std::int64_t position) {
    return position >= place.start_position && position <= place.end_position;
}

std::string name_of(const SummaryPlace& place) {
    return "summary of depth " + std::to_string(place.depth) + " in thread " + place.thread_id;
}

// Nothing more comes in the thread, nothing has come for an hour, or more is hot than the agent wants. What somebody
// folds by hand before that is still hot, and no matter of other threads.
bool is_to_be_folded(const model::AgentThread& row, const model::MemorySettings& wanted, base::Timestamp now) {
    if (row.is_closed || now >= row.last_at + base::minutes(60)) return true;
    return row.hot_messages > 1 && (row.hot_messages > wanted.hot_messages || row.hot_tokens > wanted.hot_tokens);
}

// Messages of one moment have times that follow each other, so they run ahead of the clock a little. The row has the
// clock's time.
bool was_spoken_in(const model::AgentThread& row, base::Timestamp last_message) {
    return row.last_at <= last_message && last_message < row.last_at + base::seconds(1);
}

std::string small(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c; });
    return text;
}

}  // namespace

void FoldsWitness::compare_rows(const FoldsLook& look) {
    for (const auto& [id, row] : look.rows) compare_row(look, row);
    for (const auto& [id, count] : ever_) {
        if (!look.rows.contains(id)) complain("thread " + id + " has no row");
    }
}

// What is hot lies behind what is folded, and is counted.
void FoldsWitness::compare_row(const FoldsLook& look, const model::AgentThread& row) {
    const std::string where = " of thread " + row.thread_id;
    std::int64_t hot = 0;
    std::int64_t tokens = 0;
    for (const AgentMessage& message : look.raw(row.thread_id)) {
        if (message.position <= row.folded_through) continue;
        ++hot;
        tokens += message.tokens_approx;
    }
    if (row.hot_messages != hot) {
        complain(std::to_string(hot) + " messages" + where + " are hot, and not " + std::to_string(row.hot_messages));
    }
    if (row.hot_tokens != tokens) complain("the hot tokens" + where + " are counted wrongly");
    const auto ever = ever_.find(row.thread_id);
    if (ever == ever_.end() || row.messages != ever->second) complain("the messages" + where + " are counted wrongly");
    else if (!was_spoken_in(row, last_at_.at(row.thread_id)))
        complain("the last message" + where + " was at another time");
}

void FoldsWitness::compare_agents(const FoldsLook& look) {
    for (const auto& [id, record] : look.agents) {
        std::int64_t hot = 0;
        for (const auto& [thread_id, row] : look.rows) hot += row.agent_id == id ? row.hot_messages : 0;
        if (record.runtime.hot_message_count != hot) complain("agent " + id + " counts what is hot wrongly");
        const SummaryPlace* newest = nullptr;
        for (const auto& [own, place] : look.places) {
            if (place.agent_id != id) continue;
            if (newest == nullptr || place.position > newest->position) newest = &place;
        }
        const auto& latest = record.state.latest_summary_message_id;
        if (latest && !look.places.contains(*latest)) complain("the latest summary of agent " + id + " is not there");
        if (forgetful_.contains(id)) continue;
        if (newest != nullptr ? latest != newest->message_id : latest.has_value()) {
            complain("the latest summary of agent " + id + " is another one");
        }
    }
}

void FoldsWitness::compare_places(const FoldsLook& look) {
    std::size_t messages = 0;
    for (const auto& [thread_id, chain] : look.threads) {
        messages += static_cast<std::size_t>(std::ranges::count_if(
            chain, [](const AgentMessage& one) { return one.kind == model::AgentMessageKind::summary; }));
    }
    if (messages != look.places.size()) complain("there are summaries without a place, or places without a summary");
    sums_.summaries = look.places.size();
    sums_.lies = 0;
    for (const auto& [id, place] : look.places) {
        sums_.deepest = std::max(sums_.deepest, static_cast<std::uint64_t>(place.depth));
        const AgentMessage* const message = look.message(place.thread_id, id);
        if (message == nullptr) {
            complain("the message of a " + name_of(place) + " is not there");
            continue;
        }
        const bool is_same = message->position == place.position && message->summary_depth == place.depth &&
                             message->summary_start_message_id && message->summary_end_message_id &&
                             message->tokens_approx == place.tokens;
        if (!is_same) {
            complain("a " + name_of(place) + " and its place are not one");
            continue;
        }
        base::Uuid its_id = rules::summary_id(place.agent_id, place.thread_id, place.depth,
                                              *message->summary_start_message_id, *message->summary_end_message_id);
        // What was made again after a forgetting has an id of its own: the one that it had is forgotten everywhere.
        for (int remade = 0; remade < 1'000 && its_id != id; ++remade) its_id = rules::remade_summary_id(its_id);
        if (its_id != id) complain("the id of a " + name_of(place) + " is not that of its span");
        compare_spans(look, place);
        compare_words(look, place, *message);
    }
}

// Its ends are there, where it says, and what it was folded into has it.
void FoldsWitness::compare_spans(const FoldsLook& look, const SummaryPlace& place) {
    const AgentMessage& message = *look.message(place.thread_id, place.message_id);
    std::optional<base::Uuid> start;
    std::optional<base::Uuid> end;
    if (place.depth == 1) {
        const auto span = look.span(place.thread_id, place.start_position, place.end_position);
        if (span.empty()) return complain("a " + name_of(place) + " stands for nothing");
        if (span.front().position == place.start_position) start = span.front().id;
        if (span.back().position == place.end_position) end = span.back().id;
    } else {
        const auto below = look.below(place.message_id);
        if (below.empty()) return complain("a " + name_of(place) + " has folded nothing");
        if (below.front().position == place.start_position) start = below.front().message_id;
        if (below.back().position == place.end_position) end = below.back().message_id;
        for (const SummaryPlace& one : below) {
            if (one.depth != place.depth - 1 || one.agent_id != place.agent_id)
                complain("a " + name_of(place) + " has folded what is not its own");
        }
    }
    if (start != message.summary_start_message_id) complain("the start of a " + name_of(place) + " is not there");
    if (end != message.summary_end_message_id) complain("the end of a " + name_of(place) + " is not there");
    if (!place.folded_into) return;
    if (!look.places.contains(*place.folded_into)) complain("what has folded a " + name_of(place) + " is not there");
}

bool FoldsWitness::is_lie(const base::Uuid& summary, const std::string& content) const {
    const auto at = lies_.find(summary);
    return at != lies_.end() && at->second.contains(content);
}

// It is what rules make of its span as that is now, or what somebody offered; and nothing of what was taken away.
void FoldsWitness::compare_words(const FoldsLook& look, const SummaryPlace& place, const AgentMessage& message) {
    const std::string& content = message.content.bytes();
    const bool lies = is_lie(place.message_id, content);
    sums_.lies += lies ? 1 : 0;
    const auto model = by_model_.find(place.message_id);
    const bool is_models = model != by_model_.end() && model->second.contains(content);
    if (!lies && !is_models && content != look.by_rules(place)) {
        complain("a " + name_of(place) + " says what nobody has offered");
    }
    if (!forgetful_.contains(place.agent_id)) return;
    for (const auto& [id, gone] : forgotten_) {
        const bool is_told = gone.agent_id == place.agent_id && !gone.item.empty() &&
                             gone.meaning != Meaning::closing && content.find(gone.item) != std::string::npos;
        if (!is_told) continue;
        // What closes it says it again.
        const bool is_said_again = std::ranges::any_of(said_, [&](const auto& one) {
            return one.second.item == gone.item && one.second.thread_id == gone.thread_id;
        });
        if (!is_said_again) complain("a " + name_of(place) + " tells what was forgotten");
    }
}

// Each raw message is either hot or in one span.
void FoldsWitness::compare_coverage(const FoldsLook& look) {
    for (const auto& [thread_id, row] : look.rows) {
        std::vector<SummaryPlace> spans;
        for (const auto& [id, place] : look.places) {
            if (place.depth == 1 && place.thread_id == thread_id) spans.push_back(place);
        }
        for (const AgentMessage& message : look.raw(thread_id)) {
            const auto times = std::ranges::count_if(
                spans, [&](const SummaryPlace& place) { return covers(place, message.position); });
            const std::int64_t wanted = message.position <= row.folded_through ? 1 : 0;
            if (times != wanted) {
                complain("a message of thread " + thread_id + " is in " + std::to_string(times) + " spans and not in " +
                         std::to_string(wanted));
            }
        }
    }
}

// Spans of one depth follow each other: of raw messages in each thread, of summaries over all of an agent's. Where
// something was taken away, summaries are gone that had folded others, and these are folded anew, with younger ones.
void FoldsWitness::compare_overlaps(const FoldsLook& look) {
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<SummaryPlace>> kinds;
    for (const auto& [id, place] : look.places) {
        if (place.depth > 1 && forgetful_.contains(place.agent_id)) continue;
        kinds[{place.agent_id, place.depth == 1 ? place.thread_id : "", place.depth}].push_back(place);
    }
    for (auto& [kind, places] : kinds) {
        std::ranges::sort(places, {}, &SummaryPlace::start_position);
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].start_position > places[i].end_position)
                complain("a " + name_of(places[i]) + " ends too soon");
            if (i == 0 || places[i - 1].end_position < places[i].start_position) continue;
            complain("a " + name_of(places[i]) + " stands for what another one has");
        }
    }
    for (const auto& [id, place] : look.places) {
        if (place.depth == 1 || forgetful_.contains(place.agent_id)) continue;
        for (const auto& [other_id, other] : look.places) {
            const bool is_in =
                other.agent_id == place.agent_id && other.depth == place.depth - 1 && covers(place, other.position);
            if (is_in && other.folded_into != id) complain("a " + name_of(place) + " has a gap");
        }
    }
}

// Whoever was to fold summaries and did not, no more of one depth wait than are looked at.
void FoldsWitness::compare_frontier(const FoldsLook& look) {
    std::map<std::pair<std::string, std::int64_t>, std::size_t> open;
    for (const auto& [id, place] : look.places) {
        if (!place.folded_into) ++open[{place.agent_id, place.depth}];
    }
    for (const auto& [kind, count] : open) {
        if (count > limits::summaries_open_max) {
            complain(std::to_string(count) + " summaries of one depth of agent " + kind.first + " are not folded");
        }
    }
}

void FoldsWitness::compare_jobs(const FoldsLook& look) {
    std::set<std::string> open;
    for (const model::FoldJob& job : look.jobs) {
        if (job.attempts > limits::fold_attempts_max) complain("a job was tried too often");
        if (job.state == FoldState::done) continue;
        if (!open.insert(job.thread_id).second) complain("thread " + job.thread_id + " has two open jobs");
        if ((job.state == FoldState::running) != job.lease_until.has_value()) complain("a lease of nobody, or none");
        if (job.state == FoldState::failed_terminal && job.attempts < limits::fold_attempts_max) {
            complain("a job was given up too soon");
        }
    }
}

void FoldsWitness::add_seen(const FoldsLook& look, const SummaryPlace& place, std::set<base::Uuid>& seen) const {
    const AgentMessage* const message = look.message(place.thread_id, place.message_id);
    if (message == nullptr || is_lie(place.message_id, message->content.bytes())) return;
    if (place.depth == 1) {
        for (const AgentMessage& one : look.span(place.thread_id, place.start_position, place.end_position)) {
            seen.insert(one.id);
        }
        return;
    }
    for (const SummaryPlace& one : look.below(place.message_id)) add_seen(look, one, seen);
}

FoldsWitness::Open FoldsWitness::open_of(const std::set<base::Uuid>& seen) const {
    std::vector<const Said*> said;
    for (const base::Uuid& id : seen) {
        if (const auto at = said_.find(id); at != said_.end()) said.push_back(&at->second);
    }
    std::ranges::sort(said, {}, [](const Said* one) { return one->position; });
    Open open;
    for (const Said* const one : said) {
        const std::string item = small(one->item);
        switch (one->meaning) {
            case Meaning::nothing: break;
            case Meaning::goal: open.goals.insert(item); break;
            case Meaning::decision: open.decisions.insert(item); break;
            case Meaning::loop:
            case Meaning::question: open.loops.insert(item); break;
            case Meaning::closing:
            case Meaning::answer:
                open.goals.erase(item);
                open.loops.erase(item);
                break;
        }
    }
    return open;
}

base::Result<void> FoldsWitness::compare_context(store::SqlStore& store, const ports::WakeGrant& grant,
                                                 base::Timestamp now) {
    ++sums_.contexts;
    TRY_ASSIGN(const FoldsLook look, look_at_folds(store, agents_));
    const std::string& agent_id = grant.agent.agent.id;
    const model::MemorySettings& settings = grant.agent.agent.memory;
    std::set<base::Uuid> seen;
    for (const auto& [id, place] : look.places) {
        if (place.agent_id == agent_id && !place.folded_into) add_seen(look, place, seen);
    }
    // The hot window, and behind it what no summary covers yet.
    const auto row = look.rows.find(grant.wake.thread_id);
    const std::int64_t summarized_through = row == look.rows.end() ? 0 : row->second.folded_through;
    std::vector<AgentMessage> newest = look.raw(grant.wake.thread_id);
    const std::size_t beyond = newest.size() - std::min(newest.size(), static_cast<std::size_t>(settings.hot_messages));
    const auto old = std::find_if(newest.begin(), newest.begin() + static_cast<std::ptrdiff_t>(beyond),
                                  [&](const AgentMessage& one) { return one.position > summarized_through; });
    newest.erase(newest.begin(), old);
    // Where a job was given up, more may wait than a context reads: the oldest are left out, and counted.
    const std::size_t most = static_cast<std::size_t>(settings.hot_messages) + limits::unsummarized_read_max;
    const std::size_t unread = newest.size() - std::min(newest.size(), most);
    newest.erase(newest.begin(), newest.begin() + static_cast<std::ptrdiff_t>(unread));
    for (const AgentMessage& message : newest) seen.insert(message.id);
    const std::size_t unread_elsewhere = add_waiting_elsewhere(look, grant, now, seen);
    if (grant.context->memory.left_out < static_cast<std::int64_t>(unread + unread_elsewhere)) {
        complain("agent " + agent_id + " is not told how many messages are left out");
    }
    const Open open = open_of(seen);
    compare_list(grant.context->memory.goals, open.goals, grant, MemoryMark::goal);
    compare_list(grant.context->memory.decisions, open.decisions, grant, MemoryMark::decision);
    compare_list(grant.context->memory.open_loops, open.loops, grant, MemoryMark::open_loop);
    compare_budget(grant);
    compare_messages(grant, newest, summarized_through);
    return {};
}

// Messages of other threads whose summary somebody is to make are told by rules meanwhile: of the threads that were
// spoken in last, and of these the newest messages, as many as a context reads. Of a thread in which nothing more is
// said all messages wait, also those after the job's span.
std::size_t FoldsWitness::add_waiting_elsewhere(const FoldsLook& look, const ports::WakeGrant& grant,
                                                base::Timestamp now, std::set<base::Uuid>& seen) {
    std::vector<std::pair<const model::AgentThread*, const model::FoldJob*>> waiting;
    for (const model::FoldJob& job : look.jobs) {
        const bool is_elsewhere = job.agent_id == grant.agent.agent.id && job.thread_id != grant.wake.thread_id;
        if (!is_elsewhere || job.depth > 1 || job.state == FoldState::done) continue;
        const auto row = look.rows.find(job.thread_id);
        if (row == look.rows.end() || job.start_position <= row->second.folded_through) continue;
        if (is_to_be_folded(row->second, grant.agent.agent.memory, now)) waiting.emplace_back(&row->second, &job);
    }
    std::ranges::sort(waiting, std::greater{},
                      [](const auto& one) { return std::pair(one.first->last_at, one.first->thread_id); });
    sums_.waiting_threads = std::max<std::uint64_t>(sums_.waiting_threads, waiting.size());
    if (waiting.size() > limits::provisional_threads_max) waiting.resize(limits::provisional_threads_max);
    std::size_t room = limits::provisional_messages_max;
    std::size_t unread = 0;
    for (const auto& [row, job] : waiting) {
        const bool is_over = row->is_closed || now >= row->last_at + base::minutes(60);
        const std::int64_t through = is_over ? std::numeric_limits<std::int64_t>::max() : job->end_position;
        const Messages span = look.span(job->thread_id, job->start_position, through);
        const std::size_t count = std::min(room, span.size());
        for (const AgentMessage& one : std::span(span).last(count)) seen.insert(one.id);
        room -= count;
        unread += span.size() - count;
    }
    return unread;
}

// The newest of the thread are told. A message that no summary covers is left out only if the budget has no room for
// it; one that a summary covers, if a newer one is left out or the hot window is full.
void FoldsWitness::compare_messages(const ports::WakeGrant& grant, const Messages& newest,
                                    std::int64_t summarized_through) {
    const std::string& agent_id = grant.agent.agent.id;
    const model::AssembledMemory& memory = grant.context->memory;
    Messages told = memory.messages;
    told.insert(told.end(), grant.context->messages.begin(), grant.context->messages.end());
    if (told.empty() && !newest.empty()) complain("agent " + agent_id + " is not told the newest message");
    const std::int64_t room = memory.budget_tokens - memory.reserved_tokens - memory.used_tokens;
    bool has_gap = false;
    auto next = told.rbegin();
    for (auto message = newest.rbegin(); message != newest.rend(); ++message) {
        const bool is_summarized = message->position <= summarized_through;
        if (next != told.rend() && next->id == message->id) {
            ++next;
            if (has_gap && is_summarized) complain("agent " + agent_id + " is told what a summary covers after a gap");
            continue;
        }
        has_gap = true;
        if (is_summarized || rules::estimate_model_tokens(rules::told_message(*message)) > room) continue;
        complain("agent " + agent_id + " is told " + std::to_string(told.size()) + " of " +
                 std::to_string(newest.size()) + " messages, and there is room for one more that no summary covers");
    }
    if (next != told.rend()) complain("agent " + agent_id + " is told other messages than the newest");
}

// All that is open is told, or stands among what had no room; and nothing else, in whatever order its summaries stand.
void FoldsWitness::compare_list(const std::vector<model::MemoryItem>& told, const std::set<std::string>& open,
                                const ports::WakeGrant& grant, MemoryMark mark) {
    const model::AssembledMemory& memory = grant.context->memory;
    const std::string name(model::memory_mark_name(mark));
    std::set<std::string> items;
    for (const model::MemoryItem& item : told) {
        if (!items.insert(small(item.text)).second) complain("a " + name + " is told twice: " + item.text);
        if (!open.contains(small(item.text))) complain("a " + name + " is told that does not hold: " + item.text);
    }
    const auto is_its = [&](const model::MemoryChoice& choice) {
        return choice.part == model::MemoryChoice::Part::carried && choice.what == name;
    };
    const auto candidates = static_cast<std::size_t>(std::ranges::count_if(memory.choices, is_its));
    const auto too_many = static_cast<std::size_t>(std::ranges::count_if(
        memory.choices, [&](const auto& one) { return is_its(one) && one.fate == MemoryFate::over_budget; }));
    for (const std::string& item : open) {
        if (!items.contains(item) && too_many == 0) return complain("a " + name + " is lost: " + item);
    }
    if (candidates == open.size() && told.size() + too_many == candidates) return;
    complain(std::to_string(open.size()) + " of " + name + " are open, and " + std::to_string(candidates) +
             " were looked at");
}

void FoldsWitness::compare_budget(const ports::WakeGrant& grant) {
    const model::AssembledMemory& memory = grant.context->memory;
    const model::MemorySettings& settings = grant.agent.agent.memory;
    const std::int64_t room = settings.budget_tokens - memory.reserved_tokens;
    std::int64_t told = rules::estimate_model_tokens(rules::memory_words_for_model(memory));
    for (const auto* const messages : {&memory.messages, &grant.context->messages}) {
        for (const AgentMessage& message : *messages) {
            told += rules::estimate_model_tokens(rules::told_message(message));
        }
    }
    if (told > room || memory.used_tokens > room) {
        complain("agent " + grant.agent.agent.id + " is told " + std::to_string(told) + " tokens and wants " +
                 std::to_string(room));
    }
    const std::int64_t asked = tokens_for_model(grant);
    const auto notes = static_cast<std::int64_t>(memory.messages.size() + grant.context->messages.size()) * note_tokens;
    if (asked > room + notes) {
        complain("the model of agent " + grant.agent.agent.id + " is given " + std::to_string(asked) +
                 " tokens of messages and has room for " + std::to_string(room));
    }
    if (static_cast<std::int64_t>(grant.context->messages.size()) > settings.hot_messages) {
        complain("agent " + grant.agent.agent.id + " is told too many messages");
    }
    std::int64_t carried = headings_tokens;
    bool is_short = false;
    for (const model::MemoryChoice& choice : memory.choices) {
        if (choice.part != model::MemoryChoice::Part::carried) continue;
        carried += choice.tokens;
        is_short = is_short || choice.fate == MemoryFate::over_budget;
    }
    // A quarter is left for others.
    if (is_short && carried <= room / 4 * 3) complain("something is left out though there is room for it");
}

base::Result<void> FoldsWitness::compare_end(store::SqlStore& store) {
    TRY_ASSIGN(const FoldsLook look, look_at_folds(store, agents_));
    for (const model::FoldJob& job : look.jobs) {
        if (job.state != FoldState::done) complain("there is work left in thread " + job.thread_id);
    }
    for (const auto& [id, row] : look.rows) {
        if (row.hot_messages != 0) complain("thread " + id + " is not folded whole");
    }
    std::map<std::pair<std::string, std::int64_t>, std::size_t> open;
    for (const auto& [id, place] : look.places) {
        if (!place.folded_into) ++open[{place.agent_id, place.depth}];
    }
    for (const auto& [kind, count] : open) {
        if (count > limits::summaries_kept_max) complain("too many summaries of one depth of agent " + kind.first);
    }
    return {};
}

}  // namespace belfry::sim
