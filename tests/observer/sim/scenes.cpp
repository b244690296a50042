#include "scenes.hpp"

#include <algorithm>

#include "edge.hpp"

namespace observer::sim {

Scenes::Scenes(Stage& stage, const std::string& name, SeededRandom random, const std::string& user, bool shares_token)
    : Party(stage, name, random),
      user_(user),
      first_(stage, name + "-r1", user + "-r1", user),
      second_(stage, name + "-r2", shares_token ? user + "-r1" : user + "-r2", user),
      emitter_(stage, name + "-emitter", random_.fork(), emitter_token(name + "-emitter")),
      holder_(stage, user + "-r1", random_.fork(), first_.token(), "agent") {}

void Scenes::act() {
    stage_.make_session(user_, "scene", [this](const std::string& session) {
        if (session.empty()) return rest();
        later(0, 5, [this, session] { play(session); });
    });
}

void Scenes::play(const std::string& session) {
    switch (random_.below(10)) {
        case 0:
        case 1: return play_zombie(session);
        case 2:
        case 3: return play_tool(session);
        case 4:
        case 5: return play_guess(session);
        case 6: return play_doomed(session);
        case 7: return play_newcomer(session);
        case 8: return play_many_facts(session);
        default: return play_untold(session);
    }
}

void Scenes::give(const std::string& session, std::int64_t lease_s, const std::string& code, const std::string& key,
                  const Given& then) {
    EmitWish wish;
    wish.user = user_;
    wish.code = code;
    wish.session = session;
    wish.key = key;
    wish.ttl_s = 30;
    emitter_.emit(wish, [this, session, lease_s, then](const Emitted& made) {
        PullWish pull;
        pull.lease_s = lease_s;
        first_.pull(session, pull, [this, id = made.id, then](const Pulled& pulled) {
            const auto item = std::ranges::find(pulled.items, id, &PulledItem::id);
            if (id.empty() || item == pulled.items.end()) return rest();
            const PulledItem found = *item;
            after(1000, [pulled, found, then] { then(pulled, found); });
        });
    });
}

// The first runtime lets its lease run out, the second takes over, the first reports.
void Scenes::play_zombie(const std::string& session) {
    const bool is_decision = random_.one_in(3);
    give(session, 1, is_decision ? "saa" : "sua", "",
         [this, session, is_decision](const Pulled& pull, const PulledItem& item) {
             after(choose_number({1'010'000, 1'200'000}), [this, session, is_decision, pull, item] {
                 PullWish wish;
                 wish.lease_s = 20;
                 second_.pull(session, wish, [this, session, is_decision, pull, item](const Pulled& taken) {
                     const auto now = std::ranges::find(taken.items, item.id, &PulledItem::id);
                     if (now == taken.items.end()) return rest();
                     const PulledItem held = *now;
                     report_of_zombie(session, pull, item, [this, session, is_decision, taken, held] {
                         after(1000, [this, session, is_decision, taken, held] {
                             end_of_heir(session, taken, held, is_decision);
                         });
                     });
                 });
             });
         });
}

void Scenes::report_of_zombie(const std::string& session, const Pulled& pull, const PulledItem& item,
                              const Next& then) {
    const auto go_on = [then](std::int64_t) { then(); };
    const std::string named = random_.one_in(2) ? pull.pull_id : std::string();
    EndWish end;
    end.pull_id = named;
    switch (random_.below(6)) {
        case 0: return first_.end(session, end, go_on);
        case 1:
            end.acknowledged = {item};
            end.names_leases = random_.one_in(3);
            return first_.end(session, end, go_on);
        case 2: return first_.heartbeat(session, named, {}, 20, go_on);
        case 3: return first_.acknowledge(session, {item}, go_on);
        case 4:
            return first_.tool(session, random_.one_in(2) ? &item : nullptr, first_.new_external_tool(), true,
                               choose({"pending", "success"}), named, go_on);
        default: return first_.narrate(session, item, named, go_on);
    }
}

void Scenes::end_of_heir(const std::string& session, const Pulled& taken, const PulledItem& now, bool is_decision) {
    EndWish end;
    end.pull_id = taken.pull_id;
    const auto go_on = [this](std::int64_t) { rest(); };
    if (!is_decision)
        return second_.narrate(session, now, "",
                               [this, session, end, go_on](std::int64_t) { second_.end(session, end, go_on); });
    end.acknowledged = {now};
    second_.tool(session, &now, second_.new_external_tool(), true, "pending", taken.pull_id,
                 [this, session, end, go_on](std::int64_t) { second_.end(session, end, go_on); });
}

// An internal turn with a tool before or after the acknowledgement, or without one.
void Scenes::play_tool(const std::string& session) {
    static const std::vector<std::vector<std::string>> orders = {
        {"tool", "ended"}, {"ack", "tool"},        {"tool"},        {"tool", "done", "ack"}, {"look", "ack"},
        {"look"},          {"reported"},           {"ack", "done"}, {"tool", "ack", "done"}, {"reported", "ended"},
        {"tool", "say"},   {"ack", "reported"},    {"say", "tool"}, {"tool", "tool", "ack"}, {"end", "tool"},
        {"end", "done"},   {"tool", "end", "done"}};
    const auto steps = std::make_shared<std::vector<std::string>>(choose(orders));
    give(session, 20, choose({"saa", "uaa"}), "", [this, session, steps](const Pulled& pull, const PulledItem& item) {
        do_tool_steps(session, pull, item, steps, 0, "");
    });
}

void Scenes::do_tool_steps(const std::string& session, const Pulled& pull, const PulledItem& item,
                           const std::shared_ptr<std::vector<std::string>>& steps, std::size_t at,
                           const std::string& tool) {
    const bool is_last = at == steps->size();
    const std::string step = is_last ? "last" : (*steps)[at];
    std::string used = tool;
    if (step == "tool" || ((step == "done" || step == "reported") && tool.empty())) used = first_.new_external_tool();
    const auto go_on = [=, this](std::int64_t) {
        if (is_last) return rest();
        after(1000, [=, this] { do_tool_steps(session, pull, item, steps, at + 1, used); });
    };
    EndWish end;
    end.pull_id = pull.pull_id;
    if (step == "tool") return first_.tool(session, &item, used, true, "pending", pull.pull_id, go_on);
    if (step == "done" || step == "reported")
        return first_.tool(session, &item, used, true, "success", pull.pull_id, go_on);
    if (step == "look")
        return first_.tool(session, &item, first_.some_internal_tool(), false, "pending", pull.pull_id, go_on);
    if (step == "ack") return first_.acknowledge(session, {item}, go_on);
    if (step == "say") return first_.narrate(session, item, "", go_on);
    if (step == "ended") end.acknowledged = {item};
    if (step == "ended" || step == "end") return first_.end(session, end, go_on);
    const bool has_ended =
        std::ranges::find(*steps, "end") != steps->end() || std::ranges::find(*steps, "ended") != steps->end();
    if (has_ended) return rest();
    first_.end(session, end, go_on);
}

// An emitter updates a held notification with a lease that it guessed, or the holder updates it with its own.
void Scenes::play_guess(const std::string& session) {
    const std::string key = "guess-" + session;
    give(session, 20, "sua", key, [this, session, key](const Pulled& pull, const PulledItem& item) {
        EmitWish wish;
        wish.user = user_;
        wish.code = "sua";
        wish.session = session;
        wish.key = key;
        wish.ttl_s = 3;
        const bool is_holder = random_.one_in(3);
        if (is_holder) wish.lease = random_.one_in(4) ? item.lease + 1 : item.lease;
        else if (random_.percent(75)) wish.lease = choose_number({1, 1, 2});
        (is_holder ? holder_ : emitter_).emit(wish, [this, session, pull, item](const Emitted&) {
            PullWish more;
            more.point = "after_tool";
            more.lease_s = 20;
            more.named = pull.pull_id;
            first_.pull(session, more, [this, session, item](const Pulled&) {
                first_.narrate(session, item, "", [this, session](std::int64_t) {
                    first_.end(session, {}, [this](std::int64_t) { rest(); });
                });
            });
        });
    });
}

// The session is deleted while its agent holds something.
void Scenes::play_doomed(const std::string& session) {
    give(session, 60, "sua", "", [this, session](const Pulled&, const PulledItem&) {
        stage_.delete_session(session, user_, false);
        rest();
    });
}

// A session that was made after its user was shown things.
void Scenes::play_newcomer(const std::string& session) {
    PullWish wish;
    wish.lease_s = 5;
    first_.pull(session, wish, [this, session](const Pulled& pull) {
        if (!pull.answer.is_accepted()) return rest();  // a turn without its pull does not end
        EndWish end;
        end.pull_id = pull.pull_id;
        first_.end(session, end, [this](std::int64_t) { rest(); });
    });
}

// More facts than a turn has room for.
void Scenes::play_many_facts(const std::string& session) {
    first_.start(session, [this, session](std::int64_t) {
        emit_facts(session, static_cast<std::uint64_t>(choose_number({3, 3, 25})), [this, session] {
            after(choose_number({0, 500'000, 1'500'000}), [this, session] { pull_facts(session, 4); });
        });
    });
}

void Scenes::emit_facts(const std::string& session, std::uint64_t left, const Next& then) {
    if (left == 0) return then();
    EmitWish wish;
    wish.user = user_;
    wish.code = "sus";
    wish.session = session;
    emitter_.emit(wish, [this, session, left, then](const Emitted&) {
        after(1000, [this, session, left, then] { emit_facts(session, left - 1, then); });
    });
}

void Scenes::pull_facts(const std::string& session, int left) {
    if (left == 0) return rest();
    PullWish wish;
    wish.lease_s = 5;
    wish.budget = choose_number({0, 60, 400});
    first_.pull(session, wish, [this, session, left](const Pulled& pull) {
        if (!pull.answer.is_accepted()) return rest();
        EndWish end;
        end.pull_id = pull.pull_id;
        first_.end(session, end, [this, session, left](std::int64_t) {
            after(1000, [this, session, left] { pull_facts(session, left - 1); });
        });
    });
}

// A model acknowledges everything and tells nothing.
void Scenes::play_untold(const std::string& session) {
    give(session, 20, choose({"sua", "uua"}), "", [this, session](const Pulled& pull, const PulledItem& item) {
        EndWish end;
        end.pull_id = pull.pull_id;
        end.acknowledged = {item};
        const auto finish = [this, session, end](std::int64_t) {
            first_.end(session, end, [this](std::int64_t) { rest(); });
        };
        if (random_.one_in(2)) first_.acknowledge(session, {item}, finish);
        else finish(0);
    });
}

}  // namespace observer::sim
