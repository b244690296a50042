#include <fstream>
#include <iostream>
#include <map>
#include <string_view>

#include "checker.hpp"
#include "observation_json.hpp"

// observe FILE.jsonl [--all]: judges a recorded world and prints the violations, three of each kind or all. Exit code
// 0: every promise was kept; 1: violations; 2: the file cannot be read.
int main(int count, char** arguments) {
    const bool prints_all = count == 3 && std::string_view(arguments[2]) == "--all";
    if (count != 2 && !prints_all) {
        std::cerr << "usage: observe FILE.jsonl [--all]\n";
        return 2;
    }
    std::ifstream file(arguments[1]);
    if (!file) {
        std::cerr << "observe: " << arguments[1] << " cannot be opened\n";
        return 2;
    }
    observer::Checker checker;
    std::map<std::uint64_t, std::string> lines;
    std::string line;
    std::string error;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        if (line.empty()) continue;
        const auto seen = observer::read_json(line, error);
        if (!seen) {
            std::cerr << "observe: " << arguments[1] << ":" << number << ": " << error << "\n";
            return 2;
        }
        lines[seen->order] = line;
        checker.see(*seen);
    }
    const auto violations = checker.finish();
    std::map<std::string, std::size_t> counts;
    const std::size_t printed_max = prints_all ? violations.size() : 3;
    for (const auto& one : violations) {
        if (++counts[one.invariant] > printed_max) continue;
        std::cout << one.invariant << ": " << one.message << "\n  promise: \"" << one.promise << "\" (" << one.source
                  << ")\n";
        for (const std::uint64_t order : one.orders) std::cout << "  " << lines[order].substr(0, 600) << "\n";
    }
    for (const auto& [name, number] : counts) std::cout << number << " × " << name << "\n";
    std::cout << checker.size() << " observations, " << violations.size() << " violations\n";
    return violations.empty() ? 0 : 1;
}
