#include <fstream>
#include <gtest/gtest.h>

#include "cli/scripted_daemon_test.hpp"
#include "cli/world_test.hpp"
#include "model/journal_json.hpp"

namespace belfry::cli {
namespace {

using model::JournalRecord;

const base::Timestamp made_at{1'794'650'400'000'000};  // 2026-11-14T10:00:00Z

std::string json_of(std::string id, model::JournalBody body, const std::string& category = "general") {
    JournalRecord record;
    record.id = std::move(id);
    record.user_id = "ada";
    record.category_id = category;
    record.revision = 3;
    record.created_at = record.updated_at = made_at;
    record.body = std::move(body);
    std::string json;
    model::JsonWriter writer(json);
    model::append_record(writer, record);
    return json;
}

std::string page_of(const std::vector<std::string>& records, const std::string& next = "null") {
    std::string all;
    for (const std::string& record : records) all += (all.empty() ? "" : ",") + record;
    return R"({"data":[)" + all + R"(],"next":)" + next + R"(,"has_more":)" + (next == "null" ? "false" : "true") + "}";
}

model::Task task_with(const std::string& title) {
    model::Task task;
    task.title = title;
    return task;
}

std::string line_of(const std::string& request) {
    return request.substr(0, request.find(" HTTP/1.1"));
}

class JournalCommands : public testing::Test {
protected:
    JournalCommands() { world.variables["TZ"] = "Europe/Berlin"; }

    Exit run(const Daemon& daemon, std::vector<std::string> typed) {
        typed.insert(typed.begin() + 1, {"--url", daemon.url(), "--token", "t"});
        return world.run(typed);
    }
    void refused(const std::vector<std::string>& typed, const std::string& says) {
        Daemon daemon({});
        EXPECT_EQ(run(daemon, typed), Exit::usage) << says;
        EXPECT_NE(world.err.find(says), std::string::npos) << world.err;
        EXPECT_EQ(world.out, "");
        EXPECT_TRUE(daemon.requests.empty());
    }

    World world;
};

TEST_F(JournalCommands, task_add_sends_what_was_typed_and_writes_the_id_alone) {
    Daemon daemon({{201, json_of("legs", task_with("Leg day"), "gym")}});
    EXPECT_EQ(run(daemon, {"task",       "add",     "Leg day", "--id",       "legs",       "--category", "gym",
                           "--priority", "p1",      "--due",   "tomorrow",   "--estimate", "90m",        "--label",
                           "a",          "--label", "b",       "--language", "de",         "--text",     "All of it"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "POST /v1/journal/tasks");
    EXPECT_EQ(body_of(daemon.requests[0]),
              R"({"id":"legs","title":"Leg day","category_id":"gym","text":"All of it","priority":"p1",)"
              R"("due_date":"2026-11-15","estimate_min":90,"language":"de","label_ids":["a","b"]})");
    EXPECT_EQ(world.out, "legs\n");
    EXPECT_EQ(world.err, "task legs: Leg day (open, p2), in gym\n");
}

TEST_F(JournalCommands, titles_cannot_steer_a_terminal) {
    const std::string evil = json_of("e\x1b[1m", task_with("red\x1b[31m\u202e\nend"));
    Daemon daemon({{200, page_of({evil})}, {200, evil}, {200, page_of({})}});
    EXPECT_EQ(run(daemon, {"task", "list", "--all"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out.find('\x1b'), std::string::npos);
    EXPECT_NE(world.out.find("red\\x1b[31m\\u{202e}…"), std::string::npos) << world.out;
    Daemon again({{200, evil}, {200, page_of({})}});
    EXPECT_EQ(run(again, {"task", "show", "x/y"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(again.requests.at(0)), "GET /v1/journal/tasks/x%2Fy");
    EXPECT_EQ(world.out.find('\x1b'), std::string::npos);
}

TEST_F(JournalCommands, task_list_asks_for_all_open_statuses_at_once) {
    model::Task blocked = task_with("Second");
    blocked.status = model::TaskStatus::blocked;
    Daemon daemon({{200, page_of({json_of("2", blocked)}, R"("c")")}});
    EXPECT_EQ(run(daemon, {"task", "list", "--category", "gym", "--limit", "1"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)),
              "GET /v1/journal/tasks?category=gym&status=open%2Cgroomed%2Cin_progress%2Cblocked%2Con_hold&limit=1");
    EXPECT_EQ(daemon.requests.size(), 1U);
    EXPECT_EQ(world.out,
              "ID  STATUS   PRIORITY  DUE  ESTIMATE  CATEGORY  LABELS  TITLE\n"
              "2   blocked  p2                       general           Second\n");
    EXPECT_EQ(world.err, "(there are more; --limit shows them)\n");
    Daemon due({{200, page_of({})}});
    EXPECT_EQ(run(due, {"task", "list", "--due-to", "today", "--search", "leg day", "--json"}), Exit::ok);
    EXPECT_EQ(line_of(due.requests.at(0)), "GET /v1/journal/tasks?due_to=2026-11-14&q=leg%20day&limit=50");
    EXPECT_EQ(world.out, "");
}

TEST_F(JournalCommands, task_edit_takes_away_what_is_none_and_keeps_to_the_revision) {
    Daemon daemon({{409, R"({"code":"conflict","reason":"stale_revision","detail":"it has revision 5"})"}});
    EXPECT_EQ(run(daemon, {"task", "edit", "legs", "--due", "none", "--label", "none", "--estimate", "none",
                           "--language", "none", "--status", "on_hold", "--revision", "4"}),
              Exit::failure);
    EXPECT_EQ(line_of(daemon.requests.at(0)), "PATCH /v1/journal/tasks/legs");
    EXPECT_EQ(body_of(daemon.requests[0]), R"({"status":"on_hold","due_date":null,"estimate_min":null,)"
                                           R"("language":null,"label_ids":[],"revision":4})");
    EXPECT_NE(world.err.find("it has revision 5"), std::string::npos) << world.err;
}

TEST_F(JournalCommands, one_of_several_that_fails_keeps_no_other_from_it) {
    Daemon daemon(
        {{404, R"({"code":"not_found","detail":"there is no such record"})"}, {200, json_of("b", task_with("B"))}});
    EXPECT_EQ(run(daemon, {"task", "done", "a", "b"}), Exit::partial);
    EXPECT_EQ(body_of(daemon.requests.at(1)), R"({"status":"done"})");
    EXPECT_NE(world.err.find("there is no such record"), std::string::npos) << world.err;
    Daemon moved({{200, json_of("a", task_with("A"))}});
    EXPECT_EQ(run(moved, {"task", "move", "a", "gym"}), Exit::ok);
    EXPECT_EQ(body_of(moved.requests.at(0)), R"({"category_id":"gym"})");
    Daemon deleted({{200, json_of("a", task_with("A"))}});
    EXPECT_EQ(run(deleted, {"task", "delete", "a", "--revision", "3", "--user", "ada"}), Exit::ok);
    EXPECT_EQ(line_of(deleted.requests.at(0)), "DELETE /v1/journal/tasks/a?user=ada&revision=3");
}

TEST_F(JournalCommands, within_work_the_agent_acts_for_its_wake) {
    world.variables["BELFRY_WAKE_ID"] = "7";
    world.variables["BELFRY_FENCE"] = "2";
    Daemon daemon({{200, json_of("a", task_with("A"))}});
    EXPECT_EQ(run(daemon, {"task", "done", "a"}), Exit::ok);
    EXPECT_EQ(line_of(daemon.requests.at(0)), "PATCH /v1/journal/tasks/a?wake=7&fence=2");
}

TEST_F(JournalCommands, refusals_name_the_option_and_the_limit) {
    Daemon daemon({{422, R"({"code":"invalid","field":"due_date","detail":"must be a date such as 2026-11-16"})"}});
    EXPECT_EQ(run(daemon, {"task", "add", "x"}), Exit::failure);
    EXPECT_EQ(world.err, "belfry: --due must be a date such as 2026-11-16\n");
    Daemon large({{413, R"({"code":"too_large","field":"title","detail":"may have 1000 bytes at the most"})"}});
    EXPECT_EQ(run(large, {"checklist", "add", "t", "x"}), Exit::failure);
    EXPECT_EQ(world.err, "belfry: title may have 1000 bytes at the most\n");
}

TEST_F(JournalCommands, what_is_typed_wrongly_is_refused_before_anybody_is_asked) {
    refused({"task", "fly"}, "ACTION must be add, list, show, edit, done, move or delete, not \"fly\"");
    refused({"task", "add"}, "usage: belfry task add TITLE");
    refused({"task", "add", "two", "words"}, "usage: belfry task add TITLE");
    refused({"task", "done", "x", "--due", "today"}, "--due is not of done");
    refused({"task", "edit", "x"}, "edit needs an option");
    refused({"task", "add", "x", "--estimate", "90s"}, "--estimate must be whole minutes");
    refused({"task", "add", "x", "--due", "2026-02-30"}, "--due must be a date such as 2026-11-16");
    refused({"task", "list", "--status", "open,later"}, "not \"later\"");
    refused({"entry", "add"}, "TEXT is missing");
    refused({"plan", "add", "9-11"}, "TIME must be a stretch of a day such as 09:00-11:00, not \"9-11\"");
    refused({"plan", "today", "add", "09:00-10:00", "--date", "tomorrow"}, "the day stands there twice");
    refused({"rate", "day", "6"}, "SCORE must be a whole number from 1 to 5, not \"6\"");
    refused({"rate", "day", "2026-13-01", "4"}, "DATE must be a date");
    refused({"time", "start", "--at", "noon"}, "--at must be a time such as 09:00");
    refused({"time", "list", "--zone", "Nowhere/Town"}, "Nowhere/Town");
    refused({"link", "add", "a", "b"}, "usage: belfry link add FROM RELATION TO");
    refused({"link", "add", "a", "b", "c", "--metadata", "[]"}, "--metadata must be a JSON object");
    refused({"journal", "import"}, "usage: belfry journal import FILE");
}

TEST_F(JournalCommands, checklists_are_made_with_their_items_and_shown_in_order) {
    model::Checklist list;
    list.title = "Before";
    model::ChecklistItem stamp;
    stamp.title = "stamp";
    model::ChecklistItem first = stamp;
    first.title = "paper";
    first.checked = true;
    const std::string list_json = json_of("l", list);
    Daemon daemon({{201, list_json}, {201, json_of("i", stamp)}});
    EXPECT_EQ(run(daemon, {"checklist", "add", "letter", "Before", "stamp"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"task_id":"letter","title":"Before"})");
    EXPECT_EQ(body_of(daemon.requests.at(1)), R"({"checklist_id":"l","title":"stamp"})");
    EXPECT_EQ(world.out, "l\ni\n");
    Daemon shown({{200, page_of({list_json})}, {200, page_of({json_of("i", stamp), json_of("f", first)})}});
    EXPECT_EQ(run(shown, {"checklist", "list", "letter"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out, "Before (l)\n  [x] paper (f)\n  [ ] stamp (i)\n") << "the older one first";
}

TEST_F(JournalCommands, entry_add_knows_the_type_by_what_is_said) {
    model::Entry run_entry;
    run_entry.type = model::EntryType::workout;
    Daemon daemon({{201, json_of("r", run_entry)}});
    EXPECT_EQ(run(daemon, {"entry", "add", "Along the river", "--workout", "running", "--duration", "45m", "--distance",
                           "8200", "--energy", "600", "--from", "07:00"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)),
              R"({"type":"workout","text":"Along the river","started_at":"2026-11-14T06:00:00Z","duration_s":2700,)"
              R"("workout_type":"running","energy_kcal":600,"distance_m":8200})");
}

model::DayPlan small_plan() {
    model::DayPlan plan;
    plan.plan_date = "2026-11-17";
    const base::Timestamp nine{1'794'902'400'000'000};  // 2026-11-17T08:00:00Z
    plan.blocks = {{"b1", "focus", nine, nine + base::hours(2), "Deep work", ""}};
    plan.pinned_task_ids = {"letter"};
    return plan;
}

TEST_F(JournalCommands, plan_add_makes_the_plan_of_a_day_that_has_none) {
    Daemon daemon({{404, R"({"code":"not_found","detail":"there is no such record"})"},
                   {201, json_of("day_plan:2026-11-17", small_plan())}});
    EXPECT_EQ(run(daemon, {"plan", "add", "09:00-11:00", "Deep work", "--category", "focus", "--date", "2026-11-17"}),
              Exit::ok)
        << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/journal/day_plans/day_plan%3A2026-11-17");
    EXPECT_EQ(body_of(daemon.requests.at(1)),
              R"({"plan_date":"2026-11-17","blocks":[{"category_id":"focus","start_at":"2026-11-17T08:00:00Z",)"
              R"("end_at":"2026-11-17T10:00:00Z","note":"Deep work"}]})");
    EXPECT_EQ(world.err, "plan of 2026-11-17 (1 block, 1 pinned), in general\n");
}

TEST_F(JournalCommands, plan_of_which_another_was_faster_is_changed_once_more) {
    const std::string plan = json_of("day_plan:2026-11-17", small_plan());
    Daemon daemon({{200, plan},
                   {409, R"({"code":"conflict","reason":"stale_revision","detail":"it has revision 4"})"},
                   {200, plan},
                   {200, plan}});
    EXPECT_EQ(run(daemon, {"plan", "2026-11-17", "add", "08:00-08:30", "Coffee"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(3)),
              R"({"revision":3,"blocks":[{"start_at":"2026-11-17T07:00:00Z",)"
              R"("end_at":"2026-11-17T07:30:00Z","note":"Coffee"},{"id":"b1","category_id":"focus",)"
              R"("start_at":"2026-11-17T08:00:00Z","end_at":"2026-11-17T10:00:00Z","note":"Deep work"}]})");
}

TEST_F(JournalCommands, plan_takes_blocks_away_by_time_and_tasks_by_id) {
    const std::string plan = json_of("day_plan:2026-11-17", small_plan());
    Daemon daemon({{200, plan}, {200, plan}});
    EXPECT_EQ(run(daemon, {"plan", "2026-11-17", "remove", "09:00"}), Exit::ok) << world.err;
    EXPECT_NE(body_of(daemon.requests.at(1)).find(R"("blocks":[])"), std::string::npos) << daemon.requests[1];
    Daemon unpinned({{200, plan}, {200, plan}});
    EXPECT_EQ(run(unpinned, {"plan", "2026-11-17", "unpin", "letter"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(unpinned.requests.at(1)), R"({"revision":3,"pinned_task_ids":[]})") << "and nothing else";
    Daemon pinned({{200, plan}});
    EXPECT_EQ(run(pinned, {"plan", "2026-11-17", "pin", "letter"}), Exit::ok) << "it is: nothing to change";
    Daemon missing({{200, plan}});
    EXPECT_EQ(run(missing, {"plan", "2026-11-17", "remove", "10:00"}), Exit::failure);
    EXPECT_NE(world.err.find("there is no block \"10:00\""), std::string::npos) << world.err;
    Daemon shown({{200, plan}, {200, json_of("letter", task_with("Write"))}});
    EXPECT_EQ(run(shown, {"plan", "2026-11-17"}), Exit::ok) << world.err;
    EXPECT_EQ(world.out,
              "FROM   TO     CATEGORY  BLOCK      TASK  ID\n"
              "09:00  11:00  focus     Deep work        b1\n"
              "\n"
              "PINNED  STATUS  TITLE\n"
              "letter  open    Write\n");
    EXPECT_EQ(world.err, "2026-11-17, in Europe/Berlin\n");
}

TEST_F(JournalCommands, time_is_stopped_by_the_later_of_two_clocks) {
    model::TimeEntry running;
    running.started_at = world.now + base::seconds(5);
    const std::string entry = json_of("e", running);
    Daemon daemon({{200, R"({"enabled":true,"holds_anything":true,"running":)" + entry + "}"}, {200, entry}});
    EXPECT_EQ(run(daemon, {"time", "stop", "--note", "Draft"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(1)), "PATCH /v1/journal/time_entries/e");
    EXPECT_EQ(body_of(daemon.requests[1]), R"({"ended_at":"2026-11-14T12:00:05Z","note":"Draft"})");
    Daemon idle({{200, R"({"enabled":true,"holds_anything":true,"running":null})"}});
    EXPECT_EQ(run(idle, {"time", "stop"}), Exit::failure);
    EXPECT_EQ(world.err, "belfry: no timer runs\n");
    Daemon busy({{409, R"({"code":"conflict","reason":"running","detail":"another timer runs"})"}});
    EXPECT_EQ(run(busy, {"time", "start", "letter"}), Exit::failure);
    EXPECT_EQ(body_of(busy.requests.at(0)), R"({"task_id":"letter"})");
    EXPECT_EQ(world.err, "belfry: another timer runs; end it with `belfry time stop`\n");
}

TEST_F(JournalCommands, time_over_midnight_ends_on_the_day_after) {
    model::TimeEntry entry;
    entry.started_at = made_at;
    entry.ended_at = made_at + base::minutes(90);
    Daemon daemon({{201, json_of("e", entry)}});
    EXPECT_EQ(run(daemon, {"time", "add", "23:00-00:30", "letter", "--date", "yesterday"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"task_id":"letter","started_at":"2026-11-13T22:00:00Z",)"
                                              R"("ended_at":"2026-11-13T23:30:00Z"})");
    EXPECT_EQ(world.err, "time_entry e: 2026-11-14 11:00-12:30 (1:30), in general\n");
}

TEST_F(JournalCommands, rate_takes_the_place_of_the_rating_that_is_there) {
    model::Rating rating;
    rating.target_id = "2026-11-14";
    rating.score = 4;
    const std::string rated = json_of("rating:day:2026-11-14", rating);
    Daemon daemon({{409, R"({"code":"conflict","reason":"taken","detail":"it is there"})"}, {200, rated}});
    EXPECT_EQ(run(daemon, {"rate", "day", "4", "--note", "Quiet"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"target":"day","target_id":"2026-11-14","score":4,"note":"Quiet"})");
    EXPECT_EQ(line_of(daemon.requests.at(1)), "PATCH /v1/journal/ratings/rating%3Aday%3A2026-11-14");
    EXPECT_EQ(body_of(daemon.requests[1]), R"({"score":4,"note":"Quiet"})");
    model::TimeEntry running;
    model::TimeEntry ended;
    ended.ended_at = made_at;
    model::TimeEntry written_later = ended;
    written_later.ended_at = made_at - base::hours(2);
    Daemon session({{200, page_of({json_of("now", running), json_of("early", written_later), json_of("last", ended)})},
                    {201, rated}});
    EXPECT_EQ(run(session, {"rate", "session", "5"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(session.requests.at(1)), R"({"target":"session","target_id":"last","score":5})");
}

TEST_F(JournalCommands, links_are_listed_in_both_directions) {
    const std::string link = R"({"kind":"link","relation":"blocked_by","from_id":"a","to_id":"b","metadata":{"x":1},)"
                             R"("hidden":false,"revision":1})";
    Daemon daemon({{200, page_of({link})}, {200, page_of({})}});
    EXPECT_EQ(run(daemon, {"link", "list", "a", "--relation", "blocked_by"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/journal/links?from=a&relation=blocked_by&limit=1000");
    EXPECT_EQ(line_of(daemon.requests.at(1)), "GET /v1/journal/links?to=a&relation=blocked_by&limit=1000");
    EXPECT_EQ(world.out, "FROM  RELATION    TO  HIDDEN  METADATA\na     blocked_by  b           {\"x\":1}\n");
    Daemon made({{201, link}});
    EXPECT_EQ(run(made, {"link", "add", "a", "blocked_by", "b", "--hidden", "--metadata", R"({"x":1})"}), Exit::ok);
    EXPECT_EQ(line_of(made.requests.at(0)), "PUT /v1/journal/links/blocked_by/a/b");
    EXPECT_EQ(body_of(made.requests[0]), R"({"metadata":{"x":1},"hidden":true})");
}

TEST_F(JournalCommands, import_sends_slices_and_tells_conflicts_by_their_lines_in_the_file) {
    const std::string path = world.folder.path() + "/journal.jsonl";
    {
        std::ofstream file(path);
        for (int i = 1; i <= 501; ++i) file << "{\"n\":" << i << "}\n" << (i == 2 ? "\n" : "");
    }
    Daemon daemon({{200, R"({"taken":499,"unchanged":0,"conflicts":[{"line":3,"id":"x","message":"differs"}]})"},
                   {200, R"({"taken":0,"unchanged":1,"conflicts":[]})"}});
    EXPECT_EQ(run(daemon, {"journal", "import", path}), Exit::failure);
    EXPECT_EQ(body_of(daemon.requests.at(1)), "{\"n\":501}\n");
    EXPECT_NE(daemon.requests[1].find("application/x-ndjson"), std::string::npos);
    EXPECT_EQ(world.err, "line 4: x: differs\n499 taken, 1 unchanged, 1 in conflict\n");
    Daemon faulty({{200, R"({"taken":500,"unchanged":0,"conflicts":[]})"},
                   {422, R"({"code":"invalid","field":"id","detail":"must be given","line":1})"}});
    EXPECT_EQ(run(faulty, {"journal", "import", path, "--json"}), Exit::partial);
    EXPECT_NE(world.err.find("line 502: id must be given"), std::string::npos) << world.err;
    EXPECT_EQ(world.out, "{\"taken\":500,\"unchanged\":0,\"conflicts\":[]}\n");
}

TEST_F(JournalCommands, search_shows_every_kind_by_what_it_says) {
    model::Rating rating;
    rating.target_id = "2026-11-14";
    rating.score = 4;
    rating.note = "letter";
    Daemon daemon({{200, page_of({json_of("r", rating), json_of("t", task_with("Write the letter"))})}});
    EXPECT_EQ(run(daemon, {"journal", "search", "the", "lett"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(daemon.requests.at(0)), "GET /v1/journal/search?q=the%20lett&limit=50");
    EXPECT_EQ(world.out,
              "KIND    ID  CATEGORY  TITLE\n"
              "rating  r   general   day 2026-11-14 rated 4: letter\n"
              "task    t   general   Write the letter\n");
}

TEST_F(JournalCommands, categories_and_labels_are_named_by_the_ids_that_people_type) {
    model::Category gym;
    gym.name = "gym";
    Daemon daemon({{201, json_of("gym", gym, "gym")}});
    EXPECT_EQ(run(daemon, {"category", "add", "gym", "--color", "#3366cc"}), Exit::ok) << world.err;
    EXPECT_EQ(body_of(daemon.requests.at(0)), R"({"id":"gym","name":"gym","color":"#3366cc"})");
    EXPECT_EQ(world.err, "category gym: gym\n");
    Daemon label({{200, json_of("u", model::Label{"Urgent", ""})}});
    EXPECT_EQ(run(label, {"label", "edit", "u", "--name", "Urgent", "--color", "none"}), Exit::ok) << world.err;
    EXPECT_EQ(line_of(label.requests.at(0)), "PATCH /v1/journal/labels/u");
    EXPECT_EQ(body_of(label.requests[0]), R"({"name":"Urgent","color":null})");
}

}  // namespace
}  // namespace belfry::cli
