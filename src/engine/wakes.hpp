#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "engine/agent_book.hpp"
#include "engine/agent_log.hpp"
#include "engine/agent_sweep.hpp"
#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/changed_records.hpp"
#include "engine/ledger.hpp"
#include "engine/run_claims.hpp"
#include "engine/runs.hpp"
#include "engine/session_book.hpp"
#include "engine/tools.hpp"
#include "engine/user_messages.hpp"
#include "engine/wake_book.hpp"
#include "engine/wake_rules.hpp"
#include "model/event.hpp"
#include "ports/commands/house_work.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::engine {

struct WakeOptions {
    std::int64_t running_max = base::limits::wakes_running_default;  // at once, over all agents
};

// What wakes agents. Signals become jobs, jobs wait out their window and are claimed by whoever does the agent's work,
// and each of them runs to one end: one at a time for an agent, so many at once over all, again after a failure, and
// never twice under one key. Every job that is worked on is a run.
class Wakes final : public Capability {
public:
    Wakes(AgentBook& agents, AgentLog& log, ChangeLog& changes, SessionBook& sessions, UserMessages& user_messages,
          Runs& runs, Ledger& ledger, const Tools& tools, WakeOptions options)
        : agents_(agents),
          log_(log),
          changes_(changes),
          sessions_(sessions),
          user_messages_(user_messages),
          runs_(runs),
          ledger_(ledger),
          tools_(tools),
          options_(options),
          claims_(changes) {
        // A wake sees to it that its run ends; one that waits for its next attempt is silent for as long as that takes.
        runs_.leave_alone([this](model::RunId id, Unit& unit) -> base::Result<bool> {
            TRY(refresh(unit));
            return book_.of_run(id).has_value();
        });
    }

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override {
        next_sweep_ = next_sweep_ - by;
        book_.clock_was_set_back(by);
        claims_.clock_was_set_back(by);
        awake_since_ = awake_since_ - by;
    }
    void clock_jumped_ahead() override { has_slept_ = true; }
    // The stored times of wakes were corrected, because the clock was set back, or go on after a jump. No wake waits
    // longer by this memory than by the store afterwards.
    base::Result<void> times_were_corrected(WakeBook::Correction why, Unit& unit);

    // An event of this person that was just taken in, with its line in the log.
    base::Result<void> notice(const model::Event& event, std::string_view body, std::string_view person, Unit& unit);

    // A timer has fired for an agent, or the time that it wished for has come.
    struct Ring {
        std::string agent_id;
        std::string user_id;
        std::string timer_id;
        base::Timestamp scheduled_at;
        bool catch_up = false;
        std::string_view body;
        std::int64_t priority = 0;
    };
    base::Result<void> ring(const Ring& ring, Unit& unit);

    // Changes of a person's records that were collected together.
    base::Result<void> notice(const model::ChangeBatch& batch, Unit& unit);

