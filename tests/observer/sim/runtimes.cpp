#include "runtimes.hpp"

#include "edge.hpp"

namespace observer::sim {

// ---- turns of every kind --------------------------------------------------------------------------------------------

void Runtime::act() {
    const auto turn = std::make_shared<Turn>();
    const std::vector<std::string>& all = stage_.sessions[agent_.user()];
    turn->session = all[choose(sessions_) % all.size()];
    turn->lease_s = choose_number({1, 1, 2, 2, 5, 30});
    if (random_.percent(70)) {
        agent_.start(turn->session, [this, turn](std::int64_t) { later(0, 30, [this, turn] { play(turn); }); });
    } else {
        play(turn);
    }
}

void Runtime::play(const SharedTurn& turn) {
    PullWish wish;
    wish.lease_s = turn->lease_s;
    wish.budget = choose_number({0, 0, 0, 120, 300});
    if (stage_.profile.has_small_budgets && random_.one_in(4)) wish.budget = 60;
    wish.is_used = !(names_ && random_.one_in(10));
    agent_.pull(turn->session, wish, [this, turn](const Pulled& pull) {
        turn->pull = pull;
        if (!pull.answer.is_accepted() || !pull.used) return later(0, 300, [this] { act(); });
        auto deeds = std::make_shared<std::vector<Deed>>(choose_way(turn));
        do_all(deeds);
    });
}

void Runtime::do_all(std::shared_ptr<std::vector<Deed>> deeds, std::size_t at) {
    if (at == deeds->size()) return later(20, 400, [this] { act(); });
    const Deed& deed = (*deeds)[at];
    deed([this, deeds, at] { later(0, 40, [this, deeds, at] { do_all(deeds, at + 1); }); });
}

std::vector<Runtime::Deed> Runtime::choose_way(const SharedTurn& turn) {
    std::vector<Deed> deeds;
    const std::vector<PulledItem> items = matters_of(turn->pull);
    switch (random_.below(11)) {
        case 0:
        case 1: add_good(turn, deeds); break;
        case 2: deeds.push_back(finish(turn, {})); break;
        case 3:
            if (!items.empty() && random_.one_in(2)) deeds.push_back(acknowledge(turn, items));
            deeds.push_back(finish(turn, items));
            break;
        case 4:
            if (random_.percent(30)) deeds.push_back(heartbeat(turn));
            break;
        case 5: add_late(turn, deeds); break;
        case 6:
        case 7: add_tools(turn, deeds); break;
        case 8:
        case 9: add_mixed(turn, deeds); break;
        default:
            for (const PulledItem& item : items) deeds.push_back(emit(turn, item));
            add_good(turn, deeds);
    }
    return deeds;
}

void Runtime::add_good(const SharedTurn& turn, std::vector<Deed>& deeds) {
    std::vector<PulledItem> done;
    for (const PulledItem& item : matters_of(turn->pull)) {
        if (item.must_tell.value_or(true)) deeds.push_back(narrate(turn, item));
        else done.push_back(item);
    }
    if (random_.percent(30)) deeds.push_back(post(turn));
    deeds.push_back(finish(turn, done));
}

void Runtime::add_late(const SharedTurn& turn, std::vector<Deed>& deeds) {
    deeds.push_back(pause(turn->lease_s * 1'000'000 + choose_number({-400'000, -20'000, 20'000, 100'000, 400'000})));
    for (const PulledItem& item : matters_of(turn->pull)) deeds.push_back(narrate(turn, item));
    if (random_.one_in(2)) deeds.push_back(heartbeat(turn));
    deeds.push_back(finish(turn, matters_of(turn->pull)));
}

void Runtime::add_tools(const SharedTurn& turn, std::vector<Deed>& deeds) {
    const std::vector<PulledItem> items = matters_of(turn->pull);
    if (!items.empty() && random_.one_in(2)) deeds.push_back(acknowledge(turn, {items.front()}));
    for (std::size_t i = 0; i < items.size() && i < 2; ++i) deeds.push_back(use_tool(turn, items[i]));
    if (random_.one_in(5) && !items.empty()) deeds.push_back(narrate(turn, items.back()));
    if (!items.empty() && random_.one_in(4)) deeds.push_back(acknowledge(turn, {items.back()}));
    if (!random_.one_in(8)) deeds.push_back(finish(turn, random_.percent(60) ? items : std::vector<PulledItem>{}));
}

void Runtime::add_mixed(const SharedTurn& turn, std::vector<Deed>& deeds) {
    std::vector<PulledItem> done;
    for (const PulledItem& item : matters_of(turn->pull)) {
        const std::uint64_t choice = random_.below(10);
        if (choice < 4) deeds.push_back(narrate(turn, item));
        else if (choice < 7) done.push_back(item);
    }
    const auto more = std::make_shared<PullWish>();
    more->point = choose({"after_tool", "after_tool", "immediate", "turn_end"});
    more->lease_s = turn->lease_s;
    if (names_ && random_.one_in(3)) more->acknowledge = turn->pull.pull_id;
    else if (names_) more->named = turn->pull.pull_id;
    deeds.push_back([this, turn, more](const Next& next) {
        agent_.pull(turn->session, *more, [turn, next](const Pulled& pull) {
            if (pull.answer.is_accepted() && !pull.pull_id.empty()) turn->pull = pull;
            next();
        });
    });
    deeds.push_back(finish(turn, done));
}

Runtime::Deed Runtime::pause(std::int64_t pause_us) {
    return [this, pause_us](const Next& next) { after(pause_us, next); };
}

Runtime::Deed Runtime::narrate(const SharedTurn& turn, const PulledItem& item) {
    const bool by_pull = names_ && random_.one_in(4) && !turn->pull.pull_id.empty();
    return [this, turn, item, by_pull](const Next& next) {
        agent_.narrate(turn->session, item, by_pull ? turn->pull.pull_id : std::string(),
                       [next](std::int64_t) { next(); });
    };
}

Runtime::Deed Runtime::acknowledge(const SharedTurn& turn, std::vector<PulledItem> items) {
    if (names_ && random_.one_in(5) && !turn->pull.pull_id.empty())
        return [this, turn](const Next& next) {
            agent_.confirm(turn->session, turn->pull.pull_id, [next](std::int64_t) { next(); });
        };
    return [this, turn, items = std::move(items)](const Next& next) {
        agent_.acknowledge(turn->session, items, [next](std::int64_t) { next(); });
    };
}

Runtime::Deed Runtime::heartbeat(const SharedTurn& turn) {
    const bool by_leases = names_ && random_.one_in(3);
    return [this, turn, by_leases](const Next& next) {
        agent_.heartbeat(turn->session, names_ && !by_leases ? turn->pull.pull_id : std::string(),
                         by_leases ? matters_of(turn->pull) : std::vector<PulledItem>{}, turn->lease_s,
                         [next](std::int64_t) { next(); });
    };
}

Runtime::Deed Runtime::post(const SharedTurn& turn) {
    return [this, turn](const Next& next) { agent_.post(turn->session, [next](std::int64_t) { next(); }); };
}

// Ends the turn: with everything named, or in the short form.
Runtime::Deed Runtime::finish(const SharedTurn& turn, std::vector<PulledItem> acknowledged) {
    EndWish wish;
    wish.acknowledged = std::move(acknowledged);
    wish.names_leases = names_;
    wish.names_all = names_ && random_.one_in(6);
    wish.only_named = names_ && random_.one_in(12);
    const bool by_pull = names_ && !random_.one_in(8);
    return [this, turn, wish, by_pull](const Next& next) {
        EndWish now = wish;
        if (by_pull) now.pull_id = turn->pull.pull_id;
        if (now.names_all) now.held = matters_of(turn->pull);
        agent_.end(turn->session, now, [next](std::int64_t) { next(); });
    };
}

Runtime::Deed Runtime::use_tool(const SharedTurn& turn, const PulledItem& item) {
    const bool is_external = random_.percent(60);
    const std::string tool = is_external ? agent_.new_external_tool() : agent_.some_internal_tool();
    const std::string status = choose({"pending", "pending", "success", "failure"});
    const bool is_named = !random_.one_in(6);
    return [this, turn, item, is_external, tool, status, is_named](const Next& next) {
        agent_.tool(turn->session, is_named ? &item : nullptr, tool, is_external, status,
                    names_ ? turn->pull.pull_id : std::string(), [next](std::int64_t) { next(); });
    };
}

Runtime::Deed Runtime::emit(const SharedTurn& turn, const PulledItem& item) {
    EmitWish wish;
    wish.user = agent_.user();
    wish.code = choose({"uaa", "uua", "uus", "saa", "sua"});
    if (wish.code[0] == 's') wish.session = turn->session;
    if (random_.one_in(3)) wish.caused_by = item.id;
    return [this, wish](const Next& next) { emitter_.emit(wish, [next](const Emitted&) { next(); }); };
}

// ---- chains ---------------------------------------------------------------------------------------------------------

model::Principal ChainRuntime::root_token() {
    return emitter_token("emitter");
}

void ChainRuntime::begin() {
    act();
    make_root();
}

void ChainRuntime::make_root() {
    EmitWish wish;
    wish.user = agent_.user();
    wish.code = "uaa";
    wish.ttl_s = 10;
    root_.emit(wish);
    later(300, 600, [this] { make_root(); });
}

void ChainRuntime::act() {
    PullWish wish;
    wish.lease_s = 5;
    agent_.pull(stage_.sessions[agent_.user()].front(), wish, [this](const Pulled& pull) {
        if (!pull.answer.is_accepted()) return later(50, 150, [this] { act(); });
        answer(std::make_shared<Pulled>(pull), 0);
    });
}

void ChainRuntime::answer(const std::shared_ptr<Pulled>& pull, std::size_t at) {
    const std::vector<PulledItem> items = matters_of(*pull);
    if (at < items.size()) {
        if (!random_.percent(85)) return answer(pull, at + 1);
        EmitWish wish;
        wish.user = agent_.user();
        wish.code = choose({"uaa", "uaa", "uua"});
        wish.ttl_s = 10;
        return emitter_.emit(
            wish, [this, pull, at](const Emitted&) { after(1000, [this, pull, at] { answer(pull, at + 1); }); });
    }
    EndWish wish;
    wish.pull_id = pull->pull_id;
    wish.acknowledged = items;
    agent_.end(pull->session, wish, [this](std::int64_t) { later(50, 150, [this] { act(); }); });
}

// ---- the end --------------------------------------------------------------------------------------------------------

void Closer::sweep(const std::string& session, const std::function<void(bool)>& then) {
    agent_.start(session, [this, session, then](std::int64_t) {
        PullWish wish;
        wish.lease_s = 5;
        agent_.pull(session, wish, [this, session, then](const Pulled& pull) {
            // A session whose deletion had no answer may be gone.
            if (!pull.answer.is_accepted()) return then(!pull.answer.is_rejected());
            EndWish end;
            end.pull_id = pull.pull_id;
            for (const PulledItem& item : pull.items)
                if (item.needs_answer && !item.must_tell.value_or(true)) end.acknowledged.push_back(item);
            const bool was_given =
                !pull.items.empty() || !pull.seen.empty() || !pull.user_messages.empty() || pull.waiting > 0;
            agent_.end(session, end,
                       [then, was_given](std::int64_t status) { then(was_given || (status != 200 && status != 201)); });
        });
    });
}

}  // namespace observer::sim
