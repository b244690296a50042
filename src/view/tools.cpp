#include <string>

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

}  // namespace belfry::view
