#include "text/documents.hpp"

#include <array>
#include <random>

#include "model/value_json.hpp"

namespace belfry::bench {
namespace {

using model::Value;

class Source {
public:
    explicit Source(unsigned seed) : random_(seed) {}

    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
    double real() { return static_cast<double>(below(10'000'000)) / 1000.0; }

    const char* tool() {
        static constexpr std::array<const char*, 6> names{"vault_search", "coderag_query", "shell",
                                                          "browser.open", "file_read",     "calendar"};
        return names[static_cast<std::size_t>(below(6))];
    }
    std::string sentence() {
        static constexpr std::array<const char*, 16> words{"operation", "timed", "out",    "after",      "index", "not",
                                                           "found",     "retry", "budget", "agent",      "waits", "for",
                                                           "user",      "path:", "Größe",  "\"quoted\","};
        std::string made;
        for (std::int64_t n = 3 + below(9); n > 0; --n) {
            if (!made.empty()) made += ' ';
            made += words[static_cast<std::size_t>(below(16))];
        }
        return made;
    }
    std::string time() {
        char text[40];
        std::snprintf(text, sizeof text, "2026-11-%02dT%02d:%02d:%02dZ", static_cast<int>(1 + below(28)),
                      static_cast<int>(below(24)), static_cast<int>(below(60)), static_cast<int>(below(60)));
        return text;
    }
    std::string id() { return "c" + std::to_string(100000 + below(900000)); }

private:
    std::mt19937_64 random_;
};

Value payload(Source& source, std::int64_t kind) {
    Value made = Value::object();
    made.append("tool_name", Value::string(source.tool()));
    made.append("call_id", Value::string(source.id()));
    if (kind == 0) {
        made.append("duration_ms", Value::integer(source.below(60000)));
    } else if (kind == 1) {
        made.append("error_type", Value::string("timeout"));
        made.append("error_message", Value::string(source.sentence()));
        made.append("retry_count", Value::integer(source.below(5)));
    } else if (kind == 2) {
        made.append("current", Value::integer(source.below(50000)));
        made.append("limit", Value::integer(50000));
        made.append("percentage", Value::real(source.real() / 100));
    } else {
        Value tags = Value::array();
        for (std::int64_t n = source.below(4); n > 0; --n) tags.push(Value::string(source.tool()));
        made.append("tags", std::move(tags));
        Value inner = Value::object();
        inner.append("path", Value::string("/srv/data/" + source.id() + ".json"));
        inner.append("hash", Value::string(source.id() + source.id()));
        made.append("file", std::move(inner));
    }
    return made;
}

std::size_t rows_for(Value (*make)(std::size_t), std::size_t json_bytes) {
    const std::size_t sample = model::to_json(make(200)).size();
    return json_bytes * 200 / sample + 1;
}

}  // namespace

Value uniform_table(std::size_t rows) {
    Source source(1);
    Value list = Value::array(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        Value row = Value::object(7);
        row.append("id", Value::integer(static_cast<std::int64_t>(i)));
        row.append("tool", Value::string(source.tool()));
        row.append("call_id", Value::string(source.id()));
        row.append("ok", Value::boolean(source.below(4) != 0));
        row.append("duration_ms", Value::integer(source.below(60000)));
        row.append("cost", Value::real(source.real()));
        row.append("at", Value::string(source.time()));
        list.push(std::move(row));
    }
    Value root = Value::object(1);
    root.append("calls", std::move(list));
    return root;
}

Value mixed_events(std::size_t events) {
    static constexpr std::array<const char*, 4> types{"tool.call.success", "tool.call.failure", "budget.token.warning",
                                                      "source.stale"};
    static constexpr std::array<const char*, 4> severities{"info", "error", "warning", "warning"};
    Source source(2);
    Value list = Value::array(events);
    for (std::size_t i = 0; i < events; ++i) {
        const std::int64_t kind = source.below(4);
        Value event = Value::object(7);
        event.append("type", Value::string(types[static_cast<std::size_t>(kind)]));
        event.append("source", Value::string("executor-" + std::to_string(source.below(9))));
        event.append("severity", Value::string(severities[static_cast<std::size_t>(kind)]));
        event.append("timestamp", Value::string(source.time()));
        event.append("session_id", Value::string("s" + std::to_string(source.below(100))));
        event.append("payload", payload(source, kind));
        list.push(std::move(event));
    }
    return list;
}

Value nested_settings(std::size_t groups) {
    Source source(3);
    Value root = Value::object();
    for (std::size_t i = 0; i < groups; ++i) {
        Value limits = Value::object();
        limits.append("soft", Value::integer(source.below(1000)));
        limits.append("hard", Value::integer(source.below(100000)));
        limits.append("note", Value::string(source.sentence()));
        Value group = Value::object();
        group.append("enabled", Value::boolean(source.below(2) == 0));
        group.append("name", Value::string(source.tool()));
        group.append("limits", std::move(limits));
        Value names = Value::array();
        for (std::int64_t n = source.below(5); n > 0; --n) names.push(Value::string(source.sentence()));
        group.append("names", std::move(names));
        root.append("group" + std::to_string(i), std::move(group));
    }
    return root;
}

Value number_lists(std::size_t lists) {
    Source source(4);
    Value root = Value::object();
    for (std::size_t i = 0; i < lists; ++i) {
        Value list = Value::array(40);
        for (int n = 0; n < 40; ++n)
            list.push(n % 2 == 0 ? Value::integer(source.below(1000000)) : Value::real(source.real()));
        root.append("series" + std::to_string(i), std::move(list));
    }
    return root;
}

std::vector<Document> documents(std::size_t json_bytes) {
    std::vector<Document> all;
    const auto add = [&](const char* name, Value (*make)(std::size_t)) {
        all.push_back({name, make(rows_for(make, json_bytes))});
    };
    add("uniform table", uniform_table);
    add("mixed event log", mixed_events);
    add("nested settings", nested_settings);
    add("lists of numbers", number_lists);
    return all;
}

}  // namespace belfry::bench
