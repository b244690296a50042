#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"
#include "model/rehearsal.hpp"
#include "model/subscriber.hpp"
#include "model/tool.hpp"
#include "ports/journal_questions.hpp"
#include "ports/memory_answers.hpp"
#include "ports/reading.hpp"
#include "ports/store_sync.hpp"

namespace belfry::ports {

enum class Readiness : std::uint8_t { starting, ready, store_down, standby, stopping };
std::string_view readiness_name(Readiness readiness);

struct Status {
    Readiness readiness = Readiness::starting;
    std::string version;
    std::int64_t pid = 0;
    base::Timestamp started_at;
    base::Timestamp now;
    StoreFigures store;
    std::string store_error;  // why the figures could not be read
    std::vector<model::StreamInfo> streams;
    std::size_t queue_commands = 0;
    std::size_t queue_bytes = 0;
    std::size_t connections = 0;
};

// Which daemon this is. Another start is another time.
struct House {
    std::string version;
    std::string owner;
    base::Timestamp started_at;
};

enum class HistoryShape : std::uint8_t { path, tree };

struct HistoryQuestion {
    std::string session_id;
    HistoryShape shape = HistoryShape::path;
    std::optional<HistoryPlace> place;  // of a path its leaf, of a tree the last one of the page before
    std::size_t limit = 0;
};

struct History {
    model::Session session;
    HistoryPage page;
};

struct NotificationPage {
    std::vector<model::Notification> notifications;
    std::optional<std::int64_t> looked_to;  // a search has stopped here, at an ordinal; more may follow
};

struct Inbox {
    std::string user_id;
    std::vector<model::Notification> items;  // newest first
    NotificationReading::InboxCounts counts;
};

// What a hand-over at this point would hold, were it asked for now. What a turn holds already is not due: it would come
// again only if its agent began that turn anew.
struct ContextQuestion {
    std::string session_id;
    model::InjectAt point = model::InjectAt::turn_start;
    std::int64_t budget_tokens = 0;  // 0: no limit
    model::ContextRequest context;   // the context values that the pull would ask for
};
struct ContextPreview {
    std::vector<model::SessionMessage> user_messages;  // of the person, which come before the rest
    std::vector<model::Notification> due;              // in the order in which they would be read
    std::vector<std::string> seen;                     // what the person knows already, and
    std::string digest;                                // the inbox as one sentence; only at the start of a turn
    std::int64_t model_tokens = 0;                     // of all of this
    std::int64_t counted = 0;                          // would be told as a number, in a line of a summary
    std::int64_t waiting = 0;                          // due as well, but would not fit
    std::int64_t batched = 0;                          // events of open batches, which have no text yet
    std::vector<model::ContextValue> context;          // that were asked for
    std::vector<std::string> context_left_out;         // names of values that would not fit
};

// What a subscriber of today's catalogue makes of an event.
enum class WhyVerdict : std::uint8_t { wants, below_severity, other_source, switched_off };
std::string_view why_verdict_name(WhyVerdict verdict);
struct WhySubscriber {
    std::string id;
    WhyVerdict verdict = WhyVerdict::wants;
};
struct WhyNotification {
    model::Notification notification;
    std::vector<model::Transition> steps;  // its whole way, oldest first
    bool as_repeat = false;                // it holds the event only as a repeat of another one
};
// Of one event, or of one notification: who wanted it, where it went, step by step.
struct Why {
    std::optional<FoundEvent> event;         // nothing: a notification was asked about
    std::vector<WhySubscriber> subscribers;  // whose types match the event
    std::vector<model::WaitingRow> waiting;  // where it waits to leave with a batch, without its JSON
    std::vector<WhyNotification> notifications;
    std::string reached_nobody;  // of an event: why it is in no notification; empty: it is in one
};

// A tool that agents may call.
struct KnownTool {
    model::ToolInfo info;
    const model::ToolContract* own = nullptr;  // of Belfry's own; null: somebody has registered it
};

// Questions that change nothing, answered beside the engine. Called on the network's thread; answers come back on it,
// never before the call returned. Each checks by `rules/may` that the principal may ask.
class Queries {
public:
    virtual ~Queries() = default;

    [[nodiscard]] virtual Readiness readiness() const = 0;
    [[nodiscard]] virtual House house() const = 0;
    virtual void status(const model::Principal& who, std::function<void(base::Result<Status>)> done) = 0;
    virtual void open_figures(const model::Principal& who, std::function<void(base::Result<OpenFigures>)> done) = 0;
    virtual void obligation(const model::Principal& who, const base::Uuid& id,
                            std::function<void(base::Result<Obligation>)> done) = 0;

    // Calls of sinks that were given up, the latest first.
    virtual void given_up_calls(const model::Principal& who, std::optional<GivenUpPlace> after, std::size_t limit,
                                std::function<void(base::Result<std::vector<Obligation>>)> done) = 0;

