#include <string>

#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

base::Result<void> may_read_tools(const model::Principal& who) {
    if (who.role != model::Role::emitter) return {};
    return base::error(base::Code::forbidden, "an emitter's token cannot read");
}

}  // namespace

void Answers::tool(const model::Principal& who, std::string_view name,
                   std::function<void(base::Result<model::ToolInfo>)> done) {
    ask<model::ToolInfo>(
        beside_,
        [who, name = std::string(name)](ports::Reading& reading) -> base::Result<model::ToolInfo> {
            TRY(may_read_tools(who));
            TRY_ASSIGN(std::optional<model::ToolInfo> found, reading.tool(name));
            if (found) return std::move(*found);
            return base::error(base::Code::not_found, "there is no tool of this name; it counts as external");
        },
        std::move(done));
}

void Answers::tools(const model::Principal& who, std::string_view after, std::size_t limit,
                    std::function<void(base::Result<std::vector<model::ToolInfo>>)> done) {
    using Found = base::Result<std::vector<model::ToolInfo>>;
    ask<std::vector<model::ToolInfo>>(
        beside_,
        [who, after = std::string(after), limit](ports::Reading& reading) -> Found {
            TRY(may_read_tools(who));
            return read_page<model::ToolInfo>(
                limit,
                [&](std::size_t wanted, const std::vector<model::ToolInfo>& before) {
                    return reading.tools(before.empty() ? after : before.back().name, wanted);
                },
                [](const model::ToolInfo& one) { return one.description.size() + one.schema.bytes().size(); });
        },
        std::move(done));
}

void Answers::outside_call(const model::Principal& who, const model::OutsideCallId& id,
                           std::function<void(base::Result<model::OutsideCall>)> done) {
    ask<model::OutsideCall>(
        beside_,
        [who, id](ports::Reading& reading) -> base::Result<model::OutsideCall> {
            TRY_ASSIGN(std::optional<model::OutsideCall> found, reading.outside_calls().find(id));
            if (found && rules::may_work_for(who, found->user_id).ok()) return std::move(*found);
            return base::error(base::Code::not_found, "there is no such call of a tool", "id");
        },
        std::move(done));
}

void Answers::outside_calls(const model::Principal& who, ports::OutsideCallFilter filter,
                            std::function<void(base::Result<std::vector<model::OutsideCall>>)> done) {
    using Found = base::Result<std::vector<model::OutsideCall>>;
    ask<std::vector<model::OutsideCall>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable -> Found {
            TRY(rules::may_see_of(who, filter.user_id));
            return read_page<model::OutsideCall>(
                filter.limit,
                [&](std::size_t wanted, const std::vector<model::OutsideCall>& before) {
                    filter.limit = wanted;
                    if (!before.empty()) filter.after = before.back().id;
                    return reading.outside_calls().list(filter);
                },
                [](const model::OutsideCall& one) { return one.arguments.bytes().size(); });
        },
        std::move(done));
}

}  // namespace belfry::view
