#include "base/limits.hpp"
#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

namespace limits = base::limits;
using Delivery = Talk;

const std::string one = "/v1/notifications/018f0000-0000-7000-8000-000000000007";

TEST_F(Delivery, a_notification_is_emitted_with_all_that_is_said_of_it) {
    const Got got = ask("POST", "/v1/notifications",
                        R"({"content":"build: failed","text":"The build failed","routing":{"handler":"agent"},)"
                        R"("priority":"high","inject_at":"after_tool","severity":"error","session_id":"s1",)"
                        R"("user_id":"ada","agent_id":"coder","deduplication_key":"build","directive":"Be brief",)"
                        R"("tone_hint":"calm","metadata":{"url": "x"},"ttl_s":60,"caused_by":"n7","lease":3})",
                        "emitter");
    EXPECT_EQ(got.status, 201) << got.body;
    EXPECT_TRUE(got.body.starts_with(R"({"id":"018f0000-0000-7000-8000-000000000007",)")) << got.body;
    house.on_network([&] {
        const auto& emit = house.gateway.last_as<ports::EmitNotification>();
        const model::Notification& draft = emit.draft;
        EXPECT_EQ(draft.content, "build: failed");
        EXPECT_EQ(draft.text, "The build failed");
        EXPECT_EQ(draft.address, model::Address::session);
        EXPECT_EQ(draft.target, model::Target::user);
        EXPECT_EQ(draft.handler, model::Handler::agent);
        EXPECT_EQ(draft.priority, model::Priority::high);
        EXPECT_EQ(draft.inject_at, model::InjectAt::after_tool);
        EXPECT_EQ(draft.severity, model::Severity::error);
        EXPECT_EQ(draft.scope, (model::Scope{"ada", "s1", "coder"}));
        EXPECT_EQ(draft.deduplication_key, "build");
        EXPECT_EQ(draft.directive, "Be brief");
        EXPECT_EQ(draft.tone_hint, "calm");
        EXPECT_EQ(draft.metadata.bytes(), R"({"url":"x"})");
        EXPECT_EQ(draft.ttl, base::seconds(60));
        EXPECT_EQ(emit.caused_by, "n7");
        EXPECT_EQ(emit.lease, 3);
    });
}

TEST_F(Delivery, without_a_session_it_is_the_users_and_an_update_is_no_creation) {
    EXPECT_EQ(ask("POST", "/v1/notifications", R"({"text":"x","deduplication_key":"again"})").status, 200);
    EXPECT_EQ(of_last<ports::EmitNotification>([](const auto& emit) { return emit.draft.address; }),
              model::Address::user);
}

TEST_F(Delivery, an_emit_that_is_wrong_names_the_field_and_the_limit) {
    const auto emit = [&](const std::string& body) { return refusal(ask("POST", "/v1/notifications", body)); };
    EXPECT_EQ(emit("{}"), "422 invalid content: content or text must be given");
    EXPECT_EQ(emit(R"({"text":""})"), "422 invalid text: must not be empty");
    EXPECT_EQ(emit(R"({"text":")" + letters(2001) + R"("})"), "422 invalid text: must have at most 2000 bytes");
    EXPECT_EQ(emit(R"({"content":")" + letters(262145) + R"("})"),
              "422 invalid content: must have at most 262144 bytes");
    EXPECT_EQ(emit(R"({"text":"x","routing":{"address":"session"}})"),
              "422 invalid session_id: must be given where routing.address is session");
    EXPECT_EQ(emit(R"({"text":"x","routing":{"address":"house"}})"),
              "422 invalid routing.address: must be session or user");
    EXPECT_EQ(emit(R"({"text":"x","routing":{"target":"x"}})"), "422 invalid routing.target: must be user or agent");
    EXPECT_EQ(emit(R"({"text":"x","routing":{"handler":1}})").substr(0, 29), "422 invalid routing.handler: ");
    EXPECT_EQ(emit(R"({"text":"x","routing":{"channel":"A"}})"), "422 invalid routing.channel: is not known");
    EXPECT_EQ(emit(R"({"text":"x","priority":"max"})"), "422 invalid priority: must be critical, high, normal or low");
    EXPECT_EQ(emit(R"({"text":"x","ttl_s":2592001})"), "422 invalid ttl_s: must lie between 1 and 2592000");
    EXPECT_EQ(emit(R"({"text":"x","deduplication_key":")" + letters(257) + R"("})"),
              "422 invalid deduplication_key: must have at most 256 bytes");
    EXPECT_EQ(emit(R"({"text":"x","directive":")" + letters(2001) + R"("})"),
              "422 invalid directive: must have at most 2000 bytes");
    EXPECT_EQ(emit(R"({"text":"x","tone_hint":")" + letters(201) + R"("})"),
              "422 invalid tone_hint: must have at most 200 bytes");
    EXPECT_EQ(emit(R"({"text":"x","metadata":{"a":")" + letters(16384) + R"("}})"),
              "422 invalid metadata: must have at most 16384 bytes");
    EXPECT_EQ(emit(R"({"text":"x","caused_by":"7"})"), "422 invalid caused_by: must be a handle such as n7, or an id");
    EXPECT_EQ(emit(R"({"text":"x","lease":0})"), "422 invalid lease: must lie between 1 and 1000000000000");
    EXPECT_EQ(emit(R"({"text":"x","state":"delivered"})"), "422 invalid state: is not known");
    EXPECT_EQ(submitted(), 0);
}

