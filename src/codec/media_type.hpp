#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::codec {

// A Content-Type, taken apart.
struct MediaType {
    std::string name;     // type/subtype, lower case; empty where none was given
    std::string charset;  // lower case, empty where none was given

    // application/json, text/json or anything that ends in +json.
    [[nodiscard]] bool is_json() const;
    // What is text by its name: text/… and XML.
    [[nodiscard]] bool is_text() const;
};

// Code::unsupported for what is no media type, and for any charset but UTF-8 (of which ASCII is a part).
base::Result<MediaType> parse_media_type(std::string_view header);

// Letters of ASCII only.
std::string to_lower(std::string_view text);

}  // namespace belfry::codec
