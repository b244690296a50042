#include <algorithm>
#include <span>
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

ports::KnownTool known(const model::ToolContract& own) {
    return {{own.name, own.impact, own.description, own.input_schema, {}}, &own};
}

using OwnTools = std::span<const model::ToolContract>;

const model::ToolContract* find_own(OwnTools own, std::string_view name) {
    const auto at = std::ranges::lower_bound(own, name, {}, &model::ToolContract::name);
    return at != own.end() && at->name == name ? &*at : nullptr;
}

// Where a webhook is and what signs its calls is an admin's matter: many a path is a key.
model::ToolInfo as_seen_by(const model::Principal& who, model::ToolInfo tool) {
    if (rules::may_administer(who).ok()) return tool;
    tool.execution.url.clear();
    tool.execution.secret_env.clear();
    return tool;
}

// The next of both, by name. One that was registered before Belfry had a tool of its name is not there any more.
base::Result<std::vector<ports::KnownTool>> next_tools(ports::Reading& reading, const model::Principal& who,
                                                       OwnTools own, std::string_view after, std::size_t wanted) {
    std::vector<ports::KnownTool> found;
    auto next_own = std::ranges::upper_bound(own, after, {}, &model::ToolContract::name);
    TRY_ASSIGN(std::vector<model::ToolInfo> registered, reading.tools(after, wanted));
    for (model::ToolInfo& one : registered) {
        while (next_own != own.end() && next_own->name <= one.name) found.push_back(known(*next_own++));
        if (find_own(own, one.name) == nullptr) found.push_back({as_seen_by(who, std::move(one))});
    }
    // Behind the last of those that were read there may be more of them.
    if (registered.size() < wanted) {
        while (next_own != own.end()) found.push_back(known(*next_own++));
    }
    if (found.size() > wanted) found.resize(wanted);
    return found;
}

}  // namespace

void Answers::tool(const model::Principal& who, std::string_view name,
                   std::function<void(base::Result<ports::KnownTool>)> done) {
    ask<ports::KnownTool>(
        beside_,
        [who, name = std::string(name), own = own_tools_](ports::Reading& reading) -> base::Result<ports::KnownTool> {
            TRY(may_read_tools(who));
            if (const model::ToolContract* const found = find_own(own, name)) return known(*found);
            TRY_ASSIGN(std::optional<model::ToolInfo> found, reading.tool(name));
            if (found) return ports::KnownTool{as_seen_by(who, std::move(*found))};
            return base::error(base::Code::not_found, "there is no tool of this name; it counts as external");
        },
        std::move(done));
}

void Answers::tools(const model::Principal& who, std::string_view after, std::size_t limit,
                    std::function<void(base::Result<std::vector<ports::KnownTool>>)> done) {
    using Found = base::Result<std::vector<ports::KnownTool>>;
    ask<std::vector<ports::KnownTool>>(
        beside_,
        [who, after = std::string(after), limit, own = own_tools_](ports::Reading& reading) -> Found {
            TRY(may_read_tools(who));
            return read_page<ports::KnownTool>(
                limit,
                [&](std::size_t wanted, const std::vector<ports::KnownTool>& before) {
                    return next_tools(reading, who, own, before.empty() ? after : before.back().info.name, wanted);
                },
                [](const ports::KnownTool& one) {
                    const std::size_t output = one.own != nullptr ? one.own->output_schema.bytes().size() : 0;
                    return one.info.description.size() + one.info.schema.bytes().size() + output;
                });
        },
        std::move(done));
}

void Answers::outside_call(const model::Principal& who, const model::OutsideCallId& id,
                           std::function<void(base::Result<model::OutsideCall>)> done) {
    ask<model::OutsideCall>(
        beside_,
        [who, id](ports::Reading& reading) -> base::Result<model::OutsideCall> {
            TRY_ASSIGN(std::optional<model::OutsideCall> found, reading.outside_calls().find(id));
            if (found && rules::may_work_for(who, found->user_id, found->agent_id).ok()) return std::move(*found);
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
