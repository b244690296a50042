#include "tools/catalogue.hpp"
#include "tools/say.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    WishOf<model::Task> wish = task_wish(arguments);
    TRY_ASSIGN(std::string category, category_for_new(bench, arguments));
    TRY_ASSIGN(const model::JournalRecord made, bench.make({}, wish.category(std::move(category))));
    return task_answer(made);
}

}  // namespace

Tool create_task() {
    return {task_contract("create_task", "Makes a new task in one of your categories."), run};
}

}  // namespace belfry::tools
