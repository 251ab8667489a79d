"""What the sandbox gets to see of us: the wire and the agent. Nothing in them has to be kept from students."""
