#include <algorithm>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "rules/rule_summary.hpp"
#include "sim/folds_words.hpp"
#include "sim/folds_world.hpp"

// What is said to Belfry in the world of memory, and what becomes of the answers.
namespace belfry::sim {
namespace {

using model::FoldState;

}  // namespace

void FoldsWorld::send(ports::AnyCommand command) {
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(command));
    send_all(std::move(group));
}

void FoldsWorld::send_all(std::vector<ports::AnyCommand> commands) {
    if (machine_.is_up()) tally_.applied += commands.size();
    const engine::Effects effects = machine_.engine().step(clock_.now(), std::move(commands));
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
    const bool is_unheard = machine_.disk().is_dead() || loses_answers_;
    for (const ports::AnyCommand& command : effects.answered) {
        if (is_unheard) unhear(*command);
        else hear(*command);
    }
}

// Whoever waits for it does not know.
void FoldsWorld::unhear(const ports::Command& any) {
    ++tally_.unheard;
    hear_return(any);
    const auto* const finished = dynamic_cast<const ports::FinishFold*>(&any);
    if (finished == nullptr) return;
    witness_.perhaps_finished(finished->id);
    if (work_ && random_.one_in(2)) work_.reset();
}

void FoldsWorld::hear(ports::Command& any) {
    if (auto* claimed = dynamic_cast<ports::ClaimWake*>(&any)) return hear_claim(*claimed);
    if (auto* granted = dynamic_cast<ports::ClaimFold*>(&any)) return hear_grant(*granted);
    if (auto* finished = dynamic_cast<ports::FinishFold*>(&any)) return hear_finish(*finished);
    const auto refused = [this](const base::Error& why) {
        if (!is_in_doubt(why)) complaints_.push_back("refused: " + why.reason + ' ' + why.field + ' ' + why.message);
    };
    if (auto* made = dynamic_cast<ports::CreateAgent*>(&any)) {
        if (made->result().ok() || made->result().error().reason == "taken") made_.insert(made->draft.id);
        else refused(made->result().error());
    } else if (auto* woken = dynamic_cast<ports::WakeAgent*>(&any)) {
        if (woken->result().ok()) visits_[woken->agent_id].asked = woken->result()->wake.id;
        else refused(woken->result().error());
    } else if (auto* ended = dynamic_cast<ports::EndWake*>(&any)) {
        for (auto& [id, visit] : visits_) {
            if (visit.asked == ended->id) ask_store(visit);
        }
    } else if (auto* said = dynamic_cast<ports::AppendAgentMessages*>(&any)) {
        if (said->result().ok()) return witness_.heard(*said);
        if (is_in_doubt(said->result().error())) return;
        const base::Error why = said->result().error();
        witness_.not_said(said->drafts.front().id);
        for (auto& [id, visit] : visits_) {
            if (visit.asked != said->id) continue;
            // What it would have closed may be closed by nobody, or by somebody who does not know it.
            if (visit.claim) cast_.forget_open(visit.claim->thread_id);
            ask_store(visit);
        }
        if (why.reason != "stale_claim" && why.field.find("action_ref_id") == std::string::npos) refused(why);
    } else if (auto* forgotten = dynamic_cast<ports::ForgetMemory*>(&any)) {
        if (forgotten->result().ok()) return witness_.heard(*forgotten);
        if (is_in_doubt(forgotten->result().error())) return;
        witness_.not_forgotten();
        refused(forgotten->result().error());
    } else if (auto* failed = dynamic_cast<ports::FailFold*>(&any)) {
        hear_return(any);
        if (!failed->result().ok() && failed->result().error().reason == "stale_claim") ++tally_.stale;
        else if (failed->result().ok()) ++tally_.failures;
        else return refused(failed->result().error());
        if (work_ && work_->grant.job.id == failed->id) work_.reset();
    } else if (auto* returned = dynamic_cast<ports::ReturnFolds*>(&any)) {
        are_returned_ = returned->result().ok();
    } else if (auto* now = dynamic_cast<ports::FoldNow*>(&any)) {
        open_folds_ = now->result().ok() ? *now->result() : -1;
    }
}

// A job that a stop has returned is handed out again under the same number, if the return is stored.
void FoldsWorld::hear_return(const ports::Command& any) {
    const auto* const failed = dynamic_cast<const ports::FailFold*>(&any);
    if (failed == nullptr || failed->fault != model::FoldFault::stopped) return;
    witness_.returned(failed->id, failed->attempt);
}

void FoldsWorld::hear_claim(const ports::ClaimWake& command) {
    Visit& visit = visits_[command.agents.front()];
    if (!command.result().ok() || !command.result()->grant) return ask_store(visit);
    const ports::WakeGrant& grant = *command.result()->grant;
    if (visit.asked != grant.wake.id) return;
    visit.claim = grant.wake;
    if (witness_.is_in_doubt()) return;
    machine_.clear_read_errors();
    const auto compared = witness_.compare_context(machine_.store(), grant, clock_.now());
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

// He reads the span at once, as it is then.
void FoldsWorld::hear_grant(const ports::ClaimFold& command) {
    is_nothing_to_fold_ = command.result().ok() && !*command.result() && !command.rules_only;
    if (!command.result().ok() || !*command.result()) return;
    const ports::FoldGrant& grant = **command.result();
    if (command.rules_only && grant.job.summarizer != model::Summarizer::rules) {
        complaints_.push_back("a summary by a model was handed out to one who asked for rules only");
    }
    const auto look = picture();
    if (!look) return;
    if (!witness_.is_in_doubt()) witness_.granted(grant, *look);
    Work work{grant, {}};
    const model::FoldJob& job = grant.job;
    if (job.depth == 1) {
        work.summary = rules::summarize_messages(look->span(job.thread_id, job.start_position, job.end_position));
    } else {
        std::vector<model::SummaryPlace> places;
        for (const auto& [id, place] : look->places) {
            const bool is_its = place.agent_id == job.agent_id && place.depth == job.depth - 1 && !place.folded_into &&
                                place.position >= job.start_position && place.position <= job.end_position;
            if (is_its) places.push_back(place);
        }
        std::ranges::sort(places, {}, &model::SummaryPlace::position);
        std::vector<rules::FoldedSummary> folded;
        for (const model::SummaryPlace& place : places) {
            const model::AgentMessage* const message = look->message(place.thread_id, place.message_id);
            if (message != nullptr) folded.push_back({*message, model::memory_summary_of(message->content.view())});
        }
        work.summary = rules::summarize_summaries(folded);
    }
    say("to fold " + std::to_string(job.messages) + " of " + job.thread_id + " at depth " + std::to_string(job.depth));
    claimed_[job.id] = job;
    work_ = std::move(work);
}

void FoldsWorld::hear_finish(const ports::FinishFold& command) {
    witness_.heard(command, claimed_[command.id], clock_.now());
    if (command.result().ok()) {
        ++(command.result()->state == FoldState::done ? tally_.folds : tally_.failures);
    } else if (command.result().error().reason == "stale_claim") {
        ++tally_.stale;
    } else if (is_in_doubt(command.result().error())) {
        return witness_.perhaps_finished(command.id);
    } else {
        complaints_.push_back("refused: " + command.result().error().message);
    }
    if (work_ && work_->grant.job.id == command.id) work_.reset();
}

}  // namespace belfry::sim
