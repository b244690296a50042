#include "checker.hpp"

#include "story.hpp"

namespace observer {
namespace {

std::vector<Invariant> all_invariants() {
    std::vector<Invariant> all;
    for (auto* part : {&user_invariants, &boundary_invariants, &holder_invariants, &awareness_invariants,
                       &context_invariants, &intake_invariants, &device_invariants, &memory_invariants})
        for (const Invariant& one : part()) all.push_back(one);
    return all;
}

}  // namespace

std::vector<Violation> Checker::finish() const {
    std::vector<Violation> found;
    const Story story(seen_, options_);
    for (const Invariant& one : all_invariants()) {
        Report report(one, found);
        one.check(story, report);
    }
    return found;
}

std::vector<std::string> invariant_names() {
    std::vector<std::string> names;
    for (const Invariant& one : all_invariants()) names.emplace_back(one.name);
    return names;
}

}  // namespace observer