    // `key` is an id, or with a session a handle (`n7`).
    virtual void notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                              std::function<void(base::Result<model::Notification>)> done) = 0;
    virtual void notifications(const model::Principal& who, NotificationFilter filter,
                               std::function<void(base::Result<NotificationPage>)> done) = 0;
    // Of one user, or (empty) of all.
    virtual void ledger_figures(const model::Principal& who, std::string_view user_id,
                                std::function<void(base::Result<NotificationReading::Figures>)> done) = 0;
    virtual void session(const model::Principal& who, std::string_view id,
                         std::function<void(base::Result<model::Session>)> done) = 0;
    virtual void sessions(const model::Principal& who, SessionFilter filter,
                          std::function<void(base::Result<std::vector<model::Session>>)> done) = 0;
    virtual void history(const model::Principal& who, HistoryQuestion question,
                         std::function<void(base::Result<History>)> done) = 0;

    // A person's inbox as a list. An empty user: the session's where one is named, else the principal's own or the
    // owner.
    virtual void inbox(const model::Principal& who, NotificationReading::InboxQuestion question,
                       std::function<void(base::Result<Inbox>)> done) = 0;
    virtual void context(const model::Principal& who, ContextQuestion question,
                         std::function<void(base::Result<ContextPreview>)> done) = 0;
    // `key` is the id of an event or a notification, or with a session a handle.
    virtual void why(const model::Principal& who, std::string_view session_id, std::string_view key,
                     std::function<void(base::Result<Why>)> done) = 0;
    virtual void interaction(const model::Principal& who, const model::InteractionId& id,
                             std::function<void(base::Result<model::Interaction>)> done) = 0;
    // By ordinal. A user or a session must be named unless the caller sees all.
    virtual void interactions(const model::Principal& who, InteractionFilter filter,
                              std::function<void(base::Result<std::vector<model::Interaction>>)> done) = 0;
    // What agents propose. Whoever sees its user.
    virtual void change_set(const model::Principal& who, const model::ChangeSetId& id,
                            std::function<void(base::Result<model::ProposedChanges>)> done) = 0;
    // By ordinal. A user must be named unless the caller sees all.
    virtual void change_sets(const model::Principal& who, ChangeSetFilter filter,
                             std::function<void(base::Result<std::vector<model::ChangeSet>>)> done) = 0;
    // Whoever may read anything may see the tools.
    virtual void tool(const model::Principal& who, std::string_view name,
                      std::function<void(base::Result<KnownTool>)> done) = 0;
    // By name, after this one.
    virtual void tools(const model::Principal& who, std::string_view after, std::size_t limit,
                       std::function<void(base::Result<std::vector<KnownTool>>)> done) = 0;

    // `not_found` where it never was, `gone` where it has expired. Whoever may use its session, or sees its user.
    virtual void run(const model::Principal& who, model::RunId id,
                     std::function<void(base::Result<model::Run>)> done) = 0;
    // Newest first.
    virtual void runs(const model::Principal& who, RunFilter filter,
                      std::function<void(base::Result<std::vector<model::Run>>)> done) = 0;

    // From memory, as the engine uses them.
    [[nodiscard]] virtual std::shared_ptr<const model::Catalogue> catalogue() const = 0;
    // What a subscriber would make of these events, or of made-up ones where there are none. Nothing is emitted.
    virtual void rehearse(std::string_view subscriber_id, std::vector<model::Event> events,
                          std::function<void(base::Result<model::Rehearsal>)> done) = 0;
    // What a user has chosen; the answer names him. An empty id: the principal's own user, or the owner.
    virtual void settings(const model::Principal& who, std::string_view user_id,
                          std::function<void(base::Result<model::UserSettings>)> done) = 0;

    // Agents and what wakes them. What is not there, or not the caller's, is `not_found`.
    virtual void agent(const model::Principal& who, std::string_view id,
                       std::function<void(base::Result<model::AgentRecord>)> done) = 0;
    // By id.
    virtual void agents(const model::Principal& who, AgentFilter filter,
                        std::function<void(base::Result<std::vector<model::AgentRecord>>)> done) = 0;
    // By id, after this one.
    virtual void wake_subscriptions(const model::Principal& who, std::string_view agent_id,
                                    const model::SubscriptionId& after, std::size_t limit,
                                    std::function<void(base::Result<std::vector<model::WakeSubscription>>)> done) = 0;
    virtual void wake(const model::Principal& who, model::WakeId id,
                      std::function<void(base::Result<model::Wake>)> done) = 0;
    // Newest first.
    virtual void wakes(const model::Principal& who, WakeFilter filter,
                       std::function<void(base::Result<std::vector<model::Wake>>)> done) = 0;
    // In their order, after this ordinal.
    virtual void wake_signals(const model::Principal& who, model::WakeId id, std::int64_t after, std::size_t limit,
                              std::function<void(base::Result<std::vector<model::WakeSignal>>)> done) = 0;

