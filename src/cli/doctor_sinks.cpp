#include "cli/doctor_sinks.hpp"

#include "codec/subscriber.hpp"
#include "host/command.hpp"
#include "host/files.hpp"
#include "host/sink_folder.hpp"

namespace belfry::cli {
namespace {

using State = Finding::State;

void check_secret(const model::Sink& sink, std::vector<Finding>& findings) {
    if (sink.secret.empty() && sink.token.empty()) return;
    const auto facts = host::file_facts(sink.origin);
    if (!facts.ok() || !*facts || ((*facts)->mode & 077U) == 0) return;
    findings.push_back(
        {"sinks", State::warning, sink.origin + " holds a secret, and others can read it", "chmod 600 " + sink.origin});
}

void check_program(const model::Sink& sink, const host::Environment& environment, std::vector<Finding>& findings) {
    if (sink.kind == model::SinkKind::desktop && host::find_program(model::desktop_program, environment).empty()) {
        findings.push_back({"sinks", State::bad,
                            "sink " + sink.id + " shows desktop notifications, and notify-send is not installed",
                            "install it (Debian: apt install libnotify-bin), or remove " + sink.origin});
    }
    if (sink.kind == model::SinkKind::command && host::find_program(sink.argv.front(), environment).empty()) {
        findings.push_back({"sinks", State::bad,
                            "sink " + sink.id + " starts " + sink.argv.front() + ", and there is no such program",
                            "mend command.argv in " + sink.origin});
    }
}

}  // namespace

void check_sinks(const std::string& folder, const host::Environment& environment, std::vector<Finding>& findings) {
    const model::SinkCatalogue found = host::read_sinks(folder);
    const std::size_t before = findings.size();
    for (const model::SubscriberProblem& problem : found.problems) {
        findings.push_back({"sinks", problem.fatal ? State::bad : State::warning, codec::problem_line(problem),
                            "mend the file; docs/sinks.md has the fields"});
    }
    for (const model::Sink& sink : found.sinks) {
        check_secret(sink, findings);
        check_program(sink, environment, findings);
    }
    if (findings.size() > before) return;
    const std::string where = folder.empty() ? ", turned off" : " in " + folder;
    findings.push_back({"sinks", State::good, std::to_string(found.sinks.size()) + where, {}});
}

}  // namespace belfry::cli
