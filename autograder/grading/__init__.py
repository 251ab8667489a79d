"""From submissions to marks: coordinator, workers, outbox, gradebook."""
