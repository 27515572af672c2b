"""A run folder from a live server: endpoints, log, GPUs, process, service, checkpoint headers, and a manifest of it all."""
