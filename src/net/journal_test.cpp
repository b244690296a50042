#include "ports/commands/journal.hpp"

#include <gtest/gtest.h>

#include "net/openapi.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

class Journal : public Talk {
protected:
    Got by_user(const std::string& method, const std::string& target, const std::string& body = "") {
        return ask(method, "/v1/journal" + target, body, "user");
    }
    std::string refused(const std::string& method, const std::string& target, const std::string& body = "") {
        return refusal(by_user(method, target, body));
    }
};

TEST_F(Journal, takes_a_new_record_and_200_tells_that_one_was_there) {
    EXPECT_EQ(by_user("POST", "/tasks?user=ada&wake=7&fence=2", R"({"id":"t","title":"x"})").status, 201);
    of_last<ports::CreateRecord>([](const ports::CreateRecord& wish) {
        EXPECT_EQ(wish.user_id, "ada");
        EXPECT_EQ(wish.id, "t");
        EXPECT_EQ(std::get<model::Task>(wish.wish.values).title, "x");
        EXPECT_EQ(wish.claim->wake_id, 7);
        EXPECT_EQ(wish.claim->fence, 2);
        return 0;
    });
    EXPECT_EQ(by_user("POST", "/entries", R"({"id":"again"})").status, 200);
    EXPECT_EQ(refused("POST", "/tasks", R"({"titel":"x"})"), "422 invalid titel: is not known; did you mean title?");
    EXPECT_EQ(refused("POST", "/tasks?categories=a", R"({"title":"x"})"),
              "422 invalid categories: there is no such parameter");
}

TEST_F(Journal, tells_who_is_stale_the_current_revision) {
    const Got stale = by_user("PATCH", "/tasks/a%2Fb", R"({"revision":9,"title":"x"})");
    EXPECT_EQ(stale.status, 409);
    EXPECT_NE(stale.body.find(R"("reason":"stale_revision","current_revision":7})"), std::string::npos) << stale.body;
    of_last<ports::ChangeRecord>([](const ports::ChangeRecord& wish) {
        EXPECT_EQ(wish.id, "a/b");
        return 0;
    });
    const Got kept = by_user("DELETE", "/tasks/t?revision=9");
    EXPECT_NE(kept.body.find(R"("current_revision":7)"), std::string::npos) << kept.body;
    EXPECT_EQ(by_user("DELETE", "/labels/l?revision=3").status, 200);
    of_last<ports::DeleteRecord>([](const ports::DeleteRecord& wish) {
        EXPECT_EQ(wish.kind, model::JournalKind::label);
        EXPECT_EQ(wish.revision, 3);
        return 0;
    });
    EXPECT_EQ(refused("DELETE", "/tasks/t?revision=x"), "422 invalid revision: must be a whole number above 0");
}

TEST_F(Journal, asks_for_a_list_by_what_its_kind_has) {
    EXPECT_EQ(by_user("GET",
                      "/tasks?status=done&label=l&q=oat%20mil&due_from=2026-11-16&category=gym&categories=gym,b&limit="
                      "5&after=7.d:x")
                  .status,
              200);
    house.on_network([this] {
        const ports::JournalQuestion& question = house.queries.journal_question;
        EXPECT_EQ(question.kind, model::JournalKind::task);
        EXPECT_EQ(question.states, std::vector<std::string>{"done"});
        EXPECT_EQ(question.label_id, "l");
        EXPECT_EQ(question.words, "oat mil");
        EXPECT_EQ(question.due_from, "2026-11-16");
        EXPECT_EQ(question.category_id, "gym");
        EXPECT_EQ(question.access.categories, (std::vector<std::string>{"gym", "b"}));
        EXPECT_EQ(question.limit, 5U);
        EXPECT_EQ(question.after->number, 7);
        EXPECT_EQ(question.after->term, "d:x");
        house.queries.journal_next = ports::JournalPlace{"d:2026-11-16", 3};
    });
    EXPECT_EQ(by_user("GET", "/tasks?status=open,blocked,open").status, 200);
    house.on_network(
        [this] { EXPECT_EQ(house.queries.journal_question.states, (std::vector<std::string>{"open", "blocked"})); });
    EXPECT_EQ(by_user("GET", "/time_entries?from=1970-01-01T00:00:01Z&to=1970-01-01T01:00:02%2B01:00").status, 200);
    house.on_network([this] {
        EXPECT_EQ(house.queries.journal_question.spent_from, base::Timestamp{1'000'000});
        EXPECT_EQ(house.queries.journal_question.spent_to, base::Timestamp{2'000'000});
    });
    const Got page = by_user("GET", "/checklist_items?checklist=c");
    EXPECT_NE(page.body.find(R"("next":"3.d:2026-11-16","has_more":true})"), std::string::npos) << page.body;
    for (const char* wrong : {"/labels?status=done",
                              "/tasks?type=text",
                              "/entries?label=x",
                              "/day_plans?task=t",
                              "/tasks?status=finished",
                              "/tasks?status=open,",
                              "/tasks?status=open,,done",
                              "/tasks?status=",
                              "/entries?type=text,audio",
                              "/tasks?due_from=today",
                              "/time_entries?running=no",
                              "/time_entries?from=today",
                              "/tasks?from=2026-11-16T00:00:00Z",
                              "/tasks?limit=0",
                              "/tasks?after=x",
                              "/tasks?wake=7",
                              "/tasks?fence=7",
                              "/tasks?wake=0&fence=1",
                              "/tasks?categories=",
                              "/tasks?categories=a,,b",
                              "/search",
                              "/search?q=x&kind=fish"}) {
        EXPECT_EQ(by_user("GET", wrong).status, 422) << wrong;
    }
}

