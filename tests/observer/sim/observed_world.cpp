#include "observed_world.hpp"

#include <algorithm>

#include "edge.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/reading.hpp"
#include "scenes.hpp"

namespace observer::sim {
namespace {

constexpr const char* chain_user = "cyd";
constexpr const char* agent_user = "rob";
constexpr int belfry_tools = 12;
constexpr std::int64_t second_us = 1'000'000;
constexpr std::int64_t call_us_max = 10 * second_us;
constexpr int internal_tools = 8;
constexpr int rest_rounds_max = 200;

void find_marks_of(std::string_view text, std::vector<std::string>& into) {
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at)) {
        const std::size_t end = text.find('#', at + 1);
        if (end == std::string_view::npos) return;
        const std::string_view inside = text.substr(at + 1, end - at - 1);
        const bool is_mark = inside.size() >= 2 && inside[0] >= 'a' && inside[0] <= 'z' &&
                             inside.find_first_not_of("0123456789", 1) == std::string_view::npos;
        if (is_mark) into.emplace_back(text.substr(at, end + 1 - at));
        at = is_mark ? end + 1 : end;
    }
}

}  // namespace

ObservedWorld::ObservedWorld(std::uint64_t seed)
    : random_(seed), profile_(random_), stage_(seed, random_, profile_, sinks_) {
    stage_.node.on_published = [this] {
        for (const auto& party : parties_) party->published();
    };
    stage_.node.on_lost = [this] {
        for (const auto& party : parties_) party->lost();
    };
    stage_.node.owed = [this](const std::vector<ports::Obligation>& owed) { sink_worker_->perform(owed); };
    stage_.node.on_wakes = [this] {
        if (house_ != nullptr) house_->look_soon();
    };
}

ObservedWorld::~ObservedWorld() = default;

template <class Condition>
void ObservedWorld::run_until(const Condition& condition, std::int64_t most_us) {
    Schedule& schedule = stage_.schedule;
    const std::int64_t end_us = schedule.now_us() + most_us;
    while (problem().empty() && !condition()) {
        const std::int64_t next_us = schedule.is_empty() ? end_us : std::min(end_us, schedule.next_us());
        stage_.node.run_due_until(next_us);
        if (schedule.is_empty() || schedule.next_us() > end_us) {
            if (schedule.now_us() >= end_us) return;
            continue;
        }
        if (schedule.next_us() <= schedule.now_us()) schedule.run_next();
    }
}

void ObservedWorld::run_for(std::int64_t us) {
    run_until([] { return false; }, us);
}

void ObservedWorld::run(std::uint64_t steps) {
    const Profile wanted = profile_;
    profile_.crashes = profile_.disk_faults = profile_.lost_answers = profile_.late_answers = 0;
    prepare();
    put_cast();
    profile_ = wanted;
    for (const auto& party : parties_) party->begin();
    bring_trouble();
    run_until([&] { return stage_.node.steps() >= steps; }, INT64_MAX / 4);
    if (problem().empty()) come_to_rest();
    if (problem().empty()) collect();
}

void ObservedWorld::prepare() {
    for (std::uint64_t i = 0; i < profile_.users; ++i) stage_.users.push_back(i == 0 ? "ada" : "ben");
    all_users_ = stage_.users;
    if (profile_.has_chains) all_users_.emplace_back(chain_user);
    if (profile_.has_agents) all_users_.emplace_back(agent_user);
    model::SinkCatalogue catalogue;
    for (const std::string& user : all_users_) {
        model::Sink sink;
        sink.id = "bell_" + user;
        sink.kind = model::SinkKind::command;
        sink.users = {user};
        catalogue.sinks.push_back(std::move(sink));
    }
    sinks_.hold(std::move(catalogue));
    auto worker = std::make_unique<SinkWorker>(stage_, "sink", random_.fork());
    sink_worker_ = worker.get();
    parties_.push_back(std::move(worker));
    stage_.node.start();
    for (const std::string& user : all_users_) stage_.recorder.add("admin", SinkMade{"bell_" + user, user});
    for (int i = 0; i < internal_tools; ++i) {
        auto command = std::make_unique<ports::PutTool>();
        command->tool.name = "look_" + std::to_string(i);
        command->tool.impact = model::Impact::internal;
        ask_first(std::move(command));
    }
    for (const std::string& user : all_users_) {
        const std::uint64_t count = user == chain_user || user == agent_user ? 1 : profile_.sessions;
        while (stage_.sessions[user].size() < count && problem().empty()) {
            bool is_answered = false;
            stage_.make_session(user, "talk", [&](const std::string& made) {
                is_answered = true;
                if (!made.empty()) stage_.sessions[user].push_back(made);
            });
            run_until([&] { return is_answered; }, call_us_max);
        }
    }
}

