#include "tools/catalogue.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {

Tool update_task_estimate() {
    return {
        task_contract("update_task_estimate", "Says how many minutes a task will take, or that nobody knows: null."),
        change_task};
}

}  // namespace belfry::tools
