"""What runs only inside the chroot or the virtual machine is not collected outside of it."""

collect_ignore_glob = ["chroot/*", "vm/*"]
