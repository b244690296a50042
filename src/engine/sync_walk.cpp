#include "engine/sync_walk.hpp"

#include <algorithm>
#include <charconv>

#include "rules/sync_order.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

constexpr std::size_t portion = 64;
// Beside the kinds of records: messages of which only the id is left, and those that stand beside the others.
constexpr std::string_view forgotten_part = "forgotten";
constexpr std::string_view beside_part = "beside";

// The parts of the walk, in their order.
std::vector<std::string_view> parts() {
    std::vector<std::string_view> all;
    for (const std::string_view kind : rules::sync_kinds) {
        all.push_back(kind);
        if (kind != model::agent_message_kind) continue;
        all.push_back(beside_part);
        all.push_back(forgotten_part);
    }
    return all;
}

// What stands between the names of a link: no name has it.
constexpr char between = '\x1f';

std::string place_of(const ports::LinkName& link) {
    return link.user_id + between + link.from_id + between + link.relation + between + link.to_id;
}

ports::LinkName link_at(std::string_view place) {
    const auto part = [&place]() {
        const std::size_t end = std::min(place.find(between), place.size());
        std::string text(place.substr(0, end));
        place.remove_prefix(std::min(end + 1, place.size()));
        return text;
    };
    ports::LinkName link;
    link.user_id = part();
    link.from_id = part();
    link.relation = part();
    link.to_id = part();
    return link;
}

}  // namespace

SyncWalk::SyncWalk(SyncShelf& shelf, std::string kind, std::string place)
    : shelf_(shelf), kind_(std::move(kind)), place_(std::move(place)) {
    const std::vector<std::string_view> all = parts();
    if (std::ranges::find(all, kind_) != all.end()) return;
    kind_ = all.front();
    place_.clear();
}

bool SyncWalk::is_over() const {
    return kind_.empty();
}

void SyncWalk::pass_kind() {
    const std::vector<std::string_view> all = parts();
    const auto next = std::ranges::find(all, kind_) + 1;
    kind_ = next == all.end() ? std::string_view() : *next;
    place_.clear();
}

base::Result<std::vector<model::SyncRecord>> SyncWalk::next(std::size_t bytes_max, Unit& unit) {
    std::vector<model::SyncRecord> records;
    TRY_ASSIGN(const std::vector<Step> steps, next_steps(unit));
    std::vector<RecordName> names;
    for (const Step& step : steps) names.push_back(step.name);
    TRY_ASSIGN(SyncShelf::Records found, shelf_.load(names, unit));
    std::size_t bytes = 0;
    for (const Step& step : steps) {
        const auto record = found.find(key_of(step.name));
        if (record != found.end()) {
            bytes += bytes_told(record->second);
            if (bytes > bytes_max && !records.empty()) return records;
            records.push_back(std::move(record->second));
        }
        place_ = step.place;
    }
    if (steps.size() < portion) pass_kind();
    return records;
}

base::Result<std::vector<SyncWalk::Step>> SyncWalk::next_steps(Unit& unit) {
    if (kind_ == model::agent_message_kind) return next_messages(unit);
    if (kind_ == forgotten_part) return next_forgotten(unit);
    if (kind_ == model::link_kind) return next_links(unit);
    return next_known(unit);
}

base::Result<std::vector<SyncWalk::Step>> SyncWalk::next_messages(Unit& unit) {
    std::int64_t after = 0;
    std::from_chars(place_.data(), place_.data() + place_.size(), after);
    TRY_ASSIGN(const auto found, unit.store.sync().messages_after(after, portion));
    std::vector<Step> steps;
    for (const ports::MessagePlace& one : found) {
        steps.push_back({{std::string(model::agent_message_kind), base::format_uuid(one.id), one.user_id},
                         std::to_string(one.position)});
    }
    return steps;
}

base::Result<std::vector<SyncWalk::Step>> SyncWalk::next_forgotten(Unit& unit) {
    TRY_ASSIGN(const auto found,
               unit.store.sync().forgotten_after(base::parse_uuid(place_).value_or(base::Uuid{}), portion));
    std::vector<Step> steps;
    for (const ports::SyncTable::Forgotten& one : found) {
        const std::string id = base::format_uuid(one.message_id);
        steps.push_back({{std::string(model::agent_message_kind), id, one.user_id}, id});
    }
    return steps;
}

base::Result<std::vector<SyncWalk::Step>> SyncWalk::next_links(Unit& unit) {
    TRY_ASSIGN(const auto found, unit.store.sync().links_after(link_at(place_), portion));
    std::vector<Step> steps;
    for (const ports::LinkName& link : found) {
        steps.push_back({{std::string(model::link_kind), rules::link_key(link.relation, link.from_id, link.to_id),
                          link.user_id, link},
                         place_of(link)});
    }
    return steps;
}

base::Result<std::vector<SyncWalk::Step>> SyncWalk::next_known(Unit& unit) {
    const std::string_view kind = kind_ == beside_part ? model::agent_message_kind : std::string_view(kind_);
    TRY_ASSIGN(const auto found, unit.store.sync().knowledge_after(kind, place_, portion));
    std::vector<Step> steps;
    for (const ports::KnownRecord& known : found) {
        // Of a person's record the name has his id before it.
        std::string id = known.id;
        const std::string before = clock_id(known.user_id, "");
        const bool is_persons = model::parse_journal_kind(kind).has_value() && id.starts_with(before);
        if (is_persons) id.erase(0, before.size());
        steps.push_back({{std::string(kind), std::move(id), known.user_id}, known.id});
    }
    return steps;
}

}  // namespace belfry::engine
