#include "story.hpp"

#include <algorithm>
#include <cctype>

namespace observer {

std::vector<std::string_view> find_marks(std::string_view text) {
    std::vector<std::string_view> found;
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at)) {
        std::size_t end = at + 1;
        if (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
        const std::size_t digits = end;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
        if (end > digits && digits == at + 2 && end < text.size() && text[end] == '#') {
            found.push_back(text.substr(at, end + 1 - at));
            at = end + 1;
        } else {
            ++at;
        }
    }
    return found;
}

Story::Story(const std::deque<Observation>& seen, const Options& options) : options_(options) {
    for (const Observation& one : seen)
        std::visit([&]<class T>(const T& body) { std::get<std::vector<Seen<T>>>(lists_).push_back({&one, &body}); },
                   one.body);
    index();
}

void Story::index() {
    for (const auto& made : all<SessionMade>())
        if (!made->answer.is_rejected()) session_users_[made->session] = made->user;
    add_marks();
    add_connections();
    add_emissions();
    add_agents_side();
    add_ends();
    for (const auto& why : all<WhySaid>())
        if (auto found = notes_.find(why->id); found != notes_.end()) found->second.why = why.body;
}

Note& Story::note_of(const std::string& id) {
    Note& note = notes_[id];
    note.id = id;
    return note;
}

void Story::add_marks() {
    const auto add = [&](const std::string& name, Mark::Kind kind, const std::string& user,
                         const Answer& answer) -> Mark& {
        Mark& mark = marks_[name];
        mark.kind = kind;
        mark.user = user;
        mark.is_rejected = mark.is_rejected && answer.is_rejected();
        mark.is_accepted = mark.is_accepted || answer.is_accepted();
        return mark;
    };
    for (const auto& one : all<Emitted>()) {
        Mark& mark = add(one->mark, Mark::Kind::emission, one->user, one->answer);
        if (!one->id.empty()) mark.ids.insert(one->id);
    }
    for (const auto& one : all<EventEmitted>()) add(one->mark, Mark::Kind::event, one->user, one->answer);
    for (const auto& one : all<MessagePosted>())
        add(one->mark, Mark::Kind::message, one->user, one->answer).session = one->session;
    for (const auto& one : all<AgentMade>())
        if (!one->mark.empty()) add(one->mark, Mark::Kind::agent, one->user, one->answer);
    for (const auto& one : all<ToolCalled>())
        if (!one->answer.is_rejected()) tools_.insert(one->tool);
}

void Story::add_connections() {
    for (const auto& one : all<Connected>()) {
        if (!one->answer.is_accepted() && one->answer.status != 101) continue;
        Connection& connection = connections_[one->connection];
        connection.opened = one;
        connection.user = one->user;
    }
    const auto find = [&](const std::string& name) -> Connection* {
        const auto found = connections_.find(name);
        return found == connections_.end() ? nullptr : &found->second;
    };
    for (const auto& one : all<CaughtUp>())
        if (Connection* connection = find(one->connection); connection && connection->caught_up == 0)
            connection->caught_up = one.at->order, connection->caught_up_ms = one.at->at_ms;
    for (const auto& one : all<Disconnected>())
        if (Connection* connection = find(one->connection))
            connection->closed = one.at->order, connection->closed_ms = one.at->at_ms;
    for (const auto& one : all<Shown>()) {
        if (Connection* connection = find(one->connection)) connection->shown.push_back(one);
        note_of(one->id).shown.push_back(one);
        for (const std::string_view mark : find_marks(one->text)) shown_ids_[std::string(mark)].insert(one->id);
        for (const std::string_view mark : find_marks(one->content)) shown_ids_[std::string(mark)].insert(one->id);
    }
    for (const auto& one : all<Rang>()) note_of(one->id).rang.push_back(one);
    for (const auto& one : all<Acked>())
        if (!one->answer.is_rejected()) note_of(one->id).acks.push_back(one);
}

