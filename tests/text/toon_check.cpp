// Reads cases from standard input, one JSON object a line, and holds our TOON against them. `{"json":…,"delimiter":",",
// "indent":2,"toon":"…","decoded":…}`: encoding `json` must give `toon` to the byte, and decoding `toon` must give
// `decoded` and `json`. `{"document":"…","strict":true,"decoded":…}` or with `"error":true`: a document as it might
// come. Prints every difference, at the end a line of counts, and fails when there was one.
#include <iostream>
#include <string>

#include "model/value_json.hpp"
#include "text/toon.hpp"

namespace {

using belfry::model::to_json;
using belfry::model::Value;
using belfry::text::ToonDelimiter;

struct Counts {
    std::size_t values = 0;
    std::size_t documents = 0;
    std::size_t differences = 0;
};

void differ(Counts& counts, const char* what, const std::string& ours, const std::string& theirs,
            const std::string& line) {
    if (++counts.differences <= 20) {
        std::cout << "DIFFERENT: " << what << "\n  ours:   " << ours << "\n  theirs: " << theirs
                  << "\n  case:   " << line << "\n";
    }
}

void check_value(Counts& counts, const Value& test, const std::string& line) {
    ++counts.values;
    belfry::text::ToonEncodeOptions encode;
    encode.delimiter = static_cast<ToonDelimiter>(test.find("delimiter")->text().front());
    encode.indent = static_cast<int>(test.find("indent")->as_integer());
    belfry::text::ToonDecodeOptions decode;
    decode.indent = encode.indent;
    const Value& value = *test.find("json");
    const auto made = belfry::text::toon_encode(value, encode);
    const std::string ours = made.ok() ? *made : "error: " + made.error().message;
    const std::string theirs(test.find("toon")->text());
    if (ours != theirs) differ(counts, "encoded", ours, theirs, line);
    const auto read = belfry::text::toon_decode(theirs, decode);
    if (!read.ok()) {
        differ(counts, "decoded", read.error().message, theirs, line);
        return;
    }
    if (!(*read == *test.find("decoded")))
        differ(counts, "decoded", to_json(*read), to_json(*test.find("decoded")), line);
    if (!(*read == value)) differ(counts, "round trip", to_json(*read), to_json(value), line);
}

void check_document(Counts& counts, const Value& test, const std::string& line) {
    ++counts.documents;
    belfry::text::ToonDecodeOptions decode;
    decode.strict = test.find("strict")->as_boolean();
    const auto read = belfry::text::toon_decode(test.find("document")->text(), decode);
    const Value* decoded = test.find("decoded");
    if (decoded == nullptr) {
        if (read.ok()) differ(counts, "should fail", to_json(*read), "error", line);
    } else if (!read.ok()) {
        differ(counts, "should be read", read.error().message, to_json(*decoded), line);
    } else if (!(*read == *decoded)) {
        differ(counts, "document", to_json(*read), to_json(*decoded), line);
    }
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    Counts counts;
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.empty()) continue;
        const Value test = belfry::model::value_from({line});
        if (test.find("document") != nullptr) {
            check_document(counts, test, line);
        } else {
            check_value(counts, test, line);
        }
    }
    std::cout << counts.values << " values, " << counts.documents << " documents, " << counts.differences
              << " differences\n";
    return counts.differences == 0 ? 0 : 1;
}
