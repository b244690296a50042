#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool update_task_due_date() {
    return {task_contract("update_task_due_date", "Says by which day a task is due, or that it is not: null."),
            change_task};
}

}  // namespace belfry::tools
