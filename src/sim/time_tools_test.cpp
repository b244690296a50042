#include "sim/tools_world_test.hpp"

// Tools of time that was spent, and of how good it was. It is 2027-01-15, 08:00 UTC.
namespace belfry::sim {
namespace {

using model::TimeEntry;

class TimeTools : public ToolsWorld {
protected:
    TimeTools() {
        add_task("legs", "gym");
        add_task("dishes", "home");
        add_task("hidden", "secret");
    }

    static std::string session(const std::string& task, const std::string& from, const std::string& to) {
        return R"({"taskId":")" + task + R"(","startedAt":")" + from + R"(","endedAt":")" + to + R"("})";
    }
    void add_session(const std::string& id, const std::string& task, const std::string& from, const std::string& to) {
        const TimeEntry time{task, "", *base::parse_timestamp(from), base::parse_timestamp(to), ""};
        make(id, wish_of(time, {"task_id", "started_at", "ended_at"}));
    }
    void rate(model::RatingTarget target, const std::string& id, std::int64_t score, const std::string& category = {}) {
        make({}, wish_of(model::Rating{target, id, score, ""}, {"target", "target_id", "score"}), category);
    }
    std::size_t time_entries() {
        std::size_t count = 0;
        for (const auto& [key, record] : look().records)
            count += record.kind() == model::JournalKind::time_entry ? 1 : 0;
        return count;
    }
};

TEST_F(TimeTools, time_is_recorded_afterwards_with_what_it_was_taken_from) {
    model::Entry spoken;
    spoken.type = model::EntryType::audio;
    make("recording", wish_of(spoken, {"type"}), "home");
    const std::string wish =
        R"({"taskId":"legs","startedAt":"2027-01-14T16:00:00-05:00","endedAt":"2027-01-14T18:00:00-05:00",)"
        R"("description":"Squats","sourceEntryId":"recording"})";
    const auto once = call("create_retrospective_time_entry", wish, "op");
    const std::string id = text_in(said(once), "timeEntry.timeEntryId");
    EXPECT_EQ(said(once).bytes(), R"({"timeEntry":{"timeEntryId":")" + id +
                                      R"(","taskId":"legs","startedAt":"2027-01-14T21:00:00Z",)"
                                      R"("endedAt":"2027-01-14T23:00:00Z","note":"Squats"}})");
    EXPECT_EQ(body<TimeEntry>(id).source_entry_id, "recording");
    EXPECT_EQ(record(id).category_id, "gym");
    EXPECT_EQ(said(call("create_retrospective_time_entry", wish, "op")).bytes(), said(once).bytes());
    EXPECT_EQ(time_entries(), 1U) << "the same operation twice";
    done("create_retrospective_time_entry", wish);
    EXPECT_EQ(time_entries(), 2U) << "another one that is like it";
}

TEST_F(TimeTools, time_that_cannot_have_been_spent_is_refused) {
    const Traces before = traces();
    const auto refusal_of = [&](const std::string& from, const std::string& to) {
        return refused("create_retrospective_time_entry", session("legs", from, to));
    };
    EXPECT_EQ(refusal_of("2027-01-14T10:00:00Z", "2027-01-14T10:00:00Z"),
              "invalid_arguments: endedAt must lie after startedAt");
    EXPECT_EQ(refusal_of("2027-01-15T07:00:00Z", "2027-01-15T08:00:01Z"),
              "invalid_arguments: endedAt must not lie in the future");
    EXPECT_EQ(refusal_of("2027-01-13T10:00:00Z", "2027-01-14T10:00:01Z"),
              "invalid_arguments: endedAt must not lie more than 24 hours after startedAt");
    EXPECT_EQ(refused("create_retrospective_time_entry",
                      R"({"startedAt":"2027-01-14T10:00:00Z","endedAt":"2027-01-14T11:00:00Z"})"),
              "invalid_arguments: taskId must be given");
    EXPECT_TRUE(traces() == before);
    done("create_retrospective_time_entry", session("legs", "2027-01-14T08:00:00Z", "2027-01-15T08:00:00Z"));
}

