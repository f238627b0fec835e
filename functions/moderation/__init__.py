"""What owners and staff decide; comments and flags."""