TEST_F(Journal, links_are_named_by_their_path) {
    EXPECT_EQ(by_user("PUT", "/links/blocked_by/a%2Fb/c", R"({"metadata":{"x":1},"hidden":true})").status, 201);
    of_last<ports::PutLink>([](const ports::PutLink& wish) {
        EXPECT_EQ(wish.draft.relation, "blocked_by");
        EXPECT_EQ(wish.draft.from_id, "a/b");
        EXPECT_EQ(wish.draft.to_id, "c");
        EXPECT_EQ(wish.draft.metadata.bytes(), R"({"x":1})");
        EXPECT_TRUE(wish.draft.hidden);
        return 0;
    });
    EXPECT_EQ(by_user("PUT", "/links/again/a/b").status, 200);
    const Got page = by_user("GET", "/links?to=c&limit=2");
    EXPECT_NE(page.body.find(R"("next":"blocked_by:f1","has_more":true})"), std::string::npos) << page.body;
    EXPECT_EQ(by_user("GET", "/links?to=c&limit=2&after=blocked_by:f1").status, 200);
    house.on_network([this] {
        const auto& after = house.queries.link_question.filter.after;
        EXPECT_EQ(after->relation, "blocked_by");
        EXPECT_EQ(after->from_id, "f1");
        EXPECT_EQ(after->to_id, "c");
    });
    EXPECT_EQ(refused("GET", "/links"), "422 invalid from: must be given, or to");
    EXPECT_EQ(by_user("GET", "/links?from=a&after=x").status, 422);
}

TEST_F(Journal, an_export_says_where_it_goes_on) {
    EXPECT_EQ(by_user("GET", "/export").header("Belfry-Next"), "");
    house.on_network([this] { house.queries.export_next = ports::ExportPlace{12, {}}; });
    const Got page = by_user("GET", "/export");
    EXPECT_EQ(page.header("Belfry-Next"), "12");
    EXPECT_EQ(page.header("Content-Type"), "application/x-ndjson");
    EXPECT_EQ(std::count(page.body.begin(), page.body.end(), '\n'), 2);
    house.on_network(
        [this] { house.queries.export_next = ports::ExportPlace{0, ports::LinkName{"ada", "next", "a/ü", "b c"}}; });
    const std::string next = by_user("GET", "/export?after=12").header("Belfry-Next");
    EXPECT_EQ(next, "a%2F%C3%BC/next/b%20c");
    std::string again = next;
    for (std::size_t at = 0; (at = again.find('%', at)) != std::string::npos; at += 3) again.replace(at, 1, "%25");
    EXPECT_EQ(by_user("GET", "/export?after=" + again).status, 200);
    house.on_network([this] {
        const auto& link = house.queries.export_question.after.link;
        EXPECT_EQ(link->from_id, "a/ü");
        EXPECT_EQ(link->relation, "next");
        EXPECT_EQ(link->to_id, "b c");
    });
    EXPECT_EQ(by_user("GET", "/export?after=x").status, 422);
    EXPECT_EQ(by_user("GET", "/export?after=a/b").status, 422);
}

TEST_F(Journal, an_import_names_the_line_that_is_wrong_or_differs) {
    const std::string line =
        R"({"kind":"label","id":"l","user_id":"ada","category_id":"general","revision":1,"created_at":"2026-11-16T08:00:00Z",)"
        R"("updated_at":"2026-11-16T08:00:00Z","deleted_at":null,"name":"x","color":null,"extension":{}})";
    const Got taken = by_user("POST", "/import", line + "\n\n" + line);
    EXPECT_EQ(taken.body, R"({"taken":2,"unchanged":0,"conflicts":[{"line":3,"id":"r1","message":"it differs"}]})");
    const Got wrong = by_user("POST", "/import", line + "\n{}\n");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_NE(wrong.body.find(R"("field":"kind","line":2})"), std::string::npos) << wrong.body;
    EXPECT_EQ(by_user("POST", "/import?wake=1&fence=1", line).status, 422) << "the route has no such parameters";
}

TEST_F(Journal, an_agent_has_a_part_in_all_but_export_and_import) {
    EXPECT_EQ(ask("GET", "/v1/journal/tasks?wake=7&fence=1", "", "agent").status, 200);
    EXPECT_EQ(ask("GET", "/v1/journal/export", "", "agent").status, 403);
    EXPECT_EQ(ask("POST", "/v1/journal/import", "", "agent").status, 403);
    EXPECT_EQ(ask("GET", "/v1/journal", "", "emitter").status, 403);
}

TEST_F(Journal, says_what_there_is) {
    const Got got = by_user("GET", "");
    EXPECT_EQ(got.body.substr(0, got.body.find(",\"id\"")),
              R"({"enabled":true,"holds_anything":true,"running":{"kind":"time_entry")");
    house.on_network([this] { house.queries.kept = 0; });
    EXPECT_EQ(by_user("GET", "").body, R"({"enabled":true,"holds_anything":true,"running":null})");
}

TEST(JournalOff, its_routes_are_not_there) {
    ServerOptions options;
    options.journal = false;
    House house(options);
    Client client(house.server->port());
    for (const char* path : {"/v1/journal", "/v1/journal/tasks", "/v1/journal/tasks/x", "/v1/journal/export"}) {
        const Got got = client.ask(request("GET", path, "user"));
        EXPECT_EQ(got.status, 404);
        EXPECT_NE(got.body.find(R"("reason":"journal_off")"), std::string::npos) << got.body;
    }
    EXPECT_EQ(client.ask(request("GET", "/v1/journal", "nobody")).status, 401);
    EXPECT_EQ(client.ask(request("GET", "/v1/agents", "user")).status, 200);
}

}  // namespace
}  // namespace belfry::net::test
