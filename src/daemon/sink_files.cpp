#include "daemon/sink_files.hpp"

#include <algorithm>

#include "codec/subscriber.hpp"

namespace belfry::daemon {

std::shared_ptr<const model::SinkCatalogue> SinkFiles::current() const {
    const std::lock_guard lock(mutex_);
    return catalogue_;
}

base::Result<bool> SinkFiles::read() {
    TRY_ASSIGN(model::SinkCatalogue found, host::read_sinks_again(folder_));
    return adopt(std::move(found));
}

bool SinkFiles::adopt(model::SinkCatalogue found) {
    auto fresh = std::make_shared<model::SinkCatalogue>(std::move(found));
    const std::shared_ptr<const model::SinkCatalogue> before = current();
    for (const model::SubscriberProblem& problem : fresh->problems) {
        if (std::ranges::find(before->problems, problem) != before->problems.end()) continue;
        log_.warning("a sink cannot be used", {{"why", codec::problem_line(problem)}});
    }
    if (*fresh == *before) return false;
    const std::lock_guard lock(mutex_);
    catalogue_ = std::move(fresh);
    return true;
}

}  // namespace belfry::daemon