    base::Result<void> subscribed(const model::WakeSubscription& subscription, const std::string& user_id, Unit& unit);
    base::Result<void> unsubscribed(const model::SubscriptionId& id, Unit& unit);
    void agent_changed(const model::AgentRecord& agent) { book_.look_again(agent.agent.id); }
    void sleep_changed(const model::AgentRecord& agent) { book_.rouse(agent.agent.id); }
    // Another device has begun or ended a run of this agent's: what waits for that is looked at again.
    base::Result<void> claim_came(const std::string& agent_id, Unit& unit);
    // Its jobs end with it, and so do their runs.
    base::Result<void> agent_destroyed(const model::AgentRecord& agent, const model::Principal& by, Unit& unit);
    // The wake that this principal has claimed and still holds, or why not. The outer result is the store's.
    using Found = base::Result<model::Wake>;
    base::Result<Found> claimed(const model::Principal& who, model::WakeId id, std::int64_t fence, Unit& unit);
    // How many causes in a row came from agents before what is done under this claim.
    base::Result<std::int64_t> depth_of(const model::Wake& wake, Unit& unit);
    // The same of what this principal says to this user's agents, or in this session: it comes of the wakes that he
    // works on, and of those that run in the session. Nothing: there are none.
    base::Result<std::optional<std::int64_t>> depth_under(const model::Principal& who, std::string_view user_id,
                                                          std::string_view session_id, Unit& unit);
    // Who makes what is changed under it. How deep that is in a chain is not known once it has ended.
    base::Result<model::ChangeOrigin> origin_of(const model::Wake& wake, Unit& unit);
    // The wake as it is now, whether it has ended or not; nothing where it is gone.
    base::Result<std::optional<model::Wake>> look_up(model::WakeId id, Unit& unit);
    // Those that have ended in this transaction.
    [[nodiscard]] const std::vector<model::WakeId>& ended_now() const { return ended_now_; }
    // Calls the visitor for each notification that is a signal of the wake, ended or not. The visitor may change the
    // row that it is given; the change is not stored.
    using NotificationVisitor = std::function<base::Result<void>(const model::WakeSignal&, model::Notification&)>;
    base::Result<void> each_notification(const model::Wake& wake, const NotificationVisitor& visit, Unit& unit);
    // Returns the notifications that the agent has to deal with in this wake: the signals of the wake, and those that
    // the agent or its worker holds in the session of the wake. Leaves out notifications that another one holds under a
    // valid lease.
    base::Result<std::vector<model::Notification>> open_notifications(const model::Wake& wake, Unit& unit);
    // Returns the notifications that Belfry's agent has in its conversation. Its plan is made for them: an attempt that
    // goes on with the plan is given them again, and other runs leave them alone.
    base::Result<std::vector<base::Uuid>> given_to(const model::Wake& wake, Unit& unit);
    // What an agent says while it works comes of what it was woken for, and says so from here on.
    base::Result<void> trace(model::Event& event, std::string_view person, const model::Principal& by, Unit& unit);
    // A slice of what belongs to a user's agents; how many rows, 0 when there are none left.
    base::Result<std::uint64_t> erase_user(const std::string& user_id, Unit& unit);

private:
    // A reason for an agent to be woken.
    struct Signal {
        model::WakeReason reason = model::WakeReason::subscription;
        std::string reason_id;
        std::string run_key;
        model::SignalKind kind = model::SignalKind::event;
        std::string key;
        std::string_view body;
        base::Duration window;
        std::int64_t priority = 0;
        bool catch_up = false;
        std::string session_id = {};
        std::map<std::string, std::uint64_t> first_changes = {};  // of each host, that it is there for
        std::int64_t depth = 0;                                   // in a chain of what agents do
        bool wakes_others = false;  // other devices are woken by the same: a timer, a change of a `synced` rule
    };

    base::Result<void> refresh(Unit& unit);
    base::Result<void> wake(ports::WakeAgent& command, Unit& unit);
    // A message of the user that came with a wake, and its ids.
    struct WakeWords {
        const ports::SpokenMessage* message = nullptr;
        model::MessageId in_history;
        base::Uuid in_memory;
        base::Uuid first;  // its id in the memory when the user said it for the first time
    };
    // Returns the messages of an AG-UI request that have a text or other parts, the oldest first, each once. A message
    // that is known and was not answered yet is a retry and keeps its ids. After an answer it is another message.
    base::Result<std::vector<WakeWords>> name_words(const ports::WakeAgent& command, Unit& unit);
    // True if the message was answered: its wake is completed, or an answer follows it. `heard`: the message in the
    // memory of the agent, or null. `recent`: the newest messages there.
    base::Result<bool> is_answered(const WakeWords& words, const model::AgentMessage* heard,
                                   std::span<const model::AgentMessage> recent, const ports::WakeAgent& command,
                                   Unit& unit);
    // Writes what the user said with a wake into the history of the session, each message once. `spoken`: of AG-UI.
    base::Result<base::Result<void>> record_words(const ports::WakeAgent& command, const std::string& run_key,
                                                  std::span<const WakeWords> spoken, Unit& unit);
    base::Result<void> claim(ports::ClaimWake& command, Unit& unit);
    base::Result<void> renew(ports::RenewWake& command, Unit& unit);
    base::Result<void> end(ports::EndWake& command, Unit& unit);
    base::Result<void> cancel(ports::CancelWake& command, Unit& unit);
    base::Result<void> take_back(ports::ReturnWakes& command, Unit& unit);

