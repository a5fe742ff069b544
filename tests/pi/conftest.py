"""What runs only inside the chroot is not collected outside of it."""

collect_ignore = ["chroot/check.py"]
