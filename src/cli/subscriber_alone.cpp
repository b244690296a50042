#include "cli/subscriber_alone.hpp"

#include "base/nearest.hpp"
#include "cli/connection.hpp"
#include "cli/subscriber_lint.hpp"
#include "cli/subscriber_preview.hpp"
#include "codec/subscriber.hpp"
#include "host/files.hpp"
#include "host/subscriber_folder.hpp"

namespace belfry::cli {
namespace {

base::Result<std::string> folder_of(Context& context, const Arguments& arguments) {
    if (const auto folder = arguments.value("folder")) return *folder;
    TRY_ASSIGN(const host::LoadedConfig loaded, load_config(context, arguments));
    return loaded.config.notifications.subscribers;
}

Exit wrong_config(Context& context, const Arguments& arguments, const base::Error& error) {
    return usage_error(context, arguments, error);
}

base::Result<model::Catalogue> read(const std::string& path) {
    TRY_ASSIGN(const auto facts, host::file_facts(path));
    if (!facts) return base::error(base::Code::not_found, "there is no file or folder " + path);
    return (*facts).is_folder ? host::read_subscribers(path) : host::read_subscriber_file(path);
}

void show(Context& context, const Arguments& arguments, const model::SubscriberProblem& problem) {
    if (!arguments.has("json")) {
        const std::string line = host::printable(codec::problem_line(problem));
        context.console.out.line(problem.fatal ? line : line + " (a warning)");
        return;
    }
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("file", problem.file).field("line", static_cast<long long>(problem.line));
    writer.field("column", static_cast<long long>(problem.column)).field("field", problem.field);
    writer.field("message", problem.message).name("fatal").boolean(problem.fatal).end_object();
    context.console.out.line(host::escape_json_controls(json));
}

std::string there_is_none(const model::Catalogue& catalogue, const std::string& id) {
    std::vector<std::string_view> ids;
    for (const model::Subscriber& subscriber : catalogue.subscribers) ids.push_back(subscriber.id);
    const std::string near = base::nearest(id, ids);
    return "there is no usable subscriber \"" + id + '"' + (near.empty() ? "" : "; did you mean " + near + "?");
}

void show(Context& context, const Arguments& arguments, const model::Subscriber& subscriber,
          const model::Rehearsed& made) {
    Output& out = context.console.out;
    if (arguments.has("json")) return out.line(host::escape_json_controls(preview_json(subscriber, made)));
    const auto lines = [&out](std::string_view text) {
        for (std::size_t from = 0; from <= text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            out.line(host::printable(text.substr(from, end - from)));
            from = end + 1;
        }
    };
    out.line(paint(preview_title(subscriber, made), Colour::dim, context.console.colours_out));
    lines(made.content);
    out.line(paint("-- for people", Colour::dim, context.console.colours_out));
    lines(made.text);
}

}  // namespace

Exit lint_subscribers(Context& context, const Arguments& arguments) {
    std::vector<std::string> paths(arguments.positionals().begin() + 1, arguments.positionals().end());
    if (paths.empty()) {
        const auto folder = folder_of(context, arguments);
        if (!folder.ok()) return wrong_config(context, arguments, folder.error());
        const auto facts = host::file_facts(*folder);
        if (facts.ok() && !*facts) {
            remark(context, "there is no folder " + *folder + ": only the shipped subscribers are used");
            return Exit::ok;
        }
        paths.push_back(*folder);
    }
    bool is_fatal = false;
    std::size_t count = 0;
    for (const std::string& path : paths) {
        auto catalogue = read(path);
        if (!catalogue.ok()) return fail(context, arguments, catalogue.error());
        check_templates(*catalogue);
        for (const model::SubscriberProblem& problem : catalogue->problems) {
            show(context, arguments, problem);
            is_fatal = is_fatal || problem.fatal;
            ++count;
        }
    }
    if (count == 0) remark(context, "nothing is wrong");
    else remark(context, std::to_string(count) + (count == 1 ? " problem" : " problems"));
    return is_fatal ? Exit::failure : Exit::ok;
}

Exit test_subscriber(Context& context, const Arguments& arguments) {
    const std::string id = arguments.positional(1);
    const auto folder = folder_of(context, arguments);
    if (!folder.ok()) return wrong_config(context, arguments, folder.error());
    model::Catalogue catalogue = host::read_subscribers(*folder);
    const text::SubscriberTemplates templates = check_templates(catalogue);
    for (const model::SubscriberProblem& problem : catalogue.problems) {
        remark(context, host::printable(codec::problem_line(problem)));
    }
    const model::Subscriber* subscriber = catalogue.find(id);
    if (subscriber == nullptr) {
        return fail(context, arguments, base::error(base::Code::not_found, there_is_none(catalogue, id)));
    }
    const auto previews = preview(*subscriber, templates, arguments.value("events"), context.now());
    if (!previews.ok()) return fail(context, arguments, previews.error());
    bool failed = false;
    for (const model::Rehearsed& made : previews->made) {
        if (&made != &previews->made.front() && !arguments.has("json")) context.console.out.line("");
        show(context, arguments, *subscriber, made);
        if (made.problem.empty()) continue;
        remark(context, host::printable(made.problem));
        failed = true;
    }
    if (previews->not_wanted > 0) {
        remark(context, std::to_string(previews->not_wanted) +
                            (previews->not_wanted == 1 ? " event is" : " events are") + " not for this subscriber");
    }
    return failed ? Exit::failure : Exit::ok;
}

}  // namespace belfry::cli
