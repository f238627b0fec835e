"""What tests share: works and programs made in one call, servers, clients, patience."""
