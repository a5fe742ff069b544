"""The games as pure functions: standard library only, no clock, no random, no I/O."""
