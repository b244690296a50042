#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool set_task_language() {
    return {task_contract("set_task_language", "Says in which language a task is written."), change_task};
}

}  // namespace belfry::tools
