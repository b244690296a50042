// What models answer who are asked for a summary, and what stands in messages that may be one: what is taken is within
// the limits and read back as the same, what is not has a reason, and whatever was taken can be folded again.
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "codec/json.hpp"
#include "rules/fold.hpp"
#include "rules/memory_text.hpp"
#include "rules/rule_summary.hpp"
#include "rules/summary_prompt.hpp"

namespace {

using namespace belfry;

std::string json_of(const model::MemorySummary& summary) {
    std::string json;
    model::JsonWriter writer(json);
    model::append_memory_summary(writer, summary);
    ASSERT(codec::validate(json).ok());
    return json;
}

void check(const model::MemorySummary& summary) {
    const auto again = model::memory_summary_of({json_of(summary)});
    ASSERT(again && *again == summary);
    const std::vector<rules::FoldedSummary> twice{{{}, summary}, {{}, summary}};
    const model::MemorySummary folded = rules::summarize_summaries(twice);
    ASSERT(rules::check_memory_summary(folded).ok());
    ASSERT(model::memory_summary_of({json_of(folded)}) == folded);
    ASSERT(rules::ask_for_summary(twice, "fence").size() == 2);
}

void check_answer(std::string_view text) {
    const auto read = rules::read_model_summary(text, {});
    if (!read.ok()) {
        ASSERT(!read.error().field.empty() && !read.error().message.empty());
        return;
    }
    ASSERT(rules::check_memory_summary(*read).ok());
    check(*read);
    check(rules::joined({}, *read));
}

void check_content(model::RawJson content) {
    if (const auto summary = model::memory_summary_of(content.view())) check(*summary);
    model::AgentMessage message;
    message.kind = model::AgentMessageKind::thought;
    message.content = std::move(content);
    const std::string text = rules::memory_text(message);
    ASSERT(text.size() <= base::limits::memory_text_bytes_max);
    for (const rules::MarkedText& mark : rules::marks_of(message)) {
        ASSERT(!mark.text.empty() && mark.text.size() <= base::limits::summary_item_bytes_max);
    }
    ASSERT(rules::snippet_of(text, rules::memory_words(message), 100).size() <= 108);
    const model::MemorySummary summary = rules::summarize_messages(std::span(&message, 1));
    ASSERT(rules::check_memory_summary(summary).ok());
    check(summary);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_answer(text);
    if (auto content = codec::validate(text); content.ok()) check_content(std::move(*content));
    return 0;
}