void Story::add_emissions() {
    // An emission without an answer is known by its mark, where anybody was given it.
    std::map<std::string, std::string, std::less<>> id_by_mark;
    // An agent's own item quotes what the agent was given.
    std::set<std::string, std::less<>> agent_marks;
    for (const auto& agent : all<AgentMade>()) agent_marks.insert(agent->mark);
    std::set<std::string, std::less<>> agent_items;
    for (const auto& shown : all<Shown>())
        for (const std::string_view mark : find_marks(shown->text))
            if (agent_marks.contains(mark)) agent_items.insert(shown->id);
    for (const auto& [mark, ids] : shown_ids_)
        if (ids.size() == 1 && !agent_items.contains(*ids.begin())) id_by_mark[mark] = *ids.begin();
    for (const auto& pull : all<Pulled>())
        for (const PulledItem& item : pull->items)
            if (item.stands_for.empty())
                for (const std::string_view mark : find_marks(item.text)) id_by_mark[std::string(mark)] = item.id;
    std::set<std::pair<std::string, std::string>> uncertain_keys;
    for (const auto& one : all<Emitted>()) {
        if (one->answer.is_rejected()) continue;
        std::string id = one->id;
        if (id.empty()) {
            if (!one->deduplication_key.empty()) uncertain_keys.insert({one->user, one->deduplication_key});
            if (const auto found = id_by_mark.find(one->mark); found != id_by_mark.end()) id = found->second;
        }
        if (id.empty()) continue;
        Note& note = note_of(id);
        if (!note.is_emitted) {
            note.is_emitted = true;
            note.user = one->user, note.session = one->session, note.agent = one->agent, note.routing = one->routing;
            note.ttl_ms = one->ttl_ms ? one->ttl_ms : 300'000;
        }
        note.is_accepted = note.is_accepted || one->answer.is_accepted();
        note.ttl_ms = std::min(note.ttl_ms, one->ttl_ms ? one->ttl_ms : 300'000);
        note.emissions.push_back(one);
    }
    for (auto& [id, note] : notes_) {
        std::sort(note.emissions.begin(), note.emissions.end(), [](const auto& a, const auto& b) {
            const auto place = [](const auto& one) {
                return std::pair(one->version ? one->version : INT64_MAX, one.at->order);
            };
            return place(a) < place(b);
        });
        for (const auto& one : note.emissions)
            if (uncertain_keys.contains({one->user, one->deduplication_key})) note.is_certain = false;
    }
}

void Story::add_agents_side() {
    for (const auto& pull : all<Pulled>()) {
        if (session_users_.find(pull->session) == session_users_.end()) session_users_[pull->session] = pull->user;
        for (const PulledItem& item : pull->items) {
            handles_[{pull->session, item.handle}] = item.id;
            note_of(item.id).given.push_back({pull, &item});
        }
    }
    for (const auto& one : all<Narrated>()) {
        Mark& mark = marks_[one->mark];
        mark.kind = Mark::Kind::narration;
        mark.session = one->session;
        mark.is_rejected = mark.is_rejected && one->answer.is_rejected();
        mark.is_accepted = mark.is_accepted || one->answer.is_accepted();
        const Note* note = resolve(one->session, one->item.id);
        if (!note) continue;
        mark.user = note->user;
        mark.ids.insert(note->id);
        if (!one->answer.is_rejected()) note_of(note->id).narrations.push_back(one);
    }
    for (const auto& one : all<ToolCalled>()) {
        if (!one->external || one->answer.is_rejected()) continue;
        for (const ItemName& name : one->handling)
            if (const Note* note = resolve(one->session, name.id)) note_of(note->id).tools.push_back(one);
    }
}

const Note* Story::find_note(std::string_view id) const {
    const auto found = notes_.find(id);
    return found == notes_.end() ? nullptr : &found->second;
}

const Mark* Story::find_mark(std::string_view mark) const {
    const auto found = marks_.find(mark);
    return found == marks_.end() ? nullptr : &found->second;
}

const Note* Story::resolve(std::string_view session, std::string_view name) const {
    const auto found = handles_.find({std::string(session), std::string(name)});
    return find_note(found == handles_.end() ? name : std::string_view(found->second));
}

const std::set<std::string>& Story::shown_ids(std::string_view mark) const {
    static const std::set<std::string> none;
    const auto found = shown_ids_.find(mark);
    return found == shown_ids_.end() ? none : found->second;
}

std::vector<std::string> Story::find_tools(std::string_view text) const {
    // A tool's name is a word of letters, digits and underscores that ends in digits: mail_17.
    std::vector<std::string> found;
    std::size_t begin = 0;
    const auto is_part = [](char sign) { return sign == '_' || std::isalnum(static_cast<unsigned char>(sign)); };
    while (begin < text.size()) {
        while (begin < text.size() && !is_part(text[begin])) ++begin;
        std::size_t end = begin;
        while (end < text.size() && is_part(text[end])) ++end;
        if (const auto word = tools_.find(text.substr(begin, end - begin)); word != tools_.end())
            found.push_back(*word);
        begin = end;
    }
    return found;
}

bool Story::has_crash(std::int64_t from_ms, std::int64_t to_ms) const {
    const auto inside = [&](const auto& one) { return one.at->at_ms >= from_ms && one.at->at_ms <= to_ms; };
    const auto& crashes = all<Crashed>();
    const auto& restarts = all<Restarted>();
    if (std::any_of(crashes.begin(), crashes.end(), inside) || std::any_of(restarts.begin(), restarts.end(), inside))
        return true;
    // Down during the whole span.
    std::int64_t crash = -1;
    for (const auto& one : crashes)
        if (one.at->at_ms <= from_ms) crash = one.at->at_ms;
    return crash >= 0 && std::none_of(restarts.begin(), restarts.end(), [&](const auto& one) {
               return one.at->at_ms >= crash && one.at->at_ms <= from_ms;
           });
}

bool Story::has_clock_step(std::uint64_t from, std::uint64_t to) const {
    const auto& steps = all<ClockStepped>();
    return std::any_of(steps.begin(), steps.end(),
                       [&](const auto& one) { return one.at->order >= from && one.at->order <= to; });
}

bool Story::is_erased(const std::string& user) const {
    const auto& erased = all<UserErased>();
    return std::any_of(erased.begin(), erased.end(),
                       [&](const auto& one) { return one->user == user && !one->answer.is_rejected(); });
}

const std::string& Story::session_user(const std::string& session) const {
    static const std::string none;
    const auto found = session_users_.find(session);
    return found == session_users_.end() ? none : found->second;
}

std::vector<const Connection*> Story::covering(const std::string& user, std::int64_t from_ms,
                                               std::int64_t to_ms) const {
    std::vector<const Connection*> found;
    if (has_crash(from_ms, to_ms)) return found;
    for (const auto& [name, connection] : connections_)
        if (connection.user == user && connection.caught_up != 0 && connection.caught_up_ms < from_ms &&
            connection.closed_ms > to_ms)
            found.push_back(&connection);
    return found;
}

bool Story::is_certainly_held(const Given& given, const Note& note, std::uint64_t order, std::int64_t at_ms,
                              const Observation* except) const {
    const Pulled& pull = *given.pull.body;
    const Observation& begin = *given.pull.at;
    const std::int64_t lease_ms = pull.lease_ms ? pull.lease_ms : 900'000;
    if (begin.order >= (except ? except->start() : order) || at_ms >= begin.start_ms() + lease_ms - options_.slack_ms)
        return false;
    if (has_clock_step(begin.start(), order)) return false;
    const auto may_end = [&](const Observation& at) {
        return &at != except && &at != &begin && at.order > begin.start() && at.start() < order;
    };
    if (const auto found = ends_.find(pull.session); found != ends_.end())
        for (const Observation* one : found->second)
            if (may_end(*one)) return false;
    for (const auto& one : all<UserErased>())
        if (one->user == note.user && may_end(*one.at)) return false;
    const auto any_may_end = [&](const auto& list) {
        return std::any_of(list.begin(), list.end(), [&](const auto& one) { return may_end(*one.at); });
    };
    if (any_may_end(note.narrations) || any_may_end(note.acks) || any_may_end(note.shown) || any_may_end(note.rang))
        return false;
    return std::none_of(note.given.begin(), note.given.end(), [&](const Given& other) {
        return other.pull.body != given.pull.body && may_end(*other.pull.at);
    });
}

bool Story::may_be_given(const Note& note) const {
    const auto& pulls = all<Pulled>();
    const std::uint64_t since = note.emissions.empty() ? 0 : note.emissions.front().at->start();
    return std::any_of(pulls.begin(), pulls.end(), [&](const auto& pull) {
        const bool has_answer = pull->answer.is_accepted() || pull->answer.is_rejected();
        return !has_answer && pull->user == note.user && pull.at->order > since;
    });
}

void Story::add_ends() {
    const auto add = [&](const auto& one) {
        if (!one->answer.is_rejected()) ends_[one->session].push_back(one.at);
    };
    for (const auto& one : all<TurnStarted>())
        add(one);  // a new turn of the session releases the rows of the turn before
    for (const auto& one : all<TurnEnded>()) add(one);
    for (const auto& one : all<Acknowledged>()) add(one);
    for (const auto& one : all<SessionDeleted>()) add(one);
    for (const auto& one : all<Pulled>())
        if (one->point == "turn_start" || !one->named_pull.empty()) add(one);
    for (const auto& one : all<StateShown>())
        if (const auto found = notes_.find(one->id); found != notes_.end()) found->second.states.push_back(one);
    for (const auto& one : all<TurnRequested>())
        if (const auto found = notes_.find(one->id); found != notes_.end()) found->second.requests.push_back(one);
}

int Story::chain_depth(const Note& note) const {
    if (!note.is_emitted) return 0;
    const auto [found, is_new] = chain_depths_.try_emplace(&note, 0);
    if (!is_new) return found->second;
    const auto& first = note.emissions.front();
    int depth = 0;
    if (const Note* cause = find_note(first->caused_by)) depth = 1 + chain_depth(*cause);
    if (first->role == "agent")
        for (const auto& [id, held] : notes_)
            for (const Given& given : held.given)
                if (given.pull->token == first->caller && given.item->needs_answer && &held != &note &&
                    held.user == note.user &&
                    is_certainly_held(given, held, first.at->order, first.at->at_ms, first.at))
                    depth = std::max(depth, 1 + chain_depth(held));
    chain_depths_[&note] = depth;
    return depth;
}

void Report::add(std::string message, std::vector<const Observation*> seen) {
    Violation& made = into_.emplace_back();
    made.invariant = invariant_.name;
    made.promise = invariant_.promise;
    made.source = invariant_.source;
    made.message = std::move(message);
    for (const Observation* one : seen)
        if (one) made.orders.push_back(one->order);
}

}  // namespace observer
