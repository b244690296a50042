#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "client/agent_types.hpp"
#include "client/change_set_types.hpp"
#include "client/delivery_types.hpp"
#include "client/interaction_types.hpp"
#include "client/run_types.hpp"
#include "client/session_types.hpp"
#include "client/timer_types.hpp"
#include "client/types.hpp"
#include "model/event.hpp"
#include "model/tool.hpp"
#include "wire/endpoint.hpp"
#include "wire/http_client.hpp"
#include "wire/interrupt.hpp"

// The public client library: events in, streams out, and the daemon's administration, over HTTP.
namespace belfry::client {

class Cursor;
class Journal;

struct Options {
    wire::Endpoint endpoint;
    std::string token;        // empty: none, as for a peer on the Unix socket
    std::string tls_ca_file;  // trusted besides the system's certificates
    base::Duration connect_time_max = base::seconds(5);
    base::Duration answer_time_max = base::seconds(60);
    base::Duration silence_max = base::seconds(45);  // a stream's heartbeat comes every 15 s
    // Pauses before the second, third … attempt; the last one is for all further ones.
    std::vector<base::Duration> pauses{base::milliseconds(100), base::milliseconds(500), base::seconds(2)};
    std::size_t emit_attempts_max = 6;
    // Asked before each request, and its error is the request's: for whoever must know first who listens there.
    std::function<base::Result<void>()> may_send;
};

// One connection to one daemon. Calls block and are for one thread at a time; `interrupt` is for any thread.
//
// Errors are those of the daemon's problem documents (their code, detail and field), and: unavailable where it cannot
// be reached, outcome_unknown where the connection broke before the answer, timeout, malformed where somebody else than
// Belfry answers.
class Client {
public:
    explicit Client(Options options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Sends events and returns when they are durable. A lost connection, 503 and 429 are answered by another attempt
    // with the same idempotency key, so that a repeat is harmless: the key is made here where the caller gives none. A
    // daemon that this client never reached is reported at once, without another attempt. That single events were
    // refused is no error of the call: `Emitted` tells them. Of an event, `source_id` is sent as its id, and what is
    // empty is left out.
    base::Result<Emitted> emit(const std::vector<model::Event>& events, std::string idempotency_key = {});
    // The same for events that are JSON already, one a line.
    base::Result<Emitted> emit_lines(std::string ndjson, std::string idempotency_key = {});

    // Those that the caller may follow: all of them, or one by its name (`not_found` where there is none).
    base::Result<std::vector<StreamState>> streams();
    base::Result<StreamState> stream(std::string_view name);
    // Entries after `after`, oldest first; `limit` 0: as many as the daemon likes.
    base::Result<Page> page(std::string_view stream, model::Sequence after, std::size_t limit,
                            const model::StreamFilter& filter = {});

    // Hands on every entry from `start` on, each once and in order, until `on_entry` returns false or `interrupt` is
    // called: then it returns in peace. A lost connection is made again and goes on after the last entry. Returns an
    // error for what another attempt would not mend (no access, no such stream), and where the daemon was never
    // reached.
    base::Result<void> follow(std::string_view stream, const model::StreamFilter& filter, Start start,
                              const FollowHandlers& handlers);
    // Ends a follow, or any pause, from another thread; the client is of no further use.
    void interrupt();

    // For an agent's runtime. What may be repeated without harm (a session, an acknowledgement) is tried again like an
    // emit; reports, notes and hand-overs are not: after outcome_unknown a report may have been taken, and what a lost
    // hand-over held comes again when its lease has run out.
    base::Result<SessionState> put_session(std::string_view id, const SessionRequest& request);
    base::Result<SessionState> session(std::string_view id);
    // A look at what a pull at this point would hand over.
    base::Result<ContextState> context(std::string_view session_id, model::InjectAt point);
    base::Result<ReportState> report_turn(std::string_view session_id, const TurnReport& report);
    base::Result<ReportState> report_tool_call(std::string_view session_id, const ToolCallReport& report);
    base::Result<SelfNoteState> notify_self(std::string_view session_id, const SelfNote& note);
    // What is due at this point of the agent's turn, under a lease.
    base::Result<Pulled> pull(std::string_view session_id, const PullRequest& request);
    // What was handed over has arrived: all of a pull, or single items. Returns how many ended with it.
    base::Result<std::int64_t> acknowledge(std::string_view session_id, std::string_view pull_id);
    base::Result<std::int64_t> acknowledge(std::string_view session_id, const std::vector<ItemLease>& items);

    // A turn goes on: what its session holds stays held, for so many seconds or as long as usual. Returns how many.
    base::Result<std::int64_t> heartbeat(std::string_view session_id, std::int64_t lease_s = 0);
    // The agent says a notification in its own words, which are shown in its place. A stale lease is refused with
    // conflict, and nothing is shown. `id` is a handle of the session, or an id.
    base::Result<NotificationState> narrate(std::string_view session_id, std::string_view id, std::int64_t lease,
                                            std::string_view words);
    // The same for several notifications that one text tells: the user sees one item. `pull_id`, if it is not empty,
    // proves that the agent holds them; else the leases do.
    base::Result<NotificationState> narrate(std::string_view session_id, const std::vector<ItemLease>& items,
                                            std::string_view pull_id, std::string_view words);
    base::Result<void> remove_session(std::string_view id);

    base::Result<TokenState> mint_token(const TokenRequest& request);
    base::Result<std::vector<TokenState>> tokens();
    base::Result<void> revoke_token(std::string_view id);
    base::Result<Ticket> ticket();
    base::Result<LinkState> make_link();

    base::Result<ErasureState> erase_user(std::string_view user_id);  // only its id is known yet
    base::Result<ErasureState> erasure(std::string_view id);
    base::Result<DaemonStatus> status();

    // All subscribers with what this user chose; an empty user is whoever asks, or the daemon's owner.
    base::Result<SubscriberList> subscribers(std::string_view user_id = {});
    base::Result<SubscriberState> subscriber(std::string_view id, std::string_view user_id = {});
    base::Result<SubscriberState> enable_subscriber(std::string_view id, bool enabled, std::string_view user_id = {});

    // Says something directly, to a person or an agent. Not repeated by itself: after outcome_unknown it may have been
    // taken, and only a deduplication key makes another attempt harmless.
    base::Result<NotificationState> notify(const NotifyRequest& request);
    // By id, or in a session by handle.
    base::Result<NotificationState> notification(std::string_view id, std::string_view session_id = {});
    // A person's interface has shown it. `lease` and `version` are those of what was shown.
    base::Result<NotificationState> acknowledge_notification(std::string_view id, std::int64_t lease,
                                                             std::int64_t version, std::string_view how);
    base::Result<NotificationState> mark_notification(std::string_view id, model::ReadMark mark);
    // Sends a dead letter again, as a new one.
    base::Result<NotificationState> retry_notification(std::string_view id, std::string_view session_id = {});
    base::Result<InboxState> inbox(const InboxQuestion& question);
    // Is an interface of this person: hands on what waits, oldest first, then `{"type":"caught_up",…}`, then what
    // comes. A lost connection is made again, and then what still waits comes again. Ends like `follow`.
    base::Result<void> follow_inbox(std::string_view user_id, std::string_view session_id,
                                    const InboxHandlers& handlers);
    base::Result<LedgerState> ledger(const LedgerQuestion& question);
    // Calls of sinks that were given up, and making one again.
    base::Result<SinkCalls> given_up_calls(std::size_t limit);
    base::Result<void> retry_sink_call(std::string_view id);
    // The whole way of an event or a notification.
    base::Result<WhyState> why(std::string_view id, std::string_view session_id = {});
    // Belfry's own and those that are registered, by name.
    base::Result<std::vector<ToolState>> tools();
    base::Result<ToolState> tool(std::string_view name);
    base::Result<void> remove_tool(std::string_view name);

    // Questions of agents to people, oldest first.
    base::Result<std::vector<InteractionState>> interactions(const InteractionQuestion& question);
    // Not repeated by itself: after outcome_unknown it may have been taken.
    base::Result<InteractionState> answer_interaction(std::string_view id, const InteractionWords& words);
    // The tool that was allowed for good by this answer is asked for again.
    base::Result<InteractionState> take_back_allowance(std::string_view id);

    // What agents propose to people, oldest first; and one set with its items.
    base::Result<std::vector<ChangeSetNow>> change_sets(const ChangeSetQuestion& question);
    base::Result<ChangeSetNow> change_set(std::string_view id);
    // Of one item, or of all that is open. May be repeated: the same decision finds what came of it.
    base::Result<ChangeSetNow> decide_changes(std::string_view id, std::optional<std::int64_t> number,
                                              ChangeDecision decision);

    // Runs. A run that has a key may be made again: the one that is there is given. What would change its state twice
    // is not repeated by itself.
    base::Result<RunStateNow> create_run(const RunRequest& request);
    base::Result<RunStateNow> run(model::RunId id);
    base::Result<RunList> runs(const RunQuestion& question);
    base::Result<RunStateNow> start_run(model::RunId id);
    base::Result<RunStateNow> cancel_run(model::RunId id, std::string_view reason = {});
    base::Result<RunStateNow> finish_run(model::RunId id, const std::optional<model::RawJson>& result = {});
    base::Result<RunStateNow> fail_run(model::RunId id, const model::RunError& error);
    base::Result<RunStateNow> pause_run(model::RunId id, bool paused);
    // Adds events to a run, one JSON text a line, all or none. Not repeated by itself: after outcome_unknown they may
    // be there.
    base::Result<EmittedToRun> emit_to_run(model::RunId id, std::string ndjson);
    // Hands on the run's events, each once and in order, until the run ends, `on_event` returns false or `interrupt` is
    // called. A lost connection is made again and goes on after the last one.
    base::Result<void> follow_run(model::RunId id, const RunFollow& wish, const RunHandlers& handlers);

    // Agents. Making one, or a subscription, like one that is there gives that one.
    base::Result<AgentNow> create_agent(const AgentRequest& request);
    base::Result<AgentNow> agent(std::string_view id);
    base::Result<std::vector<AgentNow>> agents(const AgentQuestion& question = {});
    // `patch` as PATCH /v1/agents/{id} takes it.
    base::Result<AgentNow> change_agent(std::string_view id, const model::RawJson& patch);
    base::Result<AgentNow> destroy_agent(std::string_view id);
    base::Result<WakeSubscriptionNow> subscribe_agent(std::string_view id, const WakeSubscriptionRequest& request);
    base::Result<std::vector<WakeSubscriptionNow>> wake_subscriptions(std::string_view agent_id);
    base::Result<void> unsubscribe_agent(std::string_view agent_id, std::string_view subscription_id);

    // What wakes them by the clock. Adding one like that which is there under its name gives that one.
    base::Result<TimerNow> add_timer(std::string_view agent_id, const TimerRequest& request);
    base::Result<TimerNow> timer(std::string_view agent_id, std::string_view id);
    // Whichever fires next comes first, those that do not fire any more last.
    base::Result<std::vector<TimerNow>> timers(const TimerQuestion& question = {});
    // `patch` as PATCH /v1/agents/{id}/timers/{tid} takes it.
    base::Result<TimerNow> change_timer(std::string_view agent_id, std::string_view id, const model::RawJson& patch);
    base::Result<void> remove_timer(std::string_view agent_id, std::string_view id);

    // What wakes them. A wake that has a request or a turn of the caller's may be asked for again.
    base::Result<WakeNow> wake_agent(std::string_view agent_id, const WakeRequest& request);
    // With a wait, when it has ended or so much later.
    base::Result<WakeNow> wake(model::WakeId id, base::Duration wait = {});
    base::Result<WakeNowList> wakes(const WakeQuestion& question);
    base::Result<std::vector<WakeSignalNow>> wake_signals(model::WakeId id);
    // For a worker. Nothing: nothing was due in that time. None of these is repeated by itself; what a lost answer
    // granted is free again when its lease has run out. A claim that is the caller's no more is `conflict`.
    base::Result<std::optional<Grant>> claim_wake(const ClaimRequest& request);
    base::Result<WakeNow> renew_wake(model::WakeId id, std::int64_t fence, base::Duration lease);
    base::Result<WakeNow> end_wake(model::WakeId id, std::int64_t fence, const WakeOutcome& outcome);
    base::Result<WakeNow> cancel_wake(model::WakeId id, std::string_view reason = {});
    // What an agent remembers. `messages` and `actions` are arrays as POST /v1/wakes/{id}/messages and …/plan take
    // them; a plan may be asked for again: a round has one for good, and the reply says what has come of it.
    base::Result<AgentMessageList> agent_messages(std::string_view agent_id, const AgentMessageQuestion& question = {});
    base::Result<std::vector<AgentMessageNow>> append_agent_messages(model::WakeId id, std::int64_t fence,
                                                                     const model::RawJson& messages);
    base::Result<model::RawJson> store_plan(model::WakeId id, std::int64_t fence, const model::RawJson& actions,
                                            std::int64_t round = 1);
    // Calls a tool under a claim. Where it has an operation it may be repeated: it is done once.
    base::Result<ToolCallNow> call_tool(model::WakeId id, std::int64_t fence, const ToolCallRequest& call);

    // Any request that has no function of its own, once, and its answer as JSON.
    base::Result<model::RawJson> call(std::string method, std::string target, std::string body);
    // Waits so long, or until `interrupt` is called; tells whether it was.
    bool rest(base::Duration time);

    [[nodiscard]] const wire::Endpoint& endpoint() const { return options_.endpoint; }

private:
    friend class Devices;  // client/devices.hpp
    friend class Journal;  // client/journal.hpp
    friend class Memory;   // client/memory.hpp
    friend class Tools;    // client/tools.hpp
    // One attempt, or several; any status is an answer here, and only 2xx in `ask`.
    base::Result<wire::HttpAnswer> send(const wire::HttpRequest& request);
    base::Result<wire::HttpAnswer> send_until_known(const wire::HttpRequest& request);
    base::Result<wire::HttpAnswer> ask(const wire::HttpRequest& request);
    base::Result<wire::HttpAnswer> ask_until_known(const wire::HttpRequest& request);
    wire::HttpRequest request(std::string method, std::string target, std::string body = {}) const;
    [[nodiscard]] base::Result<void> ask_leave() const;
    base::Error explain(base::Error error) const;
    [[nodiscard]] base::Duration pause(std::size_t attempt) const;

    using OnLost = std::function<void(const base::Error& why, base::Duration pause)>;
    struct Connection {
        bool progressed = false;  // something came
        base::Duration wish;      // how long the server asked to be left alone
    };
    base::Result<void> follow_cursor(Cursor& cursor, const OnLost& on_lost);
    base::Result<bool> follow_once(Cursor& cursor, Connection& connection);

    Options options_;
    wire::Interrupt interrupt_;
    std::unique_ptr<wire::HttpClient> http_;
    bool reached_ = false;                                   // an answer has come from there before
    std::map<std::string, std::string, std::less<>> pulls_;  // the last hand-over that was got, by session
};

}  // namespace belfry::client
