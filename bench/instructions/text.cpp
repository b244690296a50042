#include <algorithm>
#include <vector>

#include "common/fail.hpp"
#include "host/subscriber_folder.hpp"
#include "instructions/count.hpp"
#include "instructions/paths.hpp"
#include "text/documents.hpp"
#include "text/notification_text.hpp"
#include "text/subscriber_templates.hpp"
#include "text/toon.hpp"

namespace belfry::bench {
namespace {

constexpr std::size_t document_events = 100;

std::vector<std::string> failures() {
    std::vector<std::string> events;
    for (int i = 0; i < 3; ++i) {
        events.push_back(R"({"type":"tool.call.failure","source":"tool_executor","severity":"error",)"
                         R"("session_id":"session-1","timestamp":"2027-01-15T08:00:0)" +
                         std::to_string(i) +
                         R"(Z","payload":{"tool_name":"vault_search","error_type":"timeout",)"
                         R"("error_message":"Operation timed out after 5000ms"}})");
    }
    return events;
}

}  // namespace

void count_toon(const std::string&) {
    const model::Value document = mixed_events(document_events);
    const auto text = text::toon_encode(document);
    if (!text.ok()) fail(text.error().message);
    std::string out;
    count("toon_encode", {5, 20}, [&](std::int64_t) {
        out.clear();
        if (!text::append_toon(out, document).ok()) fail("the document has no TOON text");
    });
    if (out != *text) fail("the TOON text of the document has changed");
    count("toon_decode", {5, 20}, [&](std::int64_t) {
        if (!text::toon_decode(*text).ok()) fail("the TOON text cannot be read");
    });
}

void count_template(const std::string&) {
    const model::Catalogue catalogue = host::read_subscribers("");
    const text::SubscriberTemplates templates(catalogue);
    const auto found = std::ranges::find(catalogue.subscribers, "tool_failure", &model::Subscriber::id);
    if (found == catalogue.subscribers.end()) fail("there is no subscriber tool_failure");
    const std::vector<std::string> events = failures();
    text::NotificationInput input;
    input.subscriber_id = found->id;
    input.subscriber_name = found->name;
    input.priority = found->priority;
    input.inject_at = found->inject_at;
    input.severity = model::Severity::error;
    for (const std::string& event : events) input.rows.push_back({event, 1});
    input.now = base::Timestamp{1'800'000'000'000'000};
    count("template", {5, 50}, [&](std::int64_t) {
        const auto made =
            text::render_notification(input, templates.content_of(*found), templates.text_of(*found), &templates);
        if (made.used_fallback || !made.problem.empty()) fail("the template was not used: " + made.problem);
    });
}

}  // namespace belfry::bench
