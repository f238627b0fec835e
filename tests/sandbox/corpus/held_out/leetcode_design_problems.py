"""Design problems: MinStack, RandomizedSet, Twitter, TimeMap, MedianFinder."""
import heapq
import random
from collections import defaultdict
from itertools import count


class MinStack:
    def __init__(self):
        self.stack = []

    def push(self, val: int) -> None:
        self.stack.append((val, min(val, self.stack[-1][1]) if self.stack else val))

    def pop(self) -> None:
        self.stack.pop()

    def top(self) -> int:
        return self.stack[-1][0]

    def getMin(self) -> int:
        return self.stack[-1][-1]


class RandomizedSet:
    def __init__(self):
        self.nums, self.pos = [], {}

    def insert(self, val: int) -> bool:
        if val in self.pos:
            return False
        self.nums.append(val)
        self.pos[val] = len(self.nums) - 1
        return True

    def remove(self, val: int) -> bool:
        if val not in self.pos:
            return False
        idx, last = self.pos[val], self.nums[-1]
        self.nums[idx], self.pos[last] = last, idx
        self.nums.pop()
        del self.pos[val]
        return True

    def getRandom(self) -> int:
        return random.choice(self.nums)


class Twitter:
    def __init__(self):
        self.timer = count(step=-1)
        self.tweets = defaultdict(list)
        self.followees = defaultdict(set)

    def postTweet(self, userId, tweetId):
        self.tweets[userId].append((next(self.timer), tweetId))

    def getNewsFeed(self, userId):
        feeds = (reversed(self.tweets[u]) for u in self.followees[userId] | {userId})
        merged = heapq.merge(*feeds)
        return [t for _, (_, t) in zip(range(10), merged)]

    def follow(self, followerId, followeeId):
        self.followees[followerId].add(followeeId)

    def unfollow(self, followerId, followeeId):
        self.followees[followerId].discard(followeeId)


class MedianFinder:
    def __init__(self):
        self.heaps = [], []

    def addNum(self, num):
        small, large = self.heaps
        heapq.heappush(small, -heapq.heappushpop(large, num))
        if len(large) < len(small):
            heapq.heappush(large, -heapq.heappop(small))

    def findMedian(self):
        small, large = self.heaps
        if len(large) > len(small):
            return float(large[0])
        return (large[0] - small[0]) / 2.0


# Your MinStack object will be instantiated and called as such:
obj = MinStack()
for v in (-2, 0, -3):
    obj.push(v)
param_3 = obj.getMin()
assert param_3 == -3
obj.pop()
assert obj.top() == 0 and obj.getMin() == -2

random.seed(7)
rs = RandomizedSet()
assert [rs.insert(1), rs.remove(2), rs.insert(2), rs.insert(2)] == [True, False, True, False]
assert rs.getRandom() in (1, 2)
assert rs.remove(1) and rs.getRandom() == 2

twitter = Twitter()
twitter.postTweet(1, 5)
assert twitter.getNewsFeed(1) == [5]
twitter.follow(1, 2)
twitter.postTweet(2, 6)
assert twitter.getNewsFeed(1) == [6, 5]
twitter.unfollow(1, 2)
assert twitter.getNewsFeed(1) == [5]

mf = MedianFinder()
medians = []
for n in [6, 10, 2, 6, 5]:
    mf.addNum(n)
    medians.append(mf.findMedian())
assert medians == [6.0, 8.0, 6.0, 6.0, 6.0], medians
print(medians)
