"""A toy blockchain: Merkle trees, proof of work, balances, forks."""
import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property


def sha(*parts) -> str:
    h = hashlib.sha256()
    for p in parts:
        h.update(str(p).encode("utf-8"))
    return h.hexdigest()


class MerkleTree:
    def __init__(self, leaves):
        level = [sha(0, leaf) for leaf in leaves] or [sha("")]
        self.levels = [level]
        while len(level) > 1:
            if len(level) % 2:
                level = level + level[-1:]
            level = [sha(1, a, b) for a, b in zip(level[::2], level[1::2])]
            self.levels.append(level)

    @property
    def root(self):
        return self.levels[-1][0]

    def proof(self, index):
        path = []
        for level in self.levels[:-1]:
            sibling = index ^ 1
            path.append(("right" if sibling > index else "left", level[min(sibling, len(level) - 1)]))
            index //= 2
        return path

    @staticmethod
    def verify(leaf, path, root):
        digest = sha(0, leaf)
        for side, sibling in path:
            digest = sha(1, digest, sibling) if side == "right" else sha(1, sibling, digest)
        return digest == root


@dataclass(frozen=True)
class Tx:
    sender: str
    receiver: str
    amount: int

    def __str__(self):
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Block:
    index: int
    previous: str
    transactions: tuple[Tx, ...]
    nonce: int = 0
    difficulty: int = field(default=1, repr=False)

    @cached_property
    def root(self):
        return MerkleTree(map(str, self.transactions)).root

    @cached_property
    def hash(self):
        return sha(self.index, self.previous, self.root, self.nonce)

    @property
    def valid(self):
        return self.hash.startswith("0" * self.difficulty)

    def mined(self):
        block = self
        while not block.valid:
            block = replace(block, nonce=block.nonce + 1)
        return block


class InvalidBlock(Exception):
    pass


class Chain:
    REWARD = 50
    MINT = "<mint>"

    def __init__(self, blocks=None):
        self.blocks = list(blocks) if blocks else [Block(0, "", (), difficulty=0)]
        self.pool = []

    def submit(self, sender, receiver, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        pending = sum(t.amount for t in self.pool if t.sender == sender)
        if self.balances().get(sender, 0) < amount + pending:
            raise ValueError(f"{sender} cannot pay {amount}")
        self.pool.append(Tx(sender, receiver, amount))
        return self

    def mine(self, miner):
        txs = (Tx(self.MINT, miner, self.REWARD), *self.pool)
        block = Block(len(self.blocks), self.blocks[-1].hash, txs).mined()
        self.blocks.append(block)
        self.pool = []
        return block

    def balances(self):
        totals = {}
        for block in self.blocks:
            for tx in block.transactions:
                totals[tx.receiver] = totals.get(tx.receiver, 0) + tx.amount
                if tx.sender != self.MINT:
                    totals[tx.sender] = totals.get(tx.sender, 0) - tx.amount
        return totals

    def check(self):
        for a, b in zip(self.blocks, self.blocks[1:]):
            if b.previous != a.hash:
                raise InvalidBlock(f"block {b.index} does not follow")
            if not b.valid:
                raise InvalidBlock(f"block {b.index} has no work")
            if sum(t.amount for t in b.transactions if t.sender == self.MINT) != self.REWARD:
                raise InvalidBlock(f"block {b.index} mints too much")
        if min(self.balances().values(), default=0) < 0:
            raise InvalidBlock("negative balance")
        return True

    def fork(self, at):
        return type(self)(self.blocks[:at])

    def __len__(self):
        return len(self.blocks)

    def adopt(self, other):
        """The longest valid chain wins."""
        try:
            other.check()
        except InvalidBlock:
            return False
        if len(other) <= len(self):
            return False
        self.blocks = other.blocks[:]
        return True


def test_merkle():
    for n in (1, 2, 3, 5, 8):
        leaves = [f"tx{i}" for i in range(n)]
        tree = MerkleTree(leaves)
        for i, leaf in enumerate(leaves):
            assert MerkleTree.verify(leaf, tree.proof(i), tree.root), (n, i)
            assert not MerkleTree.verify(leaf + "!", tree.proof(i), tree.root)
    assert MerkleTree("ab").root != MerkleTree("ba").root


def test_chain():
    chain = Chain()
    assert chain.mine("ann").valid
    chain.submit("ann", "bob", 20).submit("ann", "cy", 5)
    for args in (("ann", "bob", 26), ("bob", "ann", 1), ("ann", "bob", 0)):
        try:
            chain.submit(*args)
        except ValueError as e:
            print(e)
        else:
            raise AssertionError(args)
    chain.mine("bob")
    assert chain.balances() == {"ann": 25, "bob": 70, "cy": 5} and chain.check() and not chain.pool
    rival = chain.fork(2)
    rival.mine("eve")
    assert not chain.adopt(rival)
    rival.mine("eve")
    assert chain.adopt(rival) and chain.balances() == {"ann": 50, "eve": 100}


def test_tampering():
    chain = Chain()
    for _ in range(3):
        chain.mine("ann")
    good = chain.blocks[2]
    rich = Tx(Chain.MINT, "eve", 999)
    for forged, message in ((replace(good, transactions=(rich,)).mined(), "block 2 mints too much"),
                            (replace(good, nonce=good.nonce + 1), "block 2 has no work"),
                            (replace(good, previous="0" * 64), "block 2 does not follow")):
        if message.endswith("work") and forged.valid:
            continue
        try:
            Chain([*chain.blocks[:2], forged]).check()
        except InvalidBlock as e:
            assert str(e) == message
        else:
            raise AssertionError(message)


test_merkle(); test_chain(); test_tampering()
