#include "sim/awareness_witness.hpp"

#include <algorithm>

namespace belfry::sim {
namespace {

// Texts of emitted notifications: no other notification has them.
constexpr std::string_view own_text = "emitted ";

constexpr std::string_view ellipsis = "…";

// `[SEEN] 2026-03-01 15:30:01 info notice: text`, or `[SEEN] text` where the budget is small.
std::string text_of(const std::string& line) {
    constexpr std::string_view earlier = "(the user was shown an earlier text) ";
    const std::size_t status = line.find("] ");
    if (status == std::string::npos) return {};
    std::string rest = line.substr(status + 2);
    if (rest.starts_with(own_text)) return rest;
    if (rest.starts_with(earlier)) return rest.substr(earlier.size());
    const std::size_t colon = rest.find(": ");
    return colon == std::string::npos ? std::string() : rest.substr(colon + 2);
}

bool is_count(const std::string& line) {
    return line.starts_with(ellipsis);
}

// True if both are of one notification, and the first is its later text: an EXTERNAL tool was added. A pull may tell a
// version in the step in which the interfaces are sent it.
bool names_more_tools(const std::string& later, const std::string& text) {
    constexpr std::string_view tools = " (tool";
    return later.size() > text.size() && later.starts_with(text.substr(0, text.find(tools)) + std::string(tools));
}

}  // namespace

void AwarenessWitness::published(const base::Uuid& id, std::int64_t version, const std::string& text) {
    published_.insert(text);
    versions_[id] = std::max(versions_[id], version);
}

void AwarenessWitness::shown(const std::vector<Sight>& sights, base::Timestamp now) {
    ++step_;
    for (const Sight& sight : sights) {
        published(sight.id, sight.version, sight.text);
        if (!sight.text.starts_with(own_text)) continue;
        const auto [at, is_new] = shown_.try_emplace(sight.id, Shown{sight, now, step_});
        if (!is_new && at->second.sight.version < sight.version) at->second = {sight, now, step_};
    }
}

void AwarenessWitness::confirmed(const std::string& session, const base::Uuid& pull) {
    const auto at = agents_.find(session);
    if (at == agents_.end() || at->second.pull != pull) return;
    at->second.confirmed.insert(at->second.lines.begin(), at->second.lines.end());
}

void AwarenessWitness::may_be_told(const std::string& session) {
    const auto at = agents_.find(session);
    if (at != agents_.end()) at->second.may_know_through = step_;
}

void AwarenessWitness::gone(const std::string& session, const std::set<base::Uuid>& moved, base::Timestamp now) {
    agents_.erase(session);
    for (const base::Uuid& id : moved) {
        const auto at = shown_.find(id);
        if (at == shown_.end()) continue;
        at->second.sight.session.clear();
        at->second.at = now;
        at->second.step = step_ + 1;
    }
}

void AwarenessWitness::forget(const std::string& user) {
    agents_.clear();  // sessions of the user may be made once more
    std::erase_if(shown_, [&](const auto& one) { return one.second.sight.user == user; });
}

void AwarenessWitness::judge_lines(const std::vector<std::string>& lines, Agent& agent, bool is_sure,
                                   Complaints& complaints) {
    for (const std::string& line : lines) {
        if (is_count(line)) continue;
        const std::string text = text_of(line);
        if (line.ends_with(ellipsis)) {
            agent.cut.insert(text.substr(0, text.size() - std::min(text.size(), ellipsis.size())));
            continue;
        }
        agent.told.insert(text);
        if (!text.starts_with(own_text)) continue;
        // The notice about a tool may be told in the step that makes it, before its readers are heard.
        const bool names_tool = text.find(" (tool") != std::string::npos;
        if (is_sure && !names_tool && !published_.contains(text))
            complaints.push_back("an agent was told what nobody was sent: " + line);
        if (agent.confirmed.contains(line) && !doubled_.contains(text)) {
            complaints.push_back("an agent was told twice: " + line);
        }
    }
}

void AwarenessWitness::pulled(const SentPull& sent, const ports::PullReply& reply, const Seat& seat,
                              Complaints& complaints) {
    if (sent.point != model::InjectAt::turn_start) return;
    const auto [at, is_new] = agents_.try_emplace(sent.session_id);
    Agent& agent = at->second;
    if (is_new) {
        agent.first_pull = step_;
        agent.first_pull_at = seat.now;
    }
    judge_lines(reply.seen, agent, seat.is_sure, complaints);
    if (!reply.seen.empty()) {
        agent.pull = reply.pull_id;
        agent.lines = reply.seen;
    }
    const bool has_room = sent.budget_tokens == 0 && std::ranges::none_of(reply.seen, is_count);
    if (!has_room || !seat.is_sure || seat.user.empty()) return;
    for (const auto& [id, shown] : shown_) {
        const Sight& sight = shown.sight;
        const bool is_its = sight.user == seat.user && (sight.session.empty() || sight.session == sent.session_id);
        const bool is_newest = versions_[id] == sight.version;
        // A session is told what was shown a day before it; here only what came after its first turn counts.
        // A fact counts from its first showing (decision 0024), and this witness does not hear sinks: only what was
        // made later can be judged.
        const auto made_at = base::time_of_uuid7(id);
        const bool is_later = made_at && *made_at >= agent.first_pull_at;
        const bool is_due = is_later && shown.step > std::max(agent.first_pull, agent.may_know_through) &&
                            seat.now - shown.at < seat.kept;
        const auto is_cut = [&](const std::string& begin) { return sight.text.starts_with(begin); };
        const auto is_later_text = [&](const std::string& text) { return names_more_tools(text, sight.text); };
        const bool is_told = agent.told.contains(sight.text) || std::ranges::any_of(agent.cut, is_cut) ||
                             std::ranges::any_of(agent.told, is_later_text);
        if (is_its && is_newest && is_due && !is_told) {
            complaints.push_back("the agent of " + sent.session_id +
                                 " does not know what its user was shown: " + sight.text);
        }
    }
}

}  // namespace belfry::sim
