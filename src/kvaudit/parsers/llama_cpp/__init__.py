"""llama.cpp and its forks: logs of llama-server, of the command-line tools, and of programs that hold the library in process."""
