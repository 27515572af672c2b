"""Descriptions of services: systemd units, `systemctl`, the journal, compose files, containers, pods.

Room: `parsers`. One module per form. Every setting comes out as a clue with its line; which unit is the run's, what a drop-in
changes and whether a policy can restart for ever is decided further right, with the other documents of the arm.
"""
