# The two small clients, each against a scripted server, and their types. Node and mypy are not part of scripts/setup: where one
# is missing, the test says so and counts as skipped.
add_test(NAME clients.python COMMAND ${BELFRY_PYTHON} -m unittest -v
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/clients/python/tests)
set_tests_properties(clients.python PROPERTIES TIMEOUT 300
  ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/clients/python;PYTHONDONTWRITEBYTECODE=1")

find_program(BELFRY_MYPY mypy)
if(BELFRY_MYPY)
  add_test(NAME clients.python.types COMMAND ${BELFRY_MYPY} --strict --cache-dir ${CMAKE_BINARY_DIR}/mypy belfry
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/clients/python)
else()
  add_test(NAME clients.python.types COMMAND sh -c "echo 'SKIPPED: there is no mypy, so the types of clients/python were not checked' >&2; exit 77")
endif()

find_program(BELFRY_NODE node)
if(BELFRY_NODE)
  add_test(NAME clients.ts COMMAND ${BELFRY_NODE} --test
    ${PROJECT_SOURCE_DIR}/clients/ts/tests/agents.test.mjs ${PROJECT_SOURCE_DIR}/clients/ts/tests/client.test.mjs ${PROJECT_SOURCE_DIR}/clients/ts/tests/event_source.test.mjs
    ${PROJECT_SOURCE_DIR}/clients/ts/tests/journal.test.mjs ${PROJECT_SOURCE_DIR}/clients/ts/tests/sender.test.mjs)
  add_test(NAME clients.ts.types COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/clients/ts/tests/types.mjs ${CMAKE_BINARY_DIR}/npm-typescript)
else()
  add_test(NAME clients.ts COMMAND sh -c "echo 'SKIPPED: there is no node, so clients/ts was not tested' >&2; exit 77")
  add_test(NAME clients.ts.types COMMAND sh -c "echo 'SKIPPED: there is no node, so the types of clients/ts were not checked' >&2; exit 77")
endif()
set_tests_properties(clients.python.types clients.ts clients.ts.types PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
