#include "sim/folds_witness.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "rules/fold.hpp"

namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::FoldState;

bool is_raw(const AgentMessage& message) {
    return message.kind != AgentMessageKind::summary;
}

base::Uuid summary_of(const model::FoldJob& job) {
    return rules::summary_id(job.agent_id, job.thread_id, job.depth, job.start_message_id, job.end_message_id);
}

}  // namespace

void FoldsWitness::adopt(Said said, const AgentMessage& message) {
    said.position = message.position;
    said.created_at = message.created_at;
    ++ever_[said.thread_id];
    last_at_[said.thread_id] = message.created_at;
    ++sums_.messages;
    said_.emplace(said.id, std::move(said));
}

void FoldsWitness::heard(const ports::AppendAgentMessages& command) {
    const std::vector<AgentMessage>& there = command.result()->messages;
    const auto batch = std::ranges::find_if(perhaps_said_, [&](const std::vector<Said>& one) {
        return !there.empty() && one.front().id == there.front().id;
    });
    if (batch == perhaps_said_.end()) return complain("an answer to what nobody has said");
    for (std::size_t i = 0; i < batch->size(); ++i) adopt((*batch)[i], there[i]);
    perhaps_said_.erase(batch);
}

void FoldsWitness::not_said(const base::Uuid& first) {
    std::erase_if(perhaps_said_, [&](const std::vector<Said>& one) { return one.front().id == first; });
}

// The oldest first, as many as one go takes.
void FoldsWitness::forgets(const ports::ForgetMemory& command) {
    std::vector<const Said*> chosen;
    for (const auto& [id, said] : said_) {
        if (said.agent_id != command.agent_id) continue;
        const bool is_it = command.message_id ? id == *command.message_id
                                              : (command.thread_id.empty() || said.thread_id == command.thread_id) &&
                                                    (!command.before || said.created_at < *command.before);
        if (is_it) chosen.push_back(&said);
    }
    std::ranges::sort(chosen, {}, [](const Said* one) { return one->position; });
    if (chosen.size() > base::limits::sweep_slice_rows) chosen.resize(base::limits::sweep_slice_rows);
    perhaps_forgotten_.emplace();
    for (const Said* const one : chosen) perhaps_forgotten_->insert(one->id);
}

void FoldsWitness::heard(const ports::ForgetMemory& command) {
    if (!perhaps_forgotten_) return complain("an answer to what nobody wanted to be forgotten");
    if (command.result()->messages != perhaps_forgotten_->size()) {
        complain(std::to_string(command.result()->messages) + " messages were forgotten in the place of " +
                 std::to_string(perhaps_forgotten_->size()));
    }
    let_go(*std::exchange(perhaps_forgotten_, std::nullopt));
}

void FoldsWitness::let_go(const std::set<base::Uuid>& ids) {
    for (const base::Uuid& id : ids) {
        auto gone = said_.extract(id);
        if (gone.empty()) continue;
        ++sums_.forgotten;
        forgetful_.insert(gone.mapped().agent_id);
        forgotten_.insert(std::move(gone));
    }
}

void FoldsWitness::granted(const ports::FoldGrant& grant, const FoldsLook& look) {
    const model::FoldJob& job = grant.job;
    const auto [at, is_first] = attempts_.emplace(job.id, job.attempts);
    if (!is_first && job.attempts <= at->second && !restarted_.contains(job.id)) {
        complain("a job was handed out twice at one attempt");
    }
    at->second = job.attempts;
    std::size_t there = 0;
    if (job.depth == 1) {
        const auto span = look.span(job.thread_id, job.start_position, job.end_position);
        there = span.size();
        const bool is_its =
            there > 0 && span.front().id == job.start_message_id && span.back().id == job.end_message_id;
        if (!is_its) complain("a job was handed out whose span is another one");
    } else {
        for (const auto& [id, place] : look.places) {
            const bool is_its = place.agent_id == job.agent_id && place.depth == job.depth - 1 && !place.folded_into &&
                                place.position >= job.start_position && place.position <= job.end_position;
            there += is_its ? 1 : 0;
        }
    }
    if (there != static_cast<std::size_t>(job.messages)) complain("a job was handed out that counts its span wrongly");
}

void FoldsWitness::offers(const model::FoldJob& job, const model::MemorySummary& summary, Kind kind) {
    if (kind == Kind::lie) lies_[summary_of(job)].insert(content_of(summary));
    if (kind == Kind::by_model) by_model_[summary_of(job)].insert(content_of(summary));
}

// Who comes late has lost, unless it was done by himself before and he had not heard it.
void FoldsWitness::heard(const ports::FinishFold& command, const model::FoldJob& claimed, base::Timestamp now) {
    if (!command.result().ok()) return;
    const model::FoldJob& job = *command.result();
    const bool is_sound = rules::check_memory_summary(command.summary).ok();
    if (job.state != FoldState::done) {
        if (is_sound) complain("a sound summary was taken for a failure: " + job.last_error);
        return;
    }
    if (!job.summary_id) return;  // it was not needed any more
    const bool is_repeat = finished_.contains(job.id);
    finished_.insert(job.id);
    if (is_repeat) return;
    if (!is_sound) complain("what is no summary was taken for one");
    if (restarted_.contains(job.id)) return;
    if (claimed.lease_until && *claimed.lease_until <= now) complain("a summary was taken after its lease");
    const auto latest = attempts_.find(job.id);
    if (latest != attempts_.end() && latest->second > command.attempt)
        complain("a summary was taken from who had lost");
}

