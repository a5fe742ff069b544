"""Views: pure functions from the table to what a page shows. No Flask, no I/O."""
