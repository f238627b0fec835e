import collections
from typing import *


class TreeNode:
    def __init__(self, x):
        self.val = x
        self.left = None
        self.right = None


class Codec:
    """Serializes like LeetCode does: level order, '#' for null."""

    def serialize(self, root: TreeNode) -> str:
        if not root: return ''
        q = collections.deque([root])
        out = []
        while q:
            node = q.popleft()
            if node:
                out.append(str(node.val))
                q.extend([node.left, node.right])
            else:
                out.append('#')
        while out[-1] == '#': out.pop()
        return ','.join(out)

    def deserialize(self, data: str) -> Optional[TreeNode]:
        if not data: return None
        vals = iter(data.split(','))
        root = TreeNode(int(next(vals)))
        q = collections.deque([root])
        while q:
            node = q.popleft()
            for side in ('left', 'right'):
                v = next(vals, None)
                if v is None: return root
                if v != '#':
                    child = TreeNode(int(v))
                    setattr(node, side, child)
                    q.append(child)
        return root


class Solution:
    def maxDepth(self, root: Optional[TreeNode]) -> int:
        return 1 + max(self.maxDepth(root.left), self.maxDepth(root.right)) if root else 0

    def levelOrder(self, root: Optional[TreeNode]) -> List[List[int]]:
        ans, level = [], [root] if root else []
        while level:
            ans.append([n.val for n in level])
            level = [kid for n in level for kid in (n.left, n.right) if kid]
        return ans

    def isValidBST(self, root, lo=float('-inf'), hi=float('inf')) -> bool:
        if not root:
            return True
        return lo < root.val < hi and self.isValidBST(root.left, lo, root.val) \
            and self.isValidBST(root.right, root.val, hi)

    def maxPathSum(self, root: Optional[TreeNode]) -> int:
        self.best = float('-inf')

        def gain(node):
            if not node:
                return 0
            l, r = max(0, gain(node.left)), max(0, gain(node.right))
            self.best = max(self.best, node.val + l + r)
            return node.val + max(l, r)

        gain(root)
        return self.best

    def lowestCommonAncestor(self, root, p, q):
        if root in (None, p, q): return root
        l = self.lowestCommonAncestor(root.left, p, q)
        r = self.lowestCommonAncestor(root.right, p, q)
        return root if l and r else l or r

    def inorder(self, root) -> Iterator[int]:
        if root:
            yield from self.inorder(root.left)
            yield root.val
            yield from self.inorder(root.right)


if __name__ == '__main__':
    codec, sol = Codec(), Solution()
    t = codec.deserialize('3,9,20,#,#,15,7')
    assert codec.serialize(t) == '3,9,20,#,#,15,7'
    assert sol.maxDepth(t) == 3
    assert sol.levelOrder(t) == [[3], [9, 20], [15, 7]]
    assert not sol.isValidBST(t)
    assert sol.isValidBST(codec.deserialize('5,3,8,1,4,7,9'))
    assert sol.maxPathSum(codec.deserialize('-10,9,20,#,#,15,7')) == 42
    assert sol.lowestCommonAncestor(t, t.right.left, t.right.right) is t.right
    assert list(sol.inorder(codec.deserialize('2,1,3'))) == [1, 2, 3]
    print(sol.levelOrder(t))
