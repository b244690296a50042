#include "store/journal_walk.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <span>
#include <unordered_set>

#include "base/journal_limits.hpp"
#include "store/journal_scope.hpp"

namespace belfry::store {
namespace {

namespace limits = base::limits;

// Statements have room for so many further terms; where there are fewer, the last one is asked for once more.
constexpr std::array<std::size_t, 6> probe_counts{0, 1, 2, 4, 8, limits::journal_terms_max};
// And for so many of which one is enough.
constexpr std::size_t either_max = 16;

// A slice of a walk begins with a few more than the page has, and grows while nothing is found.
constexpr std::size_t slice_min = 32;
constexpr std::size_t slice_max = 2048;
constexpr std::size_t stride = 100;

// Which of the conditions a statement has room for.
struct Room {
    std::size_t probes = 0;
    bool either = false;
    bool scope = false;
};

// Whether a candidate has all the other terms, and is of an allowed category. It is told of every candidate, so that a
// walk knows how far it came; counting one key is not something that a planner could turn around.
std::string fits_text(const Room& room, std::size_t place) {
    std::string text = "CASE WHEN 1 = 1";
    for (std::size_t i = 0; i < room.probes; ++i) {
        text += " AND (SELECT count(*) FROM journal_terms o WHERE o.user_id = $1 AND o.term = $" +
                std::to_string(place++) + " AND o.number = t.number) = 1";
    }
    if (room.either) {
        text += " AND (SELECT count(*) FROM journal_terms e WHERE e.user_id = $1 AND e.term IN (";
        for (std::size_t i = 0; i < either_max; ++i) text += (i > 0 ? ", $" : "$") + std::to_string(place++);
        text += ") AND e.number = t.number) > 0";
    }
    if (room.scope) text += scope_condition("t.category_id", place);
    return text + " THEN 1 ELSE 0 END";
}

// $1 the user, $2 the term, $3 before which number, $4 how many.
std::string newest_text(const Room& room) {
    return "SELECT t.number, t.kind, " + fits_text(room, 5) +
           " FROM journal_terms t WHERE t.user_id = $1 AND t.term = $2 AND t.number < $3 ORDER BY t.number DESC LIMIT "
           "$4";
}

// $1 the user, $2 and $3 behind which term and number, $4 before which term, $5 how many.
std::string range_text(const Room& room) {
    return "SELECT t.number, t.kind, " + fits_text(room, 6) +
           ", t.term FROM journal_terms t WHERE t.user_id = $1 AND (t.term, t.number) > ($2, $3) AND t.term < $4 ORDER "
           "BY t.term, t.number LIMIT $5";
}

constexpr Sql select_stride{
    "SELECT number FROM journal_terms WHERE user_id = $1 AND term = $2 AND number < $3 ORDER BY number DESC LIMIT 1 "
    "OFFSET $4"};

using Made = std::deque<MadeSql>;

Made make(std::string (*text)(const Room&)) {
    Made made;
    for (const std::size_t probes : probe_counts) {
        for (const bool either : {false, true}) {
            for (const bool scope : {false, true}) made.emplace_back(text({probes, either, scope}));
        }
    }
    return made;
}

// What a list asks of each candidate: all of these terms, one of those, and a category.
class Conditions {
public:
    Conditions(std::span<const std::string> probes, std::span<const std::string> either,
               const ports::JournalScope& scope)
        : probes_(probes), either_(either), scope_(scope) {
        room_ = static_cast<std::size_t>(std::ranges::lower_bound(probe_counts, probes.size()) - probe_counts.begin());
    }

