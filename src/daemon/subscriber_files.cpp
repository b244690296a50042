#include "daemon/subscriber_files.hpp"

#include <algorithm>

#include "cli/subscriber_lint.hpp"

namespace belfry::daemon {

std::shared_ptr<const model::Catalogue> SubscriberFiles::current() const {
    const std::lock_guard lock(mutex_);
    return catalogue_;
}

base::Result<bool> SubscriberFiles::read() {
    TRY_ASSIGN(model::Catalogue found, host::read_subscribers_again(folder_));
    return adopt(std::move(found));
}

bool SubscriberFiles::adopt(model::Catalogue found) {
    auto fresh = std::make_shared<model::Catalogue>(std::move(found));
    cli::check_templates(*fresh);
    const std::shared_ptr<const model::Catalogue> before = current();
    for (const model::SubscriberProblem& problem : fresh->problems) {
        if (std::ranges::find(before->problems, problem) == before->problems.end()) tell(problem);
    }
    const bool is_same = fresh->subscribers == before->subscribers && fresh->templates == before->templates &&
                         fresh->problems == before->problems;
    if (is_same) return is_untold_;
    is_untold_ = true;
    const std::lock_guard lock(mutex_);
    catalogue_ = std::move(fresh);
    return true;
}

void SubscriberFiles::tell(const model::SubscriberProblem& problem) {
    std::string place = problem.file;
    if (problem.line > 0) place += ':' + std::to_string(problem.line);
    if (problem.column > 0) place += ':' + std::to_string(problem.column);
    const char* const what = problem.fatal ? "a subscriber cannot be used" : "a subscriber is not as it seems";
    log_.warning(what, {{"file", place}, {"field", problem.field}, {"why", problem.message}});
}

}  // namespace belfry::daemon
