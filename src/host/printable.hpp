#pragma once

#include <string>
#include <string_view>

// Text of strangers on its way to a terminal or a log. A terminal obeys escape sequences: they can hide text, rewrite
// what stands above, set titles and clipboards. So no control character (C0, DEL, C1), no character that reorders the
// line (the bidirectional controls) and none that nobody sees (base::is_harmful) is ever passed on.
namespace belfry::host {

// Appends `text` with every such character, and every byte that is no UTF-8, written as \n, \t, \r, \xNN or \u{NNNN}.
void append_printable(std::string& out, std::string_view text);
std::string printable(std::string_view text);

// Valid JSON with such characters written as \u escapes, which is the same value.
std::string escape_json_controls(std::string_view json);

}  // namespace belfry::host