template <class C>
void ObservedWorld::ask_first(std::unique_ptr<C> command) {
    bool is_answered = false;
    stage_.node.ask_surely<C>(std::move(command), admin_token(), [&](const base::Result<typename C::Reply>* result) {
        is_answered = true;
        if (result == nullptr) stage_.node.problem = "a request of the preparation has no answer";
        else if (!result->ok()) stage_.node.problem = "a request of the preparation failed: " + result->error().message;
    });
    run_until([&] { return is_answered; }, call_us_max);
}

void ObservedWorld::put_agent(const std::string& id, model::WorkflowKind kind, const std::string& settings,
                              AgentMade seen) {
    auto command = std::make_unique<ports::CreateAgent>();
    command->draft.id = id;
    command->draft.user_id = agent_user;
    command->draft.workflow = kind;
    if (!settings.empty()) command->draft.workflow_settings = model::RawJson::trusted(settings);
    command->names_capabilities = false;
    const Began began = stage_.recorder.tick();
    ask_first(std::move(command));
    seen.agent = id;
    seen.user = agent_user;
    seen.answer.status = 201;
    stage_.recorder.add("admin", std::move(seen), began);
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = kind == model::WorkflowKind::worker ? id + "-home" : id + "-talk";
    session->user_id = agent_user;
    session->agent_id = id;
    ask_first(std::move(session));
    stage_.agents.emplace_back(id, agent_user);
}

// Agents that Belfry runs: one that says what it was given, one that says nothing, one whose model throws dice; and one
// of a worker.
void ObservedWorld::make_agents() {
    const std::string mark = stage_.recorder.mark('a');
    const std::string said = "{% for n in notifications %}{{ n.text }} {% endfor %}";
    AgentMade robot{.workflow = "script", .mark = mark, .tells = true, .repeats_given = true};
    put_agent("robot", model::WorkflowKind::script,
              R"({"steps":[{"do":"notify_user","with":{"text":")" + mark + " robot read: " + said + R"("}}]})", robot);
    put_agent("mute", model::WorkflowKind::script, R"({"steps":[{"do":"set_state","with":{"goal":"none"}}]})",
              {.workflow = "script"});
    const std::string dice = stage_.recorder.mark('a');
    put_agent("dice", model::WorkflowKind::model, R"({"base_url":"http://127.0.0.1:9/v1","model":"dice"})",
              {.workflow = "model", .mark = dice});
    put_agent("coder", model::WorkflowKind::worker, "", {.workflow = "worker"});
    stage_.live["coder-home"] = agent_user;
    for (int i = 1; i <= belfry_tools; ++i) {
        auto command = std::make_unique<ports::PutTool>();
        command->tool.name = "post_" + std::to_string(i);
        command->tool.description = "Posts it";
        command->tool.schema = model::RawJson::trusted(R"({"type":"object"})");
        command->tool.execution.by = model::ToolRunner::worker;
        belfry_tools_.push_back(command->tool.name);
        ask_first(std::move(command));
    }
    const auto act_for = [this](std::int64_t us) { run_for(us); };
    auto house = std::make_unique<House>(stage_, "house", random_.fork(), dice, act_for);
    house_ = house.get();
    parties_.push_back(std::move(house));
    parties_.push_back(std::make_unique<ToolServer>(stage_, "tool-server", random_.fork(),
                                                    agent_token("coder-worker", agent_user), belfry_tools_));
    parties_.push_back(std::make_unique<Worker>(stage_, "coder-worker", random_.fork(), agent_user, "coder",
                                                "coder-home", belfry_tools_));
    parties_.push_back(
        std::make_unique<Interface>(stage_, "rob-device0", random_.fork(), agent_user, Interface::Kind::passing));
}

