"""Huffman coding: building the tree, and packing into bytes."""
import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Union


@dataclass(frozen=True)
class Leaf:
    symbol: str


@dataclass(frozen=True)
class Fork:
    left: "Tree"
    right: "Tree"


Tree = Union[Leaf, Fork]


def build(text: str) -> Tree:
    tie = count()
    heap: list[tuple[int, int, Tree]] = [(n, next(tie), Leaf(s)) for s, n in sorted(Counter(text).items())]
    if not heap:
        raise ValueError("nothing to encode")
    heapq.heapify(heap)
    while len(heap) > 1:
        n, _, a = heapq.heappop(heap)
        m, _, b = heap[0]
        heapq.heapreplace(heap, (n + m, next(tie), Fork(a, b)))
    return heap[0][2]


def codes(tree: Tree, prefix: str = "") -> dict[str, str]:
    match tree:
        case Leaf(symbol):
            return {symbol: prefix or "0"}
        case Fork(left, right):
            return codes(left, prefix + "0") | codes(right, prefix + "1")
    raise TypeError(type(tree).__name__)


def encode(text: str, table: dict[str, str]) -> bytes:
    bits = "".join(table[s] for s in text)
    padding = -len(bits) % 8
    bits += "0" * padding
    body = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    return bytes([padding]) + body


def decode(data: bytes, tree: Tree) -> str:
    padding, *body = data
    bits = "".join(f"{byte:08b}" for byte in body)
    bits = bits[:len(bits) - padding]
    if isinstance(tree, Leaf):
        return tree.symbol * len(bits)
    out, node = [], tree
    for bit in bits:
        node = node.right if bit == "1" else node.left
        if isinstance(node, Leaf):
            out.append(node.symbol)
            node = tree
    if node is not tree:
        raise EOFError("the data end inside a code")
    return "".join(out)


def main():
    text = "this is an example for huffman encoding"
    tree = build(text)
    table = codes(tree)
    packed = encode(text, table)
    assert decode(packed, tree) == text
    assert len(packed) < len(text) * 0.6
    ordered = sorted(table.values())
    assert not any(b.startswith(a) for a, b in zip(ordered, ordered[1:])), "prefix free"
    assert abs(sum(2 ** -len(code) for code in ordered) - 1) < 1e-12, "Kraft's equality"
    lengths = {s: len(c) for s, c in table.items()}
    counts = Counter(text)
    assert all(lengths[a] <= lengths[b] for a in counts for b in counts if counts[a] > counts[b])
    for special in ("a", "aaaaaaaaaaa", "ab", "\u00e9\u4e2d\U0001f600" * 3):
        t = build(special)
        assert decode(encode(special, codes(t)), t) == special
    try:
        build("")
    except ValueError as e:
        print(e)
    for symbol, code in sorted(table.items(), key=lambda kv: (len(kv[1]), kv[1])):
        print(f"{symbol!r:>4} {code:<7} {counts[symbol]:2d} {'#' * counts[symbol]}")


main()
