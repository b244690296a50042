// Counts tokens: tokenizer_check VOCABULARY < CASES. A case is its length in bytes, a line end and its text; of each
// the number of its tokens is printed, one a line.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "text/tokenizer.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: tokenizer_check VOCABULARY < CASES\n";
        return 2;
    }
    std::ifstream file(argv[1], std::ios::binary);
    const std::string vocabulary{std::istreambuf_iterator<char>(file), {}};
    const auto tokenizer = belfry::text::Tokenizer::read(vocabulary);
    if (!tokenizer.ok()) {
        std::cerr << tokenizer.error().message << "\n";
        return 1;
    }
    std::size_t bytes = 0;
    while (std::cin >> bytes) {
        std::cin.get();
        std::string text(bytes, '\0');
        std::cin.read(text.data(), static_cast<std::streamsize>(bytes));
        std::cout << tokenizer->count(text) << "\n";
    }
    return 0;
}
