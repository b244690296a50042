#include "cli/demo_player.hpp"

#include <algorithm>
#include <charconv>

#include "codec/json.hpp"

namespace belfry::cli {
namespace {

constexpr base::Duration word_pause = base::milliseconds(70);

base::Duration pause_of(const std::string& step) {
    const auto json = codec::validate(step);
    const auto pause = json.ok() ? json->member("after_ms") : std::nullopt;
    std::int64_t ms = 0;
    if (pause) std::from_chars(pause->text.data(), pause->text.data() + pause->text.size(), ms);
    return base::milliseconds(ms);
}

std::optional<model::JsonView> element(model::JsonView array, std::string_view index) {
    std::size_t left = 0;
    const auto [end, ec] = std::from_chars(index.data(), index.data() + index.size(), left);
    if (ec != std::errc{} || end != index.data() + index.size()) return std::nullopt;
    model::JsonWalker walker(array);
    for (auto at = walker.next(); at; at = walker.next()) {
        if (left-- == 0) return at;
    }
    return std::nullopt;
}

// `items.0.id`
std::optional<model::JsonView> part_of(model::JsonView json, std::string_view path) {
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        const bool is_array = json.kind() == model::JsonKind::array;
        const auto part = is_array ? element(json, name) : json.member(name);
        if (!part) return std::nullopt;
        json = *part;
    }
    return json;
}

void replace_all(std::string& text, const std::string& old, const std::string& fresh) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + fresh.size())) {
        text.replace(at, old.size(), fresh);
    }
}

std::string text_of(const model::RawJson& step, std::string_view name) {
    const auto member = step.member(name);
    return member ? member->as_text() : std::string();
}

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

// It is there, was changed or is gone, or what it names is (`invalid`): nothing is left to do.
bool is_settled(const base::Error& error) {
    using base::Code;
    return error.code == Code::conflict || error.code == Code::gone || error.code == Code::not_found ||
           error.code == Code::invalid;
}

}  // namespace

void DemoPlayer::load(Scene& scene, std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.empty()) scene.steps.emplace_back(line);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    std::ranges::reverse(scene.steps);
}

// `today 09:30`, `ago 90m`
base::Result<base::Timestamp> DemoPlayer::moment_of(const std::string& words) const {
    const std::size_t space = words.find(' ');
    const std::string rest = space == std::string::npos ? "" : words.substr(space + 1);
    if (words.starts_with("today ")) return clock_.read_moment("a step", rest, clock_.today());
    const auto ago = words.starts_with("ago ") ? base::parse_duration(rest) : std::nullopt;
    if (ago) return clock_.now() - *ago;
    return base::error(base::Code::malformed, "nothing is called ${" + words + "}");
}

// A value that is no text takes the place of the quotes, too.
base::Result<std::string> DemoPlayer::fill_in(const Scene& scene, std::string_view text) const {
    std::string filled(text);
    for (const auto& [name, value] : scene.kept) {
        const bool is_text = value.starts_with('"');
        if (!is_text) replace_all(filled, "\"${" + name + "}\"", value);
        replace_all(filled, "${" + name + "}", is_text ? value.substr(1, value.size() - 2) : value);
    }
    for (std::size_t at = filled.find("${"); at != std::string::npos; at = filled.find("${", at)) {
        const std::size_t end = filled.find('}', at);
        if (end == std::string::npos) return base::error(base::Code::malformed, "a step ends within ${");
        TRY_ASSIGN(const base::Timestamp moment, moment_of(filled.substr(at + 2, end - at - 2)));
        filled.replace(at, end + 1 - at, base::format_timestamp(moment));
    }
    return filled;
}

// Words, one step each, take the place of what is to be said.
void DemoPlayer::expand(Scene& scene, const model::RawJson& step) {
    const std::string said = text_of(step, "say");
    std::vector<std::string> words;
    for (std::size_t from = 0; from < said.size();) {
        const std::size_t end = std::min(said.find(' ', from), said.size() - 1) + 1;
        std::string word;
        model::JsonWriter writer(word);
        writer.begin_object().field("after_ms", static_cast<long long>(word_pause.us / 1000));
        writer.field("ask", "POST /v1/runs/" + text_of(step, "run") + "/events").name("body").begin_object();
        writer.field("event", "llm.stream").name("data").begin_object();
        writer.field("delta", said.substr(from, end - from)).field("message_id", text_of(step, "message_id"));
        writer.end_object().end_object().end_object();
        words.push_back(std::move(word));
        from = end;
    }
    std::ranges::reverse(words);
    scene.steps.insert(scene.steps.end(), words.begin(), words.end());
}

base::Result<void> DemoPlayer::ask(Scene& scene, const model::RawJson& step) {
    const std::string ask = text_of(step, "ask");
    const std::size_t space = ask.find(' ');
    const auto body = step.member("body");
    auto answer =
        client_.call(ask.substr(0, space), ask.substr(space + 1), body ? std::string(body->text) : std::string());
    if (!answer.ok()) return step.member("once") && is_settled(answer.error()) ? base::Result<void>{} : answer.error();
    const auto keep = step.member("keep");
    if (!keep) return {};
    model::JsonWalker walker(*keep);
    std::string_view name;
    for (auto path = walker.next(&name); path; path = walker.next(&name)) {
        const auto part = part_of(answer->view(), path->as_text());
        if (!part) return base::error(base::Code::malformed, "the answer has no " + path->as_text());
        scene.kept[std::string(name)] = std::string(part->text);
    }
    return {};
}

base::Result<void> DemoPlayer::step(Scene& scene) {
    const auto text = fill_in(scene, scene.steps.back());
    scene.steps.pop_back();
    if (!text.ok()) return text.error();
    TRY_ASSIGN(const model::RawJson step, codec::validate(*text));
    if (!step.member("say")) return ask(scene, step);
    expand(scene, step);
    return {};
}

DemoPlayer::Scene DemoPlayer::scene_of(const EmbeddedFile& file, std::int64_t round, const std::string& owner) const {
    Scene scene;
    scene.name = file.name;
    scene.kept["round"] = std::to_string(round);
    scene.kept["owner"] = owner;
    scene.kept["zone"] = quoted(clock_.zone_name());
    scene.kept["today"] = quoted(clock_.today());
    scene.kept["tomorrow"] = quoted(clock_.date_of(clock_.now() + base::days(1)));
    load(scene, file.content);
    if (!scene.steps.empty()) scene.due = pause_of(scene.steps.back());
    return scene;
}

base::Result<bool> DemoPlayer::play(std::int64_t round) {
    TRY_ASSIGN(const model::RawJson me, client_.call("GET", "/v1/me", {}));
    const auto owner = me.member("owner");
    const std::string name = owner ? std::string(owner->text) : "\"owner\"";
    std::vector<Scene> scenes;
    for (const EmbeddedFile& file : demo_scenes()) scenes.push_back(scene_of(file, round, name));
    base::Duration now;
    for (;;) {
        std::erase_if(scenes, [](const Scene& scene) { return scene.steps.empty(); });
        if (scenes.empty()) return true;
        Scene& next = *std::ranges::min_element(scenes, {}, [](const Scene& scene) { return scene.due.us; });
        if (next.due > now) {
            if (client_.rest(next.due - now)) return false;
            now = next.due;
        }
        if (auto done = step(next); !done.ok()) {
            if (done.error().code == base::Code::unavailable) return done.error();
            complaints_.push_back(next.name + ": " + done.error().message);
            next.steps.clear();
            continue;
        }
        if (!next.steps.empty()) next.due = next.due + pause_of(next.steps.back());
    }
}

}  // namespace belfry::cli
