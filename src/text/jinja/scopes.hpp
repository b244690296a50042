#pragma once

#include <exception>

#include "text/jinja/interpreter.hpp"

namespace belfry::text::jinja {

// Output is gathered as a value for as long as this lives: at the end of what there is, and is then cut off again.
class Interpreter::Capture {
public:
    explicit Capture(Interpreter& in) : in_(in), outer_(in.captured_from_) { in.captured_from_ = in.out_->size(); }
    ~Capture() { in_.captured_from_ = outer_; }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    Val value() {
        const std::string_view text = std::string_view(*in_.out_).substr(in_.captured_from_);
        in_.charge_bytes(text.size());
        const Val made = in_.text(text);
        in_.out_->resize(in_.captured_from_);
        return made;
    }

private:
    Interpreter& in_;
    std::size_t outer_;
};

class Interpreter::Deeper {
public:
    explicit Deeper(Interpreter& in) : in_(in), context_(in.context_), program_(in.program_) {
        if (++in.depth_ > in.limits_.recursion_max)
            fail("macros, includes or loops recur deeper than the limit allows: " +
                 std::to_string(in.limits_.recursion_max));
    }
    // On failure the place stays where it went wrong, and so does the template.
    ~Deeper() {
        --in_.depth_;
        if (std::uncaught_exceptions() > exceptions_) return;
        in_.context_ = context_;
        in_.program_ = program_;
        in_.hints_ = hints_;
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

private:
    Interpreter& in_;
    const Context* context_;
    const Program* program_;
    std::uint32_t* hints_ = in_.hints_;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace belfry::text::jinja