    // With their next firings.
    virtual void timer(const model::Principal& who, std::string_view agent_id, const model::TimerId& id,
                       std::function<void(base::Result<model::ShownTimer>)> done) = 0;
    // Whichever fires next comes first, those that do not fire any more last.
    virtual void timers(const model::Principal& who, TimerFilter filter,
                        std::function<void(base::Result<std::vector<model::ShownTimer>>)> done) = 0;
    // What an agent remembers: newest first, and one with its whole content.
    virtual void agent_messages(const model::Principal& who, AgentMessageFilter filter,
                                std::function<void(base::Result<std::vector<model::AgentMessage>>)> done) = 0;
    virtual void agent_message(const model::Principal& who, std::string_view agent_id, const base::Uuid& id,
                               std::function<void(base::Result<model::AgentMessage>)> done) = 0;
    // What its run was going to do, with what has come of it, a round after the other.
    virtual void wake_plans(const model::Principal& who, model::WakeId id,
                            std::function<void(base::Result<std::vector<model::PlanNow>>)> done) = 0;

    // What an agent remembers, as it would be told now in a thread; an empty one: where it was spoken in last. A caller
    // that is bound to sessions sees what was said in those, here and in the next four.
    virtual void memory(const model::Principal& who, std::string_view agent_id, std::string_view thread_id,
                        std::function<void(base::Result<model::AssembledMemory>)> done) = 0;
    // The one that was spoken in last first.
    virtual void memory_threads(const model::Principal& who, ThreadFilter filter,
                                std::function<void(base::Result<std::vector<model::AgentThread>>)> done) = 0;
    // Those that nothing has folded, or that one has, from the deepest on, then by their places.
    virtual void memory_summaries(const model::Principal& who, std::string_view agent_id,
                                  std::optional<base::Uuid> folded_into,
                                  std::function<void(base::Result<std::vector<PlacedSummary>>)> done) = 0;
    virtual void memory_summary(const model::Principal& who, SummaryQuestion question,
                                std::function<void(base::Result<OpenedSummary>)> done) = 0;
    // Those that have more of the words first, then the newer ones.
    virtual void recall(const model::Principal& who, RecallQuestion question,
                        std::function<void(base::Result<std::vector<model::RecalledMessage>>)> done) = 0;
    // Newest first.
    virtual void fold_jobs(const model::Principal& who, FoldJobFilter filter,
                           std::function<void(base::Result<std::vector<model::FoldJob>>)> done) = 0;
    // Whoever may change the agent takes all of it along.
    virtual void agent_export(const model::Principal& who, AgentExportQuestion question,
                              std::function<void(base::Result<AgentExportPage>)> done) = 0;

    // Peers, and how far the changes of each host are here. What was decided between two devices, the newest first,
    // below a number; 0: from the newest on. Both are everybody's: an admin, or a service that is bound to nobody.
    virtual void sync_status(const model::Principal& who, std::function<void(base::Result<SyncStatus>)> done) = 0;
    virtual void merge_notes(const model::Principal& who, std::int64_t below, std::size_t limit,
                             std::function<void(base::Result<std::vector<model::MergeNote>>)> done) = 0;

    // The journal. What is not there, is another person's or lies outside of the categories is `not_found`, a tombstone
    // is `gone`.
    virtual void journal_record(const model::Principal& who, JournalAccess access, model::JournalKind kind,
                                std::string_view id, std::function<void(base::Result<model::JournalRecord>)> done) = 0;
    virtual void journal_list(const model::Principal& who, JournalQuestion question,
                              std::function<void(base::Result<JournalList>)> done) = 0;
    virtual void journal_links(const model::Principal& who, LinkQuestion question,
                               std::function<void(base::Result<std::vector<model::Link>>)> done) = 0;
    virtual void journal_export(const model::Principal& who, ExportQuestion question,
                                std::function<void(base::Result<ExportPage>)> done) = 0;
    virtual void journal_overview(const model::Principal& who, JournalAccess access,
                                  std::function<void(base::Result<JournalOverview>)> done) = 0;

    // Calls that somebody outside carries out. What is not there, or not the caller's, is `not_found`.
    virtual void outside_call(const model::Principal& who, const model::OutsideCallId& id,
                              std::function<void(base::Result<model::OutsideCall>)> done) = 0;
    // Newest first.
    virtual void outside_calls(const model::Principal& who, OutsideCallFilter filter,
                               std::function<void(base::Result<std::vector<model::OutsideCall>>)> done) = 0;

    // A current context value; `not_found` where there is none. A key without a user: as in PutContextValue.
    virtual void context_value(const model::Principal& who, model::ContextKey key,
                               std::function<void(base::Result<model::ContextValue>)> done) = 0;
    // By name. A filter without a user: likewise.
    virtual void context_values(const model::Principal& who, ContextFilter filter,
                                std::function<void(base::Result<std::vector<model::ContextValue>>)> done) = 0;
};

// Who somebody is. On the network's thread, from memory.
class Access {
public:
    virtual ~Access() = default;

    // The principal behind a bearer token's text, or unauthenticated with a reason that tells an attacker nothing.
    [[nodiscard]] virtual base::Result<model::Principal> authenticate(std::string_view token) const = 0;
    // Counts up with every change of the tokens: a cached principal of an older count must be asked for again.
    [[nodiscard]] virtual std::uint64_t generation() const = 0;
    // All tokens, for those who may see them.
    [[nodiscard]] virtual base::Result<std::vector<model::AccessToken>> tokens(const model::Principal& who) const = 0;
};

}  // namespace belfry::ports
