#include "model/memory.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <limits>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;
constexpr std::array<std::string_view, 3> marks{"goal", "decision", "open_loop"};
constexpr std::array<std::string_view, 4> fold_states{"pending", "running", "done", "failed_terminal"};
constexpr std::array<std::string_view, 6> fates{"included", "over_budget", "over_count",
                                                "over_hot", "no_content",  "told_raw"};
constexpr std::array<std::string_view, 4> parts{"slots", "carried", "summary", "message"};
constexpr base::Timestamp unknown{std::numeric_limits<std::int64_t>::max()};  // of an item, until the end is read

void append_items(JsonWriter& writer, std::string_view name, const std::vector<MemoryItem>& items) {
    writer.name(name).begin_array();
    for (const MemoryItem& item : items) {
        writer.begin_object().field("text", item.text).field("message_id", base::format_uuid(item.message_id));
        if (item.by != Summarizer::rules) writer.field("by", summarizer_name(item.by));
        writer.field("at", base::format_timestamp(item.at)).end_object();
    }
    writer.end_array();
}

void append_events(JsonWriter& writer, std::string_view name, const std::vector<MemoryEvent>& events) {
    writer.name(name).begin_array();
    for (const MemoryEvent& event : events) {
        writer.begin_object().field("what", event.what).field("times", event.times);
        writer.field("message_id", base::format_uuid(event.message_id)).end_object();
    }
    writer.end_array();
}

// Reads what `append_memory_summary` wrote. Anything else, and anything beyond the limits, is no summary of ours. Each
// byte is looked at once: an agent's context is made of many summaries, and of long ones.
class SummaryReader {
public:
    explicit SummaryReader(JsonView json) : json_(json) {}

    std::optional<MemorySummary> read() {
        if (json_.kind() != JsonKind::object) return std::nullopt;
        MemorySummary summary;
        std::bitset<members.size()> seen;
        JsonWalker walker(json_);
        std::string_view name;
        while (const auto value = is_good_ ? walker.next(&name) : std::nullopt) {
            const auto* const member = std::ranges::find(members, name);
            if (member == members.end()) continue;
            seen.set(static_cast<std::size_t>(member - members.begin()));
            read_member(summary, name, *value);
        }
        if (!is_good_ || !seen.all() || summary.to < summary.from) return std::nullopt;
        for (auto* const list : {&summary.goals, &summary.decisions, &summary.open_loops, &summary.closed_loops}) {
            for (MemoryItem& item : *list) {
                if (item.at == unknown) item.at = summary.to;
            }
        }
        return summary;
    }

private:
    static constexpr std::array<std::string_view, 12> members{"by",           "text",   "goals",   "decisions",
                                                              "open_loops",   "errors", "effects", "counts",
                                                              "closed_loops", "from",   "to",      "left_out"};

    void read_member(MemorySummary& summary, std::string_view name, JsonView value) {
        if (name == "by") summary.by = summarizer(value);
        else if (name == "text") summary.text = text(value, limits::summary_text_bytes_max);
        else if (name == "goals") summary.goals = items(value);
        else if (name == "decisions") summary.decisions = items(value);
        else if (name == "open_loops") summary.open_loops = items(value);
        else if (name == "closed_loops") summary.closed_loops = closed_loops(value);
        else if (name == "errors") summary.errors = events(value);
        else if (name == "effects") summary.effects = events(value);
        else if (name == "counts") read_counts(summary.counts, value);
        else if (name == "left_out") summary.left_out = number(value);
        else if (name == "from") summary.from = time(value);
        else summary.to = time(value);
    }

    std::string text(JsonView json, std::size_t bytes_max) {
        is_good_ = is_good_ && json.kind() == JsonKind::string;
        std::string text = is_good_ ? json.as_text() : std::string();
        is_good_ = is_good_ && text.size() <= bytes_max;
        return text;
    }

    // Of a list: something is said in it.
    std::string entry(JsonView json) {
        std::string said = text(json, limits::summary_item_bytes_max);
        is_good_ = is_good_ && said.find_first_not_of(" \t\r\n") != std::string::npos;
        return said;
    }

    std::int64_t number(JsonView json) {
        std::int64_t number = -1;
        const char* const end = json.text.data() + json.text.size();
        const auto [at, failed] = std::from_chars(json.text.data(), end, number);
        is_good_ = is_good_ && failed == std::errc{} && at == end && number >= 0 && number <= limits::summary_count_max;
        return number;
    }

