"""The servers that are compared. Each starts on loopback in a folder of its own and ends with its `with` block."""