TEST_F(Delivery, one_line_of_text_rings) {
    const std::string fields = "Title: Backup\r\nPriority: high\r\n";
    const Got got = client.ask(request("POST", "/v1/notify/disk%20full", "emitter", fields, "93 % on /\n"));
    EXPECT_EQ(got.status, 201) << got.body;
    house.on_network([&] {
        const model::Notification& draft = house.gateway.last_as<ports::EmitNotification>().draft;
        EXPECT_EQ(draft.text, "Backup\n93 % on /");
        EXPECT_EQ(draft.metadata.bytes(), R"({"topic":"disk full","title":"Backup"})");
        EXPECT_EQ(draft.priority, model::Priority::high);
        EXPECT_EQ(draft.address, model::Address::user);
        EXPECT_EQ(draft.scope.user_id, "");
    });
    const auto ring = [&](const std::string& body, const std::string& extra) {
        return refusal(client.ask(request("POST", "/v1/notify/x", "emitter", extra, body)));
    };
    EXPECT_EQ(ring("\n", ""), "422 invalid body: must not be empty");
    EXPECT_EQ(ring(letters(2001), ""), "422 invalid body: must have at most 2000 bytes");
    EXPECT_EQ(ring("\xFF", ""), "422 invalid body: must be UTF-8");
    EXPECT_EQ(ring("x", "Title: " + letters(201) + "\r\n"), "422 invalid Title: must have at most 200 bytes");
    EXPECT_EQ(ring("x", "Priority: urgent\r\n"), "422 invalid Priority: must be critical, high, normal or low");
    EXPECT_TRUE(ring("x", "Priority: u=1, i\r\n").starts_with(R"({"id":)"));
}

TEST_F(Delivery, an_interface_acknowledges_under_lease_and_version) {
    const Got got = ask("POST", one + "/ack", R"({"lease":1,"version":2,"how":"clicked"})", "user");
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.body.find(R"("state":"delivered")"), std::string::npos);
    house.on_network([&] {
        const auto& ack = house.gateway.last_as<ports::AckNotification>();
        EXPECT_EQ(ack.which.key, "018f0000-0000-7000-8000-000000000007");
        EXPECT_EQ(ack.lease, 1);
        EXPECT_EQ(ack.version, 2);
        EXPECT_EQ(ack.how, "clicked");
        EXPECT_EQ(ack.lane, ports::Lane::control);
    });
    const Got stale = ask("POST", "/v1/notifications/n7/ack?session=s1", R"({"lease":2})", "user");
    EXPECT_EQ(refusal(stale), "409 conflict lease: another one has it by now");
    EXPECT_NE(stale.body.find(R"("reason":"stale_lease")"), std::string::npos);
    EXPECT_EQ(of_last<ports::AckNotification>([](const auto& ack) { return ack.which.session_id + ack.which.key; }),
              "s1n7");
    EXPECT_EQ(ask("POST", one + "/ack", "{}", "user").status, 409);  // for the rules to judge
    EXPECT_FALSE(of_last<ports::AckNotification>([](const auto& ack) { return ack.lease.has_value(); }));
}

