// What an agent's model reads: whatever the events hold, it neither opens nor closes the fence, has nothing that nobody
// sees, and stays off the left edge. The input's parts, between bytes 0x1E, are the texts of two items and the rest.
#include <array>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/characters.hpp"
#include "codec/agent_messages.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"

namespace {

using namespace belfry;

constexpr std::string_view opening = "<system_notification fence=\"q3x\">\n";
constexpr std::string_view closing = "</system_notification fence=\"q3x\">";

bool is_skipped(char32_t code) {
    return code == '/' || code == ' ' || (code >= 9 && code <= 13) || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
           code == 0x3000;
}

void check_no_tag(std::string_view inside) {
    for (std::size_t at = inside.find('<'); at != std::string_view::npos; at = inside.find('<', at + 1)) {
        std::string_view after = inside.substr(at + 1);
        while (!after.empty() && is_skipped(base::first_character(after).code))
            after.remove_prefix(base::first_character(after).bytes);
        std::string name(after.substr(0, 19));
        for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        ASSERT(name != "system_notification");
    }
}

// The lines at the left edge are ours, and as many as we wrote.
void check_lines(std::string_view inside, std::size_t expected) {
    std::size_t found = 0;
    while (!inside.empty()) {
        const std::size_t end = inside.find('\n');
        ASSERT(end != std::string_view::npos);
        std::string line(inside.substr(0, end));
        inside.remove_prefix(end + 1);
        if (!line.starts_with("  ")) ++found;
        std::erase(line, '\t');
        ASSERT(!base::has_harmful(line));
    }
    ASSERT(found == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (!codec::is_utf8(text)) return 0;
    std::array<std::string, 6> parts;
    std::size_t at = 0;
    for (std::string& part : parts) {
        const std::size_t end = std::min(text.find('\x1e', at), text.size());
        part = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
    }
    const std::vector<std::string> seen{"[SEEN] " + parts[4]};
    const std::string digest = "Inbox: " + parts[5];
    const codec::AgentContext context{
        {{"n7", "high", "one", parts[1], parts[2], parts[0], true}, {"n12", "low", "", "", "", parts[3], false}},
        seen,
        digest};
    const std::string made = codec::wrap_for_agent(context, "q3x");
    ASSERT(made.starts_with(opening) && made.ends_with(closing));
    const std::string_view inside =
        std::string_view(made).substr(opening.size(), made.size() - opening.size() - closing.size());
    check_no_tag(inside);
    check_lines(inside, 7 + (parts[1].empty() ? 0U : 1U) + (parts[2].empty() ? 0U : 1U));
    for (const auto format : {codec::AgentFormat::openai, codec::AgentFormat::anthropic}) {
        std::string json;
        model::JsonWriter writer(json);
        codec::append_agent_messages(writer, format, made);
        ASSERT(codec::validate(json).ok());
    }
    return 0;
}
