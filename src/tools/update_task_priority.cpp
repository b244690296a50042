#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool update_task_priority() {
    return {task_contract("update_task_priority", "Says how important a task is: p0 is the most, p3 the least."),
            change_task};
}

}  // namespace belfry::tools
