from typing import List, Optional


# Definition for singly-linked list.
class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


class Solution:
    def addTwoNumbers(self, l1: Optional[ListNode], l2: Optional[ListNode]) -> Optional[ListNode]:
        dummy = cur = ListNode(0)
        carry = 0
        while l1 or l2 or carry:
            if l1:
                carry += l1.val
                l1 = l1.next
            if l2:
                carry += l2.val
                l2 = l2.next
            cur.next = ListNode(carry % 10)
            cur = cur.next
            carry //= 10
        return dummy.next

    def reverseList(self, head: Optional[ListNode]) -> Optional[ListNode]:
        prev = None
        while head:
            head.next, prev, head = prev, head, head.next
        return prev

    def hasCycle(self, head: Optional[ListNode]) -> bool:
        slow = fast = head
        while fast and fast.next:
            slow, fast = slow.next, fast.next.next
            if slow is fast:
                return True
        return False

    def mergeTwoLists(self, a, b):
        if not a or not b:
            return a or b
        if a.val > b.val:
            a, b = b, a
        a.next = self.mergeTwoLists(a.next, b)
        return a

    def removeNthFromEnd(self, head: ListNode, n: int) -> ListNode:
        dummy = ListNode(0, head)
        l, r = dummy, head
        for _ in range(n):
            r = r.next
        while r:
            l, r = l.next, r.next
        l.next = l.next.next
        return dummy.next


def build(nums: List[int]) -> Optional[ListNode]:
    head = None
    for n in reversed(nums):
        head = ListNode(n, head)
    return head


def to_list(head: Optional[ListNode]) -> List[int]:
    res = []
    while head:
        res.append(head.val)
        head = head.next
    return res


s = Solution()
assert to_list(s.addTwoNumbers(build([2, 4, 3]), build([5, 6, 4]))) == [7, 0, 8]
assert to_list(s.addTwoNumbers(build([9, 9, 9]), build([1]))) == [0, 0, 0, 1]
assert to_list(s.reverseList(build([1, 2, 3, 4, 5]))) == [5, 4, 3, 2, 1]
assert to_list(s.mergeTwoLists(build([1, 2, 4]), build([1, 3, 4]))) == [1, 1, 2, 3, 4, 4]
assert to_list(s.removeNthFromEnd(build([1, 2, 3, 4, 5]), 2)) == [1, 2, 3, 5]
assert s.removeNthFromEnd(build([1]), 1) is None

lst = build([3, 2, 0, -4])
assert not s.hasCycle(lst)
lst.next.next.next.next = lst.next
assert s.hasCycle(lst)
print("All linked list tests passed!")
