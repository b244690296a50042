#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "checker.hpp"
#include "observation.hpp"

// What was seen, ordered by the things that it is about. The invariants read this; nothing here judges.
namespace observer {

template <class T>
struct Seen {
    const Observation* at = nullptr;
    const T* body = nullptr;
    const T* operator->() const { return body; }
};

namespace detail {
template <class Variant>
struct Lists;
template <class... T>
struct Lists<std::variant<T...>> {
    using type = std::tuple<std::vector<Seen<T>>...>;
};
}  // namespace detail

// A notification was given to an agent's runtime.
struct Given {
    Seen<Pulled> pull;
    const PulledItem* item = nullptr;
};

// Everything seen of one notification, by its id on the wire.
struct Note {
    std::string id;
    std::string user;
    std::string session;
    std::string agent;
    Routing routing;                       // of its first emission
    bool is_emitted = false;               // a caller asked for it; false: made of events, or by Belfry
    bool is_accepted = false;              // a caller was answered 2xx
    bool is_certain = true;                // no request without an answer may have changed its content
    std::int64_t ttl_ms = 0;               // the smallest TTL that a caller asked for
    std::vector<Seen<Emitted>> emissions;  // not rejected, by version
    std::vector<Seen<Shown>> shown;
    std::vector<Seen<Rang>> rang;
    std::vector<Given> given;
    std::vector<Seen<Narrated>> narrations;  // not rejected
    std::vector<Seen<Acked>> acks;           // not rejected
    std::vector<Seen<ToolCalled>> tools;     // external calls that name it, not rejected
    std::vector<Seen<StateShown>> states;
    std::vector<Seen<TurnRequested>> requests;
    const WhySaid* why = nullptr;

    const Emitted& last_emission() const { return *emissions.back().body; }
    bool is_users() const { return is_emitted && (routing.is_alert() || routing.is_must_tell()); }
};

// What a mark stands for.
struct Mark {
    enum class Kind { emission, event, narration, message, agent } kind = Kind::emission;
    std::string user;
    bool is_rejected = true;  // every request that carried it was rejected
    bool is_accepted = false;
    std::set<std::string> ids;  // of notifications that carry it, as callers were answered
    std::string session;        // of a narration or a message
};

struct Connection {
    Seen<Connected> opened;
    std::string user;
    std::uint64_t caught_up = 0;  // order; 0: never
    std::int64_t caught_up_ms = 0;
    std::uint64_t closed = UINT64_MAX;
    std::int64_t closed_ms = INT64_MAX;
    std::vector<Seen<Shown>> shown;
};

// Returns the marks (`#m12#`) in a text, in order.
std::vector<std::string_view> find_marks(std::string_view text);
std::vector<std::string_view> find_marks(std::string&& text) = delete;  // the marks would outlive the text

class Story {
public:
    Story(const std::deque<Observation>& seen, const Options& options);

    template <class T>
    const std::vector<Seen<T>>& all() const {
        return std::get<std::vector<Seen<T>>>(lists_);
    }
    const std::map<std::string, Note, std::less<>>& notes() const { return notes_; }
    const std::map<std::string, Connection, std::less<>>& connections() const { return connections_; }
    const Options& options() const { return options_; }
    bool is_quiet() const { return !all<Quiet>().empty(); }

    const Note* find_note(std::string_view id) const;
    const Mark* find_mark(std::string_view mark) const;
    // The note that a runtime means by a handle or an id in a session.
    const Note* resolve(std::string_view session, std::string_view name) const;
    // The ids under which the user was shown this mark, and the tool names in a text.
    const std::set<std::string>& shown_ids(std::string_view mark) const;
    std::vector<std::string> find_tools(std::string_view text) const;

    bool has_crash(std::int64_t from_ms, std::int64_t to_ms) const;
    bool has_clock_step(std::uint64_t from, std::uint64_t to) const;
    bool is_erased(const std::string& user) const;
    const std::string& session_user(const std::string& session) const;
    // True if an interface of the user was there, caught up, for the whole time, and the daemon, too.
    std::vector<const Connection*> covering(const std::string& user, std::int64_t from_ms, std::int64_t to_ms) const;

    // True if the runtime that was given this item certainly holds it until `order` at `at_ms`: its lease runs, and
    // nothing was asked of anybody that could have ended it. `except` is not counted as such a request. For a call,
    // `order` is that of its answer: another call that began before may have taken effect first.
    bool is_certainly_held(const Given& given, const Note& note, std::uint64_t order, std::int64_t at_ms,
                           const Observation* except = nullptr) const;

    // True if a pull whose answer was lost may have given the notification to an agent.
    bool may_be_given(const Note& note) const;

    // The length of the chain that an emission certainly has: an agent's emission while it holds something comes of
    // that.
    int chain_depth(const Note& note) const;

private:
    void index();
    void add_emissions();
    void add_marks();
    void add_connections();
    void add_agents_side();
    void add_ends();
    Note& note_of(const std::string& id);

    Options options_;
    typename detail::Lists<Body>::type lists_;
    std::map<std::string, Note, std::less<>> notes_;
    std::map<std::string, Mark, std::less<>> marks_;
    std::map<std::string, Connection, std::less<>> connections_;
    std::map<std::pair<std::string, std::string>, std::string> handles_;  // session, handle → id
    std::map<std::string, std::set<std::string>, std::less<>> shown_ids_;
    std::map<std::string, std::string> session_users_;
    // By session: the requests that may end what its agent holds, not rejected.
    std::map<std::string, std::vector<const Observation*>, std::less<>> ends_;
    mutable std::map<const Note*, int> chain_depths_;
    std::set<std::string, std::less<>> tools_;
};

// ---- invariants -----------------------------------------------------------------------------------------------------

// Collects the violations of one invariant.
class Report {
public:
    Report(const struct Invariant& invariant, std::vector<Violation>& into) : invariant_(invariant), into_(into) {}
    void add(std::string message, std::vector<const Observation*> seen);

private:
    const Invariant& invariant_;
    std::vector<Violation>& into_;
};

struct Invariant {
    std::string_view name;
    std::string_view promise;
    std::string_view source;
    void (*check)(const Story&, Report&);
};

std::vector<Invariant> user_invariants();
std::vector<Invariant> boundary_invariants();
std::vector<Invariant> holder_invariants();
std::vector<Invariant> awareness_invariants();
std::vector<Invariant> context_invariants();
std::vector<Invariant> intake_invariants();
std::vector<Invariant> device_invariants();
std::vector<Invariant> memory_invariants();

}  // namespace observer
