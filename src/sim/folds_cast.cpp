#include "sim/folds_cast.hpp"

#include <algorithm>
#include <utility>

namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;

constexpr std::size_t marks_max = 150;  // a list of a summary has two hundred

std::string json_text(const std::string& text, const char* mark = nullptr) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().field("text", text);
    if (mark != nullptr) writer.field("mark", mark);
    writer.end_object();
    return json;
}

}  // namespace

FoldsCast::Words FoldsCast::speak(const std::string& agent_id, const std::string& thread_id, base::Timestamp now) {
    Words words;
    std::vector<Open>& open = open_[thread_id];
    const std::uint64_t wanted = random_.one_in(6) ? 1 + random_.below(30) : 1 + random_.below(5);
    while (words.said.size() < wanted) {
        Said said;
        said.id = base::make_uuid7(now, random_.next(), random_.next());
        said.agent_id = agent_id;
        said.thread_id = thread_id;
        said.word = "w" + std::to_string(++count_) + "x";
        if (random_.one_in(15) && open_again(words, said)) continue;
        said.meaning = next_meaning(agent_id, open);
        AgentMessage draft;
        draft.kind = AgentMessageKind::thought;
        switch (said.meaning) {
            case Meaning::closing: close_one(words, std::move(said), std::move(draft), open, closed_[thread_id]); break;
            case Meaning::question: ask(words, std::move(said), std::move(draft), open); break;
            case Meaning::answer: call(words, std::move(said), std::move(draft), now); break;
            case Meaning::nothing: chat(words, std::move(said), std::move(draft)); break;
            default: say_marked(words, std::move(said), std::move(draft), open); break;
        }
    }
    return words;
}

bool FoldsCast::open_again(Words& words, Said& said) {
    std::vector<Open>& closed = closed_[said.thread_id];
    if (closed.empty()) return false;
    const auto at = std::next(closed.begin(), static_cast<std::ptrdiff_t>(random_.below(closed.size())));
    said.meaning = at->meaning;
    said.item = at->item;
    open_[said.thread_id].push_back({at->meaning, at->item, said.id});
    closed.erase(at);
    AgentMessage draft;
    draft.kind = AgentMessageKind::thought;
    // Its own word stands in a line of its own.
    const char* const label = said.meaning == Meaning::goal ? "Goal: " : "Todo: ";
    const std::string json = json_text(label + said.item + "\n" + said.word);
    add(words, std::move(said), std::move(draft), json);
    return true;
}

FoldsCast::Meaning FoldsCast::next_meaning(const std::string& agent_id, const std::vector<Open>& open) {
    if (!open.empty() && random_.one_in(12)) return Meaning::closing;
    if (random_.one_in(12)) return Meaning::answer;
    if (!random_.one_in(6) || marks_[agent_id] >= marks_max) return Meaning::nothing;
    ++marks_[agent_id];
    switch (random_.below(4)) {
        case 0: return Meaning::goal;
        case 1: return Meaning::decision;
        case 2: return Meaning::loop;
        default: return Meaning::question;
    }
}

void FoldsCast::add(Words& words, Said said, AgentMessage draft, const std::string& json) {
    draft.id = said.id;
    draft.tokens_approx = said.tokens = static_cast<std::int64_t>(1 + random_.below(60));
    draft.content = model::RawJson::trusted(json);
    said.content = json;
    words.drafts.push_back(std::move(draft));
    words.said.push_back(std::move(said));
}

// In a line of the text, among others, or in a member of its own.
void FoldsCast::say_marked(Words& words, Said said, AgentMessage draft, std::vector<Open>& open) {
    said.item = "Reach " + said.word;
    const bool is_goal = said.meaning == Meaning::goal;
    const bool is_decision = said.meaning == Meaning::decision;
    if (!is_decision) open.push_back({said.meaning, said.item, said.id});
    if (random_.one_in(2)) {
        const char* const mark = is_goal ? "goal" : is_decision ? "decision" : "open_loop";
        const std::string json = json_text(said.item, mark);
        return add(words, std::move(said), std::move(draft), json);
    }
    const char* const label = is_goal             ? "Goal: "
                              : is_decision       ? "decision: "
                              : random_.one_in(2) ? "Todo: "
                                                  : "OPEN LOOP: ";
    if (random_.one_in(3)) draft.kind = AgentMessageKind::system;
    const std::string rest = count_ % 8 == 0 ? std::string(5000, 'y') : "and so on";  // some lie apart
    const std::string json = json_text("As we said:\n- " + (label + said.item) + "\n" + rest);
    add(words, std::move(said), std::move(draft), json);
}

