#pragma once

#include <exception>

#include "text/jinja/interpreter.hpp"

namespace belfry::text::jinja {

// Output goes to a string of its own for as long as this lives.
class Interpreter::Capture {
public:
    explicit Capture(Interpreter& in) : in_(in), outer_(in.out_) { in.out_ = &text_; }
    ~Capture() { in_.out_ = outer_; }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    Val value() {
        in_.charge_bytes(text_.size());
        return in_.text(text_);
    }

private:
    Interpreter& in_;
    std::string* outer_;
    std::string text_;
};

class Interpreter::Deeper {
public:
    explicit Deeper(Interpreter& in) : in_(in), context_(in.context_), program_(in.program_) {
        if (++in.depth_ > in.limits_.recursion_max)
            fail("macros, includes or loops recur deeper than the limit allows");
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
