#include <algorithm>

#include "base/memory_limits.hpp"
#include "rules/rule_summary.hpp"
#include "sim/folds_words.hpp"
#include "sim/folds_world.hpp"

// One who folds: well, badly, late, or not at all.
namespace belfry::sim {
namespace {

namespace limits = base::limits;
constexpr std::size_t lost_max = 6;

}  // namespace

void FoldsWorld::fold() {
    if (!are_returned_) return send(by_house(std::make_unique<ports::ReturnFolds>()));
    if (!lost_.empty() && random_.one_in(6) && !is_resting_) return answer_late();
    if (!work_) {
        auto claim = std::make_unique<ports::ClaimFold>();
        // As if all questions to models were under way.
        claim->rules_only = !is_resting_ && (models_are_silent_ || random_.one_in(5));
        return send(by_house(std::move(claim)));
    }
    if (!is_resting_ && random_.below(100) < keeper_is_late_) {
        say("he is late");
        clock_.advance(limits::fold_lease + base::seconds(static_cast<std::int64_t>(random_.below(60))));
    }
    Work work = *work_;
    answer(std::move(work));
}

void FoldsWorld::answer(Work work) {
    if (!is_resting_ && random_.below(100) < keeper_fails_) return fail(work);
    if (!is_resting_ && random_.below(100) < keeper_lies_) return lie(work);
    if (work.grant.job.summarizer == model::Summarizer::rules) {
        model::MemorySummary summary = work.summary;
        return finish(work, std::move(summary), FoldsWitness::Kind::by_rules);
    }
    model::MemorySummary words;
    words.text = "a model's words of " + std::to_string(work.grant.job.messages);
    finish(work, rules::joined(work.summary, std::move(words)), FoldsWitness::Kind::by_model);
}

void FoldsWorld::fail(const Work& work) {
    using model::FoldFault;
    constexpr FoldFault faults[] = {FoldFault::passing, FoldFault::refused, FoldFault::invalid, FoldFault::lost};
    auto command = std::make_unique<ports::FailFold>();
    command->id = work.grant.job.id;
    command->attempt = work.grant.job.attempts;
    command->fault = faults[random_.below(4)];
    command->why = "it did not answer";
    keep_harmless();
    if (!machine_.disk().is_dead()) send(by_house(std::move(command)));
}

// What is no summary must be refused; what is one and tells nothing of its span cannot be.
void FoldsWorld::lie(const Work& work) {
    if (random_.one_in(3)) {
        model::MemorySummary summary;
        summary.by = model::Summarizer::model;
        summary.text = "nothing happened, in attempt " + std::to_string(work.grant.job.attempts);
        return finish(work, std::move(summary), FoldsWitness::Kind::lie);
    }
    model::MemorySummary summary = no_summary(work.summary);
    keep_harmless();
    if (!machine_.disk().is_dead()) finish(work, std::move(summary), FoldsWitness::Kind::by_rules);
}

model::MemorySummary FoldsWorld::no_summary(model::MemorySummary summary) {
    switch (random_.below(6)) {
        case 0: summary.text.clear(); break;
        case 1: summary.text = " \n\t"; break;
        case 2: summary.text.assign(limits::summary_text_bytes_max + 1, 'x'); break;
        case 3: summary.goals.resize(limits::summary_items_max + 1, {"too many", {}}); break;
        case 4: summary.counts["thought"] = -1; break;
        default: summary.decisions.push_back({"", {}}); break;
    }
    return summary;
}

void FoldsWorld::finish(const Work& work, model::MemorySummary summary, FoldsWitness::Kind kind) {
    witness_.offers(work.grant.job, summary, kind);
    auto command = std::make_unique<ports::FinishFold>();
    command->id = work.grant.job.id;
    command->attempt = work.grant.job.attempts;
    command->summary = std::move(summary);
    // He says it twice, in one breath.
    if (random_.one_in(12)) {
        auto again = std::make_unique<ports::FinishFold>();
        again->id = command->id;
        again->attempt = command->attempt;
        again->summary = command->summary;
        std::vector<ports::AnyCommand> both;
        both.push_back(by_house(std::move(command)));
        both.push_back(by_house(std::move(again)));
        return send_all(std::move(both));
    }
    send(by_house(std::move(command)));
}

// One who was thought to be gone tells what he made, of what there was when he read it.
void FoldsWorld::answer_late() {
    const auto at = std::next(lost_.begin(), static_cast<std::ptrdiff_t>(random_.below(lost_.size())));
    Work work = *at;
    if (random_.one_in(2)) lost_.erase(at);
    claimed_[work.grant.job.id] = work.grant.job;
    say("a late answer");
    answer(std::move(work));
}

void FoldsWorld::return_work() {
    if (!work_ || !machine_.is_up() || random_.one_in(3)) return;
    auto command = std::make_unique<ports::FailFold>();
    command->id = work_->grant.job.id;
    command->attempt = work_->grant.job.attempts;
    command->fault = model::FoldFault::stopped;
    work_.reset();
    keep_harmless();
    if (!machine_.disk().is_dead()) send(by_house(std::move(command)));
}

void FoldsWorld::lose_keeper() {
    if (!work_) return;
    say("who folds is gone");
    lost_.push_back(std::move(*work_));
    if (lost_.size() > lost_max) lost_.erase(lost_.begin());
    work_.reset();
}

}  // namespace belfry::sim