    Summarizer summarizer(JsonView json) {
        const auto by = parse_summarizer(text(json, limits::summary_item_bytes_max));
        is_good_ = is_good_ && by.has_value();
        return by.value_or(Summarizer::rules);
    }

    base::Uuid id(JsonView json) {
        const auto id = base::parse_uuid(text(json, limits::summary_item_bytes_max));
        is_good_ = is_good_ && id.has_value();
        return id.value_or(base::Uuid{});
    }

    base::Timestamp time(JsonView json) {
        const auto time = base::parse_timestamp(text(json, limits::summary_item_bytes_max));
        is_good_ = is_good_ && time.has_value();
        return time.value_or(base::Timestamp{});
    }

    // Calls `take` with each entry of a list, until there is something wrong.
    template <class Take>
    void each(JsonView list, std::size_t count_most, Take&& take) {
        is_good_ = is_good_ && list.kind() == JsonKind::array;
        if (!is_good_) return;
        JsonWalker walker(list);
        std::size_t count = 0;
        while (const auto one = is_good_ ? walker.next() : std::nullopt) {
            is_good_ = ++count <= count_most;
            take(*one);
        }
    }

    MemoryItem item(JsonView json) {
        MemoryItem item;
        item.at = unknown;
        is_good_ = is_good_ && json.kind() == JsonKind::object;
        if (!is_good_) return item;
        bool has_id = false;
        JsonWalker walker(json);
        std::string_view name;
        while (const auto value = is_good_ ? walker.next(&name) : std::nullopt) {
            if (name == "text") item.text = entry(*value);
            else if (name == "message_id") item.message_id = id(*value);
            else if (name == "by") item.by = summarizer(*value);
            else if (name == "at") item.at = time(*value);
            has_id = has_id || name == "message_id";
        }
        is_good_ = is_good_ && has_id && !item.text.empty();
        return item;
    }

    std::vector<MemoryItem> items(JsonView list) {
        std::vector<MemoryItem> found;
        each(list, limits::summary_items_max, [&](JsonView one) { found.push_back(item(one)); });
        return found;
    }

    std::vector<MemoryItem> closed_loops(JsonView list) {
        std::vector<MemoryItem> found;
        each(list, limits::summary_items_max, [&](JsonView one) {
            if (one.kind() == JsonKind::string) found.push_back({entry(one), {}, Summarizer::rules, unknown});
            else found.push_back(item(one));
        });
        return found;
    }

    std::vector<MemoryEvent> events(JsonView list) {
        std::vector<MemoryEvent> found;
        each(list, limits::summary_events_max, [&](JsonView one) {
            const auto member = [&](std::string_view name) {
                const auto value = one.member(name);
                is_good_ = is_good_ && value.has_value();
                return value.value_or(JsonView{"null"});
            };
            MemoryEvent event;
            event.what = entry(member("what"));
            event.times = number(member("times"));
            event.message_id = id(member("message_id"));
            found.push_back(std::move(event));
        });
        return found;
    }

    void read_counts(std::map<std::string, std::int64_t>& counts, JsonView object) {
        is_good_ = is_good_ && object.kind() == JsonKind::object;
        if (!is_good_) return;
        counts.clear();
        JsonWalker walker(object);
        std::string_view name;
        while (const auto one = is_good_ ? walker.next(&name) : std::nullopt) {
            is_good_ = parse_agent_message_kind(name).has_value() && one->kind() == JsonKind::number;
            if (is_good_) counts[std::string(name)] = number(*one);
        }
    }

    JsonView json_;
    bool is_good_ = true;
};

void append_recalled(JsonWriter& writer, const RecalledSummary& recalled) {
    writer.begin_object().field("id", base::format_uuid(recalled.id)).field("thread_id", recalled.thread_id);
    writer.field("depth", recalled.depth);
    writer.field("start_message_id", base::format_uuid(recalled.start_message_id));
    writer.field("end_message_id", base::format_uuid(recalled.end_message_id));
    writer.field("tokens", recalled.tokens).name("summary");
    append_memory_summary(writer, recalled.summary);
    writer.end_object();
}

