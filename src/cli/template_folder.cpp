#include "cli/template_folder.hpp"

#include "host/files.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t template_bytes_max = std::size_t{1} << 20;

bool stays_inside(std::string_view name) {
    if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
        name.find('\0') != std::string_view::npos) {
        return false;
    }
    for (std::size_t from = 0; from <= name.size();) {
        const std::size_t slash = std::min(name.find('/', from), name.size());
        if (name.substr(from, slash - from) == "..") return false;
        from = slash + 1;
    }
    return true;
}

}  // namespace

const text::Template* TemplateFolder::find(std::string_view name) const {
    const auto known = templates_.find(name);
    if (known != templates_.end()) return &known->second;
    if (!stays_inside(name)) return nullptr;
    const auto source = host::read_file(folder_ + "/" + std::string(name), template_bytes_max);
    if (!source.ok()) return nullptr;
    auto compiled = text::Template::compile(std::string(name), *source, options_);
    if (!compiled.ok()) {
        failure_ = compiled.error().message;
        return nullptr;
    }
    return &templates_.emplace(name, std::move(compiled).value()).first->second;
}

}  // namespace belfry::cli