    base::Result<void> signal(const std::string& agent_id, const std::string& user_id, const Signal& signal,
                              Unit& unit);
    // What needs not wait any longer, of one agent.
    base::Result<void> make_due_ready(const std::string& agent_id, Unit& unit);
    // The agents that these changes are of are read in one go.
    base::Result<void> load_changed(const std::vector<const model::Change*>& changes, Unit& unit);
    base::Result<void> signal_changes(const WakeRule& rule, const model::ChangeBatch& batch,
                                      const std::vector<model::Change>& told, std::span<const std::string> allowed,
                                      const ChangedRecords& records, Unit& unit);
    // The job that signals of this agent join: it waits, and nobody has begun with it. A signal that wakes this device
    // only does not join a job that rests for another device.
    [[nodiscard]] const model::Wake* joinable(const std::string& agent_id, const std::string& session_id,
                                              bool wakes_others) const;
    // What there is under this key, of this transaction too.
    base::Result<std::optional<model::Wake>> find_key(const std::string& run_key, Unit& unit);
    base::Result<model::Wake> enqueue(model::Wake wake, Unit& unit);
    base::Result<void> add_signal(model::Wake& wake, const Signal& signal, Unit& unit);
    // Of those that would wake somebody by themselves.
    base::Result<std::int64_t> deepest_signal(const model::Wake& wake, Unit& unit);
    base::Result<void> fold(const model::Wake& waiting, model::Wake& into, Unit& unit);

    // The run that it becomes; else why it cannot. The outer result is the store's.
    base::Result<base::Result<model::RunId>> make_run(const model::Wake& wake, const model::AgentRecord& agent,
                                                      bool start, Unit& unit);
    // Its run, which runs from now on.
    base::Result<base::Result<model::RunId>> begin_run(const model::Wake& wake, const model::AgentRecord& agent,
                                                       Unit& unit);
    base::Result<std::optional<model::WakeId>> next_for(const ports::ClaimWake& command, Unit& unit);
    base::Result<std::optional<ports::WakeGrant>> grant(model::WakeId id, const ports::ClaimWake& command, Unit& unit);
    // The wake that this principal may speak of, as it is recorded.
    base::Result<Found> find(const model::Principal& who, model::WakeId id, Unit& unit);

    base::Result<void> look_at(model::WakeId id, Unit& unit);
    base::Result<void> make_ready(model::WakeId id, Unit& unit);
    // Whether something keeps its agent from it: then it has ended with that, or rests.
    base::Result<bool> is_hindered(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit);
    // Until when this device takes an agent to sleep whose record says that it does.
    static base::Result<base::Timestamp> sleep_of(const model::AgentRecord& agent, Unit& unit);
    // What a wake is there for, and the keys by which other devices know it; empty: they do not.
    struct Causes {
        std::vector<model::WakeSignal> signals;
        std::vector<std::string> keys;    // of each signal
        std::vector<std::string> shared;  // those that there are, each once

