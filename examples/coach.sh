#!/bin/sh
# A coach without code: an agent whose work is a script of templates (docs/workflows.md), woken every day at 07:00. It asks for the one
# thing of the day, or reminds of it where there is one.
set -e
"${BELFRY:-belfry}" agent create coach --display-name Coach --kind coach --workflow script --settings '{
  "steps": [
    {"if": "input.goal", "do": "set_state", "with": {"goal": "{{ input.goal }}"}},
    {"do": "notify_user", "with": {
      "title": "Coach",
      "text": "Good morning. {% set goal = input.goal or slots.primary_goal %}{% if goal %}Today: {{ goal }}{% else %}What is the one thing for today?{% endif %}"
    }}
  ]
}'
"${BELFRY:-belfry}" timer add --agent coach --daily 07:00
