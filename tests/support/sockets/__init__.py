"""What tests of sockets share: servers, clients, and a log to follow."""
