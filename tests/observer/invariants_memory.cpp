#include <algorithm>

#include "story.hpp"

// The promises about memory, about tokens that are bound to one agent, and about the words of a user in a session.
namespace observer {
namespace {

// The longest time that a summary by rules may wait on a loaded machine.
constexpr std::int64_t rules_wait_max_ms = 30'000;
// Tokens that a message costs beside its content, at most.
constexpr std::int64_t tokens_beside_content = 40;

// ---- what an agent is given -----------------------------------------------------------------------------------------

// The ids that stood in summaries at a moment after the context was given; null: nobody looked.
const SummariesRead* find_summaries(const Story& story, const Seen<ContextGiven>& given) {
    for (const auto& read : story.all<SummariesRead>())
        if (read->device == given->device && read->agent == given->agent && read->answer.is_accepted() &&
            read.at->start() > given.at->order)
            return read.body;
    return nullptr;
}

void context_has_what_no_summary_has(const Story& story, Report& report) {
    for (const auto& given : story.all<ContextGiven>()) {
        if (!given->answer.is_accepted()) continue;
        const SummariesRead* summaries = find_summaries(story, given);
        if (!summaries) continue;
        std::int64_t tokens = 0;  // of everything that the agent may have been told, at most
        std::int64_t count = 0;
        std::vector<Seen<Remembered>> missing;
        const std::set<std::string> covered(summaries->covered.begin(), summaries->covered.end());
        for (const auto& one : story.all<Remembered>()) {
            if (one->agent != given->agent || one->answer.is_rejected() || one.at->start() > given.at->order) continue;
            tokens += one->bytes + tokens_beside_content, ++count;
            if (one->answer.is_accepted() && one->device == given->device && one->thread == given->thread &&
                one.at->order < given.at->start() && !covered.contains(one->message) &&
                given->text.find(one->mark) == std::string::npos)
                missing.push_back(one);
        }
        if (tokens > given->budget_tokens * 3 / 4) continue;
        const bool has_limit = given->messages_max != 0 && given->messages_max < count;
        std::erase_if(missing, [&](const Seen<Remembered>& one) { return has_limit && one->item.empty(); });
        if (missing.empty()) continue;
        const auto marked = std::find_if(missing.begin(), missing.end(),
                                         [](const Seen<Remembered>& one) { return !one->item.empty(); });
        const auto& shown = marked == missing.end() ? missing.front() : *marked;
        report.add("agent " + given->agent + " was not given (" + given->way + ") " + std::to_string(missing.size()) +
                       " of its messages that no summary has, among them " +
                       (shown->item.empty() ? "the message " : "the " + shown->item + " ") + shown->mark +
                       "; the budget is " + std::to_string(given->budget_tokens) + ", all of it takes at most " +
                       std::to_string(tokens),
                   {shown.at, given.at});
    }
}

void silent_summarizer_delays_nobody_else(const Story& story, Report& report) {
    std::set<std::pair<std::string, std::string>> by_rules;  // device, agent
    for (const auto& set : story.all<SummarizerSet>())
        if (set->how == "rules" && set->answer.is_accepted()) by_rules.insert({set->device, set->agent});
    std::map<std::pair<std::string, std::string>, Seen<FoldsRead>> first;  // device, job
    std::set<std::string> reported;
    for (const auto& read : story.all<FoldsRead>()) {
        if (!read->answer.is_accepted() || !by_rules.contains({read->device, read->agent})) continue;
        for (const std::string& job : read->waiting) {
            const auto& since = first.emplace(std::pair(read->device, job), read).first->second;
            const std::int64_t waited = read.at->start_ms() - since.at->at_ms;
            if (waited < rules_wait_max_ms || story.has_crash(since.at->at_ms, read.at->at_ms)) continue;
            if (reported.insert(job).second)
                report.add("a summary by rules of agent " + read->agent + " waits for " +
                               std::to_string(waited / 1000) + " s without an attempt",
                           {since.at, read.at});
        }
    }
}

// ---- who sets goals -------------------------------------------------------------------------------------------------

bool is_strangers(std::string_view kind) {
    return kind == "observation" || kind == "tool_result";
}

// Why the text of an item cannot be a goal of the agent; empty: it can.
std::string find_stranger(const Story& story, const ItemTold& told) {
    for (const std::string_view mark : find_marks(told.text)) {
        bool is_own = false;
        bool is_said = false;
        for (const auto& one : story.all<Remembered>()) {
            if (one->agent != told.agent || one->mark != mark || one->answer.is_rejected()) continue;
            is_said = true;
            is_own = is_own || !is_strangers(one->message_kind);
        }
        if (!is_said) return "nobody ever said " + std::string(mark);
        if (!is_own) return "only an observation or a tool result said " + std::string(mark);
    }
    return {};
}

void goals_are_said_by_their_own(const Story& story, Report& report) {
    for (const auto& told : story.all<ItemTold>()) {
        std::string problem = find_stranger(story, *told.body);
        if (problem.empty() && !told->message.empty() && told->message_status == 404)
            problem = "its message " + told->message + " does not exist";
        if (problem.empty() && is_strangers(told->message_kind)) problem = "its message is a " + told->message_kind;
        if (!problem.empty())
            report.add("agent " + told->agent + " is given the " + told->item + " \"" + told->text + "\"; " + problem,
                       {told.at});
    }
}

// ---- tokens of one agent --------------------------------------------------------------------------------------------

void bound_token_stays_with_its_agent(const Story& story, Report& report) {
    std::map<std::string, Seen<BoundTokenMade>> tokens;
    for (const auto& made : story.all<BoundTokenMade>())
        if (made->answer.is_accepted()) tokens[made->token] = made;
    std::set<std::string> others;  // agents that calls named
    for (const auto& call : story.all<BoundCall>())
        if (!call->agent.empty()) others.insert(call->agent);
    for (const auto& call : story.all<BoundCall>()) {
        const auto found = tokens.find(call->token);
        if (found == tokens.end()) continue;
        const std::string& own = found->second->agent;
        const bool is_served = call->answer.is_accepted() && call->answer.status != 204;
        if (!call->agent.empty() && call->agent != own && is_served)
            report.add("a token that is bound to agent " + own + " was answered " +
                           std::to_string(call->answer.status) + " to " + call->method + " " + call->path,
                       {found->second.at, call.at});
        else if (call->agent == own && call->answer.is_rejected() && call->answer.status != 409)
            report.add("a token that is bound to agent " + own + " was answered " +
                           std::to_string(call->answer.status) + " to " + call->method + " " + call->path,
                       {found->second.at, call.at});
        else if (is_served)
            for (const std::string& other : others)
                if (other != own && call->text.find(other) != std::string::npos)
                    report.add("a token that is bound to agent " + own + " read of agent " + other + " by " +
                                   call->method + " " + call->path,
                               {found->second.at, call.at});
    }
}

// ---- sessions -------------------------------------------------------------------------------------------------------

void history_has_both_sides(const Story& story, Report& report) {
    for (const auto& said : story.all<SaidToAgent>()) {
        if (!said->answer.is_accepted()) continue;
        for (const auto& history : story.all<HistoryRead>()) {
            if (history->session != said->session || history.at->start() < said.at->order) continue;
            const auto& marks = history->marks;
            const auto times = std::count(marks.begin(), marks.end(), said->mark);
            const auto words = std::find(marks.begin(), marks.end(), said->mark);
            const auto reply = std::find(marks.begin(), marks.end(), said->reply_mark);
            if (times != 1)
                report.add("the user said " + said->mark + " (" + said->way + "), and the history of session " +
                               said->session + " has it " + std::to_string(times) + " times",
                           {said.at, history.at});
            else if (!said->reply_mark.empty() && reply < words)
                report.add("the user said " + said->mark + " (" + said->way + "), and the history of session " +
                               said->session + " has the reply before it",
                           {said.at, history.at});
        }
    }
}

}  // namespace

std::vector<Invariant> memory_invariants() {
    return {
        {"context_has_what_no_summary_has",
         "Messages beyond the hot window whose summary is pending are in the context while the budget has room; goals "
         "and open loops first.",
         "acceptance/agents.md; 002: on compaction failure, raw messages remain source of truth",
         context_has_what_no_summary_has},
        {"silent_summarizer_delays_nobody_else", "A summarizer that never answers delays only its own thread.",
         "acceptance/agents.md; 002: worker is single-flight per (agentId, threadId)",
         silent_summarizer_delays_nobody_else},
        {"goals_are_said_by_their_own",
         "What is an observation or a tool_result marks nothing: what strangers say is remembered, but sets an agent "
         "no goals.",
         "docs/memory.md", goals_are_said_by_their_own},
        {"bound_token_stays_with_its_agent", "A token bound to agent A cannot read, wake, claim for or act as agent B.",
         "acceptance/agents.md", bound_token_stays_with_its_agent},
        {"history_has_both_sides",
         "Pomodoro agent can run user-initiated interactive sessions; GET /v1/sessions/{id}/history: the conversation",
         "002 Phase 5; docs/http.md", history_has_both_sides},
    };
}

}  // namespace observer