    [[nodiscard]] bool is_none() const { return probes_.empty() && either_.empty() && !scope_; }
    [[nodiscard]] const Sql& of(const Made& made) const {
        return made[4 * room_ + (either_.empty() ? 0 : 2) + (scope_ ? 1 : 0)];
    }
    void add_to(std::vector<Param>& params) const {
        add(params, probes_, probe_counts[room_]);
        if (!either_.empty()) add(params, either_, either_max);
        if (scope_) add_scope(params, *scope_);
    }

private:
    static void add(std::vector<Param>& params, std::span<const std::string> terms, std::size_t places) {
        for (std::size_t i = 0; i < places; ++i) params.push_back(bytes(i < terms.size() ? terms[i] : terms.back()));
    }

    std::span<const std::string> probes_;
    std::span<const std::string> either_;
    const ports::JournalScope& scope_;
    std::size_t room_ = 0;
};

struct Candidate {
    JournalAddress address;
    bool fits = false;
    std::string term;  // of a walk through a range
};

// One term that is walked along, newest first.
struct Way {
    std::string_view term;
    std::int64_t before = 0;
    std::size_t slice = 0;
    bool is_at_end = false;
    std::deque<Candidate> ahead;
};

std::int64_t start_of(const ports::JournalFilter& filter) {
    return filter.after ? filter.after->number : std::numeric_limits<std::int64_t>::max();
}

class NewestWalk {
public:
    NewestWalk(Database& database, const ports::JournalFilter& filter, std::span<const std::string> ways,
               const Conditions& conditions)
        : database_(database), filter_(filter), conditions_(conditions) {
        const std::size_t share = filter.limit / ways.size() + 1;
        const std::size_t first = conditions_.is_none() ? share : std::max(2 * share, slice_min);
        for (const std::string& way : ways) ways_.push_back({way, start_of(filter), first, false, {}});
    }

    base::Result<JournalFound> walk() {
        JournalFound found;
        std::int64_t last = 0;
        for (std::size_t looked = 0; found.addresses.size() < filter_.limit;) {
            TRY_ASSIGN(Way* const way, newest());
            if (way == nullptr) break;
            const Candidate candidate = std::move(way->ahead.front());
            way->ahead.pop_front();
            const std::int64_t number = candidate.address.number;
            if (number == last) continue;  // another way has come by it
            last = number;
            if (candidate.fits) found.addresses.push_back(candidate.address);
            if (++looked < limits::journal_scan_max || found.addresses.size() == filter_.limit) continue;
            found.looked_to = ports::JournalPlace{{}, last};
            break;
        }
        return found;
    }

private:
    // The way whose next candidate is the newest of all; nothing: all are at their ends.
    base::Result<Way*> newest() {
        Way* first = nullptr;
        for (Way& way : ways_) {
            if (way.ahead.empty() && !way.is_at_end) TRY(look_ahead(way));
            if (way.ahead.empty()) continue;
            if (first == nullptr || way.ahead.front().address.number > first->ahead.front().address.number) {
                first = &way;
            }
        }
        return first;
    }

    base::Result<void> look_ahead(Way& way) {
        static const Made statements = make(newest_text);
        std::vector<Param> params{bytes(filter_.user_id), bytes(way.term), number(way.before),
                                  number(std::uint64_t{way.slice})};
        conditions_.add_to(params);
        TRY(database_.run(conditions_.of(statements), params, [&](const Row& row) {
            const auto kind = static_cast<model::JournalKind>(row.number(1));
            way.ahead.push_back({{kind, row.number(0)}, row.number(2) != 0, {}});
        }));
        way.is_at_end = way.ahead.size() < way.slice;
        if (!way.ahead.empty()) way.before = way.ahead.back().address.number;
        way.slice = std::min(2 * way.slice, slice_max);
        return {};
    }

