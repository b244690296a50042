#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/tools.hpp"
#include "sim/journal_world_test.hpp"

// Agents that call tools, through the real engine and the real store, in time that the test gives. Only tests include
// it.
namespace belfry::sim {

// The categories gym, home and secret, and the agent coach, who has all capabilities and may work in the first two. It
// is woken and claimed when it first calls something.
class ToolsWorld : public JournalTest {
protected:
    using Names = std::vector<std::string>;
    using Called = base::Result<ports::CalledTool>;

    ToolsWorld() {
        for (const std::string name : {"gym", "home", "secret"}) make(name, category_wish(name));
        settle_agent("coach", {"gym", "home"}, all_capabilities());
    }

    static Names all_capabilities() {
        Names names;
        for (std::size_t i = 0; i < model::agent_capability_count; ++i) {
            names.emplace_back(model::agent_capability_name(static_cast<model::AgentCapability>(i)));
        }
        return names;
    }
    void settle_agent(const std::string& id, Names categories, Names capabilities, const std::string& user = "ada") {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = user;
        command->draft.allowed_category_ids = std::move(categories);
        command->draft.capabilities = std::move(capabilities);
        ask(std::move(command));
    }
    // From now on this one calls.
    void be(const std::string& agent) {
        caller_ = agent;
        held_wake_.reset();
    }
    const model::Wake& held() {
        if (held_wake_) return *held_wake_;
        wake_now(caller_, "w" + std::to_string(++asked_));
        auto granted = claim(caller_);
        EXPECT_TRUE(granted.has_value());
        held_wake_ = granted ? granted->wake : model::Wake{};
        return *held_wake_;
    }
    void finish() {
        end(held());
        held_wake_.reset();
    }

    // An operation that is empty is none.
    Called call(const std::string& tool, const std::string& arguments, const std::string& operation) {
        auto command = std::make_unique<ports::CallTool>();
        command->id = held().id;
        command->fence = held().fence;
        command->operation_id = operation;
        command->call = ports::ToolWish{tool, model::RawJson::trusted(arguments)};
        return try_to(std::move(command));
    }
    // Under an operation that nothing had before.
    Called call(const std::string& tool, const std::string& arguments) {
        return call(tool, arguments, "op-" + std::to_string(++asked_));
    }
    std::vector<model::PlannedAction> plan(const std::vector<ports::ToolWish>& wishes, std::int64_t round = 1) {
        auto command = std::make_unique<ports::StorePlan>();
        command->id = held().id;
        command->fence = held().fence;
        command->round = round;
        for (const ports::ToolWish& wish : wishes) {
            model::PlannedAction& action = command->actions.emplace_back();
            action.tool_name = wish.tool_name;
            action.arguments = wish.arguments;
        }
        return ask(std::move(command)).plan.plan.actions;
    }
    Called call_planned(const std::string& operation) {
        auto command = std::make_unique<ports::CallTool>();
        command->id = held().id;
        command->fence = held().fence;
        command->operation_id = operation;
        return try_to(std::move(command));
    }

    // What a call that goes well says.
    model::RawJson said(const Called& called) {
        const model::AgentMessage* const result = result_of(called);
        if (result == nullptr) return {};
        EXPECT_EQ(result->metadata.error_message, "");
        EXPECT_EQ(result->metadata.status, model::ToolStatus::success);
        return result->content;
    }
    model::RawJson done(const std::string& tool, const std::string& arguments) { return said(call(tool, arguments)); }
    // `out_of_scope: taskId: there is no task x in your categories`
    std::string refusal_in(const Called& called) {
        const model::AgentMessage* const result = result_of(called);
        if (result == nullptr) return "";
        EXPECT_EQ(result->metadata.status, model::ToolStatus::error) << result->content.bytes();
        return result->metadata.error_code + ": " + result->metadata.error_message;
    }
    std::string refused(const std::string& tool, const std::string& arguments) {
        return refusal_in(call(tool, arguments));
    }
    // A tool of high risk: seen before, and then done. `arguments` is an object with at least one member.
    model::RawJson preview(const std::string& tool, const std::string& arguments) {
        return done(tool, with(arguments, R"("previewOnly":true)"));
    }
    model::RawJson done_after_preview(const std::string& tool, const std::string& arguments) {
        const std::string token = text_in(preview(tool, arguments), "previewToken");
        return done(tool, with(arguments, R"("previewToken":")" + token + '"'));
    }
    static std::string with(std::string arguments, const std::string& member) {
        arguments.pop_back();
        return arguments + ',' + member + '}';
    }

    // `task.title`, `items.1.checked`: a text without its quotes, anything else as it stands; empty: not there.
    static std::string text_in(const model::RawJson& json, std::string_view path) {
        std::optional<model::JsonView> at = json.view();
        while (at && !path.empty()) {
            const std::string_view name = path.substr(0, path.find('.'));
            path.remove_prefix(std::min(path.size(), name.size() + 1));
            at = at->kind() == model::JsonKind::array ? element_of(*at, std::stoul(std::string(name)))
                                                      : at->member(name);
        }
        return at ? at->as_text() : "";
    }

    void add_task(const std::string& id, const std::string& category, const std::string& title = "A task") {
        make(id, task_wish(title), category);
    }
    void add_checklist(const std::string& id, const std::string& task, const std::string& title = "A list") {
        make(id, wish_of(model::Checklist{task, title, 0}, {"task_id", "title"}));
    }
    void add_item(const std::string& id, const std::string& checklist, bool checked = false,
                  std::int64_t position = 0) {
        make(id, wish_of(model::ChecklistItem{checklist, "item " + id, checked, position},
                         {"checklist_id", "title", "checked", "position"}));
    }
    template <class T>
    T body(const std::string& id) {
        const model::JournalRecord there = record(id);
        return std::holds_alternative<T>(there.body) ? std::get<T>(there.body) : T{};
    }
    bool is_linked(const std::string& relation, const std::string& from, const std::string& to) {
        const JournalLook all = look();
        const auto at = all.links.find({user_, relation, from, to});
        return at != all.links.end() && !at->second.deleted_at;
    }
    // The journal and the log of its changes, to be compared with what it was: nothing has left a trace.
    struct Traces {
        std::map<JournalLook::Key, model::JournalRecord> records;
        std::map<ports::LinkName, model::Link> links;
        std::set<ports::JournalTerm> terms;
        Names changes;

        bool operator==(const Traces&) const = default;
    };
    Traces traces() {
        JournalLook all = look();
        Traces left{std::move(all.records), std::move(all.links), std::move(all.terms), {}};
        for (const model::Change& change : all.changes) {
            const bool is_agents = change.unit.kind.starts_with("agent");
            if (!is_agents) left.changes.push_back(change.unit.kind + ' ' + change.unit.id);
        }
        return left;
    }

private:
    static const model::AgentMessage* result_of(const Called& called) {
        EXPECT_TRUE(called.ok()) << called.error().message;
        if (!called.ok()) return nullptr;
        EXPECT_TRUE(called->result.has_value());
        return called->result ? &*called->result : nullptr;
    }
    static std::optional<model::JsonView> element_of(model::JsonView array, std::size_t place) {
        model::JsonWalker walker(array);
        auto one = walker.next();
        for (; one && place > 0; --place) one = walker.next();
        return one;
    }

    std::string caller_ = "coach";
    std::optional<model::Wake> held_wake_;
    int asked_ = 0;
};

}  // namespace belfry::sim
