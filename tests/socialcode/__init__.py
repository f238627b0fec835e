"""The site around the product: settings, servers, accounts, engines."""