TEST_F(Delivery, an_acknowledgement_that_is_wrong_names_the_field) {
    const auto ack = [&](const std::string& target, const std::string& body) {
        return refusal(ask("POST", "/v1/notifications/" + target, body, "user"));
    };
    EXPECT_EQ(ack("n7/ack", "{}"), "422 invalid session: a handle is known in its session only: name it");
    EXPECT_EQ(ack("seven/ack", "{}"), "422 invalid id: must be a handle such as n7, or an id");
    EXPECT_EQ(ack("n7/ack?session=s1", R"({"how":"heard"})"), "422 invalid how: must be rendered or clicked");
    EXPECT_EQ(ack("n7/ack?session=s1", R"({"mark":"seen"})"), "422 invalid mark: is not known");
    EXPECT_EQ(ack("n7/ack?sesion=s1", "{}"), "422 invalid sesion: there is no such parameter");
    EXPECT_EQ(ack("n7/read?session=s1", "{}"), "422 invalid mark: must be given");
    EXPECT_EQ(ack("n7/read?session=s1", R"({"mark":"eaten"})"), "422 invalid mark: must be seen, acted or dismissed");
    EXPECT_EQ(ack("n7/narrate?session=s1", R"({"text":"x"})"),
              "422 invalid lease: must be given, or the pull_id of the pull");
    EXPECT_EQ(ack("n7/narrate?session=s1", R"({"lease":1})"), "422 invalid text: must be given");
    EXPECT_EQ(ack("n7/narrate?session=s1", R"({"lease":1,"text":")" + letters(65537) + R"("})"),
              "422 invalid text: must have at most 65536 bytes");
    EXPECT_EQ(ack("n7/retry?session=s1", R"({"again":true})"), "422 invalid again: is not known");
    EXPECT_EQ(submitted(), 0);
    EXPECT_EQ(ask("POST", one + "/ack", "{}", "emitter").status, 403);
}

TEST_F(Delivery, marks_narrations_and_retries_are_commands) {
    EXPECT_NE(
        ask("POST", one + "/read", R"({"mark":"dismissed"})", "user").body.find(R"("seen_at":"1970-01-01T00:00:01Z")"),
        std::string::npos);
    EXPECT_EQ(of_last<ports::MarkNotification>([](const auto& mark) { return mark.mark; }), model::ReadMark::dismissed);
    const Got said = ask("POST", one + "/narrate", R"({"lease":4,"text":"Done."})");
    EXPECT_NE(said.body.find(R"("narration":"Done.")"), std::string::npos) << said.body;
    EXPECT_EQ(of_last<ports::NarrateNotification>([](const auto& narrate) { return narrate.lease; }), 4);
    EXPECT_EQ(ask("POST", one + "/narrate",
                  R"({"pull_id":"018f0000-0000-7000-8000-000000000009","version":2,"text":"Done."})")
                  .status,
              200);
    house.on_network([&] {
        const auto& narrate = house.gateway.last_as<ports::NarrateNotification>();
        EXPECT_FALSE(narrate.lease);
        EXPECT_EQ(narrate.pull_id, test_uuid(9));
        EXPECT_EQ(narrate.version, 2);
    });
    const Got again = ask("POST", one + "/retry", "", "user");
    EXPECT_EQ(again.status, 201);
    EXPECT_NE(again.body.find(R"("retry_of":"018f0000-0000-7000-8000-000000000006")"), std::string::npos);
}

TEST_F(Delivery, a_turn_that_goes_on_says_so) {
    const Got got = ask("POST", "/v1/sessions/s1/heartbeat", R"({"lease_s":60})");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, R"({"renewed":2,"lease_until":"1970-01-01T00:00:01Z"})");
    EXPECT_EQ(of_last<ports::Heartbeat>([](const auto& beat) { return beat.lease; }), base::seconds(60));
    EXPECT_EQ(ask("POST", "/v1/sessions/s1/heartbeat").status, 200);
    EXPECT_EQ(of_last<ports::Heartbeat>([](const auto& beat) { return beat.lease; }), std::nullopt)
        << "as its turn has it";
    EXPECT_EQ(refusal(ask("POST", "/v1/sessions/s1/heartbeat", R"({"lease_s":3601})")),
              "422 invalid lease_s: must lie between 1 and 3600");
}

