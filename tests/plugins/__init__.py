"""What all tests stand on."""
