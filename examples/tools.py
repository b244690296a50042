"""The tools of the example agents, and how a runtime reports what becomes of a call."""

import time

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


def vault_search(query):
    raise TimeoutError(f"Operation timed out after 5000ms: {query}")


def note_search(query):
    return f"The {query} hang beside the door."


FUNCTIONS = {"vault_search": vault_search, "note_search": note_search}
TOOLS = {"vault_search": {"description": "Searches the vault.", "parameters": QUERY},
         "note_search": {"description": "Searches the notes.", "parameters": QUERY}}


def run_tool(belfry, session, call_id, name, arguments):
    """Runs a tool and reports how it went. What went wrong comes back to the model as a notification."""
    report = {"tool_name": name, "call_id": call_id, "arguments": arguments}
    belfry.report_tool_call(session, "pending", **report)
    begin = time.monotonic()
    try:
        result = FUNCTIONS[name](**arguments)
    except Exception as problem:  # whatever a tool raises is the model's business
        belfry.report_tool_call(session, "failure", error_type=type(problem).__name__, error_message=str(problem), **report)
        return "failed"
    belfry.report_tool_call(session, "success", duration_ms=int((time.monotonic() - begin) * 1000), **report)
    return result
