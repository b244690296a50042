#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "store/journal_reading.hpp"
#include "store/journal_scope.hpp"
#include "store/link_row.hpp"

// The part of SqlJournalReading that reads edges.
namespace belfry::store {
namespace {

using model::Link;

#define BELFRY_LINKS "SELECT " BELFRY_LINK_COLUMNS " FROM links l WHERE l.user_id = $1"

// Behind every relation: they are small letters, digits and `_`.
constexpr std::string_view last_relation = "~";

// The first text behind this one.
std::string behind(std::string_view text) {
    return std::string(text) + '\0';
}

// All but those of agents, whose relations stand from this place on.
std::string not_agents_text(std::size_t place) {
    std::string text = " AND l.relation NOT IN (";
    for (std::size_t i = 0; i < model::agent_relations.size(); ++i) {
        text += (i > 0 ? ", $" : "$") + std::to_string(place + i);
    }
    return text + ")";
}
void add_agents_relations(std::vector<Param>& params) {
    for (const std::string_view relation : model::agent_relations) params.push_back(bytes(relation));
}

// An end that is a record, with what else is asked of it.
std::string end_text(const std::string& end, const std::string& conditions) {
    return " AND (SELECT count(*) FROM journal_directory d WHERE d.user_id = $1 AND d.id = l." + end + conditions +
           ") = 1";
}

// How links are found: from this record, to that one, or between the two.
enum class Shape : std::uint8_t { from, to, between };

// $2 the near end, $3 and $4 behind which relation and far end, $5 whether hidden ones too, $6 before which relation,
// $7 and $8 from which relation to before which again, $9 how many; then agents' relations, the far end where it is
// named, and the categories.
std::string links_text(Shape shape, bool has_scope) {
    const std::string near = shape == Shape::to ? "to_id" : "from_id";
    const std::string far = shape == Shape::to ? "from_id" : "to_id";
    std::size_t place = 10;
    std::string conditions = " AND (l.relation > $3 OR l." + far +
                             " > $4) AND l.deleted_at IS NULL AND (l.hidden = 0 OR $5 = 1)" + not_agents_text(place);
    place += model::agent_relations.size();
    if (shape == Shape::between) conditions += " AND l." + far + " = $" + std::to_string(place++);
    const std::string alive =
        " AND d.deleted = 0" + (has_scope ? scope_condition("d.category_id", place) : std::string());
    conditions += end_text("from_id", alive) + end_text("to_id", alive);
    const std::string start = BELFRY_LINKS " AND l." + near + " = $2 AND ";
    return start + "l.relation >= $3 AND l.relation < $6" + conditions + " UNION ALL " + start +
           "l.relation >= $7 AND l.relation < $8" + conditions + " ORDER BY relation, " + far + " LIMIT $9";
}

// $2, $3 and $4 behind which name, $5 how many; then agents' relations and the categories.
std::string after_text(bool has_scope) {
    const std::string scope =
        has_scope ? scope_condition("d.category_id", 6 + model::agent_relations.size()) : std::string();
    return BELFRY_LINKS " AND (l.from_id, l.relation, l.to_id) > ($2, $3, $4)" + not_agents_text(6) +
           (has_scope ? end_text("from_id", scope) + end_text("to_id", scope) : "") +
           " ORDER BY l.from_id, l.relation, l.to_id LIMIT $5";
}

const Sql& links_sql(Shape shape, bool has_scope) {
    static const std::array<MadeSql, 6> made{
        MadeSql(links_text(Shape::from, false)),    MadeSql(links_text(Shape::from, true)),
        MadeSql(links_text(Shape::to, false)),      MadeSql(links_text(Shape::to, true)),
        MadeSql(links_text(Shape::between, false)), MadeSql(links_text(Shape::between, true))};
    return made[2 * static_cast<std::size_t>(shape) + (has_scope ? 1 : 0)];
}

Shape shape_of(const ports::LinkFilter& filter) {
    if (filter.to_id.empty()) return Shape::from;
    return filter.from_id.empty() ? Shape::to : Shape::between;
}

base::Result<std::vector<Link>> read_links(Database& database, const Sql& sql, std::span<const Param> params) {
    Collector<Link, Link (*)(RowReader&)> rows(read_link);
    TRY(database.run(sql, params, rows.sink()));
    return rows.take("links");
}

}  // namespace

base::Result<std::vector<Link>> SqlJournalReading::links(const ports::LinkFilter& filter) {
    TRY(check_scope(filter.categories));
    if (is_empty(filter.categories)) return std::vector<Link>{};
    if (filter.from_id.empty() && filter.to_id.empty()) {
        return base::error(base::Code::invalid, "links are asked for from a record, or to one");
    }
    const Shape shape = shape_of(filter);
    const std::string behind_all = behind(filter.relation.empty() ? last_relation : filter.relation);
    const std::string behind_effects = behind(tool_effect_relation);
    std::string_view relation = filter.relation;
    std::string_view far;
    if (filter.after) {
        relation = filter.after->relation;
        far = shape == Shape::to ? filter.after->from_id : filter.after->to_id;
    }
    // Of tools' effects there may be any number on one record: it is gone along what stands before and behind them.
    std::vector<Param> params{bytes(filter.user_id),
                              bytes(shape == Shape::to ? filter.to_id : filter.from_id),
                              bytes(relation),
                              bytes(far),
                              store::choice(filter.hidden),
                              bytes(std::min<std::string_view>(behind_all, tool_effect_relation)),
                              bytes(std::max<std::string_view>(relation, behind_effects)),
                              bytes(behind_all),
                              number(std::uint64_t{filter.limit})};
    add_agents_relations(params);
    if (shape == Shape::between) params.push_back(bytes(filter.to_id));
    if (filter.categories) add_scope(params, *filter.categories);
    return read_links(database_, links_sql(shape, filter.categories.has_value()), params);
}

base::Result<std::vector<Link>> SqlJournalReading::links_after(const ports::LinkName& last,
                                                               const ports::JournalScope& categories,
                                                               std::size_t limit) {
    static const MadeSql of_all(after_text(false));
    static const MadeSql of_some(after_text(true));
    TRY(check_scope(categories));
    if (is_empty(categories)) return std::vector<Link>{};
    std::vector<Param> params{bytes(last.user_id), bytes(last.from_id), bytes(last.relation), bytes(last.to_id),
                              number(std::uint64_t{limit})};
    add_agents_relations(params);
    if (categories) add_scope(params, *categories);
    return read_links(database_, categories ? of_some : of_all, params);
}

}  // namespace belfry::store
