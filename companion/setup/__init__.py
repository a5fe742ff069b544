"""Setting up a station from its own screen: table, camera, tray, dice."""
