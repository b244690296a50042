#include "sim/folds_world.hpp"

#include <algorithm>
#include <cstdio>

#include "base/memory_limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/folds_words.hpp"

namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::FoldState;
constexpr int rest_rounds_max = 3000;

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
      forgets_(often_or_never(random_, 40)),
      models_are_silent_(random_.one_in(4)) {
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
    sums.waiting_threads = std::max(sums.waiting_threads, other.sums.waiting_threads);
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
        return_work();
        if (machine_.disk().is_dead()) return;
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
