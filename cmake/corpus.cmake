# What the shipped subscribers make of a mix of events, for the count of tokens: a test and a figure of docs/performance.md.
if(NOT TARGET notification_corpus)
  set(bench ${PROJECT_SOURCE_DIR}/bench)
  add_executable(notification_corpus ${bench}/notifications/corpus.cpp ${bench}/notifications/run_engine.cpp
    ${bench}/notifications/mix.cpp ${bench}/common/fail.cpp ${bench}/common/samples.cpp)
  target_include_directories(notification_corpus PRIVATE ${bench})
  target_link_libraries(notification_corpus PRIVATE belfry_daemon)
  set_target_properties(notification_corpus PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
