from typing import List, Dict
from collections import Counter, defaultdict
import heapq
from functools import lru_cache, cache
from bisect import bisect_left


class Solution:
    def twoSum(self, nums: List[int], target: int) -> List[int]:
        seen: Dict[int, int] = {}
        for i, n in enumerate(nums):
            if target - n in seen:
                return [seen[target - n], i]
            seen[n] = i
        return []

    def lengthOfLongestSubstring(self, s: str) -> int:
        last = {}
        start = best = 0
        for i, c in enumerate(s):
            if c in last and last[c] >= start:
                start = last[c] + 1
            last[c] = i
            best = max(best, i - start + 1)
        return best

    def groupAnagrams(self, strs: List[str]) -> List[List[str]]:
        d = defaultdict(list)
        for s in strs:
            d[tuple(sorted(s))].append(s)
        return list(d.values())

    def topKFrequent(self, nums: List[int], k: int) -> List[int]:
        count = Counter(nums)
        return heapq.nlargest(k, count.keys(), key=count.get)

    def trap(self, height: List[int]) -> int:
        l, r = 0, len(height) - 1
        lmax = rmax = res = 0
        while l < r:
            if height[l] < height[r]:
                lmax = max(lmax, height[l])
                res += lmax - height[l]
                l += 1
            else:
                rmax = max(rmax, height[r])
                res += rmax - height[r]
                r -= 1
        return res

    def productExceptSelf(self, nums: List[int]) -> List[int]:
        n = len(nums)
        res = [1] * n
        for i in range(1, n):
            res[i] = res[i - 1] * nums[i - 1]
        p = 1
        for i in range(n - 1, -1, -1):
            res[i] *= p
            p *= nums[i]
        return res

    def isMatch(self, s: str, p: str) -> bool:
        @cache
        def dp(i, j):
            if j == len(p):
                return i == len(s)
            first = i < len(s) and p[j] in (s[i], '.')
            if j + 1 < len(p) and p[j + 1] == '*':
                return dp(i, j + 2) or first and dp(i + 1, j)
            return first and dp(i + 1, j + 1)
        return dp(0, 0)

    def lengthOfLIS(self, nums: List[int]) -> int:
        tails = []
        for x in nums:
            k = bisect_left(tails, x)
            tails[k:k + 1] = [x]
        return len(tails)

    @lru_cache(None)
    def climbStairs(self, n: int) -> int:
        return n if n < 3 else self.climbStairs(n - 1) + self.climbStairs(n - 2)

    def permute(self, nums):
        res = []
        def backtrack(path, used):
            if len(path) == len(nums):
                res.append(path[:])
                return
            for i in range(len(nums)):
                if used & 1 << i: continue
                path.append(nums[i])
                backtrack(path, used | 1 << i)
                path.pop()
        backtrack([], 0)
        return res


sol = Solution()
assert sol.twoSum([2, 7, 11, 15], 9) == [0, 1]
assert sol.lengthOfLongestSubstring("abcabcbb") == 3
assert sol.groupAnagrams(["eat", "tea", "tan", "ate", "nat", "bat"]) == [["eat", "tea", "ate"], ["tan", "nat"], ["bat"]]
assert sorted(sol.topKFrequent([1, 1, 1, 2, 2, 3], 2)) == [1, 2]
assert sol.trap([0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]) == 6
assert sol.productExceptSelf([1, 2, 3, 4]) == [24, 12, 8, 6]
assert sol.isMatch("aab", "c*a*b") and not sol.isMatch("mississippi", "mis*is*p*.")
assert sol.lengthOfLIS([10, 9, 2, 5, 3, 7, 101, 18]) == 4
assert sol.climbStairs(30) == 1346269
assert len(sol.permute([1, 2, 3, 4])) == 24
print("ok")
