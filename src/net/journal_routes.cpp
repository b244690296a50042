#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

#include "model/journal.hpp"
#include "net/handlers/journal.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::JournalKind;
using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view id_schema = R"({"type":"string","minLength":1,"maxLength":200})";
constexpr std::string_view date_schema = R"({"type":"string","format":"date"})";
constexpr std::string_view moment_schema = R"({"type":"string","format":"date-time"})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":1})";

constexpr RouteParameter record_id{"id", "path", "The record.", id_schema};
constexpr RouteParameter user{"user", "query", "Whose journal; the caller's own unless told.", id_schema};
constexpr RouteParameter wake{"wake", "query", "Of an agent: the wake that it works for.", number_schema};
constexpr RouteParameter fence{"fence", "query", "And the fence of its claim.", number_schema};
constexpr RouteParameter categories{
    "categories", "query", "Only what is of these categories, by commas; of others nothing is read.", text_schema};
constexpr RouteParameter after{"after", "query", "`next` of the page before.", text_schema};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most; 100 unless told.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};
constexpr RouteParameter category{"category", "query", "Of this category only.", id_schema};
constexpr RouteParameter words{"q", "query", "With these words; the last one may be a beginning.",
                               R"({"type":"string","maxLength":1000})"};
constexpr std::array<RouteParameter, 3> link_path{{{"relation", "path", "`blocked_by`.", text_schema},
                                                   {"from", "path", "The record that it begins at.", id_schema},
                                                   {"to", "path", "And ends at.", id_schema}}};

constexpr std::string_view stale =
    "It has another revision by now (`stale_revision`): `current_revision` says which. Or the claim is not the "
    "caller's "
    "any more (`stale_claim`).";
constexpr std::string_view stale_or_needed =
    "There are records in this category (`not_empty`), or it is `general`, which stays (`needed`). Or it has another "
    "revision by now (`stale_revision`): `current_revision` says which. Or the claim is not the caller's any more "
    "(`stale_claim`).";
constexpr std::string_view gone = "It was deleted; nothing brings it back.";
constexpr std::string_view outside =
    "The agent is not allowed a category that this names (`out_of_scope`). What lies in such a category is not there "
    "for it.";

using Parameters = std::vector<RouteParameter>;

Parameters with_access(Parameters parameters) {
    parameters.insert(parameters.end(), {user, wake, fence});
    return parameters;
}
Parameters with_read_access(Parameters parameters) {
    parameters = with_access(std::move(parameters));
    parameters.push_back(categories);
    return parameters;
}

