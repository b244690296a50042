#include "client/journal.hpp"

#include <gtest/gtest.h>

#include "client/scripted_server_test.hpp"

namespace belfry::client {
namespace {

const std::string task = R"({"kind":"task","id":"a/b","user_id":"ada","category_id":"gym","revision":4,)"
                         R"("created_at":"2026-11-14T12:00:00Z","updated_at":"2026-11-14T12:00:01Z","deleted_at":null,)"
                         R"("title":"Legs","text":null,"status":"on_hold","priority":"p0","due_date":"2026-11-20",)"
                         R"("estimate_min":null,"language":null,"label_ids":["x","y"],"extension":{"acme.n":1},)"
                         R"("later":"what this client does not know yet"})";

// The answers of one connection, and what was asked.
class Journals : public testing::Test {
protected:
    struct Answer {
        int status;
        std::string body;
        std::string headers;
    };
    Journal journal_for(std::vector<Answer> answers, JournalScope scope = {}) {
        server = std::make_unique<ScriptedServer>(
            std::vector<ScriptedServer::Script>{[this, answers = std::move(answers)](ServedConnection& connection) {
                for (const Answer& answer : answers) {
                    asked.push_back(connection.request());
                    connection.answer(answer.status, answer.body, answer.headers);
                }
            }});
        Options options;
        options.endpoint = server->endpoint();
        options.pauses = {base::milliseconds(1)};
        client = std::make_unique<Client>(options);
        return Journal(*client, std::move(scope));
    }
    [[nodiscard]] std::string line(std::size_t i) const { return asked.at(i).substr(0, asked.at(i).find(" HTTP/1.1")); }

    Requests asked;
    std::unique_ptr<ScriptedServer> server;
    std::unique_ptr<Client> client;
};

TEST_F(Journals, records_are_read_by_the_fields_of_their_kind) {
    Journal journal = journal_for({{200, task, ""}}, {"ada", {{7, 2}}});
    const auto found = journal.find(model::JournalKind::task, "a/b");
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(line(0), "GET /v1/journal/tasks/a%2Fb?user=ada&wake=7&fence=2");
    const auto& body = std::get<model::Task>(found->record.body);
    EXPECT_EQ(body.title, "Legs");
    EXPECT_EQ(body.text, "");
    EXPECT_EQ(body.status, model::TaskStatus::on_hold);
    EXPECT_EQ(body.priority, model::TaskPriority::p0);
    EXPECT_EQ(body.estimate_min, std::nullopt);
    EXPECT_EQ(body.label_ids, (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(found->record.revision, 4);
    EXPECT_EQ(found->record.deleted_at, std::nullopt);
    EXPECT_EQ(found->record.extension.bytes(), R"({"acme.n":1})");
    EXPECT_EQ(found->json.bytes(), task);
}

TEST_F(Journals, a_list_goes_on_behind_a_page_that_is_short_or_empty) {
    Journal journal = journal_for({{200, R"({"data":[],"next":"c1","has_more":true})", ""},
                                   {200, R"({"data":[)" + task + R"(],"next":"c2","has_more":true})", ""},
                                   {200, R"({"data":[)" + task + R"(],"next":"c3","has_more":true})", ""}});
    RecordQuestion question;
    question.filters = {{"status", "on_hold"}, {"label", ""}};
    question.limit = 2;
    const auto found = journal.list(question);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->records.size(), 2U);
    EXPECT_TRUE(found->more);
    EXPECT_EQ(line(0), "GET /v1/journal/tasks?status=on_hold&limit=2");
    EXPECT_EQ(line(2), "GET /v1/journal/tasks?status=on_hold&after=c2&limit=1");
}

TEST_F(Journals, an_export_is_handed_on_page_by_page) {
    Journal journal = journal_for({{200, "1\n2\n", "Belfry-Next: a%2F/b/c\r\n"}, {200, "3\n", ""}});
    std::string lines;
    const auto exported = journal.export_lines([&lines](std::string_view more) {
        lines += more;
        return true;
    });
    EXPECT_TRUE(exported.ok());
    EXPECT_EQ(lines, "1\n2\n3\n");
    EXPECT_EQ(line(1), "GET /v1/journal/export?after=a%252F%2Fb%2Fc");
}

TEST_F(Journals, only_what_has_an_id_is_made_once_more_after_a_failure) {
    const std::string busy = R"({"code":"unavailable","detail":"the store is away"})";
    Journal named = journal_for({{503, busy, ""}, {201, task, ""}});
    EXPECT_TRUE(named.create(model::JournalKind::task, model::RawJson::trusted(R"({"id":"a","title":"x"})")).ok());
    EXPECT_EQ(asked.size(), 2U);
    asked.clear();
    Journal nameless = journal_for({{503, busy, ""}, {201, task, ""}});
    EXPECT_FALSE(nameless.create(model::JournalKind::task, model::RawJson::trusted(R"({"title":"x"})")).ok());
    EXPECT_EQ(asked.size(), 1U);
}

TEST_F(Journals, an_import_tells_the_line_at_fault_and_other_failures_are_errors) {
    Journal journal = journal_for({{422, R"({"code":"invalid","field":"id","detail":"must be given","line":2})", ""},
                                   {403, R"({"code":"forbidden","detail":"no"})", ""}});
    const auto imported = journal.import_lines("{}\n{}\n");
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    ASSERT_TRUE(imported->fault.has_value());
    EXPECT_EQ(imported->fault->line, 2);
    EXPECT_EQ(imported->fault->error.field, "id");
    const auto refused = journal.import_lines("{}\n");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::forbidden);
}

}  // namespace
}  // namespace belfry::client
