#include "sim/memory_witness.hpp"

#include <algorithm>

namespace belfry::sim {
namespace {

using model::AgentMessageKind;
constexpr std::size_t thread_max = 100'000;

std::vector<std::string> tools_of(const model::AgentPlan& plan) {
    std::vector<std::string> tools;
    for (const model::PlannedAction& action : plan.actions) tools.push_back(action.tool_name);
    return tools;
}

}  // namespace

void MemoryWitness::heard(const ports::AppendAgentMessages& command, const std::string& thread_id) {
    for (const model::AgentMessage& message : command.result()->messages) {
        if (known_.insert(message.id).second) threads_[thread_id].push_back(message.id);
    }
}

void MemoryWitness::heard(const ports::StorePlan& command, const std::string& run_key, Complaints& complaints) {
    const std::vector<std::string> tools = tools_of(command.result()->plan.plan);
    const auto [at, is_first] = plans_.emplace(run_key, tools);
    if (at->second != tools) complaints.push_back("the plan of run " + run_key + " has become another one");
    if (!is_first && command.result()->is_new) complaints.push_back("run " + run_key + " has planned twice");
}

void MemoryWitness::unheard(const ports::AppendAgentMessages& command) {
    for (const model::AgentMessage& draft : command.drafts) perhaps_.insert(draft.id);
}

void MemoryWitness::compare_thread(const std::string& id, const std::vector<model::AgentMessage>& chain,
                                   Complaints& complaints) const {
    const std::string where = " in thread " + id;
    std::optional<base::Uuid> prev;
    std::set<base::Uuid> there;
    std::set<base::Uuid> answered;
    std::vector<base::Uuid> acknowledged;
    for (const model::AgentMessage& message : chain) {
        if (message.prev_message_id != prev) complaints.push_back("the chain is broken" + where);
        prev = message.id;
        const bool is_workers = message.kind != AgentMessageKind::user && message.kind != AgentMessageKind::observation;
        if (known_.contains(message.id)) acknowledged.push_back(message.id);
        else if (is_workers && !perhaps_.contains(message.id)) complaints.push_back("nobody said this" + where);
        if (message.kind == AgentMessageKind::tool_result) {
            const auto& action = message.metadata.action_ref_id;
            if (!action || !there.contains(*action)) complaints.push_back("a result has no action before it" + where);
            else if (!answered.insert(*action).second) complaints.push_back("an action has two results" + where);
        }
        if (!there.insert(message.id).second) complaints.push_back("a message is there twice" + where);
    }
    // What was never heard of and repeated later stands where it was first said.
    const auto told = threads_.find(id);
    std::vector<base::Uuid> expected = told == threads_.end() ? std::vector<base::Uuid>{} : told->second;
    const auto is_sure = [&](const base::Uuid& one) { return !perhaps_.contains(one); };
    std::vector<base::Uuid> sure_expected;
    std::vector<base::Uuid> sure_there;
    std::ranges::copy_if(expected, std::back_inserter(sure_expected), is_sure);
    std::ranges::copy_if(acknowledged, std::back_inserter(sure_there), is_sure);
    if (sure_expected != sure_there) complaints.push_back("what was acknowledged is not there in its order" + where);
    for (const base::Uuid& one : expected) {
        if (!there.contains(one)) complaints.push_back("an acknowledged message is not there" + where);
    }
}

base::Result<void> MemoryWitness::compare(store::SqlStore& store, Complaints& complaints) const {
    for (const auto& [id, messages] : threads_) {
        TRY_ASSIGN(auto chain, store.agent_messages().newest(id, thread_max));
        std::ranges::reverse(chain);
        compare_thread(id, chain, complaints);
    }
    for (const auto& [run_key, tools] : plans_) {
        TRY_ASSIGN(const auto rounds, store.agent_messages().plans(run_key));
        if (rounds.empty() || tools_of(rounds.front()) != tools) {
            complaints.push_back("the plan of run " + run_key + " is not there as it was");
        }
    }
    return {};
}

}  // namespace belfry::sim
