# The two small clients, each against a scripted server, and their types.
add_test(NAME clients.python COMMAND ${BELFRY_PYTHON} -m unittest -v
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/clients/python/tests)
set_tests_properties(clients.python PROPERTIES TIMEOUT 300
  ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/clients/python;PYTHONDONTWRITEBYTECODE=1")

find_program(BELFRY_MYPY mypy REQUIRED)
add_test(NAME clients.python.types COMMAND ${BELFRY_MYPY} --strict --cache-dir ${CMAKE_BINARY_DIR}/mypy belfry
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/clients/python)

file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/clients/ts/tests/*.test.mjs)
add_test(NAME clients.ts COMMAND ${BELFRY_NODE} --test ${tests})
add_test(NAME clients.ts.types COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/clients/ts/tests/types.mjs)
set_tests_properties(clients.python.types clients.ts clients.ts.types PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
