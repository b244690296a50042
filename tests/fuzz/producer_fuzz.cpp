// What producers say in a run, as one event, an array or lines, and what clients say into a session: what is taken is
// valid, on one line, and the same when it is read again.
#include <string>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "codec/client_message.hpp"
#include "codec/json.hpp"
#include "codec/run_event_bodies.hpp"
#include "codec/utf8.hpp"

namespace {

using namespace belfry;

constexpr std::string_view of_lines = "application/x-ndjson";

void check_compact(std::string_view json) {
    const auto valid = codec::validate(json);
    ASSERT(valid.ok() && valid->bytes() == json);
    ASSERT(json.find('\n') == std::string_view::npos);
}

std::string written(const model::RunEvents& events, const model::RunEventDraft& draft) {
    std::string out = R"({"event":")" + std::string(draft.event.in(events.text)) + R"(","data":)";
    out += draft.data.in(events.text);
    if (draft.source.size > 0) (out += R"(,"source":)") += draft.source.in(events.text);
    if (draft.id) out += R"(,"id":")" + base::format_uuid(*draft.id) + '"';
    if (draft.timestamp) out += R"(,"timestamp":")" + base::format_timestamp(*draft.timestamp) + '"';
    return out + '}';
}

void check_run_events(std::string_view type, std::string_view body) {
    std::size_t line = 0;
    const auto events = codec::read_run_events(type, body, line);
    if (!events.ok()) {
        ASSERT(!events.error().message.empty());
        ASSERT(codec::is_utf8(events.error().message) && codec::is_utf8(events.error().field));
        return;
    }
    ASSERT(line == 0);
    ASSERT(!events->drafts.empty() && events->drafts.size() <= base::limits::run_event_batch_max);
    model::RunEvents again;
    for (const model::RunEventDraft& draft : events->drafts) {
        check_compact(draft.data.in(events->text));
        if (draft.source.size > 0) check_compact(draft.source.in(events->text));
        const std::string one = written(*events, draft);
        check_compact(one);
        ASSERT(codec::append_run_event_line(one, 1, again).ok());
        ASSERT(written(again, again.drafts.back()) == one);
    }
    ASSERT(again.drafts.size() == events->drafts.size());
}

void check_client_message(std::string_view params) {
    model::ClientMessage message;
    const auto read = codec::read_client_message(params, message);
    if (!read.ok()) {
        ASSERT(!read.error().message.empty() && codec::is_utf8(read.error().message));
        return;
    }
    ASSERT(codec::is_utf8(message.session_id) && codec::is_utf8(message.message_type));
    if (message.payload) check_compact(message.payload->bytes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_run_events("", text);
    check_run_events(of_lines, text);
    check_client_message(text);
    return 0;
}
