import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import Queue, PriorityQueue, Empty

results = []
lock = threading.Lock()


def worker(n):
    with lock:
        results.append(n * n)


threads = [threading.Thread(target=worker, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sorted(results) == [0, 1, 4, 9]
with ThreadPoolExecutor(max_workers=2) as ex:
    assert list(ex.map(lambda x: x + 1, [1, 2, 3])) == [2, 3, 4]
    futures = {ex.submit(pow, 2, n): n for n in range(3)}
    got = {futures[f]: f.result() for f in as_completed(futures)}
assert got == {0: 1, 1: 2, 2: 4}
q = Queue()
for x in "abc":
    q.put(x)
assert q.qsize() == 3 and q.get() == "a"
pq = PriorityQueue()
pq.put((2, "b"))
pq.put((1, "a"))
assert pq.get()[1] == "a"
try:
    Queue().get_nowait()
except Empty:
    print("empty")
