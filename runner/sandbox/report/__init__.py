"""What a run says of itself: messages, differences, traces, results. Runs where the test runs."""