TEST_F(TimeTools, time_is_not_spent_on_what_lies_outside) {
    make("recording", wish_of(model::Entry{}, {"type"}), "secret");
    const Traces before = traces();
    for (const std::string task : {"hidden", "nothing", "gym"}) {
        const std::string why = "out_of_scope: taskId: there is no task " + task + " in your categories";
        EXPECT_EQ(
            refused("create_retrospective_time_entry", session(task, "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z")),
            why);
        EXPECT_EQ(refused("start_task_timer", R"({"taskId":")" + task + R"("})"), why);
        EXPECT_EQ(refused("stop_task_timer", R"({"taskId":")" + task + R"("})"), why);
    }
    EXPECT_EQ(
        refused("create_retrospective_time_entry", with(session("legs", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z"),
                                                        R"("sourceEntryId":"recording")")),
        "out_of_scope: sourceEntryId: there is no entry recording in your categories");
    EXPECT_TRUE(traces() == before);
}

TEST_F(TimeTools, a_timer_is_started_and_stopped_for_its_task) {
    const std::string id =
        text_in(done("start_task_timer", R"({"taskId":"legs","note":"Warm up"})"), "timeEntry.timeEntryId");
    EXPECT_FALSE(body<TimeEntry>(id).ended_at);
    EXPECT_EQ(body<TimeEntry>(id).started_at, now_);
    EXPECT_EQ(refused("stop_task_timer", R"({"taskId":"dishes"})"), "not_running: taskId: no timer runs for this task");
    finish();
    live(base::minutes(25));
    const auto stopped = call("stop_task_timer", R"({"taskId":"legs"})", "stop");
    EXPECT_EQ(text_in(said(stopped), "timeEntry.endedAt"), "2027-01-15T08:25:00Z");
    EXPECT_EQ(text_in(said(stopped), "timeEntry.note"), "Warm up");
    EXPECT_EQ(body<TimeEntry>(id).ended_at, now_);
    EXPECT_FALSE(call("stop_task_timer", R"({"taskId":"legs"})", "stop")->is_new);
    EXPECT_EQ(record(id).revision, 2);
    EXPECT_EQ(refused("stop_task_timer", R"({"taskId":"legs"})"), "not_running: taskId: no timer runs for this task");
}

TEST_F(TimeTools, a_person_has_one_running_timer_and_one_outside_is_not_named) {
    make("elsewhere", wish_of(TimeEntry{"hidden", "", {}, {}, ""}, {"task_id"}));
    const std::string why = refused("start_task_timer", R"({"taskId":"legs"})");
    EXPECT_EQ(why, "running: another timer runs: it has to be stopped first");
    EXPECT_EQ(refused("stop_task_timer", R"({"taskId":"legs"})"), "not_running: taskId: no timer runs for this task");
    EXPECT_FALSE(body<TimeEntry>("elsewhere").ended_at);
}

TEST_F(TimeTools, a_time_entry_is_given_a_note_instead_of_its_own_or_below_it) {
    add_session("s", "legs", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z");
    add_session("outside", "hidden", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z");
    done("annotate_time_entry", R"({"timeEntryId":"s","note":"one","append":true})");
    EXPECT_EQ(body<TimeEntry>("s").note, "one");
    done("annotate_time_entry", R"({"timeEntryId":"s","note":"two","append":true})");
    EXPECT_EQ(body<TimeEntry>("s").note, "one\ntwo");
    EXPECT_EQ(text_in(done("annotate_time_entry", R"({"timeEntryId":"s","note":"three"})"), "timeEntry.note"), "three");
    EXPECT_EQ(refused("annotate_time_entry", R"({"timeEntryId":"outside","note":"x"})"),
              "out_of_scope: timeEntryId: there is no time entry outside in your categories");
    EXPECT_EQ(body<TimeEntry>("outside").note, "");
}

TEST_F(TimeTools, of_a_time_entry_a_task_outside_is_not_named) {
    add_session("s", "hidden", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z");
    ASSERT_TRUE(move_to("s", TimeEntry{}, "gym").ok());
    EXPECT_EQ(text_in(done("annotate_time_entry", R"({"timeEntryId":"s","note":"x"})"), "timeEntry.taskId"), "");
}

TEST_F(TimeTools, a_session_is_rated_where_it_lies_and_its_rating_changed) {
    add_session("s", "legs", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z");
    add_session("outside", "hidden", "2027-01-14T10:00:00Z", "2027-01-14T11:00:00Z");
    EXPECT_EQ(done("create_or_update_rating", R"({"target":"session","targetId":"s","score":4,"note":"good"})").bytes(),
              R"({"rating":{"target":"session","targetId":"s","categoryId":"gym","score":4,"note":"good"}})");
    const auto again = done("create_or_update_rating", R"({"target":"session","targetId":"s","score":2})");
    EXPECT_EQ(text_in(again, "rating.score"), "2");
    EXPECT_EQ(text_in(again, "rating.note"), "good") << "what is not named stays";
    EXPECT_EQ(record("rating:session:s").revision, 2);
    EXPECT_EQ(text_in(done("get_rating_for_target", R"({"target":"session","targetId":"s"})"), "rating.score"), "2");
    EXPECT_EQ(text_in(done("create_or_update_rating", R"({"target":"session","targetId":"s","score":2,"note":null})"),
                      "rating.note"),
              "");
    EXPECT_EQ(refused("create_or_update_rating", R"({"target":"session","targetId":"outside","score":2})"),
              "out_of_scope: targetId: there is no time entry outside in your categories");
    EXPECT_EQ(refused("create_or_update_rating", R"({"target":"session","targetId":"s","score":6})").substr(0, 18),
              "invalid_arguments:");
}

TEST_F(TimeTools, a_day_is_rated_in_a_category_of_the_agents) {
    EXPECT_EQ(refused("create_or_update_rating", R"({"target":"day","targetId":"2027-01-14","score":5})"),
              "invalid_arguments: categoryId must be given: this agent works in more than one category");
    done("create_or_update_rating", R"({"target":"day","targetId":"2027-01-14","score":5,"categoryId":"home"})");
    EXPECT_EQ(record("rating:day:2027-01-14").category_id, "home");
    EXPECT_EQ(refused("create_or_update_rating",
                      R"({"target":"day","targetId":"2027-01-13","score":5,"categoryId":"secret"})"),
              "out_of_scope: categoryId: there is no category secret in your categories");
    EXPECT_EQ(refused("create_or_update_rating", R"({"target":"day","targetId":"legs","score":5})"),
              "invalid_arguments: targetId must be a date, such as 2026-11-16");
    settle_agent("planner", {"home", "general"}, all_capabilities());
    be("planner");
    done("create_or_update_rating", R"({"target":"productivity","targetId":"2027-01-14","score":3})");
    EXPECT_EQ(record("rating:productivity:2027-01-14").category_id, "general") << "where a person's would be";
}

TEST_F(TimeTools, a_rating_outside_is_not_shown_and_not_changed) {
    rate(model::RatingTarget::day, "2027-01-14", 1);
    EXPECT_EQ(done("get_rating_for_target", R"({"target":"day","targetId":"2027-01-14"})").bytes(),
              R"({"rating":null})");
    EXPECT_EQ(
        refused("create_or_update_rating", R"({"target":"day","targetId":"2027-01-14","score":5,"categoryId":"gym"})"),
        "out_of_scope: targetId: its rating is not in your categories");
    EXPECT_EQ(record("rating:day:2027-01-14").revision, 1);
}

TEST_F(TimeTools, ratings_are_summed_up_by_what_was_rated_and_by_day) {
    using model::RatingTarget;
    add_session("early", "legs", "2027-01-09T23:59:59Z", "2027-01-10T11:00:00Z");
    add_session("in", "legs", "2027-01-10T00:00:00Z", "2027-01-10T01:00:00Z");
    add_session("outside", "hidden", "2027-01-10T10:00:00Z", "2027-01-10T11:00:00Z");
    for (const std::string id : {"early", "in", "outside"}) rate(RatingTarget::session, id, 5);
    rate(RatingTarget::day, "2027-01-10", 2, "gym");
    rate(RatingTarget::day, "2027-01-12", 4, "home");
    rate(RatingTarget::day, "2027-01-13", 1, "home");
    rate(RatingTarget::day, "2027-01-11", 1, "secret");
    rate(RatingTarget::productivity, "2027-01-12", 3, "home");
    EXPECT_EQ(done("get_ratings_summary", R"({"from":"2027-01-10","to":"2027-01-12"})").bytes(),
              R"({"count":4,"average":3.5,"byTarget":{"session":{"count":1,"average":5},"day":{"count":2,"average":3},)"
              R"("productivity":{"count":1,"average":3}},"byDay":[{"date":"2027-01-10","average":3.5,"count":2},)"
              R"({"date":"2027-01-12","average":3.5,"count":2}],"complete":true})");
    const auto days = done("get_ratings_summary", R"({"from":"2027-01-12","to":"2027-01-12","target":"day"})");
    EXPECT_EQ(text_in(days, "count"), "1");
    EXPECT_EQ(text_in(days, "byTarget.productivity.average"), "null");
}

TEST_F(TimeTools, a_summary_has_at_most_a_year) {
    EXPECT_EQ(text_in(done("get_ratings_summary", R"({"from":"2026-01-01","to":"2027-01-01"})"), "average"), "null");
    EXPECT_EQ(refused("get_ratings_summary", R"({"from":"2026-01-01","to":"2027-01-02"})"),
              "invalid_arguments: to must not lie more than 366 days after from");
    EXPECT_EQ(refused("get_ratings_summary", R"({"from":"2026-01-02","to":"2026-01-01"})"),
              "invalid_arguments: to must not lie before from");
}

}  // namespace
}  // namespace belfry::sim
