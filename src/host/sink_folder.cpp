#include "host/sink_folder.hpp"

#include <algorithm>
#include <tuple>

#include "base/limits.hpp"
#include "codec/sink.hpp"
#include "host/definition_files.hpp"
#include "host/files.hpp"

namespace belfry::host {
namespace {

namespace limits = base::limits;
using model::Sink;
using model::SinkCatalogue;

void read_one(const std::string& path, SinkCatalogue& into, ReadingTrouble& trouble) {
    const auto content = read_file(path, limits::toml_bytes_max);
    if (!content.ok()) return trouble.cannot_read(path, content.error());
    codec::ParsedSink parsed = codec::parse_sink(*content, path);
    if (parsed.is_usable()) into.sinks.push_back(std::move(parsed.sink));
    for (model::SubscriberProblem& problem : parsed.problems) into.problems.push_back(std::move(problem));
}

void refuse_doubles(SinkCatalogue& into) {
    std::ranges::sort(into.sinks, {}, [](const Sink& sink) { return std::tie(sink.id, sink.origin); });
    std::vector<Sink> single;
    for (std::size_t i = 0; i < into.sinks.size();) {
        std::size_t end = i + 1;
        while (end < into.sinks.size() && into.sinks[end].id == into.sinks[i].id) ++end;
        for (std::size_t twin = i; end - i > 1 && twin < end; ++twin) {
            into.problems.push_back({into.sinks[twin].origin, 0, 0, "sink.id",
                                     '"' + into.sinks[twin].id + "\" stands in " + into.sinks[i].origin + " and " +
                                         into.sinks[end - 1].origin +
                                         ": an id belongs to one file, so none of them counts",
                                     true});
        }
        if (end - i == 1) single.push_back(std::move(into.sinks[i]));
        i = end;
    }
    into.sinks = std::move(single);
}

std::optional<base::Error> read_folder(const std::string& folder, SinkCatalogue& into) {
    if (folder.empty()) return std::nullopt;
    ReadingTrouble trouble{into.problems};
    const std::vector<std::string> names = definition_names(folder, ".toml", trouble);
    if (names.size() > limits::sinks_max) {
        into.problems.push_back(whole_file(folder, "has more than " + std::to_string(limits::sinks_max) + " sinks"));
        return std::nullopt;
    }
    for (const std::string& name : names) read_one(join_path(folder, name), into, trouble);
    refuse_doubles(into);
    return trouble.could_not_look;
}

}  // namespace

SinkCatalogue read_sinks(const std::string& folder) {
    SinkCatalogue into;
    read_folder(folder, into);
    return into;
}

base::Result<SinkCatalogue> read_sinks_again(const std::string& folder) {
    SinkCatalogue into;
    if (auto failure = read_folder(folder, into)) return std::move(*failure);
    return into;
}

}  // namespace belfry::host
