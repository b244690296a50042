#include "client/journal.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "client/answers.hpp"
#include "client/fields.hpp"
#include "client/journal_answers.hpp"

namespace belfry::client {
namespace {

const std::string root = "/v1/journal";

std::string records_path(model::JournalKind kind) {
    return root + '/' + std::string(model::journal_kind_plural(kind));
}

std::string record_path(model::JournalKind kind, std::string_view id) {
    return records_path(kind) + '/' + percent_encode(id);
}

std::string link_path(std::string_view relation, std::string_view from_id, std::string_view to_id) {
    return root + "/links/" + percent_encode(relation) + '/' + percent_encode(from_id) + '/' + percent_encode(to_id);
}

std::string page_limit(std::size_t wanted) {
    return std::to_string(std::min(wanted, base::limits::page_entries_max));
}

}  // namespace

Query Journal::query() const {
    Query query;
    query.add("user", scope_.user_id);
    if (scope_.claim) {
        query.add("wake", std::to_string(scope_.claim->wake_id)).add("fence", std::to_string(scope_.claim->fence));
    }
    return query;
}

base::Result<RecordNow> Journal::create(model::JournalKind kind, const model::RawJson& body) {
    const wire::HttpRequest post = client_.request("POST", records_path(kind) + query().text(), body.bytes());
    TRY_ASSIGN(const wire::HttpAnswer answer, body.member("id") ? client_.ask_until_known(post) : client_.ask(post));
    return read_record(answer.body);
}

base::Result<RecordNow> Journal::find(model::JournalKind kind, std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("GET", record_path(kind, id) + query().text())));
    return read_record(answer.body);
}

base::Result<RecordNow> Journal::change(model::JournalKind kind, std::string_view id, const model::RawJson& patch) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask(client_.request("PATCH", record_path(kind, id) + query().text(), patch.bytes())));
    return read_record(answer.body);
}

base::Result<RecordNow> Journal::remove(model::JournalKind kind, std::string_view id,
                                        std::optional<std::int64_t> revision) {
    Query asked = query();
    if (revision) asked.add("revision", std::to_string(*revision));
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask(client_.request("DELETE", record_path(kind, id) + asked.text())));
    return read_record(answer.body);
}

base::Result<RecordList> Journal::pages(const std::string& path, const Query& filters, std::size_t limit) {
    RecordList list;
    std::string after;
    do {
        Query asked = filters;
        asked.add("after", after).add("limit", page_limit(limit - list.records.size()));
        TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("GET", path + asked.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        base::Result<void> read;
        fields.each("data", [&](model::JsonView element) {
            auto record = record_of(element);
            if (record.ok()) list.records.push_back(std::move(record).value());
            else read = record.error();
        });
        TRY(read);
        after = fields.text("next");
    } while (!after.empty() && list.records.size() < limit);
    list.more = !after.empty();
    return list;
}

base::Result<RecordList> Journal::list(const RecordQuestion& question) {
    Query asked = query();
    for (const auto& [name, value] : question.filters) asked.add(name, value);
    return pages(records_path(question.kind), asked, question.limit);
}

base::Result<RecordList> Journal::search(const SearchQuestion& question) {
    Query asked = query();
    asked.add("q", question.words).add("kind", question.kind);
    return pages(root + "/search", asked, question.limit);
}

base::Result<LinkNow> Journal::put_link(const LinkRequest& wish) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    if (wish.metadata) writer.name("metadata").raw(wish.metadata->bytes());
    writer.name("hidden").boolean(wish.hidden).end_object();
    const std::string target = link_path(wish.relation, wish.from_id, wish.to_id) + query().text();
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("PUT", target, std::move(body))));
    return read_journal_link(answer.body);
}

base::Result<void> Journal::remove_link(std::string_view relation, std::string_view from_id, std::string_view to_id) {
    TRY(client_.ask(client_.request("DELETE", link_path(relation, from_id, to_id) + query().text())));
    return {};
}

base::Result<std::vector<LinkNow>> Journal::links(const LinkQuestion& question) {
    std::vector<LinkNow> found;
    std::string after;
    do {
        Query asked = query();
        asked.add("from", question.from_id).add("to", question.to_id).add("relation", question.relation);
        if (question.hidden) asked.add("hidden", "true");
        asked.add("after", after).add("limit", page_limit(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   client_.ask_until_known(client_.request("GET", root + "/links" + asked.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(journal_link_of(element)); });
        after = fields.text("next");
    } while (!after.empty());
    return found;
}

base::Result<Imported> Journal::import_lines(std::string ndjson) {
    wire::HttpRequest post = client_.request("POST", root + "/import" + query().text(), std::move(ndjson));
    for (auto& [name, value] : post.headers) {
        if (name == "Content-Type") value = "application/x-ndjson";
    }
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.send_until_known(post));
    if (answer.status / 100 == 2) return read_imported(answer.body);
    const auto problem = read_object(answer.body, "line");
    if (!problem.ok()) return read_problem(answer);
    Imported imported;
    imported.fault = {Fields(problem->view()).number("line"), read_problem(answer)};
    return imported;
}

base::Result<void> Journal::export_lines(const std::function<bool(std::string_view)>& take) {
    std::string after;
    do {
        Query asked = query();
        asked.add("after", after);
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   client_.ask_until_known(client_.request("GET", root + "/export" + asked.text())));
        if (!take(answer.body)) return {};
        after = answer.header("belfry-next").value_or("");
    } while (!after.empty());
    return {};
}

base::Result<JournalNow> Journal::status() {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request("GET", root + query().text())));
    return read_journal(answer.body);
}

}  // namespace belfry::client