TEST_F(Delivery, calls_of_a_holder_name_its_pull_or_its_leases) {
    const std::string proof =
        R"("pull_id":"018f0000-0000-7000-8000-000000000009","leases":[{"id":"n7","lease":2},{"id":"n8","lease":1}]})";
    const auto check = [&](const auto& command) {
        EXPECT_EQ(command.pull_id, test_uuid(9));
        ASSERT_EQ(command.leases.size(), 2U);
        EXPECT_EQ(command.leases[0].key, "n7");
        EXPECT_EQ(command.leases[0].lease, 2);
    };
    EXPECT_EQ(ask("POST", "/v1/sessions/s1/heartbeat", "{" + proof).status, 200);
    house.on_network([&] { check(house.gateway.last_as<ports::Heartbeat>()); });
    EXPECT_EQ(ask("POST", "/v1/sessions/s1/turns", R"({"event":"end",)" + proof).status, 201);
    house.on_network([&] { check(house.gateway.last_as<ports::ReportTurn>()); });
    EXPECT_EQ(
        ask("POST", "/v1/sessions/s1/tool-calls", R"({"status":"pending","tool_name":"curl","call_id":"c",)" + proof)
            .status,
        201);
    house.on_network([&] { check(house.gateway.last_as<ports::ReportToolCall>()); });
    for (const char* path : {"heartbeat", "turns", "tool-calls"}) {
        const std::string rest = path == std::string("turns")        ? R"("event":"end",)"
                                 : path == std::string("tool-calls") ? R"("status":"pending","tool_name":"a",)"
                                                                     : "";
        const std::string wrong = "{" + rest + R"("leases":["n7"]})";
        EXPECT_EQ(ask("POST", std::string("/v1/sessions/s1/") + path, wrong).status, 422) << "a lease must be there";
    }
}

TEST_F(Delivery, a_turns_end_names_what_was_dealt_with) {
    const auto turn = [&](const std::string& body) { return ask("POST", "/v1/sessions/s1/turns", body); };
    EXPECT_EQ(
        turn(
            R"({"event":"end","acknowledged":["n7",{"id":"018f0000-0000-7000-8000-000000000007","lease":2,"version":3}],"lease_s":5})")
            .status,
        201);
    house.on_network([&] {
        const auto& report = house.gateway.last_as<ports::ReportTurn>();
        ASSERT_EQ(report.acknowledged.size(), 2U);
        EXPECT_EQ(report.acknowledged[0].key, "n7");
        EXPECT_FALSE(report.acknowledged[0].lease);
        EXPECT_EQ(report.acknowledged[1].key, "018f0000-0000-7000-8000-000000000007");
        EXPECT_EQ(report.acknowledged[1].lease, 2);
        EXPECT_EQ(report.acknowledged[1].version, 3);
        EXPECT_EQ(report.lease, base::seconds(5));
    });
    EXPECT_EQ(refusal(turn(R"({"event":"start","acknowledged":["n7"]})")),
              "422 invalid acknowledged: belongs to the end of a turn");
    EXPECT_EQ(refusal(turn(R"({"event":"end","acknowledged":["7"]})")),
              "422 invalid acknowledged[0]: must be a handle such as n7, or an id");
    EXPECT_EQ(refusal(turn(R"({"event":"end","acknowledged":[{"id":"n7","lease":0}]})")),
              "422 invalid acknowledged[0].lease: must lie between 1 and 1000000000000");
    EXPECT_EQ(refusal(turn(R"({"event":"end","acknowledged":[{"lease":1}]})")),
              "422 invalid acknowledged[0]: must have an id");
    EXPECT_EQ(refusal(turn(R"({"event":"end","acknowledged":[{"id":"n7","who":"me"}]})")),
              "422 invalid acknowledged[0].who: is not known");
    EXPECT_EQ(refusal(turn(R"({"event":"end","lease_s":0})")), "422 invalid lease_s: must lie between 1 and 3600");
    const auto call = [&](const std::string& handling) {
        return ask("POST", "/v1/sessions/s1/tool-calls",
                   R"({"status":"pending","tool_name":"curl","call_id":"c","handling":")" + handling + R"("})");
    };
    EXPECT_EQ(call("n7").status, 201);
    EXPECT_EQ(of_last<ports::ReportToolCall>([](const auto& report) { return report.handling; }), "n7");
    EXPECT_EQ(refusal(call("x")), "422 invalid handling: must be a handle such as n7, or an id");
}

