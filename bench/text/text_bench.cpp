// Measures TOON, our JSON and templates. Every line of output is one JSON object; bench/sections/ makes rows of it.
//   bench_text documents DIR       writes the documents as JSON, for the peers
//   bench_text toon                speed of TOON and of our own JSON on them
//   bench_text linear              time for 1 to 64 MB
//   bench_text templates FILE      renders the templates of FILE over its data
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <malloc.h>
#include <string>

#include "codec/json.hpp"
#include "model/value_json.hpp"
#include "text/documents.hpp"
#include "text/template.hpp"
#include "text/toon.hpp"

namespace {

using namespace belfry;
using model::Value;

constexpr std::size_t megabyte = 1'000'000;

// The median of the seconds that one call takes, over at least so many calls and half a second.
double seconds_of(const std::function<void()>& work, int at_least = 5) {
    std::vector<double> samples;
    double total = 0;
    work();
    while (total < 0.5 || static_cast<int>(samples.size()) < at_least) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        samples.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        total += samples.back();
    }
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end());
    return samples[samples.size() / 2];
}

void say(const std::string& what, const std::string& document, std::size_t json_bytes, double seconds) {
    std::printf("{\"what\":\"%s\",\"document\":\"%s\",\"json_bytes\":%zu,\"seconds\":%.9f}\n", what.c_str(),
                document.c_str(), json_bytes, seconds);
    std::fflush(stdout);
}

template <class T>
T must(base::Result<T> result) {
    if (!result.ok()) {
        std::cerr << result.error().message << "\n";
        std::exit(1);
    }
    return std::move(result).value();
}

void measure(const bench::Document& document) {
    const std::string json = model::to_json(document.value);
    const std::string toon = must(text::toon_encode(document.value));
    std::size_t sink = 0;
    // A writer that is called again and again reuses its memory; so do both.
    std::string out;
    say("toon encode", document.name, json.size(), seconds_of([&] {
            out.clear();
            (void)text::append_toon(out, document.value);
            sink += out.size();
        }));
    say("json write", document.name, json.size(), seconds_of([&] {
            out.clear();
            model::append_json(out, document.value);
            sink += out.size();
        }));
    say("toon decode", document.name, json.size(), seconds_of([&] { sink += must(text::toon_decode(toon)).size(); }));
    say("json read", document.name, json.size(),
        seconds_of([&] { sink += model::value_from(must(codec::validate(json)).view()).size(); }));
    std::printf("{\"what\":\"size\",\"document\":\"%s\",\"json_bytes\":%zu,\"toon_bytes\":%zu}\n",
                document.name.c_str(), json.size(), toon.size());
    if (sink == 0) std::exit(1);
}

void linear() {
    for (std::size_t size = 1; size <= 64; size *= 2) {
        for (const bench::Document& document : bench::documents(size * megabyte)) {
            if (document.name != "mixed event log" && document.name != "uniform table") continue;
            const std::size_t bytes = model::to_json(document.value).size();
            std::string toon;
            say("toon encode", document.name, bytes,
                seconds_of(
                    [&] {
                        toon.clear();
                        (void)text::append_toon(toon, document.value);
                    },
                    3));
            say("toon decode", document.name, bytes, seconds_of([&] { must(text::toon_decode(toon)); }, 3));
        }
    }
}

void templates(const char* path) {
    std::ifstream file(path);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const Value suite = model::value_from({bytes});
    for (const model::Member& member : suite.find("templates")->members()) {
        text::TemplateOptions options;
        options.trim_blocks = options.lstrip_blocks = true;
        const text::Template compiled =
            must(text::Template::compile(std::string(member.key()), member.value.text(), options));
        const std::string once = must(compiled.render(*suite.find("data")));
        // Many renderings are one sample, so that the clock does not count.
        const double seconds = seconds_of([&] {
            for (int i = 0; i < 100; ++i) must(compiled.render(*suite.find("data")));
        });
        say("render", std::string(member.key()), once.size(), seconds / 100);
    }
}

}  // namespace

int main(int argc, char** argv) {
    // A process that lives for long keeps its heap; giving it back after every tree would measure the kernel.
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "toon") {
        for (const bench::Document& document : bench::documents(megabyte)) measure(document);
    } else if (what == "linear") {
        linear();
    } else if (what == "documents" && argc > 2) {
        for (const bench::Document& document : bench::documents(megabyte)) {
            std::ofstream(std::string(argv[2]) + "/" + document.name + ".json") << model::to_json(document.value);
        }
    } else if (what == "templates" && argc > 2) {
        templates(argv[2]);
    } else {
        std::cerr << "bench_text documents DIR | toon | linear | templates FILE\n";
        return 2;
    }
    return 0;
}
