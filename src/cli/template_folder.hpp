#pragma once

#include <map>
#include <string>
#include <string_view>

#include "text/template.hpp"

namespace belfry::cli {

// The templates of one folder, and of no other: a name with `..`, from the root, or with a backslash leads nowhere.
// Each is read and compiled when it is first asked for.
class TemplateFolder final : public text::TemplateResolver {
public:
    TemplateFolder(std::string folder, const text::TemplateOptions& options)
        : folder_(std::move(folder)), options_(options) {}

    [[nodiscard]] const text::Template* find(std::string_view name) const override;
    // Why the last template that is there could not be used; empty: there was none such.
    [[nodiscard]] const std::string& failure() const { return failure_; }

private:
    std::string folder_;
    text::TemplateOptions options_;
    mutable std::map<std::string, text::Template, std::less<>> templates_;
    mutable std::string failure_;
};

}  // namespace belfry::cli
