#include "sim/folds_world.hpp"

#include <algorithm>
#include <cstdio>

#include "base/memory_limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/sessions.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::FoldState;
constexpr int rest_rounds_max = 3000;
constexpr std::size_t lost_max = 6;

Weather harsh(SeededRandom& random, std::uint64_t seed) {
    Weather weather(random, seed, false);
    weather.dies_in_operation = random.one_in(4) ? 0 : random.below(60);
    weather.dies_after_step = random.one_in(4) ? 0 : random.below(60);
    weather.restarts = random.below(30);
    weather.retention = {};
    return weather;
}

engine::EngineOptions options_of(MadeUpZones& zones) {
    engine::EngineOptions options;
    options.zones = &zones;
    return options;
}

template <class C>
ports::AnyCommand by_house(std::unique_ptr<C> command) {
    command->principal = model::house_principal();
    return command;
}

// Belfry could not say what became of it.
bool is_in_doubt(const base::Error& why) {
    using base::Code;
    return why.code == Code::unavailable || why.code == Code::outcome_unknown || why.code == Code::io ||
           why.code == Code::overloaded;
}

std::uint64_t often_or_never(SeededRandom& random, std::uint64_t most) {
    return random.one_in(3) ? 0 : 1 + random.below(most);
}

model::MemorySettings some_settings(SeededRandom& random) {
    model::MemorySettings settings;
    settings.hot_messages = static_cast<std::int64_t>(2 + random.below(random.one_in(3) ? 60 : 12));
    settings.hot_tokens = static_cast<std::int64_t>(100 + random.below(random.one_in(3) ? 3000 : 400));
    settings.budget_tokens =
        static_cast<std::int64_t>(random.one_in(3) ? 500 + random.below(500) : 4000 + random.below(20'000));
    settings.hot_tokens = std::min(settings.hot_tokens, settings.budget_tokens);  // or it is refused
    if (random.one_in(3)) {
        settings.base_url = "http://127.0.0.1:1/v1";
        settings.model = "m";
        settings.summarizer = model::Summarizer::model;  // of short spans, too
    }
    return settings;
}

}  // namespace

FoldsWorld::FoldsWorld(std::uint64_t seed, bool verbose)
    : verbose_(verbose),
      random_(seed),
      weather_(harsh(random_, seed)),
      machine_(seed, random_.fork(), weather_, clock_, subscribers_, options_of(zones_)),
      cast_(random_.fork()),
      keeper_fails_(often_or_never(random_, 40)),
      keeper_lies_(often_or_never(random_, 40)),
      keeper_is_late_(often_or_never(random_, 20)),
      forgets_(often_or_never(random_, 40)) {
    const std::uint64_t count = 1 + random_.below(3);
    std::vector<std::string> ids;
    for (std::uint64_t i = 0; i < count; ++i) {
        ids.push_back("agent" + std::to_string(i));
        agents_[ids.back()] = some_settings(random_);
    }
    witness_.know_agents(std::move(ids));
}

FoldsWorld::Tally& FoldsWorld::Tally::operator+=(const Tally& other) {
    using Count = std::uint64_t Tally::*;
    for (const Count count : {&Tally::applied, &Tally::sweeps, &Tally::folds, &Tally::failures, &Tally::stale,
                              &Tally::unheard, &Tally::power_losses, &Tally::process_losses, &Tally::restarts,
                              &Tally::commits_failed, &Tally::commits_unknown, &Tally::looks}) {
        this->*count += other.*count;
    }
    using Sums = FoldsWitness::Sums;
    using Sum = std::uint64_t Sums::*;
    for (const Sum sum :
         {&Sums::messages, &Sums::forgotten, &Sums::summaries, &Sums::lies, &Sums::contexts, &Sums::harmless}) {
        sums.*sum += other.sums.*sum;
    }
    sums.deepest = std::max(sums.deepest, other.sums.deepest);
    return *this;
}

void FoldsWorld::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

template <class T>
std::optional<T> FoldsWorld::told(base::Result<T> answer) {
    if (machine_.disk().is_dead()) return std::nullopt;
    if (answer.ok()) return std::move(*answer);
    complaints_.push_back("the store cannot be read: " + answer.error().message);
    return std::nullopt;
}

Complaints FoldsWorld::run(std::uint64_t steps) {
    start();
    while (step_ < steps && complaints_.empty()) {
        ++step_;
        one_step();
        if (machine_.disk().is_dead()) die();
    }
    if (complaints_.empty()) come_to_rest();
    tally_.sums = witness_.sums();
    return complaints_;
}

// As often as it takes until it was heard.
void FoldsWorld::make_beginning() {
    for (const char* const session : {"s0", "s1"}) {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = session;
        command->user_id = "ada";
        send(by_house(std::move(command)));
    }
    for (const auto& [id, settings] : agents_) {
        auto agent = std::make_unique<ports::CreateAgent>();
        agent->draft.id = id;
        agent->draft.user_id = "ada";
        agent->draft.memory = settings;
        if (!machine_.disk().is_dead()) send(by_house(std::move(agent)));
    }
}

void FoldsWorld::one_step() {
    machine_.bring_trouble(step_);
    pass_time();
    if (witness_.is_in_doubt()) look();
    if (machine_.disk().is_dead()) return;
    loses_answers_ = random_.one_in(40);
    const std::uint64_t draw = random_.below(1000);
    if (!machine_.is_up() || draw < 80) {
        tend();
    } else if (draw < 80 + weather_.checkpoints) {
        (void)machine_.store().database().script("PRAGMA wal_checkpoint(TRUNCATE)");
    } else if (made_.size() < agents_.size()) {
        make_beginning();
    } else if (random_.below(1000) < forgets_) {
        forget();
    } else if (random_.one_in(20)) {
        meddle();
    } else {
        live();
    }
    if (machine_.disk().is_dead()) return;
    if (random_.one_in(60)) lose_keeper();
    if (random_.below(1000) < weather_.dies_after_step) {
        machine_.disk().die();
    } else if (random_.below(1000) < weather_.restarts) {
        say("stop and start");
        ++tally_.restarts;
        machine_.stop();
        start();
    } else if (random_.one_in(6)) {
        look();
    }
}

// A while in which agents talk and somebody folds.
void FoldsWorld::live() {
    for (std::uint64_t left = 1 + random_.below(8); left > 0; --left) {
        if (random_.percent(35)) fold();
        else visit(witness_.agents()[random_.below(agents_.size())]);
        if (!machine_.is_up() || machine_.disk().is_dead() || witness_.is_in_doubt() || !complaints_.empty()) return;
    }
}

// Hours only where nobody works: wakes are another world's.
void FoldsWorld::pass_time() {
    clock_.advance(base::microseconds(static_cast<std::int64_t>(1 + random_.below(100'000))));
    if (!machine_.is_up()) return clock_.advance(base::limits::reopen_pause_max);
    const bool is_quiet = std::ranges::none_of(visits_, [](const auto& one) { return one.second.claim.has_value(); });
    if (!is_quiet) return;
    if (random_.one_in(30)) clock_.advance(base::seconds(static_cast<std::int64_t>(random_.below(400))));
    if (random_.one_in(60)) clock_.advance(base::minutes(static_cast<std::int64_t>(random_.below(200))));
}

void FoldsWorld::visit(const std::string& agent_id) {
    Visit& visit = visits_[agent_id];
    if (visit.request_id.empty()) {
        visit.request_id = "r" + std::to_string(++requests_);
        if (random_.one_in(2)) visit.session_id = "s" + std::to_string(random_.below(2));
        visit.words_left = 1 + random_.below(12);
    }
    if (!visit.asked) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = agent_id;
        command->request_id = visit.request_id;
        command->session_id = visit.session_id;
        return send(by_house(std::move(command)));
    }
    if (!visit.claim) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent_id};
        command->holder = "worker";
        command->lease = limits::wake_lease_max;
        command->context_messages = 200;
        return send(by_house(std::move(command)));
    }
    if (visit.words_left > 0) return speak(agent_id, visit);
    auto command = std::make_unique<ports::EndWake>();
    command->id = visit.claim->id;
    command->fence = visit.claim->fence;
    send(by_house(std::move(command)));
}

void FoldsWorld::speak(const std::string& agent_id, Visit& visit) {
    --visit.words_left;
    FoldsCast::Words words = cast_.speak(agent_id, visit.claim->thread_id, clock_.now());
    auto command = std::make_unique<ports::AppendAgentMessages>();
    command->id = visit.claim->id;
    command->fence = visit.claim->fence;
    command->drafts = std::move(words.drafts);
    witness_.speaks(words.said);
    send(by_house(std::move(command)));
}

// One who has not heard how it stands with his wake looks.
void FoldsWorld::ask_store(Visit& visit) {
    if (!visit.asked || !machine_.is_up()) return;
    machine_.clear_read_errors();
    const auto found = told(machine_.store().wakes().find(*visit.asked));
    if (!found) return;
    if (!*found || model::is_ended((*found)->state)) visit = {};
    else if ((*found)->lease_until && *(*found)->lease_until > clock_.now()) visit.claim = **found;
    else visit.claim.reset();
}

void FoldsWorld::fold() {
    if (!are_returned_) return send(by_house(std::make_unique<ports::ReturnFolds>()));
    if (!lost_.empty() && random_.one_in(6) && !is_resting_) return answer_late();
    if (!work_) return send(by_house(std::make_unique<ports::ClaimFold>()));
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

void FoldsWorld::lose_keeper() {
    if (!work_) return;
    say("who folds is gone");
    lost_.push_back(std::move(*work_));
    if (lost_.size() > lost_max) lost_.erase(lost_.begin());
    work_.reset();
}

void FoldsWorld::meddle() {
    const std::string& agent_id = witness_.agents()[random_.below(agents_.size())];
    if (random_.one_in(2)) {
        auto command = std::make_unique<ports::FoldNow>();
        command->agent_id = agent_id;
        return send(by_house(std::move(command)));
    }
    const auto look = picture();
    if (!look) return;
    for (const model::FoldJob& job : look->jobs) {
        if (job.state != FoldState::failed_terminal) continue;
        auto command = std::make_unique<ports::RestartFold>();
        command->id = job.id;
        witness_.restarted(job.id);
        return send(by_house(std::move(command)));
    }
}

void FoldsWorld::forget() {
    if (witness_.is_in_doubt() || witness_.said().empty()) return;
    const auto at =
        std::next(witness_.said().begin(), static_cast<std::ptrdiff_t>(random_.below(witness_.said().size())));
    auto command = std::make_unique<ports::ForgetMemory>();
    command->agent_id = at->second.agent_id;
    const std::uint64_t draw = random_.below(20);
    if (draw > 2) command->message_id = at->first;
    if (draw == 1 || draw == 2) command->thread_id = at->second.thread_id;
    if (draw == 0 || draw == 1) command->before = at->second.created_at;
    say("forget");
    witness_.forgets(*command);
    send(by_house(std::move(command)));
}

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

void FoldsWorld::hear_claim(const ports::ClaimWake& command) {
    Visit& visit = visits_[command.agents.front()];
    if (!command.result().ok() || !command.result()->grant) return ask_store(visit);
    const ports::WakeGrant& grant = *command.result()->grant;
    if (visit.asked != grant.wake.id) return;
    visit.claim = grant.wake;
    if (witness_.is_in_doubt()) return;
    machine_.clear_read_errors();
    const auto compared = witness_.compare_context(machine_.store(), grant);
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

// He reads the span at once, as it is then.
void FoldsWorld::hear_grant(const ports::ClaimFold& command) {
    is_nothing_to_fold_ = command.result().ok() && !*command.result();
    if (!command.result().ok() || !*command.result()) return;
    const ports::FoldGrant& grant = **command.result();
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

void FoldsWorld::start() {
    are_returned_ = false;
    // Whoever folded was in the process that is gone; his words may be on their way.
    lose_keeper();
    if (machine_.start(clock_.now())) look();
    else say("could not open");
}

void FoldsWorld::die() {
    do {
        const bool only_process = machine_.die();
        ++(only_process ? tally_.process_losses : tally_.power_losses);
        say(only_process ? "the process dies" : "the power goes");
        start();
    } while (machine_.disk().is_dead());
}

void FoldsWorld::tend() {
    if (machine_.is_up()) ++tally_.sweeps;
    const engine::Effects effects = machine_.engine().tend(clock_.now());
    tally_.commits_failed += effects.figures.commits_failed;
    tally_.commits_unknown += effects.figures.commits_unknown;
}

std::optional<FoldsLook> FoldsWorld::picture() {
    if (!machine_.is_up() || machine_.disk().is_dead()) return std::nullopt;
    machine_.clear_read_errors();  // those who look are not part of the world
    return told(look_at_folds(machine_.store(), witness_.agents()));
}

void FoldsWorld::keep_harmless() {
    if (witness_.is_in_doubt()) look();
    if (auto now = picture(); now && !witness_.is_in_doubt()) witness_.expects_no_change(std::move(*now));
}

void FoldsWorld::look() {
    if (!machine_.is_up() || machine_.disk().is_dead() || !complaints_.empty() || made_.empty()) return;
    machine_.clear_read_errors();
    ++tally_.looks;
    auto compared = witness_.compare(machine_.store());
    if (compared.ok()) compared = witness_.compare_recall(machine_.store(), random_.next());
    if (machine_.disk().is_dead()) return;
    if (!compared.ok()) complaints_.push_back("the store cannot be read: " + compared.error().message);
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

bool FoldsWorld::is_at_rest() {
    const auto look = picture();
    return look && std::ranges::all_of(look->jobs, [](const auto& job) { return job.state == FoldState::done; }) &&
           std::ranges::all_of(look->rows, [](const auto& row) { return row.second.hot_messages == 0; });
}

// The disk works again, and one who is well folds all there is.
void FoldsWorld::come_to_rest() {
    say("coming to rest");
    is_resting_ = true;
    loses_answers_ = false;
    machine_.clear_troubles();
    machine_.disk().set_capacity(std::nullopt);
    for (int round = 0; complaints_.empty() && round < rest_rounds_max; ++round) {
        clock_.advance(machine_.is_up() ? base::milliseconds(200) : base::seconds(11));
        tend();
        if (machine_.disk().is_dead()) die();
        if (!machine_.is_up()) continue;
        if (witness_.is_in_doubt()) look();
        fold();
        if (!is_nothing_to_fold_) continue;
        is_nothing_to_fold_ = false;
        if (is_at_rest()) break;
        clock_.advance(limits::fold_pause_max);
        for (int i = 0; i < 4; ++i) meddle();
    }
    look();
    // What each is told now.
    for (const std::string& id : made_) {
        visits_[id] = {};
        for (int i = 0; i < 2 && complaints_.empty(); ++i) visit(id);
    }
    if (!complaints_.empty()) return;
    if (const auto compared = witness_.compare_end(machine_.store()); !compared.ok()) {
        complaints_.push_back("the store cannot be read: " + compared.error().message);
    }
    for (std::string& complaint : witness_.drain()) complaints_.push_back(std::move(complaint));
}

}  // namespace belfry::sim