TEST_F(Delivery, a_session_is_forgotten) {
    const Got got = ask("DELETE", "/v1/sessions/s1", "", "user");
    EXPECT_EQ(got.status, 204);
    EXPECT_EQ(of_last<ports::DeleteSession>([](const auto& gone) { return gone.session_id; }), "s1");
}

TEST_F(Delivery, the_ledger_is_asked_by_outcome_and_age) {
    EXPECT_EQ(get("/v1/notifications?outcome=vetoed&older_than_s=60").status, 200);
    house.on_network([&] {
        EXPECT_EQ(house.queries.notification_filter.outcome, "vetoed");
        EXPECT_EQ(house.queries.notification_filter.created_before, house.clock.now() - base::seconds(60));
    });
    EXPECT_TRUE(refusal(get("/v1/notifications?older_than_s=-1")).starts_with("422 invalid older_than_s: must be a"));
    EXPECT_EQ(get("/v1/dead-letters?user=ada&outcome=nobody_there", "user").status, 200);
    house.on_network([&] {
        EXPECT_EQ(house.queries.notification_filter.state, model::DeliveryState::failed);
        EXPECT_EQ(house.queries.notification_filter.outcome, "nobody_there");
    });
    EXPECT_EQ(refusal(get("/v1/dead-letters?state=locked")), "422 invalid state: there is no such parameter");
}

TEST_F(Delivery, an_inbox_is_a_list_with_counts) {
    const Got got = get("/v1/inbox?user=ada&session=s1&unread=true&before=10&limit=2", "user");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(R"({"user_id":"ada","data":[{"id":)")) << got.body;
    EXPECT_TRUE(got.body.ends_with(R"("unread":2,"waiting":1,"next":8,"has_more":true})")) << got.body;
    house.on_network([&] {
        const auto& question = house.queries.inbox_question;
        EXPECT_EQ(question.session_id, "s1");
        EXPECT_TRUE(question.unread_only);
        EXPECT_EQ(question.before, 10);
        EXPECT_EQ(question.limit, 3U);
    });
    EXPECT_TRUE(get("/v1/inbox", "user").body.ends_with(R"("next":null,"has_more":false})"));
    EXPECT_EQ(refusal(get("/v1/inbox?unread=1", "user")), "422 invalid unread: must be true or false");
    EXPECT_EQ(refusal(get("/v1/inbox?after=1", "user")), "422 invalid after: there is no such parameter");
    EXPECT_TRUE(refusal(get("/v1/inbox?before=x", "user")).starts_with("400 malformed before: "));
    EXPECT_EQ(get("/v1/inbox", "emitter").status, 403);
}

TEST_F(Delivery, why_tells_the_whole_way) {
    house.on_network([&] {
        ports::Why& why = house.queries.reasons;
        why.event = ports::FoundEvent{5, {}, R"({"type":"a.b"})"};
        why.subscribers = {{"tools", ports::WhyVerdict::wants}, {"ci", ports::WhyVerdict::other_source}};
        why.waiting.emplace_back().subscriber_id = "tools";
        why.reached_nobody = "still waiting";
        ports::WhyNotification& found = why.notifications.emplace_back();
        found.as_repeat = true;
        found.steps.push_back({{},
                               1,
                               base::Timestamp{1'000'000},
                               model::DeliveryState::pending,
                               model::DeliveryState::locked,
                               1,
                               "token:1",
                               "claimed"});
    });
    const Got got = get("/v1/why/n7?session=s1");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.starts_with(
        R"({"event":{"type":"a.b"},"sequence":5,"reached_nobody":"still waiting",)"
        R"("subscribers":[{"id":"tools","verdict":"wants"},{"id":"ci","verdict":"other_source"}],)"
        R"("waiting":[{"subscriber":"tools","kind":"row","count":1,"until":"1970-01-01T00:00:00Z"}],)"
        R"("notifications":[{"notification":{"id":)"))
        << got.body;
    EXPECT_TRUE(
        got.body.ends_with(R"("as_repeat":true,"steps":[{"at":"1970-01-01T00:00:01Z","from":"pending",)"
                           R"("to":"locked","lease":1,"holder":"token:1","reason":"claimed","routing":null}]}]})"))
        << got.body;
    house.on_network([&] { EXPECT_EQ(house.queries.asked, "token:agent s1 n7"); });
    EXPECT_EQ(refusal(get("/v1/why/n7?x=1")), "422 invalid x: there is no such parameter");
    EXPECT_EQ(get("/v1/why/x", "emitter").status, 403);
}