        void add(const Causes& from, std::size_t at) {
            signals.push_back(from.signals[at]);
            keys.push_back(from.keys[at]);
        }
    };
    base::Result<Causes> causes_of(const model::Wake& wake, Unit& unit);
    // Whether another device sees to all of it, or may do so: then it has ended, or rests. If another device sees to a
    // part, that part and the rest become two wakes. The wake of a request keeps the request.
    base::Result<bool> is_left_to_another(model::Wake& wake, Unit& unit);
    // Divides a wake, of which others have claimed a part, into the part that waits for them and the part that does
    // not. Returns whether the wake itself has to wait.
    base::Result<bool> divide(model::Wake& wake, const Causes& causes,
                              const std::map<std::string, RunClaims::Look>& looks, base::Timestamp until, Unit& unit);
    base::Result<void> forgive(const std::string& agent_id, Unit& unit);
    // The wake is there for these signals only.
    base::Result<void> keep_only(model::Wake& wake, const Causes& kept, Unit& unit);
    // When this device may begin with a wake that others come to as well.
    base::Result<base::Timestamp> begins_at(const model::Wake& wake, const Causes& causes,
                                            const std::map<std::string, RunClaims::Look>& looks, Unit& unit);
    // How many notifications and words of its person it was to see to, how many of them still wait, and how many words
    // are in somebody's hands who has not confirmed them.
    struct Errands {
        std::int64_t all = 0;
        std::int64_t open = 0;
        std::int64_t words = 0;  // of a person, among the open ones
        std::int64_t held = 0;
        std::int64_t escalated = 0;  // notifications that the agent lost to the user's interfaces
    };
    // True if the stored plan of Belfry's agent tells a notification that Belfry has shown meanwhile, and nothing of
    // the plan was carried out.
    base::Result<bool> is_overtaken(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit);
    // Ends a wake whose plan was overtaken. Another wake is there for its other signals, with a plan of its own.
    base::Result<void> plan_anew(const model::Wake& wake, Unit& unit);
    // Returns the wake that is there for the signals; nothing if it was there before.
    base::Result<std::optional<model::WakeId>> go_on_with(const Causes& left, const model::Wake& wake, Unit& unit);
    base::Result<void> claim_for_all(const model::Wake& wake, Unit& unit);
    base::Result<void> tell_all_of_it(const model::Wake& wake, Unit& unit);
    base::Result<void> tell_all_done(const model::Wake& wake, Unit& unit);
    // An attempt has failed here: another device may do better.
    base::Result<void> leave_to_others(const model::Wake& wake, Unit& unit);
    base::Result<void> complete(model::Wake wake, std::optional<model::RawJson> result, Unit& unit);
    base::Result<void> fail(model::Wake wake, model::RunError error, Unit& unit);
    base::Result<void> release(model::Wake wake, Unit& unit);
    base::Result<void> pardon(const model::Wake& wake, Unit& unit);
    // No attempt would mend it.
    base::Result<void> give_up(model::Wake wake, model::RunError error, Unit& unit);
    base::Result<void> requeue(model::Wake wake, model::AgentRecord& agent, model::RunError error,
                               base::Timestamp again, Unit& unit);
    base::Result<void> close(model::Wake wake, model::WakeState state, std::optional<model::RunError> error,
                             Unit& unit);
    base::Result<void> end_run(const model::Wake& wake, const std::optional<model::RawJson>& result, Unit& unit);
    base::Result<void> leave_runs(Unit& unit);
    // What people said becomes part of what their agents remember.
    base::Result<void> hear_words(Unit& unit);
    base::Result<std::optional<base::Uuid>> id_of_new_words(const SaidWords& words, Unit& unit);
    base::Result<void> remember(model::AgentRecord& agent, const std::string& thread_id,
                                std::vector<model::AgentMessage> said, Unit& unit);
    // The same for what came with a wake.
    base::Result<void> remember_words(const ports::WakeAgent& command, model::AgentRecord& agent,
                                      const std::string& thread_id, std::span<const WakeWords> spoken, Unit& unit);
    base::Result<void> begin_turns(Unit& unit);
    base::Result<void> begin_turn(const TurnWish& wish, Unit& unit);
    base::Result<Errands> errands_of(const model::Wake& wake, Unit& unit);
    // Adds to a grant for Belfry's own workers the notifications of the wake, and the session in which it pulls them.
    base::Result<void> add_home(ports::WakeGrant& granted, Unit& unit);
    // Returns the session in which a wake without a session pulls its notifications; makes it if there is none. Empty:
    // every id for it is taken.
    base::Result<std::string> home_session(const model::Wake& wake, Unit& unit);
    // True if an earlier attempt stored a plan: the run has to be finished.
    base::Result<bool> is_begun(const model::Wake& wake, Unit& unit);
    // An interrupted run of the same agent goes on with its stored plan, which tells the notifications that woke it.
    // Any other run of the agent leaves them alone.
    base::Result<void> add_reserved(ports::WakeGrant& granted, Unit& unit);
    // Returns the notifications that the stored plan of a wake was made for; none if there is no plan.
    base::Result<std::vector<model::NotificationId>> kept_by(const model::Wake& wake, Unit& unit);
    // True if the plan of an interrupted run of the agent was made for a notification of this wake, which rests until
    // that run goes on.
    base::Result<bool> waits_for_a_plan(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit);
    // Makes another wake for the notifications that a completed run of Belfry's own was not given. Returns false if
    // the run was given none of them.
    base::Result<bool> leave_rest(const model::Wake& wake, Unit& unit);
    // Releases the notifications that an ended attempt of Belfry's own holds. If the attempt has failed, their TTL
    // counts again.
    base::Result<void> release_notifications(const model::Wake& wake, bool has_failed, Unit& unit);
    // Escalates the notifications of a wake that is given up; the first one says why. Returns false if there are none.
    base::Result<bool> give_notifications_up(const model::Wake& wake, std::string why, Unit& unit);
    // Under which principals the agent of a wake holds notifications and words in the session of the wake.
    struct WakeHolder {
        std::string house;        // as an agent that Belfry runs
        std::string worker;       // the one that has claimed the wake; empty: not heard of since Belfry started
        bool is_visitor = false;  // the session belongs to another agent
        bool is_owner = true;     // the session belongs to the agent of the wake, or there is none

