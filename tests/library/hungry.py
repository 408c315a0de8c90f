"""A process that takes too much of what its input names."""

import sys
import time

from recuerdo.concurrency.confine import confine


def main() -> None:
    confine()
    match sys.stdin.read():
        case "computing":
            while True:
                pass
        case "memory":
            bytearray(2**40)
        case "time":
            time.sleep(600)
        case "nothing":
            print("done")
        case other:
            raise LookupError(other)
