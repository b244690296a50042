#include "tools/ratings.hpp"

#include <algorithm>

#include "base/date.hpp"
#include "model/journal_fields.hpp"

namespace belfry::tools {

model::RatingTarget rating_target(const Arguments& arguments) {
    const auto at = std::ranges::find(model::rating_target_names, arguments.text("target"));
    return static_cast<model::RatingTarget>(at - model::rating_target_names.begin());
}

base::Result<std::optional<model::JournalRecord>> find_rating(Bench& bench, const Arguments& arguments) {
    const model::RatingTarget target = rating_target(arguments);
    const std::string target_id = arguments.text("targetId");
    if (target != model::RatingTarget::session && !base::parse_date(target_id)) {
        return arguments.wrong("targetId", "must be a date, such as 2026-11-16");
    }
    const std::string id = model::rating_id(target, target_id);
    TRY_ASSIGN(std::vector<model::JournalRecord> found, bench.find_all(std::span(&id, 1)));
    if (found.empty() || found.front().kind() != model::JournalKind::rating) {
        return std::optional<model::JournalRecord>{};
    }
    return std::optional(std::move(found.front()));
}

void append_rating(model::JsonWriter& writer, const model::JournalRecord& record) {
    const auto& rating = std::get<model::Rating>(record.body);
    writer.begin_object().field("target", model::rating_target_names[static_cast<std::size_t>(rating.target)]);
    writer.field("targetId", rating.target_id).field("categoryId", record.category_id);
    writer.field("score", static_cast<long long>(rating.score)).field("note", rating.note).end_object();
}

}  // namespace belfry::tools
