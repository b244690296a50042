#include "cli/context_text.hpp"

#include <algorithm>

namespace belfry::cli {

std::string context_text(const client::Pulled& pulled) {
    std::string text;
    for (const client::PulledUserMessage& message : pulled.user_messages) {
        text += "The user wrote this to you meanwhile, in his own words:\n" + message.content + "\n\n";
    }
    text += pulled.text;
    const auto needs_answer = [](const client::PulledItem& item) { return item.needs_answer; };
    const auto first = std::ranges::find_if(pulled.items, needs_answer);
    if (first != pulled.items.end()) {
        text += "\nThere is no tool belfry_ack here: name what you have dealt with in your last message instead, as [" +
                first->handle + "]. What you do not name, the system tells the user itself.";
    }
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace belfry::cli
