"""Judge any loop: probes, the child process they run in, and what is said of what they found."""