void ObservedWorld::put_cast() {
    const auto add = [&]<class P, class... More>(std::type_identity<P>, const std::string& name, More&&... more) {
        parties_.push_back(std::make_unique<P>(stage_, name, random_.fork(), std::forward<More>(more)...));
    };
    using Kind = Interface::Kind;
    for (std::uint64_t i = 0; i < profile_.emitters; ++i)
        add(std::type_identity<Emitter>{}, "emitter" + std::to_string(i), emitter_token("emitter" + std::to_string(i)));
    for (const std::string& user : stage_.users) {
        for (std::uint64_t i = 0; i < profile_.devices; ++i)
            add(std::type_identity<Interface>{}, user + "-device" + std::to_string(i), user, Kind::passing);
        if (profile_.has_desk && user == stage_.users.front())
            add(std::type_identity<Interface>{}, user + "-desk", user, Kind::desk);
        add(std::type_identity<Talker>{}, user + "-talker", user);
        const std::string one = user + "-r1";
        const std::string two = user + "-r2";
        using Places = std::vector<std::size_t>;
        add(std::type_identity<Runtime>{}, user + "-run1", one, user, Places{0, 1}, true);
        add(std::type_identity<Runtime>{}, user + "-run2", one, user, Places{1}, true);
        add(std::type_identity<Runtime>{}, user + "-run3", two, user, Places{1, 2}, true);
        add(std::type_identity<Runtime>{}, user + "-run4", two, user, Places{2}, false);
        add(std::type_identity<Follower>{}, user + "-follower", agent_token(one, user), user);
        if (profile_.has_scenes)
            add(std::type_identity<Scenes>{}, user + "-scenes", user, user == stage_.users.front());
    }
    if (profile_.has_agents) make_agents();
    if (profile_.has_chains) {
        const std::string user = chain_user;
        add(std::type_identity<ChainRuntime>{}, user + "-run", user + "-r1", user);
        add(std::type_identity<Follower>{}, user + "-follower", agent_token(user + "-r1", user), user);
        add(std::type_identity<Interface>{}, user + "-device0", user, Kind::passing);
    }
}

