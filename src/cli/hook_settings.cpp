#include "cli/hook_settings.hpp"

#include <optional>

#include "base/assert.hpp"
#include "cli/hook_input.hpp"
#include "cli/json_edit.hpp"
#include "codec/json.hpp"

namespace belfry::cli {
namespace {

using model::Value;

constexpr std::int64_t timeout_s = 10;  // of one run; the hook itself gives up far earlier
constexpr std::string_view words = " hook claude-code";

// A container on the way down to a command, and which of its children the way goes through.
struct Step {
    JsonPlace container;
    std::vector<JsonChild> children;
    std::size_t which = 0;
};

// From the settings over `hooks`, the event, the group and its `hooks` to the hook; and where its command stands.
struct Found {
    std::vector<Step> way;
    JsonPlace command;
    std::string text;  // of the command
};

base::Error at(std::string_view where, const base::Error& error) {
    return base::error(error.code, "the settings are not as expected at " + std::string(where) + ": " + error.message);
}

class Search {
public:
    Search(std::string_view text, std::string_view event) : text_(text), event_(event) {}

    // The commands of ours at this event.
    base::Result<std::vector<Found>> run() {
        TRY_ASSIGN(const JsonPlace root, json_root(text_));
        TRY(enter_member(root, "hooks"));
        if (way_.empty()) return std::move(found_);
        TRY(enter_member(way_.back().children[way_.back().which].value, event_));
        if (way_.size() < 2) return std::move(found_);
        TRY(each_element(here(), [&](JsonPlace group) { return look_into(group); }));
        return std::move(found_);
    }

private:
    base::Result<void> look_into(JsonPlace group) {
        const std::size_t depth = way_.size();
        TRY(enter_member(group, "hooks"));
        if (way_.size() == depth) return {};
        TRY(each_element(here(), [&](JsonPlace hook) { return look_at(hook); }));
        way_.pop_back();
        return {};
    }

    [[nodiscard]] JsonPlace here() const { return way_.back().children[way_.back().which].value; }

    // Goes one step down where the object has that member.
    base::Result<void> enter_member(JsonPlace object, std::string_view name) {
        auto members = json_members(text_, object);
        if (!members.ok()) return at(name, members.error());
        for (std::size_t i = 0; i < members->size(); ++i) {
            if ((*members)[i].name != name) continue;
            way_.push_back({object, std::move(members).value(), i});
            return {};
        }
        return {};
    }

    template <class Visit>
    base::Result<void> each_element(JsonPlace array, Visit&& visit) {
        auto elements = json_elements(text_, array);
        if (!elements.ok()) return at(event_, elements.error());
        const std::size_t count = elements->size();
        way_.push_back({array, std::move(elements).value(), 0});
        const std::size_t mine = way_.size() - 1;
        for (std::size_t i = 0; i < count; ++i) {
            way_[mine].which = i;
            TRY(visit(way_[mine].children[i].value));
        }
        way_.pop_back();
        return {};
    }

    base::Result<void> look_at(JsonPlace hook) {
        auto members = json_members(text_, hook);
        if (!members.ok()) return at(event_, members.error());
        const JsonChild* const command = find_member(*members, "command");
        if (command == nullptr) return {};
        codec::JsonReader reader(json_at(text_, command->value));
        const auto text = reader.read_string();
        if (text.ok() && is_hook_command(*text)) found_.push_back({way_, command->value, std::string(*text)});
        return {};
    }

    std::string_view text_;
    std::string_view event_;
    std::vector<Step> way_;
    std::vector<Found> found_;
};

Value group_of(std::string_view command) {
    Value hook = Value::object();
    hook.append("type", Value::string("command"));
    hook.append("command", Value::string(command));
    hook.append("timeout", Value::integer(timeout_s));
    Value hooks = Value::array();
    hooks.push(std::move(hook));
    Value group = Value::object();
    group.append("hooks", std::move(hooks));
    return group;
}

// Into the array of the event, which is made where it is missing, like the object that holds it.
base::Result<std::string> add(const std::string& text, std::string_view event, std::string_view command) {
    TRY_ASSIGN(const JsonPlace root, json_root(text));
    TRY_ASSIGN(const auto settings, json_members(text, root));
    const JsonChild* const hooks = find_member(settings, "hooks");
    Value groups = Value::array();
    groups.push(group_of(command));
    if (hooks == nullptr) {
        Value events = Value::object();
        events.append(event, std::move(groups));
        return with_child(text, root, settings, "hooks", events);
    }
    auto events = json_members(text, hooks->value);
    if (!events.ok()) return at("hooks", events.error());
    const JsonChild* const one = find_member(*events, event);
    if (one == nullptr) return with_child(text, hooks->value, *events, event, groups);
    auto present = json_elements(text, one->value);
    if (!present.ok()) return at(event, present.error());
    return with_child(text, one->value, *present, {}, group_of(command));
}

std::string replaced(std::string_view text, JsonPlace place, std::string_view command) {
    std::string out(text.substr(0, place.begin));
    out += '"';
    model::append_escaped(out, command);
    out += '"';
    out += text.substr(place.end);
    return out;
}

// The outermost thing that holds nothing but this: of a group that has no other hook the matcher goes along.
std::string cut_out(std::string_view text, const Found& found) {
    enum : std::size_t { settings, events, groups, group, hooks };
    const auto is_alone = [&found](std::size_t level) { return found.way[level].children.size() == 1; };
    std::size_t level = hooks;
    if (is_alone(hooks)) level = groups;
    if (level == groups && is_alone(groups)) level = events;
    if (level == events && is_alone(events)) level = settings;
    const Step& step = found.way[level];
    return without_child(text, step.container, step.children, step.which);
}

}  // namespace

bool is_hook_command(std::string_view command) {
    const std::size_t end = command.find(words);
    if (end == std::string_view::npos) return false;
    std::string_view program = command.substr(0, end);
    while (program.ends_with('\'') || program.ends_with('"')) program.remove_suffix(1);
    program.remove_prefix(program.find_last_of("/'\"") + 1);  // npos + 1 is 0: a bare name
    return program.starts_with("belfry");
}

base::Result<std::string> with_hooks(std::string_view settings, std::string_view command) {
    std::string text(settings);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) text = "{}\n";
    for (const std::string_view event : hook_event_names()) {
        TRY_ASSIGN(const std::vector<Found> found, Search(text, event).run());
        if (found.empty()) {
            TRY_ASSIGN(text, add(text, event, command));
        }
        // From the last to the first, so that the places of those before stay true.
        for (std::size_t i = found.size(); i-- > 0;) {
            if (found[i].text != command) text = replaced(text, found[i].command, command);
        }
    }
    return text;
}

base::Result<std::string> without_hooks(std::string_view settings) {
    std::string text(settings);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return text;
    for (const std::string_view event : hook_event_names()) {
        for (;;) {
            TRY_ASSIGN(const std::vector<Found> found, Search(text, event).run());
            if (found.empty()) break;
            text = cut_out(text, found.front());
        }
    }
    return text;
}

}  // namespace belfry::cli
