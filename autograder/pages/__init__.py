"""What people read: feedback, report, tables in the terminal."""
