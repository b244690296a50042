#include "rules/sink.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

template <class T>
bool allows(const std::vector<T>& list, const T& value) {
    return list.empty() || std::ranges::find(list, value) != list.end();
}

}  // namespace

bool wants(const model::Sink& sink, const model::Notification& notification) {
    return allows(sink.users, notification.scope.user_id) && allows(sink.priorities, notification.priority) &&
           allows(sink.severities, notification.severity);
}

}  // namespace belfry::rules
