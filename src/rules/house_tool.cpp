#include "rules/house_tool.hpp"

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "rules/tool_call.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::JsonKind;
using model::JsonView;
constexpr std::size_t say_bytes_max = 64 << 10;
constexpr std::size_t title_bytes_max = 200;
constexpr std::size_t handles_max = 100;

struct Description {
    HouseTool tool;
    std::string_view name;
    std::array<std::string_view, 4> arguments;
};

constexpr std::array<Description, 6> descriptions{{
    {HouseTool::notify_user, "notify_user", {"text", "title", "priority"}},
    {HouseTool::emit_event, "emit_event", {"type", "severity", "payload"}},
    {HouseTool::say, "say", {"text", "shown"}},
    {HouseTool::set_state, "set_state", {"goal", "active_task", "open_loops", "preferences"}},
    {HouseTool::sleep, "sleep", {"until"}},
    {HouseTool::acknowledge, "belfry_ack", {"handles"}},
}};

const Description& description_of(HouseTool tool) {
    return *std::ranges::find(descriptions, tool, &Description::tool);
}

// Besides its own: by which a call that is repeated is known.
bool takes_argument(HouseTool tool, std::string_view name) {
    const auto& own = description_of(tool).arguments;
    return name == operation_id_argument || (!name.empty() && std::ranges::find(own, name) != own.end());
}

base::Error wrong(std::string_view field, std::string message) {
    return base::error(Code::invalid, std::move(message), std::string(field));
}

// The arguments of one call, read by name.
class Reader {
public:
    explicit Reader(JsonView arguments) : arguments_(arguments) {}

    [[nodiscard]] std::optional<JsonView> find(std::string_view name) const {
        auto member = arguments_.member(name);
        return member && member->kind() != JsonKind::null ? member : std::nullopt;
    }

    // Nothing where it is not there, or empty.
    base::Result<std::optional<std::string>> text(std::string_view name, std::size_t bytes_max) const {
        const auto member = find(name);
        if (!member) return std::optional<std::string>{};
        if (member->kind() != JsonKind::string) return wrong(name, "must be a text");
        std::string found = member->as_text();
        if (found.size() > bytes_max) {
            return base::error(Code::too_large, "is longer than " + std::to_string(bytes_max) + " bytes",
                               std::string(name));
        }
        if (found.empty()) return std::optional<std::string>{};
        return std::optional(std::move(found));
    }

    base::Result<std::string> required_text(std::string_view name, std::size_t bytes_max) const {
        TRY_ASSIGN(auto found, text(name, bytes_max));
        if (!found) return wrong(name, "must be given, and not be empty");
        return std::move(*found);
    }

    base::Result<std::optional<std::vector<std::string>>> texts(std::string_view name, std::size_t count_max) const {
        const auto member = find(name);
        if (!member) return std::optional<std::vector<std::string>>{};
        if (member->kind() != JsonKind::array) return wrong(name, "must be a list of texts");
        std::vector<std::string> found;
        model::JsonWalker walker(*member);
        while (const auto one = walker.next()) {
            if (one->kind() != JsonKind::string) return wrong(name, "must be a list of texts");
            found.push_back(one->as_text());
        }
        if (found.size() > count_max) {
            return base::error(Code::too_large, "has more than " + std::to_string(count_max) + " entries",
                               std::string(name));
        }
        return std::optional(std::move(found));
    }

private:
    JsonView arguments_;
};

base::Result<HouseAction> read_notify(const Reader& reader) {
    NotifyUser wish;
    TRY_ASSIGN(wish.text, reader.required_text("text", limits::notification_text_bytes_max - title_bytes_max - 2));
    TRY_ASSIGN(const auto title, reader.text("title", title_bytes_max));
    if (title) wish.text = *title + ": " + wish.text;
    TRY_ASSIGN(const auto priority, reader.text("priority", limits::scope_id_bytes_max));
    if (!priority) return HouseAction(std::move(wish));
    const auto parsed = model::parse_priority(*priority);
    if (!parsed) return wrong("priority", "must be critical, high, normal or low");
    wish.priority = *parsed;
    return HouseAction(std::move(wish));
}

base::Result<HouseAction> read_emit(const Reader& reader) {
    EmitEvent wish;
    TRY_ASSIGN(wish.type, reader.required_text("type", limits::scope_id_bytes_max));
    if (!is_event_type(wish.type)) return wrong("type", "must be a type of events, with a dot: build.failed");
    TRY_ASSIGN(const auto severity, reader.text("severity", limits::scope_id_bytes_max));
    if (severity) {
        wish.severity = model::parse_severity(*severity);
        if (!wish.severity) return wrong("severity", "must be debug, info, warning, error or critical");
    }
    if (const auto payload = reader.find("payload")) {
        if (payload->kind() != JsonKind::object) return wrong("payload", "must be an object");
        wish.payload = model::RawJson::trusted(std::string(payload->text));
    }
    return HouseAction(std::move(wish));
}

