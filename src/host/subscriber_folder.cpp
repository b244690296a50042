#include "host/subscriber_folder.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/limits.hpp"
#include "codec/subscriber.hpp"
#include "host/definition_files.hpp"
#include "host/files.hpp"
#include "host/shipped_subscribers.hpp"

namespace belfry::host {
namespace {

namespace limits = base::limits;
using model::Catalogue;
using model::Subscriber;
using model::SubscriberProblem;

constexpr std::string_view shipped = "shipped";
constexpr std::string_view templates_folder = "templates";

// A subscriber on its way into the catalogue.
struct Candidate {
    Subscriber subscriber;
    std::uint32_t template_line = 0;
    std::uint32_t template_column = 0;
};

class Reader {
public:
    Catalogue into;
    ReadingTrouble trouble{into.problems};

    void read_all(const std::string& folder) {
        add_shipped();
        if (!folder.empty()) add_folder(folder);
        finish();
    }

    void add_shipped() {
        for (const EmbeddedFile& file : shipped_subscribers()) {
            if (file.name.ends_with(".toml")) {
                add_subscriber(file.content, std::string(shipped));
            } else {
                into.templates[std::string(file.name)] = file.content;
                into.template_origins[std::string(file.name)] = shipped;
            }
        }
        shipped_ = std::move(found_);
        found_.clear();
    }

    void add_folder(const std::string& folder) {
        const std::vector<std::string> names = definition_names(folder, ".toml", trouble);
        if (names.size() > limits::subscribers_max) {
            into.problems.push_back(
                whole_file(folder, "has more than " + std::to_string(limits::subscribers_max) + " subscribers"));
            return;
        }
        for (const std::string& name : names) add_file(join_path(folder, name));
        add_templates(join_path(folder, templates_folder));
    }

    void add_file(const std::string& path) {
        const auto content = read_file(path, limits::toml_bytes_max);
        if (content.ok()) return add_subscriber(*content, path);
        trouble.cannot_read(path, content.error());
    }

    void add_templates(const std::string& folder) {
        const std::vector<std::string> names = definition_names(folder, "", trouble);
        if (names.size() > limits::templates_max) {
            into.problems.push_back(
                whole_file(folder, "has more than " + std::to_string(limits::templates_max) + " templates"));
            return;
        }
        for (const std::string& name : names) add_template(join_path(folder, name), name);
    }

    void finish() {
        std::map<std::string, Candidate> chosen;
        for (auto& candidate : shipped_) chosen[candidate.subscriber.id] = candidate;
        std::ranges::sort(found_, {}, [](const Candidate& candidate) {
            return std::tie(candidate.subscriber.id, candidate.subscriber.origin);
        });
        for (std::size_t i = 0; i < found_.size();) {
            std::size_t end = i + 1;
            while (end < found_.size() && found_[end].subscriber.id == found_[i].subscriber.id) ++end;
            if (end - i == 1) take(chosen, std::move(found_[i]));
            else refuse_twice(i, end);
            i = end;
        }
        for (auto& [id, candidate] : chosen) {
            check_template(candidate);
            into.subscribers.push_back(std::move(candidate.subscriber));
        }
    }

private:
    void add_subscriber(std::string_view content, const std::string& path) {
        auto table = codec::parse_toml(content, path);
        codec::ParsedSubscriber parsed =
            table.ok() ? codec::parse_subscriber(*table) : codec::parse_subscriber(content, path);
        for (SubscriberProblem& problem : parsed.problems) into.problems.push_back(problem);
        if (!parsed.is_usable()) return;
        Candidate candidate{std::move(parsed.subscriber)};
        if (const codec::TomlEntry* entry = table->find("output.template")) {
            candidate.template_line = entry->line;
            candidate.template_column = entry->column;
        }
        found_.push_back(std::move(candidate));
    }

    void add_template(const std::string& path, const std::string& name) {
        const auto content = read_file(path, limits::template_bytes_max);
        if (!content.ok()) return trouble.cannot_read(path, content.error());
        const std::string below = join_path(templates_folder, name);
        into.templates[below] = *content;
        into.template_origins[below] = path;
    }

    static void take(std::map<std::string, Candidate>& chosen, Candidate candidate) {
        const auto replaced = chosen.find(candidate.subscriber.id);
        if (replaced != chosen.end() && replaced->second.subscriber.core) {
            candidate.subscriber.core = true;
            if (candidate.subscriber.core_reason.empty()) {
                candidate.subscriber.core_reason = replaced->second.subscriber.core_reason;
            }
        }
        chosen[candidate.subscriber.id] = std::move(candidate);
    }

    void refuse_twice(std::size_t from, std::size_t end) {
        std::string files;
        for (std::size_t i = from; i < end; ++i) {
            if (i > from) files += i + 1 == end ? " and " : ", ";
            files += found_[i].subscriber.origin;
        }
        for (std::size_t i = from; i < end; ++i) {
            into.problems.push_back({found_[i].subscriber.origin, 0, 0, "subscriber.id",
                                     '"' + found_[i].subscriber.id + "\" stands in " + files +
                                         ": an id belongs to one file, so none of them counts",
                                     true});
        }
    }

    void check_template(const Candidate& candidate) {
        const std::string& name = candidate.subscriber.template_name;
        if (name.empty() || into.templates.contains(name)) return;
        into.problems.push_back({candidate.subscriber.origin, candidate.template_line, candidate.template_column,
                                 "output.template", "there is no template \"" + name + "\"; the fallback text is used",
                                 false});
    }

    std::vector<Candidate> shipped_;
    std::vector<Candidate> found_;
};

}  // namespace

Catalogue read_subscribers(const std::string& folder) {
    Reader reader;
    reader.read_all(folder);
    return std::move(reader.into);
}

base::Result<Catalogue> read_subscribers_again(const std::string& folder) {
    Reader reader;
    reader.read_all(folder);
    if (reader.trouble.could_not_look) return std::move(*reader.trouble.could_not_look);
    return std::move(reader.into);
}

Catalogue read_subscriber_file(const std::string& path) {
    Reader reader;
    reader.add_shipped();
    reader.add_file(path);
    reader.add_templates(join_path(parent_folder(path), templates_folder));
    reader.finish();
    return std::move(reader.into);
}

}  // namespace belfry::host
