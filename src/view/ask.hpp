#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "ports/beside.hpp"

namespace belfry::view {

// Runs `job`, which may wait for the disk, beside the engine, and hands what it found to `done`.
template <class T, class Job>
void ask(ports::Beside& beside, Job job, std::function<void(base::Result<T>)> done) {
    auto found = std::make_shared<std::optional<base::Result<T>>>();
    beside.read([found, job = std::move(job)](ports::Reading& reading) mutable { found->emplace(job(reading)); },
                [found, done = std::move(done)] { done(std::move(**found)); });
}

}  // namespace belfry::view