// What nobody has heard of is there whole or not at all.
void FoldsWitness::settle(const FoldsLook& look) {
    for (const std::vector<Said>& batch : std::exchange(perhaps_said_, {})) {
        std::size_t there = 0;
        for (const Said& said : batch) {
            const AgentMessage* const message = look.message(said.thread_id, said.id);
            if (message == nullptr) continue;
            ++there;
            adopt(said, *message);
        }
        if (there != 0 && there != batch.size()) complain("a part of what was said together is there");
    }
    if (!perhaps_forgotten_) return;
    const std::set<base::Uuid> ids = *std::exchange(perhaps_forgotten_, std::nullopt);
    const auto is_gone = [&](const base::Uuid& id) { return look.message(said_.at(id).thread_id, id) == nullptr; };
    const auto gone = static_cast<std::size_t>(std::ranges::count_if(ids, is_gone));
    if (gone != 0 && gone != ids.size()) complain("a part of what was to be forgotten is gone");
    if (gone != 0) let_go(ids);
}

void FoldsWitness::compare_history(const FoldsLook& look) {
    std::size_t there = 0;
    for (const auto& [thread_id, chain] : look.threads) {
        compare_chain(thread_id, chain);
        for (const AgentMessage& message : chain) {
            if (!is_raw(message)) continue;
            ++there;
            const auto at = said_.find(message.id);
            if (at == said_.end()) {
                complain(forgotten_.contains(message.id) ? "what was forgotten is back" : "nobody has said this");
                continue;
            }
            const Said& said = at->second;
            const bool is_same = said.thread_id == thread_id && said.position == message.position &&
                                 said.content == message.content.bytes() && said.tokens == message.tokens_approx &&
                                 said.created_at == message.created_at;
            if (!is_same) complain("a message is not as it was said");
        }
    }
    if (there != said_.size()) {
        complain(std::to_string(there) + " messages are there, and " + std::to_string(said_.size()) + " were said");
    }
}

// Each names the one before it. Where something was taken away, the name of what is gone may be left.
void FoldsWitness::compare_chain(const std::string& thread_id, const Messages& chain) {
    const AgentMessage* before = nullptr;
    std::set<base::Uuid> ids;
    for (const AgentMessage& message : chain) {
        if (!ids.insert(message.id).second) complain("a message is in thread " + thread_id + " twice");
        if (before != nullptr && before->position >= message.position)
            complain("thread " + thread_id + " has no order");
        const auto& prev = message.prev_message_id;
        const bool is_next = before == nullptr ? !prev : prev == before->id;
        const bool is_left = forgetful_.contains(message.agent_id) && !(prev && ids.contains(*prev));
        if (!is_next && !is_left) complain("the chain of thread " + thread_id + " is broken");
        before = &message;
    }
}

base::Result<void> FoldsWitness::compare(store::SqlStore& store) {
    TRY_ASSIGN(const FoldsLook look, look_at_folds(store, agents_));
    settle(look);
    if (const auto before = std::exchange(unchanged_, std::nullopt)) {
        ++sums_.harmless;
        if (!before->is_same_memory(look)) complain("a failure has changed what is remembered");
    }
    compare_history(look);
    compare_rows(look);
    compare_agents(look);
    compare_places(look);
    compare_coverage(look);
    compare_overlaps(look);
    compare_frontier(look);
    compare_jobs(look);
    return {};
}

base::Result<void> FoldsWitness::compare_recall(store::SqlStore& store, std::uint64_t chosen) {
    // Whether its word finds it; what closes it says the word again.
    const auto is_found = [&](const Said& said) -> base::Result<bool> {
        ports::RecallFilter filter;
        filter.agent_id = said.agent_id;
        filter.words = {said.word};
        filter.limit = 100;  // what closes and opens it again and again has the word, too, and is newer
        TRY_ASSIGN(const auto found, store.memory().questions().recall(filter));
        return std::ranges::any_of(found, [&](const AgentMessage& one) { return one.id == said.id; });
    };
    if (!said_.empty()) {
        const Said& said = std::next(said_.begin(), static_cast<std::ptrdiff_t>(chosen % said_.size()))->second;
        TRY_ASSIGN(const bool found, is_found(said));
        if (!found) complain("its word does not find what was said: " + said.content.substr(0, 100));
    }
    if (!forgotten_.empty()) {
        const Said& gone =
            std::next(forgotten_.begin(), static_cast<std::ptrdiff_t>(chosen % forgotten_.size()))->second;
        TRY_ASSIGN(const bool found, is_found(gone));
        if (found) complain("its word finds what was forgotten");
    }
    return {};
}

}  // namespace belfry::sim
