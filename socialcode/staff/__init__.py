"""What those who look after the site see first."""
