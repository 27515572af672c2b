"""Config forensics for LLM servers: what did the engine really do, and may two runs be compared.

Undocumented names are private. The stable surface is the command line and the JSON documents (`kvaudit schema`).
"""

__version__ = "0.1.0"
