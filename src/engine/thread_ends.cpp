#include "engine/thread_ends.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace belfry::engine {
namespace {

const std::string ends_kind = "thread_ends";
constexpr std::size_t kept_max = 64;  // of each; the newest ones

std::vector<base::Uuid> ids_of(const model::RawJson& json, std::string_view name) {
    std::vector<base::Uuid> ids;
    const auto list = json.member(name);
    if (!list) return ids;
    model::JsonWalker walker(*list);
    while (const auto one = walker.next()) {
        if (const auto id = base::parse_uuid(one->as_text())) ids.push_back(*id);
    }
    return ids;
}

void append(model::JsonWriter& writer, std::string_view name, const std::vector<base::Uuid>& ids) {
    writer.name(name).begin_array();
    const std::size_t left_out = ids.size() - std::min(ids.size(), kept_max);
    for (std::size_t i = left_out; i < ids.size(); ++i) writer.text(base::format_uuid(ids[i]));
    writer.end_array();
}

}  // namespace

base::Result<std::optional<rules::ThreadEnds>> find_ends(const std::string& thread_id, Unit& unit) {
    using Ends = std::optional<rules::ThreadEnds>;
    const std::pair<std::string, std::string> name{ends_kind, thread_id};
    TRY_ASSIGN(const auto found, unit.store.sync().plain(std::span(&name, 1)));
    if (found.empty()) return Ends{};
    rules::ThreadEnds ends{ids_of(found.front().body, "ends"), ids_of(found.front().body, "awaited")};
    if (ends.ends.empty() && ends.awaited.empty()) return Ends{};
    return Ends(std::move(ends));
}

base::Result<void> keep_ends(const std::string& thread_id, const std::string& user_id, const rules::ThreadEnds& ends,
                             const std::optional<base::Uuid>& newest, Unit& unit) {
    const bool is_plain =
        ends.awaited.empty() && (ends.ends.empty() || (ends.ends.size() == 1 && newest == ends.ends[0]));
    if (is_plain) {
        TRY_ASSIGN(const auto there, find_ends(thread_id, unit));
        if (!there) return {};
    }
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    append(writer, "ends", is_plain ? std::vector<base::Uuid>() : ends.ends);
    append(writer, "awaited", ends.awaited);
    writer.end_object();
    const ports::SyncTable::Plain row{ends_kind, thread_id, user_id, model::RawJson::trusted(std::move(json)),
                                      unit.now};
    return unit.store.sync().put_plain(std::span(&row, 1));
}

}  // namespace belfry::engine
