"""What people see and read: pages in a browser, guide pages that run, words."""
