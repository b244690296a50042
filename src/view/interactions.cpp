#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using base::Code;
using Found = base::Result<std::vector<model::Interaction>>;

base::Result<model::Interaction> find_interaction(ports::Reading& reading, const model::Principal& who,
                                                  const model::InteractionId& id) {
    TRY_ASSIGN(std::optional<model::Interaction> found, reading.interactions().find(id));
    if (!found) return base::error(Code::not_found, "there is no such interaction");
    if (rules::is_confined(who)) TRY(may_use_session(reading, who, found->session_id));
    else TRY(rules::may_use_session(who, found->session_id, found->user_id));
    return std::move(*found);
}

std::size_t bytes_of(const model::Interaction& one) {
    std::size_t bytes = one.message.size();
    for (const auto* json : {&one.arguments, &one.schema, &one.answer}) bytes += *json ? (*json)->bytes().size() : 0;
    return bytes;
}

Found read_list(ports::Reading& reading, ports::InteractionFilter& filter) {
    return read_page<model::Interaction>(
        filter.limit,
        [&](std::size_t wanted, const std::vector<model::Interaction>& before) {
            filter.limit = wanted;
            if (!before.empty()) filter.after = before.back().ordinal;
            return reading.interactions().list(filter);
        },
        bytes_of);
}

Found list_interactions(ports::Reading& reading, const model::Principal& who, ports::InteractionFilter& filter) {
    if (filter.session_id.empty()) {
        TRY(rules::may_see_of(who, filter.user_id));
        return read_list(reading, filter);
    }
    TRY(narrow_to_session(reading, who, filter.session_id, filter.user_id));
    return read_list(reading, filter);
}

}  // namespace

void Answers::interaction(const model::Principal& who, const model::InteractionId& id,
                          std::function<void(base::Result<model::Interaction>)> done) {
    ask<model::Interaction>(
        beside_, [who, id](ports::Reading& reading) { return find_interaction(reading, who, id); }, std::move(done));
}

void Answers::interactions(const model::Principal& who, ports::InteractionFilter filter,
                           std::function<void(Found)> done) {
    ask<std::vector<model::Interaction>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable {
            return list_interactions(reading, who, filter);
        },
        std::move(done));
}

}  // namespace belfry::view
