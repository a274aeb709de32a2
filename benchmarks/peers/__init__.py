"""What others use: the published JavaScript client of the gateway, in Node.js."""