// Said in other case, or answered by a person.
void FoldsCast::close_one(Words& words, Said said, AgentMessage draft, std::vector<Open>& open,
                          std::vector<Open>& closed_before) {
    const auto at = std::next(open.begin(), static_cast<std::ptrdiff_t>(random_.below(open.size())));
    const Open closed = *at;
    open.erase(at);
    said.item = closed.item;
    if (closed.meaning == Meaning::question) {
        said.meaning = Meaning::answer;
        draft.kind = AgentMessageKind::tool_result;
        draft.metadata.action_ref_id = closed.id;
        draft.metadata.status = model::ToolStatus::success;
        draft.tool_result.emplace();
        const std::string json = json_text("yes " + said.word);
        return add(words, std::move(said), std::move(draft), json);
    }
    closed_before.push_back(closed);
    std::string item = closed.item;
    if (random_.one_in(2)) item[0] = 'r';
    // Its own word stands in a line of its own.
    const std::string json = json_text((random_.one_in(2) ? "Done: " : "closed: ") + item + "\n" + said.word);
    add(words, std::move(said), std::move(draft), json);
}

void FoldsCast::ask(Words& words, Said said, AgentMessage draft, std::vector<Open>& open) {
    said.item = "May we " + said.word;
    open.push_back({said.meaning, said.item, said.id});
    draft.kind = AgentMessageKind::action;
    draft.metadata.operation_id = "ask " + said.word;
    draft.action.emplace();
    draft.action->type = model::ActionType::ask_user;
    const std::string json = json_text(said.item);
    add(words, std::move(said), std::move(draft), json);
}

// A tool is called and answers, well or badly.
void FoldsCast::call(Words& words, Said said, AgentMessage draft, base::Timestamp now) {
    said.meaning = Meaning::nothing;
    draft.kind = AgentMessageKind::action;
    draft.metadata.operation_id = "call " + said.word;
    draft.action.emplace();
    draft.action->tool_name = "tool" + std::to_string(random_.below(4));
    AgentMessage answer;
    answer.kind = AgentMessageKind::tool_result;
    answer.metadata.action_ref_id = said.id;
    answer.tool_result.emplace();
    Said result;
    result.id = base::make_uuid7(now, random_.next(), random_.next());
    result.agent_id = said.agent_id;
    result.thread_id = said.thread_id;
    result.word = "w" + std::to_string(++count_) + "x";
    if (random_.one_in(3)) {
        answer.metadata.status = model::ToolStatus::error;
        answer.metadata.error_code = "out_of_scope";
        answer.metadata.error_message = "it is not allowed";
    } else {
        answer.metadata.status = model::ToolStatus::success;
        answer.tool_result->changed_entity_ids = {"task " + result.word};
    }
    const std::string action_json = json_text("call " + said.word);
    const std::string result_json = json_text("Goal: of a stranger " + result.word);
    add(words, std::move(said), std::move(draft), action_json);
    add(words, std::move(result), std::move(answer), result_json);
}

void FoldsCast::chat(Words& words, Said said, AgentMessage draft) {
    std::string text = "we talk of this and that " + said.word;
    switch (random_.below(5)) {
        case 0:
            draft.kind = AgentMessageKind::observation;
            text = "Goal: of a stranger " + said.word;
            break;
        case 1: draft.kind = AgentMessageKind::system; break;
        default: break;
    }
    if (random_.one_in(200)) text += ' ' + std::string(5000, 'y');  // it lies apart
    const std::string json = json_text(text);
    add(words, std::move(said), std::move(draft), json);
}

}  // namespace belfry::sim
