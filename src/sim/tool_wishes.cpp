#include "sim/tool_wishes.hpp"

#include <array>

#include "sim/expected_journal.hpp"

namespace belfry::sim {
namespace {

constexpr std::uint64_t planned_max = 8;
constexpr std::uint64_t unplanned_max = 3;

std::string quoted(const std::string& plain) {
    return '"' + plain + '"';
}

class Drawing {
public:
    explicit Drawing(SeededRandom& random) : random_(random) {}

    ports::ToolWish any() {
        const std::uint64_t draw = random_.below(100);
        if (draw < 20) return refused();
        if (draw < 36) return create_task();
        if (draw < 46) return update_task();
        if (draw < 58) return create_checklist();
        if (draw < 70) return add_items();
        if (draw < 80) return timer();
        if (draw < 87) return block();
        if (draw < 93) return rating();
        return wish_for_tool("notify_self", R"({"message":)" + mark("note") + "}");
    }

private:
    // By it what came of a call is known again.
    std::string mark(const std::string& what) { return quoted(what + ' ' + std::to_string(random_.below(1'000'000))); }
    std::string task() { return quoted("t" + std::to_string(1 + random_.below(3))); }

    ports::ToolWish create_task() {
        const std::string category = random_.one_in(4) ? "home" : "gym";
        return wish_for_tool("create_task",
                             R"({"title":)" + mark("task") + R"(,"categoryId":)" + quoted(category) + "}");
    }
    ports::ToolWish update_task() {
        std::string arguments = R"({"taskId":)" + task() + R"(,"title":)" + mark("title");
        if (random_.one_in(2)) arguments += R"(,"priority":"p)" + std::to_string(random_.below(4)) + '"';
        if (random_.one_in(5)) arguments += R"(,"previewOnly":true)";
        return wish_for_tool("update_task_fields", arguments + "}");
    }
    std::string items() {
        std::string list;
        for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) {
            list += (list.empty() ? "" : ",") + (R"({"title":)" + mark("item"));
            list += random_.one_in(3) ? R"(,"checked":true})" : "}";
        }
        return '[' + list + ']';
    }
    ports::ToolWish create_checklist() {
        return wish_for_tool("create_checklist",
                             R"({"taskId":)" + task() + R"(,"title":)" + mark("list") + R"(,"items":)" + items() + "}");
    }
    ports::ToolWish add_items() {
        const std::string where = random_.one_in(3) ? R"("checklistId":"c1")" : R"("taskId":)" + task();
        return wish_for_tool("add_multiple_checklist_items", "{" + where + R"(,"items":)" + items() + "}");
    }
    ports::ToolWish timer() {
        if (random_.one_in(2)) return wish_for_tool("stop_task_timer", R"({"taskId":)" + task() + "}");
        return wish_for_tool("start_task_timer", R"({"taskId":)" + task() + R"(,"note":)" + mark("time") + "}");
    }
    ports::ToolWish block() {
        const std::string day(ExpectedJournal::day);
        return wish_for_tool("upsert_day_plan_blocks",
                             R"({"planDate":)" + quoted(day) + R"(,"upserts":[{"categoryId":"gym","startTime":)" +
                                 quoted(day + "T08:00:00Z") + R"(,"endTime":)" + quoted(day + "T09:00:00Z") +
                                 R"(,"note":)" + mark("block") + "}]}");
    }
    ports::ToolWish rating() {
        return wish_for_tool("create_or_update_rating", R"({"target":"day","categoryId":"gym","targetId":)" +
                                                            quoted(std::string(ExpectedJournal::day)) + R"(,"score":)" +
                                                            std::to_string(1 + random_.below(5)) + R"(,"note":)" +
                                                            mark("rating") + "}");
    }
    ports::ToolWish refused() {
        switch (random_.below(7)) {
            case 0: return wish_for_tool("make_coffee", R"({"cups":2})");
            case 1: return wish_for_tool("create_task", R"({"categoryId":"gym"})");
            case 2: return wish_for_tool("create_task", R"({"title":)" + mark("task") + R"(,"categoryId":"secret"})");
            case 3: return wish_for_tool("update_task_fields", R"({"taskId":"s0","title":)" + mark("title") + "}");
            case 4:  // when something of it was done
                return wish_for_tool("create_checklist", R"({"taskId":)" + task() + R"(,"title":)" + mark("list") +
                                                             R"(,"items":[{"title":"x"},{"title":"\u202e"}]})");
            case 5:
                return wish_for_tool(
                    "update_task_fields",
                    R"({"taskId":)" + task() + R"(,"categoryId":"home","title":)" + mark("title") + "}");
            default: return wish_for_tool("conclude_task_with_rollover", R"({"taskId":"t0","previewToken":"guessed"})");
        }
    }

    SeededRandom& random_;
};

}  // namespace

ports::ToolWish wish_for_tool(const std::string& tool, std::string arguments) {
    return {tool, model::RawJson::trusted(std::move(arguments))};
}

ToolWishes::ToolWishes(SeededRandom random) {
    Drawing drawing(random);
    concludes = random.one_in(3);
    concludes_twice_ = random.one_in(3);
    if (random.one_in(2)) follow_up_title_ = "afterwards";
    const std::uint64_t count = 1 + random.below(planned_max);
    while (first.size() < count) {
        first.push_back(drawing.any());
        if (first.size() < count && random.one_in(4)) first.push_back(ports::ToolWish(first.back()));
    }
    if (concludes) {
        std::string arguments = R"({"taskId":"t0","previewOnly":true)";
        if (!follow_up_title_.empty()) arguments += R"(,"followUpTitle":)" + quoted(follow_up_title_);
        first.back() = wish_for_tool("conclude_task_with_rollover", arguments + "}");
    }
    for (std::uint64_t left = random.below(unplanned_max + 1); left > 0; --left) {
        unplanned.push_back({"own-" + std::to_string(left), drawing.any()});
    }
}

std::vector<ports::ToolWish> ToolWishes::second(const std::string& preview_token) const {
    std::string arguments = R"({"taskId":"t0","previewToken":)" + quoted(preview_token);
    if (!follow_up_title_.empty()) arguments += R"(,"followUpTitle":)" + quoted(follow_up_title_);
    std::vector<ports::ToolWish> wishes(concludes_twice_ ? 2 : 1,
                                        wish_for_tool("conclude_task_with_rollover", arguments + "}"));
    wishes.push_back(wish_for_tool("create_task", R"({"title":"at last","categoryId":"gym"})"));
    return wishes;
}

}  // namespace belfry::sim