TEST_F(Delivery, a_context_is_previewed) {
    const Got got = get("/v1/sessions/s1/context?point=after_tool&budget_tokens=50");
    EXPECT_EQ(got.status, 200);
    EXPECT_TRUE(got.body.ends_with(R"("seen":["[SEEN] tea"],"digest":"one","tokens":12,)"
                                   R"("counted":0,"waiting":3,"batched":4})"))
        << got.body;
    house.on_network([&] { EXPECT_EQ(house.queries.asked, "token:agent s1 after_tool 50"); });
    EXPECT_EQ(refusal(get("/v1/sessions/s1/context")), "422 invalid point: must be given");
    EXPECT_EQ(refusal(get("/v1/sessions/s1/context?point=noon")),
              "422 invalid point: must be immediate, turn_start, after_tool or turn_end");
    EXPECT_EQ(refusal(get("/v1/sessions/s1/context?point=turn_end&budget_tokens=0")),
              "422 invalid budget_tokens: must be a number from 1 to 1000000");
}

TEST_F(Delivery, tools_are_registered_and_listed) {
    const Got got = ask("PUT", "/v1/tools/web%20search",
                        R"({"impact":"internal","description":"Looks","schema":{"type": "object"}})", "service");
    EXPECT_EQ(got.body,
              R"({"name":"web search","origin":"registered","impact":"internal","description":"Looks",)"
              R"("schema":{"type":"object"},"risk":"low","capabilities":["tool:web search"],"wake_reasons":[],)"
              R"("execution":null,"timeout_s":60,"updated_at":"1970-01-01T00:00:00Z"})");
    const auto put = [&](const std::string& body) { return refusal(ask("PUT", "/v1/tools/x", body, "service")); };
    EXPECT_EQ(put("{}"), "422 invalid impact: must be given");
    EXPECT_EQ(put(R"({"impact":"none"})"), "422 invalid impact: must be internal or external");
    EXPECT_EQ(put(R"({"impact":"internal","schema":[]})"), "422 invalid schema: must be an object");
    EXPECT_EQ(put(R"({"impact":"internal","schema":{"a":")" + letters(65536) + R"("}})"),
              "422 invalid schema: must have at most 65536 bytes");
    EXPECT_EQ(put(R"({"impact":"internal","description":")" + letters(2001) + R"("})"),
              "422 invalid description: must have at most 2000 bytes");
    EXPECT_EQ(refusal(ask("PUT", "/v1/tools/" + letters(257), R"({"impact":"internal"})", "service")),
              "422 invalid name: must have at most 256 bytes");
    EXPECT_TRUE(get("/v1/tools/grep").body.starts_with(R"({"name":"grep","origin":"registered","impact":"internal",)"));
    EXPECT_EQ(refusal(get("/v1/tools/nc")), "404 not_found -: there is no tool of this name");
    EXPECT_TRUE(get("/v1/tools?limit=2").body.ends_with(R"("next":"grep","has_more":true})"));
    EXPECT_TRUE(get("/v1/tools?limit=2&after=look").body.starts_with(R"({"data":[{"name":"mail",)"));
    EXPECT_EQ(get("/v1/tools/look").body,
              R"({"name":"look","origin":"belfry","impact":"internal","description":"looks","schema":{},)"
              R"("risk":"low","capabilities":["task_read"],"wake_reasons":[],"execution":null,"updated_at":null,)"
              R"("output_schema":{},"version":1,"high_risk_with":[],"read_only":true})");
    EXPECT_EQ(ask("DELETE", "/v1/tools/curl", "", "service").status, 204);
    EXPECT_EQ(ask("DELETE", "/v1/tools/nc", "", "service").status, 404);
    EXPECT_EQ(ask("PUT", "/v1/tools/x", R"({"impact":"internal"})", "emitter").status, 403);
}

}  // namespace
}  // namespace belfry::net::test