    Database& database_;
    const ports::JournalFilter& filter_;
    Conditions conditions_;
    std::vector<Way> ways_;
};

// How far back so many steps along a term lead; 0: it has no more than these. The rarer it is, the further.
base::Result<std::int64_t> reach_of(Database& database, const ports::JournalFilter& filter, const std::string& term) {
    std::int64_t reached = 0;
    TRY(database.run(select_stride,
                     {bytes(filter.user_id), bytes(term), number(start_of(filter)), number(std::uint64_t{stride})},
                     [&](const Row& row) { reached = row.number(0); }));
    return reached;
}

struct Rarest {
    std::size_t place = 0;
    std::int64_t reach = std::numeric_limits<std::int64_t>::max();
};

// Of the terms that are all asked for.
base::Result<Rarest> find_rarest(Database& database, const ports::JournalFilter& filter) {
    Rarest rarest;
    for (std::size_t i = 0; i < filter.terms.size() && rarest.reach > 0; ++i) {
        TRY_ASSIGN(const std::int64_t reach, reach_of(database, filter, filter.terms[i]));
        if (reach < rarest.reach) rarest = {i, reach};
    }
    return rarest;
}

// Whether one of those of which any is enough is more frequent than this: then it is not gone along them.
base::Result<bool> has_more_frequent(Database& database, const ports::JournalFilter& filter, const Rarest& rarest) {
    for (const std::string& term : filter.any_of) {
        TRY_ASSIGN(const std::int64_t reach, reach_of(database, filter, term));
        if (reach > rarest.reach) return true;
    }
    return false;
}

}  // namespace

base::Result<JournalFound> walk_newest(Database& database, const ports::JournalFilter& filter) {
    const std::span<const std::string> any_of = filter.any_of;
    const bool has_choice = filter.terms.size() + any_of.size() > 1 && any_of.size() <= either_max;
    Rarest rarest;
    if (has_choice) {
        TRY_ASSIGN(rarest, find_rarest(database, filter));
    }
    bool is_along_terms = any_of.empty();
    if (has_choice && !filter.terms.empty() && !any_of.empty()) {
        TRY_ASSIGN(is_along_terms, has_more_frequent(database, filter, rarest));
    }
    if (!is_along_terms) {
        return NewestWalk(database, filter, any_of, Conditions(filter.terms, {}, filter.categories)).walk();
    }
    std::vector<std::string> terms = filter.terms;
    std::swap(terms[0], terms[rarest.place]);
    const std::span<const std::string> all = terms;
    return NewestWalk(database, filter, all.first(1), Conditions(all.subspan(1), any_of, filter.categories)).walk();
}

base::Result<JournalFound> walk_range(Database& database, const ports::JournalFilter& filter) {
    static const Made statements = make(range_text);
    const Conditions conditions(filter.terms, {}, filter.categories);
    ports::JournalPlace place = filter.after.value_or(ports::JournalPlace{filter.range_from, -1});
    JournalFound found;
    std::unordered_set<std::int64_t> seen;
    std::size_t slice = conditions.is_none() ? filter.limit : std::max(2 * filter.limit, slice_min);
    for (std::size_t looked = 0; found.addresses.size() < filter.limit;) {
        slice = std::min(slice, limits::journal_scan_max - looked);
        std::vector<Param> params{bytes(filter.user_id), bytes(place.term), number(place.number),
                                  bytes(filter.range_to), number(std::uint64_t{slice})};
        conditions.add_to(params);
        std::vector<Candidate> candidates;
        TRY(database.run(conditions.of(statements), params, [&](const Row& row) {
            const auto kind = static_cast<model::JournalKind>(row.number(1));
            candidates.push_back({{kind, row.number(0)}, row.number(2) != 0, std::string(row.bytes(3))});
        }));
        for (const Candidate& one : candidates) {
            if (found.addresses.size() == filter.limit) return found;
            if (one.fits && seen.insert(one.address.number).second) found.addresses.push_back(one.address);
        }
        if (candidates.size() < slice) break;
        looked += candidates.size();
        place = {candidates.back().term, candidates.back().address.number};
        if (looked >= limits::journal_scan_max && found.addresses.size() < filter.limit) {
            found.looked_to = place;
            break;
        }
        slice = std::min(2 * slice, slice_max);
    }
    return found;
}

}  // namespace belfry::store