base::Result<HouseAction> read_set_state(const Reader& reader) {
    SetState wish;
    TRY_ASSIGN(wish.goal, reader.text("goal", limits::agent_text_bytes_max));
    TRY_ASSIGN(wish.active_task, reader.text("active_task", limits::scope_id_bytes_max));
    TRY_ASSIGN(wish.open_loops, reader.texts("open_loops", limits::agent_list_max));
    // An empty text forgets it.
    if (reader.find("goal") && !wish.goal) wish.goal = "";
    if (reader.find("active_task") && !wish.active_task) wish.active_task = "";
    if (const auto preferences = reader.find("preferences")) {
        if (preferences->kind() != JsonKind::object) return wrong("preferences", "must be an object of texts");
        wish.preferences.emplace();
        model::JsonWalker walker(*preferences);
        std::string_view name;
        while (const auto one = walker.next(&name)) {
            if (one->kind() != JsonKind::string) return wrong("preferences", "must be an object of texts");
            wish.preferences->insert_or_assign(JsonView{'"' + std::string(name) + '"'}.as_text(), one->as_text());
        }
    }
    if (!wish.goal && !wish.active_task && !wish.open_loops && !wish.preferences) {
        return wrong("goal", "nothing is named that could be kept in mind");
    }
    return HouseAction(std::move(wish));
}

base::Result<HouseAction> read_sleep(const Reader& reader) {
    TRY_ASSIGN(const std::string until, reader.required_text("until", limits::scope_id_bytes_max));
    const auto parsed = base::parse_timestamp(until);
    if (!parsed) return wrong("until", "must be a time such as 2026-11-16T07:00:00Z");
    return HouseAction(SleepUntil{*parsed});
}

}  // namespace

std::string_view house_tool_name(HouseTool tool) {
    return description_of(tool).name;
}

std::optional<HouseTool> parse_house_tool(std::string_view name) {
    const auto found = std::ranges::find(descriptions, name, &Description::name);
    return found == descriptions.end() ? std::nullopt : std::optional(found->tool);
}

bool is_heard(HouseTool tool) {
    return tool == HouseTool::say || tool == HouseTool::notify_user;
}

model::RawJson given_arguments(JsonView arguments) {
    std::string given;
    model::JsonWriter writer(given);
    writer.begin_object();
    model::JsonWalker walker(arguments);
    std::string_view name;
    while (const auto one = walker.next(&name)) {
        if (one->kind() == JsonKind::null || one->text == "\"\"") continue;
        writer.name(JsonView{'"' + std::string(name) + '"'}.as_text()).raw(one->text);
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(given));
}

base::Result<HouseAction> read_action(HouseTool tool, JsonView arguments) {
    if (const auto problem = arguments.member(problem_member)) return wrong({}, problem->as_text());
    model::JsonWalker walker(arguments);
    std::string_view name;
    while (walker.next(&name)) {
        if (!takes_argument(tool, name)) return wrong(name, "is no argument of " + std::string(house_tool_name(tool)));
    }
    const Reader reader(arguments);
    switch (tool) {
        case HouseTool::notify_user: return read_notify(reader);
        case HouseTool::emit_event: return read_emit(reader);
        case HouseTool::set_state: return read_set_state(reader);
        case HouseTool::sleep: return read_sleep(reader);
        case HouseTool::say: {
            TRY_ASSIGN(std::string text, reader.required_text("text", say_bytes_max));
            const auto shown = reader.find("shown");
            return HouseAction(Say{std::move(text), shown && shown->text == "true"});
        }
        case HouseTool::acknowledge: break;
    }
    TRY_ASSIGN(auto handles, reader.texts("handles", handles_max));
    if (!handles || handles->empty()) return wrong("handles", "must be given, and not be empty");
    return HouseAction(AcknowledgeHandles{std::move(*handles)});
}

model::AgentSlots with_changes(model::AgentSlots slots, const SetState& changes) {
    if (changes.goal) slots.primary_goal = *changes.goal;
    if (changes.active_task) slots.active_task_id = *changes.active_task;
    if (changes.open_loops) slots.open_loop_ids = *changes.open_loops;
    if (!changes.preferences) return slots;
    for (const auto& [name, value] : *changes.preferences) {
        if (value.empty()) slots.preferences.erase(name);
        else slots.preferences[name] = value;
    }
    return slots;
}

}  // namespace belfry::rules
