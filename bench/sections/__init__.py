"""What is measured: one file a section, each giving rows for the table and all its rounds for the JSON."""