// From time to time the wall clock steps, or the process dies between two commits.
void ObservedWorld::bring_trouble() {
    stage_.schedule.after(static_cast<std::int64_t>(random_.below(100'000)), [this] {
        if (stage_.is_ending) return;
        if (random_.below(1000) < profile_.clock_steps) {
            constexpr std::int64_t steps_s[] = {-3600, -60, -5, -1, 1, 5, 60, 3600};
            const std::int64_t by_s = steps_s[random_.below(8)];
            has_stepped_ = true;
            if (by_s < 0) set_back_us_ -= by_s * second_us;
            stage_.node.step_clock(base::seconds(by_s));
        }
        if (random_.below(1000) < profile_.crashes) stage_.node.die_now();
        bring_trouble();
    });
}

void ObservedWorld::come_to_rest() {
    stage_.is_ending = true;
    for (const auto& party : parties_) party->leave();
    profile_.crashes = profile_.disk_faults = profile_.lost_answers = profile_.late_answers = 0;
    stage_.node.calm_down();
    run_until([&] { return stage_.node.is_open(); }, 60 * second_us);
    run_for(second_us);
    for (const std::string& user : all_users_) {
        auto steady =
            std::make_unique<Interface>(stage_, user + "-steady", random_.fork(), user, Interface::Kind::steady);
        steady->begin();
        parties_.push_back(std::move(steady));
    }
    if (has_stepped_) stage_.node.step_clock(base::microseconds(set_back_us_ + 3600 * second_us));
    std::int64_t pause_us = second_us / 2;
    int calm = 0;
    for (int round = 0; round < rest_rounds_max && calm < 2 && problem().empty(); ++round) {
        const bool is_busy = sweep_sessions();
        const bool is_open = has_open_notes();
        calm = is_busy || is_open ? 0 : calm + 1;
        run_for(pause_us);
        if (!is_busy) pause_us = std::min(pause_us * 2, 1800 * second_us);
    }
    // A notification whose emission has no answer is not among the ids above: what it shows at the last moment is seen
    // to its end, too.
    std::size_t seen = 0;
    for (int round = 0; round < rest_rounds_max && seen != stage_.recorder.all().size(); ++round) {
        seen = stage_.recorder.all().size();
        run_for(second_us);
    }
    stage_.recorder.add("world", Quiet{});
}

bool ObservedWorld::sweep_sessions() {
    bool is_busy = false;
    const auto live = stage_.live;
    for (const auto& [session, user] : live) {
        Closer closer(stage_, user + "-closer", user);
        bool is_done = false;
        closer.sweep(session, [&](bool was_given) {
            is_done = true;
            is_busy = is_busy || was_given;
        });
        run_until([&] { return is_done; }, call_us_max);
        if (!is_done) stage_.node.problem = "a call of the end has no answer";
        if (!problem().empty()) return false;
    }
    return is_busy;
}

bool ObservedWorld::has_open_notes() {
    bool is_open = false;
    stage_.node.read_now([&](ports::Reading& reading) {
        for (const std::string& id : stage_.ids) {
            if (ended_.contains(id)) continue;
            const auto row = reading.notifications().find({*base::parse_uuid(id)});
            if (row.ok() && *row && model::is_terminal((*row)->state)) ended_.insert(id);
            else is_open = true;
        }
    });
    return is_open;
}

void ObservedWorld::collect() {
    stage_.node.read_now([&](ports::Reading& reading) {
        for (const std::string& id : stage_.ids) {
            WhySaid said;
            said.id = id;
            const auto row = reading.notifications().find({*base::parse_uuid(id)});
            const auto steps = reading.notifications().steps({*base::parse_uuid(id)});
            if (!row.ok() || !*row || !steps.ok()) {
                said.state = "missing";
            } else {
                said.user = (*row)->scope.user_id;
                said.state = model::delivery_state_name((*row)->state);
                said.text = (*row)->text;
                said.version = (*row)->version;
                for (const model::Transition& step : *steps) {
                    said.reasons.push_back(step.reason);
                    if (step.from != step.to) said.reason = step.reason;
                }
                if (!(*row)->outcome.empty()) said.reason = (*row)->outcome;
            }
            stage_.recorder.add("admin", std::move(said));
        }
    });
    for (const std::string& user : all_users_) list_inbox(user);
    for (const auto& [session, user] : stage_.live) read_history(session);
}

void ObservedWorld::list_inbox(const std::string& user) {
    stage_.node.read_now([&](ports::Reading& reading) {
        ports::NotificationReading::InboxQuestion question;
        question.user_id = user;
        question.limit = 100;
        for (;;) {
            const auto page = reading.notifications().inbox(question);
            if (!page.ok() || page->empty()) return;
            for (const model::Notification& one : *page) {
                const std::string& text = one.narration.empty() ? one.text : one.narration;
                stage_.recorder.add(user, Listed{user, id_text(one.id.uuid), text,
                                                 std::string(model::delivery_state_name(one.state)), !one.seen_at});
            }
            question.before = page->back().ordinal;
        }
    });
}

void ObservedWorld::read_history(const std::string& session) {
    std::vector<std::string> marks;
    stage_.node.read_now([&](ports::Reading& reading) {
        std::optional<ports::HistoryPlace> place;
        do {
            const auto page = reading.sessions().path(session, place, 50, 1 << 20);
            if (!page.ok()) return;
            std::vector<std::string> part;
            for (const ports::HistoryNode& one : page->nodes) {
                std::map<std::int64_t, std::string> told;
                for (const auto& message : one.messages) told[message.ordinal] = message.content;
                model::JsonWalker walker(one.node.system_messages.view());
                while (const auto message = walker.next())
                    told[member_number(message->text, "ordinal")] = member_text(message->text, "content");
                for (const auto& [ordinal, text] : told) find_marks_of(text, part);
            }
            marks.insert(marks.begin(), part.begin(), part.end());
            place = page->next;
        } while (place);
    });
    stage_.recorder.add("admin", HistoryRead{session, std::move(marks)});
}

}  // namespace observer::sim
