// A run's log as AG-UI: whatever producers emit, each line that goes out is JSON, and starts and ends are paired. The
// input's first bytes choose the place and the gap, then each line is `event data`; its length
// says which of three runs it is of.
#include <set>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "codec/ag_ui.hpp"
#include "codec/json.hpp"

namespace {

using namespace belfry;

void check(const std::string& frames) {
    std::set<std::string> messages;
    std::set<std::string> steps;
    const std::string mark = "data: ";
    std::size_t at = 0;
    while ((at = frames.find(mark, at)) != std::string::npos) {
        const std::size_t end = frames.find('\n', at);
        const std::string line = frames.substr(at + mark.size(), end - at - mark.size());
        at = end;
        ASSERT(codec::validate(line).ok());
        const model::JsonView json{line};
        const std::string type = json.member("type")->as_text();
        const auto word = [&json](std::string_view name) { return json.member(name)->as_text(); };
        if (type == "TEXT_MESSAGE_START") ASSERT(messages.insert(word("messageId")).second);
        if (type == "TEXT_MESSAGE_CONTENT") ASSERT(messages.contains(word("messageId")));
        if (type == "TEXT_MESSAGE_END") ASSERT(messages.erase(word("messageId")) == 1);
        if (type == "STEP_STARTED") ASSERT(steps.insert(word("stepName")).second);
        if (type == "STEP_FINISHED") ASSERT(steps.erase(word("stepName")) == 1);
        if (type == "RUN_FINISHED") ASSERT(messages.empty() && steps.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const model::Sequence floor = data[0] % 16;
    const model::Sequence after = floor == 0 ? 0 : data[1] % 32;  // who comes back to a whole log goes on amid it
    const auto scope = data[2] % 2 == 0 ? codec::AgUi::Scope::run : codec::AgUi::Scope::tree;
    std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
    codec::AgUi mapper(7, "s", scope, after);
    std::string out;
    if (floor > 0) mapper.append_gap(out, 1, floor);
    model::Sequence sequence = floor;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::string event(line.substr(0, line.find(' ')));
        if (event.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.") != std::string::npos) continue;  // none is taken
        const std::string_view given = line.substr(std::min(line.size(), event.size() + 1));
        const auto json = codec::validate(given);
        const auto run = static_cast<model::RunId>(7 + line.size() % 3);
        std::string body;
        model::append_run_event_head(body, {"id", run, {}, static_cast<std::int64_t>(++sequence), "null", "a.b"});
        body += json.ok() ? std::string(json->bytes()) : "{}";
        body += "}";
        model::LogEntry entry;
        entry.sequence = sequence;
        entry.facets.type = event;
        entry.body = body;
        mapper.append(out, entry);
    }
    check(out);
    return 0;
}