// What a list of one kind can be narrowed by, beside its category and its words.
Parameters filters_of(JournalKind kind) {
    const RouteParameter task{"task", "query", "Of this task only.", id_schema};
    switch (kind) {
        case JournalKind::task:
            return {{"status", "query", "In one of these states only, by commas: `open,blocked`.", text_schema},
                    {"label", "query", "With this label only.", id_schema},
                    {"due_from", "query", "By due date, what is not closed: from this day on.", date_schema},
                    {"due_to", "query", "And up to this one, with it; `q` is of whole words then.", date_schema}};
        case JournalKind::entry:
            return {{"type", "query", "Of this type only.", R"({"$ref":"#/components/schemas/EntryType"})"}};
        case JournalKind::checklist: return {task};
        case JournalKind::checklist_item: return {{"checklist", "query", "Of this checklist only.", id_schema}};
        case JournalKind::time_entry:
            return {task,
                    {"from", "query", "Of which some lies after this moment.", moment_schema},
                    {"to", "query", "And before this one.", moment_schema},
                    {"running", "query", "Only the one without an end.", R"({"type":"boolean","enum":[true]})"}};
        case JournalKind::day_plan: return {{"date", "query", "The plan of this day.", date_schema}};
        case JournalKind::rating:
            return {{"target", "query", "Of such targets only.", R"({"$ref":"#/components/schemas/RatingTarget"})"},
                    {"target_id", "query", "Of this time entry, or this day.", id_schema}};
        case JournalKind::category:
        case JournalKind::label: break;
    }
    return {};
}

template <JournalKind kind>
constexpr std::array<Handler, 5> handlers_of{
    [](const Exchange& exchange) { handlers::create_record(exchange, kind); },
    [](const Exchange& exchange) { handlers::list_records(exchange, kind); },
    [](const Exchange& exchange) { handlers::get_record(exchange, kind); },
    [](const Exchange& exchange) { handlers::change_record(exchange, kind); },
    [](const Exchange& exchange) { handlers::delete_record(exchange, kind); },
};

// Texts that are put together from the name of a kind, for as long as there are routes.
std::string_view kept(std::string text) {
    static std::deque<std::string> all;
    return all.emplace_back(std::move(text));
}

// `time_entry` as TimeEntry.
std::string in_pascal(std::string_view name) {
    std::string out;
    bool begins = true;
    for (const char c : name) {
        if (c != '_') out += begins ? static_cast<char>(c - 'a' + 'A') : c;
        begins = c == '_';
    }
    return out;
}

void append_kind(std::vector<Route>& routes, JournalKind kind, const std::array<Handler, 5>& act) {
    const std::string one(model::journal_kind_name(kind));
    const std::string many(model::journal_kind_plural(kind));
    const std::string type = in_pascal(one);
    const std::string_view path = kept("/v1/journal/" + many);
    const std::string_view record_path = kept("/v1/journal/" + many + "/{id}");
    const std::string_view schema = kept("Journal" + type);
    const std::string_view input = kept("Journal" + type + "Input");
    const std::string_view patch = kept("Journal" + type + "Patch");
    const std::string_view list = kept("Journal" + type + "List");
    Parameters narrowing = filters_of(kind);
    narrowing.insert(narrowing.end(), {category, words, after, limit});
    std::string spoken = one;
    std::ranges::replace(spoken, '_', ' ');
    const std::string article = spoken.front() == 'e' ? "an " : "a ";
    routes.insert(
        routes.end(),
        {{Method::post,
          path,
          Role::agent,
          false,
          act[0],
          kept("create" + type),
          kept("Make " + article + spoken + "."),
          input,
          with_access({}),
          {{201, "The record.", json, schema},
           {200, "The record, which was there already and is like this.", json, schema},
           {403, outside, problem, "Problem"},
           {409, "Another record has this id (`taken`), or another timer runs (`running`).", problem, "Problem"},
           {410, "A record with this id was deleted.", problem, "Problem"}}},
         {Method::get,
          path,
          Role::agent,
          false,
          act[1],
          kept("list" + in_pascal(many)),
          kept("Records of this kind, newest first, or tasks by due date where that is asked for."),
          "",
          with_read_access(std::move(narrowing)),
          {{200, "The records.", json, list}}},
         {Method::get,
          record_path,
          Role::agent,
          false,
          act[2],
          kept("read" + type),
          kept("One " + spoken + "."),
          "",
          with_read_access({record_id}),
          {{200, "The record.", json, schema}, {410, gone, problem, "Problem"}}},
         {Method::patch,
          record_path,
          Role::agent,
          false,
          act[3],
          kept("change" + type),
          kept("Change " + article + spoken + "; what is not named stays, null takes away what may be empty."),
          patch,
          with_access({record_id}),
          {{200, "The record as it is now.", json, schema},
           {403, outside, problem, "Problem"},
           {409, stale, problem, "Problem"},
           {410, gone, problem, "Problem"}}},
         {Method::delete_,
          record_path,
          Role::agent,
          false,
          act[4],
          kept("delete" + type),
          kept("Delete " + article + spoken + " with what belongs to it, for good."),
          "",
          with_access({record_id, {"revision", "query", "Only if it still has this one.", number_schema}}),
          {{200, "The record as it was, with the time of its end.", json, schema},
           {403, outside, problem, "Problem"},
           {409, kind == JournalKind::category ? stale_or_needed : stale, problem, "Problem"},
           {410, gone, problem, "Problem"}}}});
}

template <std::size_t... kinds>
void append_kinds(std::vector<Route>& routes, std::index_sequence<kinds...>) {
    (append_kind(routes, static_cast<JournalKind>(kinds), handlers_of<static_cast<JournalKind>(kinds)>), ...);
}

}  // namespace

// A table is read by its rows.
// clang-format off
void append_journal_routes(std::vector<Route>& routes) {
    append_kinds(routes, std::make_index_sequence<model::journal_kind_count>());
    const Parameters of_link(link_path.begin(), link_path.end());
    const std::vector<Route> rows{
        {Method::get, "/v1/journal", Role::agent, false, handlers::get_journal, "readJournal",
         "Whether somebody has a journal, and the timer that runs.", "", with_read_access({}),
         {{200, "What there is.", json, "JournalOverview"}, {404, "There is no journal here (`journal_off`).", problem, "Problem"}}},
        {Method::get, "/v1/journal/search", Role::agent, false, handlers::search_journal, "searchJournal",
         "Records of all kinds with these words, newest first.", "",
         with_read_access({{"q", "query", "The words; the last one may be a beginning.", R"({"type":"string","minLength":1,"maxLength":1000})"},
                           {"kind", "query", "Of this kind only.", R"({"$ref":"#/components/schemas/JournalKind"})"},
                           category, after, limit}),
         {{200, "The records.", json, "JournalList"}}},
        {Method::get, "/v1/journal/links", Role::agent, false, handlers::list_links, "listLinks",
         "The links of a record, by relation and other end. `from` or `to` must be given; what ends at a deleted record is not shown.", "",
         with_read_access({{"from", "query", "Those that begin at this record.", id_schema},
                           {"to", "query", "Those that end at this one.", id_schema},
                           {"relation", "query", "Of this relation only.", text_schema},
                           {"hidden", "query", "Hidden ones, too.", R"({"type":"boolean","default":false})"}, after, limit}),
         {{200, "The links.", json, "JournalLinkList"}}},
        {Method::put, "/v1/journal/links/{relation}/{from}/{to}", Role::agent, false, handlers::put_link, "putLink",
         "Link two records, or change what is said about their link.", "JournalLinkInput", with_access(of_link),
         {{201, "The link.", json, "JournalLink"}, {200, "The link, which was there already.", json, "JournalLink"},
          {403, outside, problem, "Problem"}, {410, "It was deleted; nothing brings it back.", problem, "Problem"}, {422, "One of its ends is not there: `field` says which.", problem, "Problem"}}},
        {Method::delete_, "/v1/journal/links/{relation}/{from}/{to}", Role::agent, false, handlers::delete_link, "deleteLink",
         "Take a link away for good.", "", with_access(of_link),
         {{200, "The link as it was.", json, "JournalLink"}, {403, outside, problem, "Problem"},
          {410, "It was deleted.", problem, "Problem"}}},
        {Method::get, "/v1/journal/export", Role::user, false, handlers::export_journal, "exportJournal",
         "All records and links of somebody, deleted ones, too, a JSON text a line: a page. Where more follow, the field `Belfry-Next` is the `after` of the next one.", "",
         with_read_access({{"after", "query", "`Belfry-Next` of the page before.", text_schema},
                           {"limit", "query", "Lines of a page at the most; 1000 unless told.", R"({"type":"integer","minimum":1,"maximum":1000})"}}),
         {{200, "The lines.", "application/x-ndjson", ""}}},
        {Method::post, "/v1/journal/import", Role::user, false, handlers::import_journal, "importJournal",
         "Take in lines of an export, at most 500, as they are: with revisions, times and what was deleted. What is there and differs stays as it is.",
         "JournalLines", {user},
         {{200, "What has come of them.", json, "JournalImported"},
          {422, "A line is no record and no link: nothing was taken. `line` says which.", problem, "Problem"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