void append_choice(JsonWriter& writer, const MemoryChoice& choice) {
    writer.begin_object().field("part", memory_part_name(choice.part)).name("id");
    choice.id.is_nil() ? writer.null() : writer.text(base::format_uuid(choice.id));
    append_text(writer, "what", choice.what);
    writer.field("tokens", choice.tokens).field("fate", memory_fate_name(choice.fate)).end_object();
}

}  // namespace

std::string_view memory_mark_name(MemoryMark mark) {
    return marks[static_cast<std::size_t>(mark)];
}
std::optional<MemoryMark> parse_memory_mark(std::string_view name) {
    return parse_choice<MemoryMark>(marks, name);
}
std::string_view fold_state_name(FoldState state) {
    return fold_states[static_cast<std::size_t>(state)];
}
std::optional<FoldState> parse_fold_state(std::string_view name) {
    return parse_choice<FoldState>(fold_states, name);
}
std::string_view memory_fate_name(MemoryFate fate) {
    return fates[static_cast<std::size_t>(fate)];
}
std::string_view memory_part_name(MemoryChoice::Part part) {
    return parts[static_cast<std::size_t>(part)];
}

std::int64_t MemorySummary::messages() const {
    std::int64_t sum = 0;
    for (const auto& [kind, count] : counts) sum += count;
    return sum;
}

void append_memory_summary(JsonWriter& writer, const MemorySummary& summary) {
    writer.begin_object().field("by", summarizer_name(summary.by)).field("text", summary.text);
    append_items(writer, "goals", summary.goals);
    append_items(writer, "decisions", summary.decisions);
    append_items(writer, "open_loops", summary.open_loops);
    append_items(writer, "closed_loops", summary.closed_loops);
    append_events(writer, "errors", summary.errors);
    append_events(writer, "effects", summary.effects);
    writer.name("counts");
    append_counters(writer, summary.counts);
    writer.field("left_out", summary.left_out).field("from", base::format_timestamp(summary.from));
    writer.field("to", base::format_timestamp(summary.to)).end_object();
}

std::optional<MemorySummary> memory_summary_of(JsonView json) {
    return SummaryReader(json).read();
}

void append_fold_job(JsonWriter& writer, const FoldJob& job) {
    writer.begin_object().field("id", base::format_uuid(job.id)).field("agent_id", job.agent_id);
    writer.field("user_id", job.user_id).field("thread_id", job.thread_id).field("depth", job.depth);
    writer.field("start_message_id", base::format_uuid(job.start_message_id));
    writer.field("end_message_id", base::format_uuid(job.end_message_id)).field("messages", job.messages);
    writer.field("state", fold_state_name(job.state)).field("attempts", job.attempts);
    // When it is tried next, of one that waits for it.
    const bool is_pending = job.state == FoldState::pending;
    append_time(writer, "next_attempt_at", is_pending ? std::optional(job.next_attempt_at) : std::nullopt);
    append_time(writer, "lease_until", job.lease_until);
    writer.field("summarizer", summarizer_name(job.summarizer));
    append_text(writer, "last_error", job.last_error);
    writer.field("created_at", base::format_timestamp(job.created_at));
    writer.field("updated_at", base::format_timestamp(job.updated_at));
    append_id(writer, "summary_id", job.summary_id);
    writer.end_object();
}

void append_assembled_memory(JsonWriter& writer, const AssembledMemory& memory, bool with_choices) {
    writer.begin_object().field("thread_id", memory.thread_id).field("budget_tokens", memory.budget_tokens);
    writer.field("reserved_tokens", memory.reserved_tokens).field("used_tokens", memory.used_tokens);
    append_text(writer, "slots", memory.slots);
    append_items(writer, "goals", memory.goals);
    append_items(writer, "decisions", memory.decisions);
    append_items(writer, "open_loops", memory.open_loops);
    writer.name("summaries").begin_array();
    for (const RecalledSummary& recalled : memory.summaries) append_recalled(writer, recalled);
    writer.end_array().name("messages").begin_array();
    for (const AgentMessage& message : memory.messages) append_agent_message(writer, message);
    writer.end_array().field("left_out", memory.left_out);
    if (with_choices) {
        writer.name("choices").begin_array();
        for (const MemoryChoice& choice : memory.choices) append_choice(writer, choice);
        writer.end_array();
    }
    writer.end_object();
}

}  // namespace belfry::model
