#include "client/memory.hpp"

#include "base/limits.hpp"
#include "client/answers.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

std::string body_of(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    for (const auto& [name, value] : members) {
        if (!value.empty()) writer.field(name, value);
    }
    writer.end_object();
    return body;
}

}  // namespace

std::string Memory::path(std::string_view rest) const {
    return "/v1/agents/" + percent_encode(agent_id_) + std::string(rest);
}

// All pages of a list.
base::Result<std::vector<model::RawJson>> Memory::list(const std::string& target, std::string_view name,
                                                       std::string_view value) {
    std::vector<model::RawJson> found;
    std::string after;
    do {
        Query query;
        query.add(name, value).add("after", after).add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   client_.ask_until_known(client_.request("GET", target + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) {
            found.push_back(model::RawJson::trusted(std::string(element.text)));
        });
        after = fields.text("next");
    } while (!after.empty());
    return found;
}

base::Result<model::RawJson> Memory::show(std::string_view thread_id, bool explain) {
    Query query;
    query.add("thread_id", thread_id).add("explain", explain ? "1" : "");
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("GET", path("/memory") + query.text())));
    return read_object(answer.body, "budget_tokens");
}

base::Result<std::vector<model::RawJson>> Memory::threads() {
    return list(path("/memory/threads"));
}

base::Result<std::vector<model::RawJson>> Memory::summaries(std::string_view folded_into) {
    Query query;
    query.add("folded", folded_into);
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("GET", path("/memory/summaries") + query.text())));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
    std::vector<model::RawJson> found;
    Fields(json.view()).each("data", [&](model::JsonView element) {
        found.push_back(model::RawJson::trusted(std::string(element.text)));
    });
    return found;
}

base::Result<model::RawJson> Memory::open(std::string_view summary_id, std::int64_t after, std::size_t limit) {
    Query query;
    if (after > 0) query.add("after", std::to_string(after));
    query.add("limit", std::to_string(limit));
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(
                   client_.request("GET", path("/memory/summaries/") + percent_encode(summary_id) + query.text())));
    return read_object(answer.body, "summary");
}

base::Result<std::vector<model::RawJson>> Memory::search(const MemoryWords& question) {
    Query query;
    query.add("q", question.words).add("thread_id", question.thread_id).add("kind", question.kind);
    query.add("limit", std::to_string(question.limit));
    TRY_ASSIGN(const wire::HttpAnswer answer,
               client_.ask_until_known(client_.request("GET", path("/memory/search") + query.text())));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
    std::vector<model::RawJson> found;
    Fields(json.view()).each("data", [&](model::JsonView element) {
        found.push_back(model::RawJson::trusted(std::string(element.text)));
    });
    return found;
}

base::Result<std::vector<model::RawJson>> Memory::folds(std::string_view state) {
    return list(path("/memory/folds"), "state", state);
}

base::Result<std::int64_t> Memory::fold(std::string_view thread_id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.ask_until_known(client_.request(
                                                  "POST", path("/memory/folds"), body_of({{"thread_id", thread_id}}))));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "jobs"));
    return Fields(json.view()).number("jobs");
}

base::Result<model::RawJson> Memory::restart(std::string_view job_id) {
    TRY_ASSIGN(
        const wire::HttpAnswer answer,
        client_.ask_until_known(client_.request("POST", path("/memory/folds/") + percent_encode(job_id) + "/restart")));
    return read_object(answer.body, "state");
}

base::Result<Forgotten> Memory::forget(const ForgetRequest& request) {
    const std::string body =
        body_of({{"message_id", request.message_id}, {"thread_id", request.thread_id}, {"before", request.before}});
    Forgotten forgotten;
    for (bool more = true; more;) {
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   client_.ask_until_known(client_.request("POST", path("/memory/forget"), body)));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "messages"));
        const Fields fields(json.view());
        forgotten.messages += fields.number("messages");
        forgotten.summaries += fields.number("summaries");
        more = fields.flag("has_more").value_or(false);
    }
    return forgotten;
}

base::Result<void> Memory::export_lines(const std::function<bool(std::string_view)>& take) {
    std::string after;
    do {
        Query query;
        query.add("after", after);
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   client_.ask_until_known(client_.request("GET", path("/export") + query.text())));
        if (!take(answer.body)) return {};
        after = answer.header("belfry-next").value_or("");
    } while (!after.empty());
    return {};
}

base::Result<AgentImported> Memory::import_lines(const std::string& target, std::string ndjson) {
    wire::HttpRequest post = client_.request("POST", target, std::move(ndjson));
    for (auto& [name, value] : post.headers) {
        if (name == "Content-Type") value = "application/x-ndjson";
    }
    TRY_ASSIGN(const wire::HttpAnswer answer, client_.send_until_known(post));
    AgentImported imported;
    if (answer.status / 100 == 2) {
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "added"));
        imported.added = Fields(json.view()).number("added");
        imported.unchanged = Fields(json.view()).number("unchanged");
        return imported;
    }
    const auto problem = read_object(answer.body, "line");
    if (!problem.ok()) return read_problem(answer);
    imported.fault = {Fields(problem->view()).number("line"), read_problem(answer)};
    return imported;
}

base::Result<AgentImported> Memory::import_first(std::string ndjson, std::string_view user_id) {
    Query query;
    query.add("user", user_id);
    return import_lines("/v1/agents/import" + query.text(), std::move(ndjson));
}

base::Result<AgentImported> Memory::import_more(std::string ndjson, std::string_view after_message_id) {
    Query query;
    query.add("agent", agent_id_).add("after", after_message_id);
    return import_lines("/v1/agents/import" + query.text(), std::move(ndjson));
}

}  // namespace belfry::client