        [[nodiscard]] bool holds(std::string_view principal) const;
    };
    base::Result<WakeHolder> holder_of(const model::Wake& wake, Unit& unit);
    // Words of the user that the worker of this wake took and did not confirm are due again. If they are for another
    // agent by now, a turn of that agent is requested.
    base::Result<void> free_words(const model::Wake& wake, Unit& unit);
    // Words of the user that the worker of this wake took have arrived.
    base::Result<void> confirm_words(const model::Wake& wake, Unit& unit);
    // Calls `visit` for each pull whose words the worker of this wake took; with no pull for all words of the session.
    using WordsVisitor = std::function<base::Result<void>(const std::optional<base::Uuid>& pull)>;
    base::Result<void> each_words(const model::Wake& wake, const WordsVisitor& visit, Unit& unit);
    // Ends the turn of the wake's agent in a session that does not belong to the agent: nobody else would. `is_over`:
    // no attempt follows.
    base::Result<void> leave_turn(const model::Wake& wake, bool is_over, Unit& unit);
    base::Result<void> announce_next(const std::string& agent_id, Unit& unit);
    void rest_agent(model::AgentRecord& agent, Unit& unit);
    base::Result<void> lay_down(const model::Wake& wake, model::AgentRecord& agent, const model::RunError& error,
                                Unit& unit);
    void tell_dormant(const model::AgentRecord& agent, const model::RunError& error, Unit& unit);
    base::Result<void> tell(const model::Wake& wake, bool is_ready, Unit& unit);

    AgentBook& agents_;
    AgentLog& log_;
    ChangeLog& changes_;
    SessionBook& sessions_;
    UserMessages& user_messages_;
    Runs& runs_;
    Ledger& ledger_;
    const Tools& tools_;
    WakeOptions options_;
    RunClaims claims_;
    WakeRules rules_;
    WakeBook book_;
    AgentSweep sweep_;
    base::Timestamp next_sweep_;
    // Since when this device hears of other devices: its start, or the end of its sleep.
    base::Timestamp awake_since_;
    bool has_slept_ = false;  // since the last look at the time
    // Wakes whose claim had run out when the store was opened, and the fence of that claim: nobody could renew it.
    std::map<model::WakeId, std::int64_t> unheard_;
    std::vector<model::WakeId> ended_now_;
    bool stale_ = true;
    bool rules_stale_ = true;
    bool has_work_ = false;  // for workflows of Belfry's own, since the last commit
};

}  // namespace belfry::engine
